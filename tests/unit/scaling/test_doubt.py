"""Signals that are missing, stale, senseless or contradict each other: hold, and say why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from support.scaling import (
    NOW,
    ago,
    causes,
    item,
    node,
    offering,
    ordered,
    plan,
    pool,
    shape,
    sizes,
    work,
)
from support.scaling_worlds import worlds

from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import Fleet, NodePhase
from tidegate.scaling.offerings import (
    CommittedCapacity,
    FailureKind,
    OfferingFailure,
    Offerings,
    TransferLane,
)
from tidegate.scaling.place import place_job
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import AcceleratorNeed, CheckpointHabit, DataNeed, SourceHealth
from tidegate.vocabulary.plans import CauseKind

World = tuple[Any, Any, Any, Any]


def with_source(health: SourceHealth) -> Callable[[World], World]:
    return lambda world: (world[0], replace(world[1], sources=(health,)), *world[2:])


def with_item(**changes: Any) -> Callable[[World], World]:
    odd = replace(item("odd"), **changes)
    return lambda world: (world[0], replace(world[1], items=(*world[1].items, odd)), *world[2:])


def with_shape(**changes: Any) -> Callable[[World], World]:
    return with_item(shape=shape(1, **changes))


def with_nodes(*nodes: Any) -> Callable[[World], World]:
    def add(world: World) -> World:
        home, market = world[0].pools[0].id, world[2].offerings[0].id
        more = tuple(replace(each, pool=home, offering=market) for each in nodes)
        return (replace(world[0], nodes=(*world[0].nodes, *more)), *world[1:])

    return add


def with_work(**times: Any) -> Callable[[World], World]:
    return with_nodes(node("odd", phase="busy", running=(work("odd", 1, **times),)))


def observed(at: Any) -> Callable[[World], World]:
    return lambda world: (replace(world[0], observed_at=at), *world[1:])


def committed(capacity: Decimal) -> Callable[[World], World]:
    odd = CommittedCapacity("odd", capacity)
    return lambda world: (
        *world[:2],
        replace(world[2], commitments=(*world[2].commitments, odd)),
        world[3],
    )


def refused_at(at: Any) -> Callable[[World], World]:
    def add(world: World) -> World:
        odd = OfferingFailure(world[2].offerings[0].id, FailureKind.STOCK_OUT, at)
        return (*world[:2], replace(world[2], failures=(odd,)), world[3])

    return add


def ending(at: Any) -> Callable[[World], World]:
    odd = CommittedCapacity("odd", Decimal(1), ends=at)
    return lambda world: (*world[:2], replace(world[2], commitments=(odd,)), world[3])


def told_twice(world: World) -> World:
    twice = (item("odd", shape(1)), item("odd", shape(2)))
    return (world[0], replace(world[1], items=(*world[1].items, *twice)), *world[2:])


SPOILT = {
    "nobody was asked": lambda world: (world[0], replace(world[1], sources=()), *world[2:]),
    "missing source": with_source(SourceHealth("queue", None)),
    "stale source": with_source(SourceHealth("queue", ago(500))),
    "source ahead of the clock": with_source(SourceHealth("queue", NOW + timedelta(minutes=5))),
    "faulty source": with_source(SourceHealth("queue", ago(1), "answered -1")),
    "fleet not observed": observed(None),
    "stale fleet": observed(ago(500)),
    "fleet ahead of the clock": observed(NOW + timedelta(minutes=5)),
    "no workers": with_shape(workers=0),
    "negative memory": with_shape(memory_mib=-1),
    "NaN seconds": with_shape(duration_seconds=float("nan")),
    "endless vCPUs": with_shape(vcpus_milli=float("inf")),
    "negative wait target": with_shape(wait_target_seconds=-1),
    "negative checkpoint": with_shape(checkpoint=CheckpointHabit(-1, 0, 0)),
    "negative data": with_shape(data=(DataNeed("aws", "us-east-1", read_gb=-1),)),
    "negative data before other data": with_shape(
        data=(DataNeed("aws", "us-east-1", read_gb=-1), DataNeed("aws", "us-east-2", read_gb=1))
    ),
    "no accelerator a worker": with_shape(accelerators=(AcceleratorNeed("h100-80gb", 0),)),
    "queued in the future": with_item(queued_at=NOW + timedelta(minutes=5)),
    "queued at no zone's time": with_item(queued_at=ago(5).replace(tzinfo=None)),
    "due at no zone's time": with_item(deadline=NOW.replace(tzinfo=None)),
    "negative work left": with_item(work_left_seconds=-1),
    "item told of differently": told_twice,
    "node told of differently": with_nodes(node("odd"), node("odd", phase="ready")),
    "node of the future": with_nodes(node("odd", since=NOW + timedelta(minutes=5))),
    "node of no zone's time": with_nodes(node("odd", since=ago(9).replace(tzinfo=None))),
    "due, where it runs, at no zone's time": with_work(deadline=NOW.replace(tzinfo=None)),
    "saved at no zone's time": with_work(checkpoint_at=NOW.replace(tzinfo=None)),
    "begun at no zone's time": with_work(started_at=NOW.replace(tzinfo=None)),
    "source of no zone's time": with_source(SourceHealth("queue", NOW.replace(tzinfo=None))),
    "fleet of no zone's time": observed(NOW.replace(tzinfo=None)),
    "refused at no zone's time": refused_at(NOW.replace(tzinfo=None)),
    "commitment that ends at no zone's time": ending(NOW.replace(tzinfo=None)),
    "idle with work": with_nodes(node("odd", running=(work("odd", 1),))),
    "commitment of NaN": committed(Decimal("NaN")),
    "negative commitment": committed(Decimal(-1)),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
@settings(max_examples=20, deadline=None)
@given(world=worlds())
def test_whatever_is_in_doubt_nothing_that_is_there_goes_and_the_plan_says_why(spoil, world):
    spoilt = spoil(world)
    found = decide(*spoilt, NOW)
    interrupted = {e.id for e in spoilt[0].nodes if e.phase is NodePhase.INTERRUPTED}
    assert (found.stops, found.preemptions) == ((), ())
    assert {drain.node for drain in found.drains} <= interrupted
    assert any(
        hold.reason.endswith(("nothing shrinks", "grows or shrinks")) for hold in found.holds
    )


SENSELESS_LEFT = [float("nan"), float("inf"), -1, Decimal("NaN"), Decimal("sNaN")]
"""What no work can have left, in seconds."""


class TestRunningWork:
    odd = replace(shape(8), accelerators=(AcceleratorNeed("h100-80gb", 0),))

    def test_work_of_senseless_needs_stays_where_it_runs_and_is_named(self):
        running = work("odd", 8, shape=self.odd, checkpoint_at=ago(60))
        busy = node(pool="od", phase="busy", running=(running,))
        offers = [offering("od"), offering("spot", per_hour=Decimal(1))]
        found = plan([pool("od"), pool("spot")], offers, nodes=[busy])
        assert (found.drains, ordered(found)) == ((), {})
        text = "odd asks for 0 of h100-80gb, so it stays where it runs"
        assert [(hold.pool, hold.reason) for hold in found.holds] == [("od", text)]

    @pytest.mark.parametrize(
        ("changes", "name"),
        [
            ({"duration_seconds": float("nan")}, "nan as duration_seconds"),
            ({"checkpoint": CheckpointHabit(600, 0, float("inf"))}, "inf as restart_seconds"),
        ],
    )
    def test_a_deadline_of_work_of_senseless_needs_is_no_urgency(self, changes, name):
        odd = replace(shape(8), **changes)
        due = NOW + timedelta(hours=3)
        running = work("odd", 8, shape=odd, checkpoint_at=ago(60), deadline=due)
        busy = node(pool="spot", phase="busy", running=(running,))
        spot = offering("spot", capacity_type=CapacityType.SPOT)
        found = plan([pool("spot"), pool()], [spot, offering()], nodes=[busy])
        assert (found.drains, ordered(found)) == ((), {})
        text = f"odd states {name}, so it stays where it runs"
        assert [(hold.pool, hold.reason) for hold in found.holds] == [("spot", text)]

    def test_interrupted_work_of_senseless_needs_is_named(self):
        running = work("odd", 8, shape=self.odd, checkpoint_at=ago(60))
        lost = node(phase="interrupted", running=(running,))
        found = plan([pool()], [offering()], nodes=[lost])
        assert [drain.node for drain in found.drains] == ["n1"]
        assert found.holds[0].reason == "odd is interrupted, and asks for 0 of h100-80gb"

    @pytest.mark.parametrize("left", SENSELESS_LEFT, ids=str)
    def test_a_deadline_of_work_with_a_senseless_rest_is_no_urgency(self, left):
        due = NOW + timedelta(hours=3)
        running = work("odd", checkpoint_at=ago(60), deadline=due, work_left_seconds=left)
        busy = node(pool="spot", phase="busy", running=(running,))
        spot = offering("spot", capacity_type=CapacityType.SPOT)
        found = plan([pool("spot"), pool()], [spot, offering()], nodes=[busy])
        assert (found.drains, ordered(found)) == ((), {})
        text = f"odd has {left} seconds of work left, so it stays where it runs"
        assert [(hold.pool, hold.reason) for hold in found.holds] == [("spot", text)]

    @pytest.mark.parametrize("left", SENSELESS_LEFT, ids=str)
    def test_interrupted_work_with_a_senseless_rest_is_named(self, left):
        due = NOW + timedelta(hours=3)
        running = work("odd", checkpoint_at=ago(60), deadline=due, work_left_seconds=left)
        lost = node(phase="interrupted", running=(running,))
        found = plan([pool()], [offering()], nodes=[lost])
        assert [drain.node for drain in found.drains] == ["n1"]
        assert ordered(found) == {}
        text = f"odd is interrupted, and has {left} seconds of work left"
        assert found.holds[0].reason == text

    def test_interrupted_work_that_is_due_at_no_zones_time_waits_anew(self):
        running = work("odd", 8, shape=shape(8), deadline=NOW.replace(tzinfo=None))
        lost = node(phase="interrupted", running=(running,))
        found = plan([pool()], [offering()], nodes=[lost])
        assert ([drain.node for drain in found.drains], ordered(found)) == (
            ["n1"],
            {"train/node": 1},
        )
        text = "odd on n1 tells a time without a zone: nothing shrinks"
        assert [hold.reason for hold in found.holds] == [text]


class TestMarket:
    def test_a_refusal_at_no_zones_time_counts_from_now_on(self):
        odd = OfferingFailure("train/node", FailureKind.STOCK_OUT, ago(9000).replace(tzinfo=None))
        found = plan([pool()], [offering()], item(), market={"failures": (odd,)})
        assert (ordered(found), causes(found)) == ({}, {"stock-out"})
        text = "train/node was refused at a time without a zone: nothing shrinks"
        assert text in [hold.reason for hold in found.holds]

    @pytest.mark.parametrize("figure", [Decimal("NaN"), Decimal(-1)])
    def test_a_lane_of_senseless_figures_is_not_known(self, figure):
        far = shape(8, data=(DataNeed("gcp", "us-central1", read_gb=5),))
        lanes = {("gcp/us-central1", "aws/us-east-1"): TransferLane(figure, Decimal(1))}
        found = plan([pool()], [offering()], item("job", far), market={"lanes": lanes})
        assert (ordered(found), causes(found)) == ({}, {"data-gravity"})

    @pytest.mark.parametrize("ceiling", [Decimal("NaN"), Decimal(-1)])
    def test_a_ceiling_that_makes_no_sense_orders_nothing_and_is_told(self, ceiling):
        limits = ScalingSettings(hourly_ceiling=ceiling)
        found = plan([pool(min_nodes=1)], [offering()], item(), settings=limits)
        assert ordered(found) == {}
        assert found.unmet[0].causes[0].text == f"the hourly ceiling states {ceiling}"

    def test_a_negative_use_of_a_quota_elsewhere_widens_no_quota(self):
        market = {"quotas": {"q": 1}, "quota_used_elsewhere": {"q": -5}}
        waiting = (item("a"), item("b"))
        found = plan([pool()], [offering(quota="q")], *waiting, market=market)
        assert sizes(found) == {"train": (0, 1)}


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"shape": shape(8, duration_seconds=float("nan"))}, "states nan as duration_seconds"),
        ({"deadline": NOW.replace(tzinfo=None)}, "tells a time without a zone"),
        ({"work_left_seconds": float("inf")}, "has inf seconds of work left"),
    ],
)
def test_a_job_that_makes_no_sense_is_placed_nowhere_and_told_why(changes, name):
    job = replace(item("odd", deadline=NOW + timedelta(hours=3), work_left_seconds=None), **changes)
    fleet = Fleet((pool(),), (), NOW)
    found = place_job(job, fleet, Offerings((offering(),)), ScalingSettings(), NOW)
    assert found.candidates == ()
    assert [(offer, cause.kind, cause.text) for offer, cause in found.excluded] == [
        ("train/node", CauseKind.INVALID, f"odd {name}")
    ]


def test_an_override_that_ends_at_no_zones_time_is_refused():
    odd = PoolOverride("train", "ana", NOW.replace(tzinfo=None))
    with pytest.raises(ValueError, match="the override of train needs an end with a zone"):
        plan([pool()], [offering()], settings=ScalingSettings(overrides=(odd,)))
