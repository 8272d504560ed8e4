from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from support.scaling import NOW, item, offering, ordered, plan, pool, shape

from tidegate.scaling.offerings import NodeRoom, TransferLane
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.vocabulary.capacity import CapacityType, Scaler, WorkloadClass
from tidegate.vocabulary.demand import DataNeed, PlacementNeed
from tidegate.vocabulary.plans import Cause, CauseKind, Hold, HoldCause

SPOT = {"capacity_type": CapacityType.SPOT, "per_hour": Decimal(24)}
FAR_DATA = (DataNeed("aws", "eu-west-1", read_gb=1000),)
LANE = {("aws/eu-west-1", "aws/us-east-1"): TransferLane(Decimal("0.02"), Decimal(1))}


def only_cause(*args, **kwargs) -> Cause:
    found = plan(*args, **kwargs)
    assert ordered(found) == {}
    (unmet,) = found.unmet
    (cause,) = unmet.causes
    return cause


def place(**need):
    return item("job", shape(8, placement=PlacementNeed(**need)))


@pytest.mark.parametrize(
    ("wanted", "kind", "where", "text"),
    [
        (
            place(residency=("eu-west-1",)),
            CauseKind.RESIDENCY,
            "train",
            "aws/us-east-1 is outside eu-west-1",
        ),
        (place(pools=("other",)), CauseKind.POOL, "train", "only other are asked for"),
        (
            place(software=(("driver", "550"),)),
            CauseKind.SOFTWARE,
            "train",
            "its nodes do not carry driver=550",
        ),
        (
            place(isolation="dedicated"),
            CauseKind.ISOLATION,
            "train",
            "does not give the isolation 'dedicated'",
        ),
        (
            place(service_level="gold"),
            CauseKind.SERVICE_LEVEL,
            "train",
            "has not the service level 'gold'",
        ),
        (
            place(near_region="eu-west-1", max_latency_ms=50),
            CauseKind.LATENCY,
            "train",
            "how far us-east-1 is from eu-west-1 is not known",
        ),
        (
            item("job", shape(8, workload_class=WorkloadClass.NOTEBOOK)),
            CauseKind.WORKLOAD_CLASS,
            "train",
            "takes no work of class notebook",
        ),
        (
            item("job", shape(8, data=FAR_DATA)),
            CauseKind.DATA_GRAVITY,
            "train",
            "what moving data from aws/eu-west-1 to aws/us-east-1 costs is not known",
        ),
        (
            item("job", shape(9)),
            CauseKind.TOO_LARGE,
            "train/node",
            "one worker is larger than a node of p5.48xlarge",
        ),
    ],
    ids=lambda value: value.value if isinstance(value, CauseKind) else "",
)
def test_each_constraint_keeps_work_off_and_says_why(wanted, kind, where, text):
    classes = frozenset({WorkloadClass.TRAINING})
    found = only_cause([pool(workload_classes=classes)], [offering()], wanted)
    assert found == Cause(kind, where, text)


@pytest.mark.parametrize("where", ["aws", "us-east-1", "aws/us-east-1"])
def test_residency_may_name_a_cloud_a_region_or_both(where):
    found = plan([pool()], [offering()], place(residency=(where,)))
    assert ordered(found) == {"train/node": 1}


def test_a_taint_must_be_tolerated():
    tainted = pool(taints=("team-a",))
    assert only_cause([tainted], [offering()], item()).kind is CauseKind.TAINT
    found = plan([tainted], [offering()], place(tolerations=("team-a",)))
    assert ordered(found) == {"train/node": 1}


def test_latency_within_the_limit_is_allowed():
    wanted = place(near_region="us-east-2", max_latency_ms=20)
    near = {"latency_ms": {("us-east-2", "us-east-1"): 12}}
    assert ordered(plan([pool()], [offering()], wanted, market=near)) == {"train/node": 1}


def test_serving_stays_near_its_users_and_batch_does_not_mind():
    near = PlacementNeed(near_region="eu-west-1")
    serving = shape(8, workload_class=WorkloadClass.INFERENCE, placement=near)
    text = "serving stays in eu-west-1 unless it states how far away it may be"
    found = only_cause([pool()], [offering()], item("job", serving))
    assert found == Cause(CauseKind.LATENCY, "train", text)
    at_home = plan([pool(region="eu-west-1")], [offering()], item("job", serving))
    assert ordered(at_home) == {"train/node": 1}
    batch = plan([pool()], [offering()], item("job", shape(8, placement=near)))
    assert ordered(batch) == {"train/node": 1}


def test_data_draws_work_to_where_it_lies():
    pools = [pool("here", region="eu-west-1"), pool("there")]
    offers = [offering("here", per_hour=Decimal(90)), offering("there")]
    wanted = item("job", shape(8, data=FAR_DATA, duration_seconds=3600))
    found = plan(pools, offers, wanted, market={"lanes": LANE})
    # Moving 1,000 GB at 0.02 costs 20 for one hour of work: more than the 10 that it would save.
    assert ordered(found) == {"here/node": 1}


def test_long_work_moves_its_data_to_the_cheaper_place():
    pools = [pool("here", region="eu-west-1"), pool("there")]
    offers = [offering("here", per_hour=Decimal(90)), offering("there")]
    wanted = item("job", shape(8, data=FAR_DATA, duration_seconds=36_000))
    found = plan(pools, offers, wanted, market={"lanes": LANE})
    assert ordered(found) == {"there/node": 1}


def test_a_deadline_with_time_to_spare_takes_spot():
    offers = [offering(id="spot", **SPOT), offering(id="od")]
    late = item("job", deadline=NOW + timedelta(hours=20), work_left_seconds=36_000)
    assert ordered(plan([pool()], offers, late)) == {"spot": 1}


def test_a_deadline_that_an_interruption_would_break_takes_on_demand():
    offers = [offering(id="spot", **SPOT), offering(id="od")]
    soon = item("job", deadline=NOW + timedelta(hours=10, minutes=10), work_left_seconds=36_000)
    assert ordered(plan([pool()], offers, soon)) == {"od": 1}


def test_a_deadline_for_work_of_unknown_length_takes_on_demand():
    offers = [offering(id="spot", **SPOT), offering(id="od")]
    unknown = item("job", deadline=NOW + timedelta(days=10))
    assert ordered(plan([pool()], offers, unknown)) == {"od": 1}


def test_a_paused_pool_is_left_as_it_is_and_the_plan_says_by_whom():
    held = ScalingSettings(overrides=(PoolOverride("train", "ana", NOW + timedelta(hours=1)),))
    found = plan([pool()], [offering()], item(), settings=held)
    assert ordered(found) == {}
    until = NOW + timedelta(hours=1)
    assert found.holds == (Hold("train", "paused by ana", until, HoldCause.PAUSED),)
    assert found.unmet[0].causes[0].kind is CauseKind.PAUSED


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({}, HoldCause.PAUSED),
        ({"nodes": 0}, HoldCause.PINNED),
        ({"is_unread": True}, HoldCause.UNREAD),
    ],
)
def test_what_an_override_holds_tells_its_kind_of_cause(changes, cause):
    said = PoolOverride("train", "ana", NOW + timedelta(hours=1), **changes)
    found = plan([pool()], [offering()], settings=ScalingSettings(overrides=(said,)))
    assert [hold.cause for hold in found.holds] == [cause]


def test_a_pinned_pool_is_brought_to_its_size():
    pinned = PoolOverride("train", "ana", NOW + timedelta(hours=1), nodes=2)
    found = plan([pool()], [offering()], settings=ScalingSettings(overrides=(pinned,)))
    assert ordered(found) == {"train/node": 2}
    assert found.resizes[0].reason == "below its minimum of 2 (pinned by ana)"


def test_an_override_that_lapsed_holds_nothing():
    old = ScalingSettings(overrides=(PoolOverride("train", "ana", NOW),))
    found = plan([pool()], [offering()], item(), settings=old)
    assert (ordered(found), found.holds) == ({"train/node": 1}, ())


def test_the_hourly_ceiling_is_kept_and_said():
    limit = ScalingSettings(hourly_ceiling=Decimal(170))
    waiting = [item(f"job-{number}") for number in range(3)]
    found = plan([pool()], [offering()], *waiting, settings=limit)
    assert ordered(found) == {"train/node": 2}
    assert found.unmet[0].causes == (
        Cause(CauseKind.BUDGET, "", "the hourly ceiling of 170 USD has 160 in use"),
    )


def test_an_unknown_price_is_not_held_to_be_within_the_ceiling():
    limit = ScalingSettings(hourly_ceiling=Decimal(170))
    found = only_cause([pool()], [offering(per_hour=None)], item(), settings=limit)
    assert found.kind is CauseKind.PRICE_UNKNOWN


def test_an_unknown_price_stands_behind_every_known_one():
    offers = [offering(id="a", per_hour=None), offering(id="b", per_hour=Decimal(900))]
    assert ordered(plan([pool()], offers, item())) == {"b": 1}


@pytest.mark.parametrize("price", [Decimal("NaN"), Decimal(-1), Decimal("Infinity")])
def test_an_offering_whose_price_makes_no_sense_is_not_ordered(price):
    found = only_cause([pool()], [offering(per_hour=price)], item())
    assert found.kind is CauseKind.INVALID


@pytest.mark.parametrize(
    "broken",
    [
        shape(8, workers=0),
        shape(8, vcpus_milli=-1),
        shape(8, duration_seconds=float("nan")),
        shape(8, memory_mib=float("inf")),
        shape(-1),
    ],
)
def test_an_item_that_makes_no_sense_is_named_and_shrinks_nothing(broken):
    found = plan([pool()], [offering()], item("odd", broken), item("fine"))
    assert [unmet.items for unmet in found.unmet] == [("odd",)]
    assert found.unmet[0].causes[0].kind is CauseKind.INVALID
    assert found.holds[0].reason.endswith("nothing shrinks")
    assert ordered(found) == {"train/node": 1}


def test_an_item_that_is_told_of_differently_is_not_served_on_a_guess():
    found = plan([pool()], [offering()], item("job"), item("job", shape(1)))
    assert ordered(found) == {}
    assert found.unmet[0].causes[0].text == "job is told of twice, and differently"


def test_nodes_that_come_together_are_ordered_together():
    found = plan([pool(nodes_at_once=4, max_nodes=8)], [offering()], item())
    assert ordered(found) == {"train/node": 4}


def test_another_scaler_s_free_nodes_are_used_and_none_ordered():
    other = pool(scaler=Scaler.PROVIDER)
    assert only_cause([other], [offering()], item()).kind is CauseKind.SCALER


def test_an_unknown_size_of_machine_serves_what_its_accelerators_allow():
    blind = offering(room=NodeRoom("h100-80gb", 8, None, None))
    wanted = item("job", shape(8, vcpus_milli=90_000, memory_mib=10**6))
    assert ordered(plan([pool()], [blind], wanted)) == {"train/node": 1}


def test_the_first_nodes_of_a_spot_pool_cost_what_on_demand_costs():
    mixed = offering(base_nodes=1, base_per_hour=Decimal(80), **SPOT)
    found = plan([pool()], [mixed], item("a"), item("b"))
    assert found.per_hour.amount == Decimal(104)


def test_an_unknown_price_of_the_first_nodes_makes_the_whole_offering_unpriced():
    found = plan([pool()], [offering(base_nodes=1, **SPOT)], item())
    assert (ordered(found), found.unpriced) == ({"train/node": 1}, ("train/node",))


def test_quotas_count_what_is_used_outside_the_fleet():
    market = {"quotas": {"p5": 3}, "quota_used_elsewhere": {"p5": 2}}
    found = plan([pool()], [offering(quota="p5")], item("a"), item("b"), market=market)
    assert ordered(found) == {"train/node": 1}
    assert found.unmet[0].causes == (
        Cause(CauseKind.QUOTA, "train/node", "quota p5 has 3 of 3 in use"),
    )
