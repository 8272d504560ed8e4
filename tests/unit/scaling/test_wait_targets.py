"""How long work may wait: it chooses what starts in time, and keeps what only waiting nodes can."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from support.scaling import (
    NOW,
    ago,
    causes,
    item,
    items,
    node,
    offering,
    ordered,
    plan,
    pool,
    shape,
    sizes,
    work,
)

from tidegate.scaling.keep_alive import ENOUGH_GAPS, keep_alive_seconds
from tidegate.scaling.offerings import CommittedCapacity, SpotHistory, TransferLane
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import DataNeed

SLOW = offering("slow", per_hour=Decimal(20), boot_seconds=600)
FAST = offering("fast", per_hour=Decimal(80), boot_seconds=60)
POOLS = (pool("slow"), pool("fast"))
SOON = replace(shape(8), wait_target_seconds=120)


class TestChoice:
    def test_without_a_target_the_cheapest_is_taken(self):
        assert ordered(plan(POOLS, (SLOW, FAST), item())) == {"slow/node": 1}

    def test_what_starts_in_time_goes_before_what_is_cheaper(self):
        assert ordered(plan(POOLS, (SLOW, FAST), item("job", SOON))) == {"fast/node": 1}

    def test_a_target_of_exactly_the_boot_time_is_met(self):
        met = replace(SOON, wait_target_seconds=600)
        assert ordered(plan(POOLS, (SLOW, FAST), item("job", met))) == {"slow/node": 1}

    def test_where_nothing_starts_in_time_late_is_better_than_never_and_is_said(self):
        found = plan((POOLS[0], pool("fast", max_nodes=1)), (SLOW, FAST), *items(3, SOON))
        assert ordered(found) == {"fast/node": 1, "slow/node": 2}
        assert not found.unmet
        reasons = {resize.pool: resize.reason for resize in found.resizes}
        late = "2 items start later than they are to wait: nothing faster can be had"
        assert late in reasons["slow"]
        assert late not in reasons["fast"]

    def test_of_one_late_item_the_reason_speaks_in_the_singular(self):
        found = plan((POOLS[0],), (SLOW,), item("job", SOON))
        late = "1 item starts later than it is to wait: nothing faster can be had"
        assert late in found.resizes[0].reason

    def test_time_to_move_data_counts(self):
        away = pool("fast", region="us-west-2", domain="aws/us-west-2/main")
        lanes = {("aws/us-east-1", "aws/us-west-2"): TransferLane(Decimal("0.01"), Decimal(1))}
        near = replace(SLOW, boot_seconds=100)
        heavy = replace(SOON, data=(DataNeed("aws", "us-east-1", read_gb=100),))
        far = replace(FAST, per_hour=Decimal(10))
        found = plan((POOLS[0], away), (near, far), item("job", heavy), market={"lanes": lanes})
        assert ordered(found) == {"slow/node": 1}

    @pytest.mark.parametrize("exact_groups", [0, 40])
    def test_no_saving_makes_work_start_late(self, exact_groups):
        half = replace(shape(4), wait_target_seconds=120)
        settings = ScalingSettings(exact_groups=exact_groups)
        found = plan(POOLS, (SLOW, FAST), *items(2, half), settings=settings)
        assert ordered(found) == {"fast/node": 1}

    def test_not_even_a_commitment_makes_work_start_late(self):
        paid = replace(SLOW, commitment="c1")
        market = {"commitments": (CommittedCapacity("c1", Decimal(4)),)}
        assert ordered(plan(POOLS, (paid, FAST), item("job", SOON), market=market)) == {
            "fast/node": 1
        }

    def test_a_node_that_is_there_serves_at_once_however_long_its_kind_boots(self):
        found = plan(
            POOLS, (SLOW, FAST), item("job", SOON), nodes=(node(pool="slow", since=ago(1)),)
        )
        assert ordered(found) == {}
        assert not found.unmet

    def test_a_negative_target_makes_no_sense(self):
        found = plan(POOLS, (SLOW, FAST), item("job", replace(SOON, wait_target_seconds=-1)))
        assert causes(found) == {"invalid"}
        assert ordered(found) == {}


class TestKeepAlive:
    price, boot = Decimal(80), 240

    def keep(self, gaps: tuple[int, ...], target: int | None) -> int:
        return keep_alive_seconds(self.price, self.boot, gaps, ScalingSettings(), target)

    def test_a_target_that_a_new_node_meets_changes_nothing(self):
        gaps = (2000,) * 20
        assert self.keep(gaps, 240) == self.keep(gaps, None) == 60

    def test_a_target_shorter_than_the_boot_time_bridges_nearly_all_gaps(self):
        gaps = (500,) * 10 + (2000,) * 9 + (3500,)
        assert self.keep(gaps, 30) == 2000

    def test_with_too_few_gaps_known_a_node_stays_as_long_as_is_allowed(self):
        assert self.keep((500,) * (ENOUGH_GAPS - 1), 30) == 3600

    def test_the_longest_time_allowed_bounds_it(self):
        assert self.keep((50_000,) * 20, 30) == 3600


class TestFleet:
    def kept(self, **fleet: object) -> bool:
        idle = node(since=ago(1000))
        found = plan([pool()], [offering()], nodes=(idle, *fleet.pop("more", ())), **fleet)
        return "n1" not in {stop.node for stop in found.stops}

    def test_an_idle_node_goes_where_nothing_has_a_target(self):
        assert not self.kept()

    def test_it_stays_where_what_came_lately_could_not_wait_for_a_new_one(self):
        assert self.kept(wait_targets={"train": 30})

    def test_it_goes_where_a_new_one_comes_in_time(self):
        assert not self.kept(wait_targets={"train": 240})

    def test_targets_of_other_pools_do_not_matter(self):
        assert not self.kept(wait_targets={"other": 30})

    def test_a_negative_target_is_not_believed(self):
        assert not self.kept(wait_targets={"train": -30})

    def test_work_that_runs_there_tells_its_target(self):
        busy = replace(work(), shape=replace(shape(8), wait_target_seconds=30))
        assert self.kept(more=(node("n2", phase="busy", running=(busy,)),))

    def test_room_is_kept_for_what_no_new_node_would_serve_in_time(self):
        told = {"train": (8,) * 20}
        kept = plan([pool()], [offering()], arrivals=told, wait_targets={"train": 30})
        assert sizes(kept) == {"train": (0, 1)}
        assert "keeps room free" in kept.resizes[0].reason
        assert sizes(plan([pool()], [offering()], arrivals=told, wait_targets={"train": 240})) == {}

    def test_stated_warm_shares_are_never_lowered_by_a_target(self):
        told = {"train": (8,) * 19 + (16,)}
        settings = ScalingSettings(warm_share=Decimal(1))
        found = plan(
            [pool()], [offering()], arrivals=told, wait_targets={"train": 30}, settings=settings
        )
        assert sizes(found) == {"train": (0, 2)}


class TestPatience:
    """Work whose deadline lets it wait for spot waits no longer than its target."""

    spot = offering("spot", capacity_type=CapacityType.SPOT, per_hour=Decimal(24))
    safe = offering("safe")
    seen = (*((True,) * 40 + (False,) * 10) * 12, False)

    def start(self, target: int | None, waited: int) -> dict[str, int]:
        asked = item(
            "job",
            replace(shape(8), wait_target_seconds=target),
            queued_at=ago(waited),
            deadline=NOW + timedelta(hours=20),
            work_left_seconds=36_000,
        )
        market = {"spot_history": {"spot/node": SpotHistory(300, self.seen)}}
        return ordered(
            plan((pool("spot"), pool("safe")), (self.spot, self.safe), asked, market=market)
        )

    def test_without_a_target_it_waits(self):
        assert self.start(None, waited=3000) == {}

    def test_it_waits_while_on_demand_would_still_start_it_in_time(self):
        assert self.start(3600, waited=3000) == {}

    def test_it_starts_when_no_time_is_left_to_wait(self):
        assert self.start(3600, waited=3400) != {}


def test_a_target_that_has_passed_still_asks_for_the_fastest():
    late = plan(POOLS, (SLOW, FAST), item("job", SOON, queued_at=ago(5000)))
    assert ordered(late) == {"fast/node": 1}
