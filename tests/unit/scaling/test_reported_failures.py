"""What was reported in public of other autoscalers: each behaves rightly here.

Names say the behaviour; the threads stand in the docs of the decision core.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from support.scaling import (
    NOW,
    ago,
    apply,
    causes,
    cpu_offering,
    demand,
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

from tidegate.scaling.fleet import BoundsSchedule, TimeWindow
from tidegate.scaling.offerings import (
    CommittedCapacity,
    FailureKind,
    NodeRoom,
    OfferingFailure,
)
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.capacity import CapacityType, InterruptionTolerance, Scaler
from tidegate.vocabulary.demand import Demand, SourceHealth

SPOT = {"capacity_type": CapacityType.SPOT, "per_hour": Decimal(24)}
LONG_IDLE = {"since": ago(7200)}


def failed(offering: str, kind: FailureKind, seconds: int = 30, attempts: int = 1) -> dict:
    return {"failures": (OfferingFailure(offering, kind, ago(seconds), attempts),)}


class TestShapes:
    def test_a_pool_at_zero_is_judged_by_its_declared_shape(self):
        assert sizes(plan([pool()], [offering()], item())) == {"train": (0, 1)}

    def test_a_pool_whose_shape_is_not_known_is_rejected(self):
        unknown = offering(room=NodeRoom("h100-80gb", 0, None, None))
        assert causes(plan([pool()], [unknown], item())) == {"shape-unknown"}

    def test_a_node_that_reports_no_accelerator_does_not_change_the_declared_shape(self):
        young = node(phase="ready", accelerators=0, since=ago(30), assigned=("other",))
        found = plan([pool()], [offering()], *items(2), nodes=[young])
        assert sizes(found) == {"train": (1, 2)}

    def test_work_without_accelerators_does_not_grow_accelerator_pools(self):
        cpu = item("cpu", shape(0, vcpus_milli=4000))
        full = [pool("cpu", max_nodes=0), pool()]
        found = plan(full, [cpu_offering(), offering()], cpu)
        assert (sizes(found), causes(found)) == ({}, {"cpu-on-accelerator", "maximum"})

    def test_work_without_accelerators_may_use_them_when_the_settings_say_so(self):
        cpu = item("cpu", shape(0, vcpus_milli=4000))
        settings = ScalingSettings(cpu_on_accelerators=True)
        found = plan([pool()], [offering()], cpu, settings=settings)
        assert sizes(found) == {"train": (0, 1)}


class TestInFlight:
    def test_a_node_in_flight_covers_the_demand_it_was_ordered_for(self):
        young = node(phase="in-flight", since=ago(100))
        assert plan([pool()], [offering()], item(), nodes=[young]).resizes == ()

    def test_a_node_whose_device_plugin_is_not_ready_covers_demand(self):
        young = node(phase="ready", since=ago(100), accelerators=0)
        assert plan([pool()], [offering()], item(), nodes=[young]).resizes == ()

    @pytest.mark.parametrize("phase", ["in-flight", "ready"])
    def test_a_node_that_never_came_is_deleted_and_replaced(self, phase):
        late = node(phase=phase, since=ago(3600), accelerators=0)
        found = plan([pool(max_nodes=1)], [offering()], item(), nodes=[late])
        assert [stop.node for stop in found.stops] == ["n1"]
        assert (sizes(found), ordered(found)) == ({"train": (1, 1)}, {"train/node": 1})

    def test_one_worker_for_each_accelerator_and_no_overshoot(self):
        found = plan([pool()], [offering()], *items(40, shape(1)))
        assert sizes(found) == {"train": (0, 5)}

    def test_an_orphan_is_adopted_where_it_is_needed(self):
        orphan = node(offering="", expected=False, **LONG_IDLE)
        found = plan([pool()], [offering()], item(), nodes=[orphan])
        assert (found.resizes, found.stops) == ((), ())
        assert [placement.seat for placement in found.placements] == ["n1"]

    def test_an_orphan_is_deleted_where_it_is_not_needed(self):
        orphan = node(offering="", expected=False, **LONG_IDLE)
        found = plan([pool()], [offering()], nodes=[orphan])
        assert [stop.node for stop in found.stops] == ["n1"]
        assert "nobody ordered it" in found.stops[0].reason

    def test_setup_is_not_idleness(self):
        young = node(phase="ready", since=ago(200))
        assert plan([pool()], [offering()], nodes=[young]).stops == ()


class TestFloor:
    def test_failed_nodes_do_not_count_towards_the_minimum(self):
        found = plan([pool(min_nodes=2)], [offering()], nodes=[node(phase="failed"), node("n2")])
        assert [stop.node for stop in found.stops] == ["n1"]
        assert sizes(found) == {"train": (2, 2)}

    def test_an_evicted_machine_that_is_only_stopped_is_no_capacity(self):
        found = plan([pool()], [offering()], item(), nodes=[node(phase="stopped")])
        assert ordered(found) == {"train/node": 1}
        assert [stop.node for stop in found.stops] == ["n1"]

    def test_an_interrupted_node_does_not_count_towards_the_minimum(self):
        found = plan([pool(min_nodes=1)], [offering()], nodes=[node(phase="interrupted")])
        assert [drain.node for drain in found.drains] == ["n1"]
        assert sizes(found) == {"train": (1, 2)}

    def test_idleness_applies_above_the_minimum(self):
        idle = [node("n1", **LONG_IDLE), node("n2", **LONG_IDLE)]
        found = plan([pool(min_nodes=1)], [offering()], nodes=idle)
        assert sizes(found) == {"train": (2, 1)}

    def test_a_minimum_that_cannot_be_had_is_said(self):
        stocked_out = failed("train/node", FailureKind.STOCK_OUT)
        found = plan([pool(min_nodes=1)], [offering()], market=stocked_out)
        assert [hold.pool for hold in found.holds] == ["train"]
        assert found.holds[0].reason.startswith("1 node below its minimum of 1: stock-out")

    def test_a_minimum_that_an_idle_node_keeps_from_its_quota_is_ordered_once_that_has_gone(self):
        pools = [pool("a", min_nodes=1), pool("b")]
        offers = [offering("a", quota="gpus"), offering("b", quota="gpus")]
        market = {"quotas": {"gpus": 1}}
        idle = node("n1", "b", **LONG_IDLE)
        found = plan(pools, offers, nodes=[idle], market=market)
        assert ([stop.node for stop in found.stops], ordered(found)) == (["n1"], {})
        assert [hold.pool for hold in found.holds] == ["a"]
        after = apply(found, [idle], offers)
        assert ordered(plan(pools, offers, nodes=after, market=market)) == {"a/node": 1}


class TestIdleness:
    def test_a_daemonset_keeps_no_node_alive(self):
        daemon = work("exporter", 0, vcpus_milli=4000, daemonset=True)
        found = plan([pool()], [offering()], nodes=[node(phase="busy", running=(daemon,))])
        assert [stop.node for stop in found.stops] == ["n1"]

    def test_work_that_uses_only_the_cpu_keeps_no_accelerator_node(self):
        """Its place is a node without accelerators: ordered first, then the dear one is drained."""
        tiny = shape(0, vcpus_milli=4000)
        small = work("cpu", 0, vcpus_milli=4000, shape=tiny, checkpoint_at=ago(60))
        dear = node(phase="busy", running=(small,))
        pools, offers = [pool(), pool("cpu")], [offering(), cpu_offering()]
        assert ordered(plan(pools, offers, nodes=[dear])) == {"cpu/node": 1}
        there = node("n2", "cpu", since=ago(60), assigned=("cpu",))
        found = plan(pools, offers, nodes=[dear, there])
        assert [(drain.node, drain.work) for drain in found.drains] == [("n1", ("cpu",))]

    def test_running_work_is_never_idle_however_long_it_runs(self):
        busy = node(phase="idle", running=(work(checkpoint_at=None),), since=ago(86_400))
        assert plan([pool()], [offering()], nodes=[busy]).stops == ()

    def test_a_node_whose_work_just_ended_is_kept_for_its_keep_alive(self):
        found = plan([pool()], [offering()], nodes=[node(since=ago(200))])
        assert found.stops == ()

    def test_a_node_is_stopped_once_idling_has_cost_a_restart(self):
        found = plan([pool()], [offering()], nodes=[node(since=ago(241))])
        assert found.stops[0].reason == "idle for 241 s, kept for 240 s"
        assert found.stops[0].saving_per_hour.amount == Decimal(80)

    def test_nodes_meant_for_a_pending_gang_stay(self):
        gang = item("gang", shape(8, workers=4))
        first = node("n1", assigned=("gang",), since=ago(900))
        full = [first, node("n2", assigned=("gang",), since=ago(900))]
        found = plan([pool(max_nodes=2)], [offering()], gang, nodes=full)
        assert (found.stops, causes(found)) == ((), {"maximum"})

    def test_a_gang_that_never_completes_does_not_keep_nodes_for_ever(self):
        gang = item("gang", shape(8, workers=4))
        first = node("n1", assigned=("gang",), since=ago(90_000))
        found = plan([pool(max_nodes=2)], [offering()], gang, nodes=[first])
        assert [stop.node for stop in found.stops] == ["n1"]


class TestRefusals:
    def test_a_stock_out_falls_back_within_the_decision(self):
        offers = [offering(id="spot", **SPOT), offering(id="od")]
        found = plan([pool()], offers, item(), market=failed("spot", FailureKind.STOCK_OUT))
        assert ordered(found) == {"od": 1}

    def test_an_order_names_where_to_turn_when_it_is_refused(self):
        offers = [offering(id="spot", **SPOT), offering(id="od")]
        found = plan([pool()], offers, item())
        assert found.resizes[0].additions[0].offering == "spot"
        assert found.resizes[0].additions[0].fallbacks == ("od",)

    def test_an_offering_is_tried_again_after_its_backoff(self):
        offers = [offering(id="spot", **SPOT), offering(id="od")]
        found = plan([pool()], offers, item(), market=failed("spot", FailureKind.STOCK_OUT, 181))
        assert ordered(found) == {"spot": 1}

    def test_repeated_refusals_wait_longer_up_to_a_bound(self):
        offers = [offering(id="spot", **SPOT), offering(id="od")]
        early = failed("spot", FailureKind.STOCK_OUT, 700, attempts=3)
        late = failed("spot", FailureKind.STOCK_OUT, 1801, attempts=10**6)
        assert ordered(plan([pool()], offers, item(), market=early)) == {"od": 1}
        assert ordered(plan([pool()], offers, item(), market=late)) == {"spot": 1}

    def test_a_quota_refusal_concerns_all_of_that_purchase_option(self):
        offers = [
            offering(id="a", quota="spot-p5", **SPOT),
            offering(id="b", quota="spot-p5", **SPOT),
            offering(id="od", quota="od-p5"),
        ]
        found = plan([pool()], offers, item(), market=failed("a", FailureKind.QUOTA, 300))
        assert ordered(found) == {"od": 1}

    def test_a_region_that_interrupted_is_not_taken_again_at_once(self):
        offers = [offering(id="a", zone="a", **SPOT), offering(id="b", zone="b", **SPOT)]
        found = plan([pool()], offers, item(), market=failed("a", FailureKind.STOCK_OUT, 1))
        assert ordered(found) == {"b": 1}

    def test_a_quota_is_reserved_inside_the_decision(self):
        offers = [offering(quota="p5", quota_units=192)]
        found = plan([pool()], offers, *items(5), market={"quotas": {"p5": 400}})
        assert (sizes(found), causes(found)) == ({"train": (0, 2)}, {"quota"})


class TestPrices:
    def test_a_commitment_comes_before_a_cheaper_list_price(self):
        reserved = offering("res", capacity_type=CapacityType.RESERVED, commitment="cr")
        market = {"commitments": (CommittedCapacity("cr", Decimal(1)),)}
        offers = [offering("spot", **SPOT), reserved]
        found = plan([pool("spot"), pool("res")], offers, *items(2), market=market)
        assert ordered(found) == {"res/node": 1, "spot/node": 1}
        assert found.per_hour.amount == Decimal(24)

    def test_discounted_on_demand_beats_spot_whose_rework_costs_more(self):
        risky = offering("spot", interruptions_per_hour=Decimal(2), **SPOT)
        cheap = offering("od", per_hour=Decimal(30))
        found = plan([pool("spot"), pool("od")], [risky, cheap], item())
        assert ordered(found) == {"od/node": 1}

    def test_stopping_below_a_commitment_is_not_done_nor_called_a_saving(self):
        market = {"commitments": (CommittedCapacity("cr", Decimal(1)),)}
        offers = [offering(commitment="cr")]
        found = plan([pool()], offers, nodes=[node(), node("n2")], market=market)
        assert [stop.node for stop in found.stops] == ["n1"]
        assert "commitment cr pays for them" in found.holds[0].reason

    def test_work_moves_back_to_a_reservation_that_became_free(self):
        running = node(pool="od", phase="busy", running=(work(checkpoint_at=ago(60)),))
        reserved = offering("res", capacity_type=CapacityType.RESERVED, commitment="cr")
        pools, offers = [pool("od"), pool("res")], [offering("od"), reserved]
        market = {"commitments": (CommittedCapacity("cr", Decimal(1)),)}
        first = plan(pools, offers, nodes=[running], market=market)
        assert (ordered(first), first.drains) == ({"res/node": 1}, ())
        arrived = [
            replace(entry, phase=entry.phase.__class__("ready")) if entry.pool == "res" else entry
            for entry in apply(first, [running], offers)
        ]
        second = plan(pools, offers, nodes=arrived, market=market)
        assert [drain.node for drain in second.drains] == ["n1"]
        assert second.resizes == ()

    def test_a_move_that_saves_nothing_is_not_made(self):
        running = node(pool="a", phase="busy", running=(work(checkpoint_at=ago(60)),))
        found = plan([pool("a"), pool("b")], [offering("a"), offering("b")], nodes=[running])
        assert (found.resizes, found.drains) == ((), ())

    def test_a_node_is_left_alone_within_its_cooldown(self):
        young = node(pool="od", phase="busy", running=(work(checkpoint_at=ago(6)),), since=ago(99))
        offers = [offering("od"), offering("spot", **SPOT)]
        found = plan([pool("od"), pool("spot")], offers, nodes=[young])
        assert (found.resizes, found.drains) == ((), ())


class TestTimes:
    def test_an_hour_of_a_schedule_is_the_hour_of_its_zone(self):
        noon = BoundsSchedule("0 12 * * *", "Europe/Berlin", 3, 5)
        early = datetime(2026, 11, 30, 10, 59, tzinfo=UTC)
        night = BoundsSchedule("0 0 * * *", "Europe/Berlin", 0, 5)
        for now, wanted in ((early, {}), (early + timedelta(minutes=1), {"train": (0, 3)})):
            asked = Demand((), (SourceHealth("queue", now),))
            scheduled = pool(schedules=(noon, night))
            found = plan([scheduled], [offering()], asked=asked, now=now, observed_at=now)
            assert sizes(found) == wanted

    def test_an_invalid_window_allows_no_disruption(self):
        running = node(pool="od", phase="busy", running=(work(checkpoint_at=ago(60)),))
        broken = pool("od", windows=(TimeWindow("0 99 * * *", "Europe/Berlin", 3600),))
        idle = node("n2", "od", since=ago(30))
        found = plan([broken], [offering("od")], nodes=[running, idle])
        assert found.drains == ()
        assert "it allows no disruption" in found.holds[0].reason


class TestSignals:
    @pytest.mark.parametrize(
        "source",
        [
            SourceHealth("queue", None),
            SourceHealth("queue", ago(500)),
            SourceHealth("queue", NOW + timedelta(minutes=5)),
            SourceHealth("queue", ago(1), fault="answered -1"),
        ],
        ids=["missing", "stale", "future", "faulty"],
    )
    def test_a_lost_signal_holds_and_may_still_grow(self, source):
        asked = demand(item("a"), item("b"), sources=[source])
        found = plan([pool()], [offering()], asked=asked, nodes=[node()])
        assert (found.stops, found.drains) == ((), ())
        assert sizes(found) == {"train": (1, 2)}
        assert "nothing shrinks" in found.holds[0].reason

    def test_the_fallback_holds_at_zero_nodes_too(self):
        lost = [SourceHealth("queue", None)]
        asked = demand(item(), sources=lost)
        assert sizes(plan([pool()], [offering()], asked=asked)) == {"train": (0, 1)}

    def test_a_fleet_that_was_not_observed_neither_grows_nor_shrinks(self):
        found = plan([pool()], [offering()], item(), nodes=[node()], observed_at=None)
        assert (found.resizes, found.stops) == ((), ())

    def test_small_clock_skew_is_tolerated(self):
        asked = demand(sources=[SourceHealth("queue", NOW + timedelta(seconds=4))])
        found = plan([pool()], [offering()], asked=asked, nodes=[node()])
        assert [stop.node for stop in found.stops] == ["n1"]

    def test_a_repeated_decision_does_not_order_twice(self):
        pools, offers, waiting = [pool()], [offering()], items(3)
        first = plan(pools, offers, *waiting)
        assert plan(pools, offers, *waiting, nodes=apply(first, (), offers)).resizes == ()

    def test_enormous_demand_saturates_at_the_maximum(self):
        huge = item("huge", shape(8, workers=2**31))
        small = item("small")
        found = plan([pool()], [offering()], huge, small)
        assert (sizes(found), found.unmet[0].items) == ({"train": (0, 1)}, ("huge",))


class TestPriorities:
    def test_partial_gangs_are_not_started(self):
        found = plan([pool(max_nodes=3)], [offering()], item("gang", shape(8, workers=4)))
        assert (sizes(found), causes(found)) == ({}, {"gang"})

    def test_a_gang_takes_the_next_accelerator_that_has_room_for_all_of_it(self):
        both = shape(8, workers=4)
        other = replace(both.accelerators[0], accelerator="a100-80gb")
        gang = item("gang", replace(both, accelerators=(*both.accelerators, other)))
        offers = [
            offering("h100"),
            offering("a100", room=NodeRoom("a100-80gb", 8, None, None), per_hour=Decimal(90)),
        ]
        found = plan([pool("h100", max_nodes=3), pool("a100")], offers, gang)
        assert sizes(found) == {"a100": (0, 4)}

    def test_a_higher_priority_takes_checkpointed_work_s_place_once(self):
        running = node(phase="busy", running=(work(checkpoint_at=ago(300), restart_seconds=60),))
        urgent = item("urgent", shape(8, priority=5))
        found = plan([pool(max_nodes=1)], [offering()], urgent, nodes=[running])
        assert [(p.item, p.preemptor, p.rework_seconds) for p in found.preemptions] == [
            ("run", "urgent", 360)
        ]
        requeued = item("run")
        freed = replace(running, running=(), assigned=("urgent",))
        again = plan([pool(max_nodes=1)], [offering()], urgent, requeued, nodes=[freed])
        assert again.preemptions == ()
        assert [p.item for p in again.placements] == ["urgent"]

    def test_work_without_a_checkpoint_is_never_preempted(self):
        running = node(phase="busy", running=(work(checkpoint_at=None),))
        urgent = item("urgent", shape(8, priority=5))
        found = plan([pool(max_nodes=1)], [offering()], urgent, nodes=[running])
        assert (found.preemptions, causes(found)) == ((), {"maximum"})

    def test_work_without_a_checkpoint_is_preempted_only_when_the_settings_say_so(self):
        running = node(phase="busy", running=(work(checkpoint_at=None),))
        urgent = item("urgent", shape(8, priority=5))
        settings = ScalingSettings(stop_without_checkpoint=True)
        found = plan([pool(max_nodes=1)], [offering()], urgent, nodes=[running], settings=settings)
        assert [(entry.item, entry.preemptor) for entry in found.preemptions] == [("run", "urgent")]

    def test_rework_beyond_its_bound_is_not_caused(self):
        running = node(phase="busy", running=(work(checkpoint_at=ago(3600)),))
        urgent = item("urgent", shape(8, priority=5))
        found = plan([pool(max_nodes=1)], [offering()], urgent, nodes=[running])
        assert found.preemptions == ()

    def test_an_equal_priority_preempts_nothing(self):
        running = node(phase="busy", running=(work(checkpoint_at=ago(10)),))
        found = plan([pool(max_nodes=1)], [offering()], item(), nodes=[running])
        assert found.preemptions == ()


class TestOtherHands:
    def test_another_scaler_s_pool_is_observed_and_never_resized(self):
        other = pool(scaler=Scaler.KARPENTER, min_nodes=3)
        found = plan([other], [offering()], *items(2), nodes=[node(since=ago(9000))])
        assert (found.resizes, found.stops, causes(found)) == ((), (), {"scaler"})

    def test_a_node_of_an_unknown_pool_is_left_alone_and_said(self):
        found = plan([pool()], [offering()], nodes=[node(pool="elsewhere")])
        assert found.stops == ()
        assert "not declared" in found.holds[0].reason

    def test_work_that_does_not_tolerate_interruption_stays_off_spot(self):
        intolerant = shape(8, interruption_tolerance=InterruptionTolerance.INTOLERANT)
        found = plan([pool()], [offering(**SPOT)], item("x", intolerant))
        assert (sizes(found), causes(found)) == ({}, {"interruption"})
