from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.simulated import NODE, POOL, SPOT, TERMS, job, setup

from tidegate.scaling.offerings import Offerings
from tidegate.simulation.bounds import NodeTerms
from tidegate.simulation.engine import simulate
from tidegate.simulation.peers_spot import Ocean, SkyServe
from tidegate.simulation.spot_bound import bound_spot
from tidegate.vocabulary.capacity import CapacityType

SPOT_TERMS = NodeTerms(2.4, 8, 240)
THERE, NEVER = ((0, 16),), ((0, 0),)
QUICK = {"up_seconds": 0, "down_seconds": 60}


def units(count: int, submitted: int = 0, seconds: int = 7200):
    return [job(f"u{submitted}-{n}", submitted, seconds, gpus=1) for n in range(count)]


class TestSkyServe:
    def test_on_demand_stands_in_until_spot_is_ready_and_while_it_is_away(self):
        away = simulate(setup(*units(8), spot=NEVER, divisible=True), SkyServe(**QUICK))
        assert set(away.paid_hours) == {"pool/node"}
        there = simulate(setup(*units(8), spot=THERE, divisible=True), SkyServe(**QUICK))
        # Both kinds boot; then on-demand goes and spot does the work.
        assert there.paid_hours["pool/node"] * 3600 == pytest.approx(Decimal(240), abs=120)
        assert there.paid_hours["spot/node"] * 3600 >= 7200

    def test_the_base_is_always_on_demand(self):
        found = simulate(setup(*units(16), spot=THERE, divisible=True), SkyServe(base=1, **QUICK))
        assert found.paid_hours["pool/node"] * 3600 >= 7200

    def test_a_wish_must_last_before_the_target_follows(self):
        slow = simulate(setup(*units(8), spot=THERE, divisible=True), SkyServe())
        assert min(slow.waits.values()) >= 300 + 240 - 60
        # And nodes stay for twenty minutes after the work.
        assert slow.paid_hours["spot/node"] * 3600 >= 7200 + 1200


class TestOcean:
    def test_reservations_come_first_then_spot_then_on_demand(self):
        reserved = replace(
            NODE, id="pool/reserved", capacity_type=CapacityType.RESERVED, per_hour=Decimal(9)
        )
        for capacity, used in (
            ({}, "pool/reserved"),
            ({"pool/reserved": NEVER}, "spot/node"),
            ({"pool/reserved": NEVER, "spot/node": NEVER}, "pool/node"),
        ):
            base = setup(job("a", 0, 600), spot=THERE)
            market = Offerings((NODE, SPOT, reserved))
            found = simulate(replace(base, market=market, capacity=capacity), Ocean())
            assert set(found.paid_hours) == {used}

    def test_work_goes_back_to_spot_after_the_stabilization(self):
        back = ((0, 0), (600, 16))
        found = simulate(setup(job("a", 0, 20_000), spot=back), Ocean(600))
        assert found.unfinished_cost == 0
        assert found.paid_hours["spot/node"] > found.paid_hours["pool/node"] > 0

    def test_idle_nodes_stay_for_25_minutes(self):
        found = simulate(setup(job("a", 0, 600)), Ocean())
        assert found.paid_hours == {"pool/node": Decimal(240 + 600 + 1500) / 3600}


@pytest.mark.parametrize("build", [lambda: SkyServe(**QUICK), Ocean], ids=["skyserve", "ocean"])
@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.tuples(st.integers(0, 6000), st.integers(600, 9000)), min_size=1, max_size=30),
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
)
def test_no_run_is_below_the_bound(build, drawn, levels):
    jobs = tuple(
        sorted(
            (job(f"j{n}", *told, gpus=1) for n, told in enumerate(drawn)),
            key=lambda entry: (entry.submitted, entry.id),
        )
    )
    steps = tuple((n * 3000, level) for n, level in enumerate(levels))
    found = simulate(setup(*jobs, spot=steps, divisible=True, end=90_000), build())
    wait = max(found.waits.values())
    assert float(found.cost) >= bound_spot(jobs, SPOT_TERMS, TERMS, steps, wait) - 1e-6
    assert POOL.max_nodes >= max((sum(level.values()) for _, level in found.levels), default=0)
