from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from support.simulated import OURS, job, setup

from tidegate.scaling.warm import LOOK_BACK_SECONDS
from tidegate.simulation.engine import simulate
from tidegate.simulation.targets import WaitTargets


def aiming(name: str, submitted: int, most: int | None):
    told = job(name, submitted, 600)
    return replace(told, shape=replace(told.shape, wait_target_seconds=most))


class Watched:
    """Ours, keeping what it was told of wait targets."""

    def __init__(self):
        self.told = []

    def plan(self, fleet, demand, offerings, now):
        self.told.append(dict(fleet.wait_targets))
        return OURS.plan(fleet, demand, offerings, now)

    def review_in(self, fleet, now):
        return OURS.review_in(fleet, now)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3 * LOOK_BACK_SECONDS),
            st.sampled_from(("p", "q")),
            st.none() | st.integers(0, 900),
        )
    )
)
def test_the_shortest_of_the_last_day_is_told_by_pool(came):
    targets = WaitTargets()
    came.sort(key=lambda entry: entry[0])
    for number, (second, pool, most) in enumerate(came):
        targets.note(aiming("a", 0, most), [pool], second)
        lately = [
            (where, target)
            for at, where, target in came[: number + 1]
            if target is not None and at > second - LOOK_BACK_SECONDS
        ]
        pools = {where for where, _ in lately}
        expected = {name: min(t for where, t in lately if where == name) for name in pools}
        assert targets.tell(second) == expected


def test_the_policy_is_told_what_started_lately():
    watched = Watched()
    simulate(setup(aiming("a", 0, 700), aiming("b", 3000, 500), job("c", 5000, 60)), watched)
    assert watched.told[0] == {}
    assert {"pool": 700} in watched.told
    assert watched.told[-1] == {"pool": 500}
    silent = Watched()
    simulate(setup(job("a", 0, 600)), silent)
    assert not any(silent.told)
