"""A node interrupted on purpose: what may be, what is measured, and what that says."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from support.controller import NOW, declare_pool, node
from support.emptied import DrilledWorld

from tidegate.controller.drill import (
    Held,
    choose_node,
    judge,
    refuse_pool,
    start_watch,
)
from tidegate.controller.drilling import Driller
from tidegate.controller.loop import Controller, LoopSettings
from tidegate.controller.nodes import PoolSight
from tidegate.manifest.model import Checkpoint
from tidegate.scaling.settings import ScalingSettings
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.fleet_state import PoolState, RunningPod
from tidegate.vocabulary.problems import InvalidInput, Unavailable

DECLARED = Checkpoint(interval_seconds=300, write_seconds=20, restart_seconds=30)
LOOK = 10


def pod(name="job-a", **changes):
    made = RunningPod(
        f"k8s/ml/{name}", 8, name=f"ml/{name}", owner="k8s/ml/Job/job", ready=True,
        checkpoint_at=NOW - timedelta(seconds=100),
    )  # fmt: skip
    return replace(made, **changes)


def at(name, *pods, **changes):
    return replace(node(name), running=pods, **changes)


def sight(*nodes, **pool):
    declared = declare_pool(**{"cluster": "main", "checkpoint": DECLARED, **pool})
    return PoolSight(declared, PoolState("train", len(nodes), ()), nodes, True, None, ())


@pytest.mark.parametrize(
    ("seen", "why"),
    [
        (sight(at("a", pod()), scaler="karpenter"), "is scaled by karpenter"),
        (sight(at("a", pod()), interruption_tolerance="intolerant"), "is intolerant"),
        (sight(at("a", pod()), checkpoint=None), "declares no checkpoint"),
        (sight(at("a")), "runs no work"),
        (sight(), "runs no work"),
        (replace(sight(at("a", pod())), nodes=None), "cannot be seen"),
        (replace(sight(at("a", pod())), in_cluster=False), "belongs to no cluster"),
    ],
)
def test_a_pool_that_is_not_interrupted_on_purpose(seen, why):
    assert refuse_pool(seen.pool, seen).startswith(why)


def test_a_tolerant_pool_at_work_may_be_drilled():
    seen = sight(at("a", pod()))

    assert refuse_pool(seen.pool, seen) == ""


@pytest.mark.parametrize(
    ("running", "why"),
    [
        ((), "runs no work"),
        ((pod(checkpoint_at=None),), "never saved itself"),
        ((pod(owner=""),), "nothing makes"),
        ((pod(ready=False),), "is not at work"),
        ((pod(leaving=True),), "is not at work"),
    ],
)
def test_a_node_whose_work_would_be_lost_is_not_chosen(running, why):
    chosen, told = choose_node(sight(at("a", *running)), "")

    assert chosen is None
    assert why in told


def test_the_node_with_the_least_work_is_chosen_unless_one_is_named():
    seen = sight(at("a", pod("x"), pod("y")), at("b", pod("z")), at("c", closed=True))

    assert choose_node(seen, "")[0].name == "b"
    assert choose_node(seen, "a")[0].name == "a"
    assert choose_node(seen, "d") == (None, "has no node d")


def watched(*looks, others=()):
    """Return a watch after looks, each the nodes ten seconds after the one before."""
    first = (at("a", pod()), *others)
    watch = start_watch(first[0], first, NOW)
    for number, nodes in enumerate(looks):
        watch.look(nodes, NOW + timedelta(seconds=LOOK * number))
    return watch


def verdicts(watch, **pool):
    declared = declare_pool(cluster="main", checkpoint=DECLARED, boot_seconds=60, **pool)
    return {
        check.name: (check.held, check.measured_seconds) for check in judge(watch, declared, LOOK)
    }


BACK = pod("job-b", resumed_from=NOW - timedelta(seconds=100))
GONE = ()


def test_work_that_comes_back_in_time_from_its_last_checkpoint_holds():
    watch = watched([at("a", pod())], GONE, GONE, [at("b", BACK)])

    assert watch.is_over()
    assert verdicts(watch) == {
        "resume": (Held.HOLDS, 30),
        "rework": (Held.HOLDS, 100),
        "idempotency": (Held.HOLDS, None),
    }


def test_a_checkpoint_that_was_asked_for_is_where_it_should_begin():
    saved = pod(checkpoint_at=NOW + timedelta(seconds=8))
    looks = [at("a", pod())], [at("a", saved)], GONE

    good = watched(*looks, [at("b", replace(BACK, resumed_from=NOW + timedelta(seconds=8)))])
    bad = watched(*looks, [at("b", BACK)])

    assert verdicts(good)["rework"] == (Held.HOLDS, 2)
    assert verdicts(bad)["idempotency"] == (Held.BROKEN, None)


def test_work_that_comes_back_late_breaks_its_promise():
    watch = watched([at("a", pod())], *[GONE] * 20, [at("b", BACK)])

    assert verdicts(watch)["resume"] == (Held.BROKEN, 210)


def test_work_that_repeats_more_than_it_declares_breaks_its_promise():
    old = pod(checkpoint_at=NOW - timedelta(seconds=400))
    watch = start_watch(at("a", old), (at("a", old),), NOW)
    watch.look([at("a", old)], NOW)
    watch.look([at("b", replace(BACK, resumed_from=old.checkpoint_at))], NOW + timedelta(seconds=5))

    assert verdicts(watch)["rework"] == (Held.BROKEN, 400)


def test_work_that_runs_twice_breaks_its_promise():
    watch = watched([at("a", pod()), at("b", BACK)], [at("b", BACK)])

    assert verdicts(watch)["idempotency"] == (Held.BROKEN, None)


def test_what_does_not_say_where_it_began_is_not_taken_to_hold():
    watch = watched([at("a", pod())], [at("b", pod("job-b"))])

    assert verdicts(watch)["idempotency"] == (Held.UNKNOWN, None)
    assert verdicts(watch)["rework"] == (Held.HOLDS, 100)


def test_work_that_never_comes_back_is_lost():
    watch = watched([at("a", pod())], GONE)

    assert not watch.is_over()
    assert verdicts(watch)["resume"] == (Held.BROKEN, None)
    assert verdicts(watch)["idempotency"] == (Held.BROKEN, None)


def test_a_machine_that_stays_is_told():
    watch = watched([at("a", pod())], [at("a"), at("b", BACK)])

    assert verdicts(watch)["machine"] == (Held.BROKEN, None)


def test_pods_of_the_same_owner_elsewhere_are_not_waited_for():
    other = at("c", pod("job-c"))
    watch = watched([at("a", pod()), other], [other], [other, at("b", BACK)], others=(other,))

    assert watch.is_over()
    assert verdicts(watch)["idempotency"] == (Held.HOLDS, None)


@pytest.fixture
def world(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    made = DrilledHere(DatabaseStore(engine), gpus=8)
    made.pool = declare_pool(cluster="main", boot_seconds=60, checkpoint=DECLARED)
    yield made
    made.close()
    engine.dispose()


class DrilledHere(DrilledWorld):
    def kube_lives(self):
        """Nothing: `live` is called by the drill's sleep."""

    def drill(self, pool="train", node="", monkeypatch=None):
        settings = LoopSettings(scaling=ScalingSettings(node_cooldown_seconds=0))

        async def pass_time(seconds):
            self.clock.advance(seconds)
            self.live()

        async def go():
            controller = Controller(lambda: self.wiring(), self.store, self.clock, settings)
            driller = Driller(controller, self.store, self.clock, LOOK)
            try:
                planned = await driller.plan(pool, node)
                monkeypatch.setattr("tidegate.controller.drilling.asyncio.sleep", pass_time)
                return await driller.run(planned, "ana", 600, self.lines.append)
            finally:
                monkeypatch.undo()
                controller._executor.shutdown(wait=True)

        self.lines = []
        return asyncio.run(go())


def test_a_drill_takes_the_way_of_an_interruption_and_measures_it(world, monkeypatch):
    done = world.drill(monkeypatch=monkeypatch)

    assert done.holds(), done.checks
    assert done.planned.node.name == "train-0"
    assert [(check.name, check.item) for check in done.checks] == [
        (name, "k8s/ml/Job/left") for name in ("resume", "rework", "idempotency")
    ]
    assert "train-0" not in world.kube.nodes
    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]
    assert world.pools.sizes == {"train": 2}
    told = [e.reason for e in world.store.read_decisions("train", 50) if e.action == "interruption"]
    assert told == ["train-0: a drill of ana's (drill)"]
    assert world.store.read_risks() == []
    assert world.lines[-1] == "train-0 is gone; 1 of 1 pieces of work are back"


def test_a_drill_of_work_that_does_not_say_where_it_began_does_not_hold(world, monkeypatch):
    world.says = False

    done = world.drill(monkeypatch=monkeypatch)

    assert not done.holds()
    assert [c.held for c in done.checks if c.name == "idempotency"] == [Held.UNKNOWN]


def test_a_drill_whose_work_stays_away_ends_after_its_time(world, monkeypatch):
    world.live = lambda: None

    done = world.drill(monkeypatch=monkeypatch)

    assert not done.holds()
    assert done.seconds == 600


@pytest.mark.parametrize(
    ("pool", "node", "why"),
    [
        ("trian", "", "did you mean 'train'"),
        ("train", "train-9", "has no node train-9"),
    ],
)
def test_what_is_not_there_is_refused(world, monkeypatch, pool, node, why):
    with pytest.raises(InvalidInput, match=why):
        world.drill(pool, node, monkeypatch=monkeypatch)

    assert world.kube.evictions == []


def test_where_its_cloud_would_choose_which_node_goes_nothing_is_drilled(world, monkeypatch):
    world.pools.choosing = False

    with pytest.raises(InvalidInput, match="cloud's own choice"):
        world.drill(monkeypatch=monkeypatch)


def test_in_doubt_nothing_is_drilled(world, monkeypatch):
    world.turn()
    world.kube.down = True

    with pytest.raises((Unavailable, InvalidInput)):
        world.drill(monkeypatch=monkeypatch)
