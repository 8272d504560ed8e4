from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from support.controller import (
    FakeClock,
    FakeCordons,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    fault,
    node,
    wire,
    work,
)
from support.mortal import Death, Killed, Mortal

from tidegate.controller.loop import Controller, LoopSettings
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind, Shortfall
from tidegate.vocabulary.records import LeaseLost, Outcome, OverrideRecord
from tidegate.vocabulary.reports import WorkReport


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def turn(store, clock):
    """Take turns with a controller of a wiring; each in a loop and with threads of its own."""

    def take(wiring, turns=1, *, holder="one", seconds=15, settings=None):
        async def go():
            controller = Controller(lambda: wiring, store, clock, settings, holder=holder)
            found = None
            try:
                for _ in range(turns):
                    found = await controller.tick()
                    clock.advance(seconds)
            finally:
                controller._executor.shutdown(wait=False)
            return found

        return asyncio.run(go())

    return take


def outcomes(store, pool="train"):
    return [
        (each.action, each.from_nodes, each.to_nodes, each.outcome)
        for each in store.read_decisions(pool, 50)
    ]


def test_work_that_waits_opens_a_pool_and_the_decision_is_written_down(turn, store):
    pools = FakePools({"train": 0})

    turn(wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(2)))))

    assert pools.calls == [("size", "train", 2)]
    assert outcomes(store) == [("grow", 0, 2, Outcome.APPLIED)]


def test_what_was_ordered_is_not_ordered_twice(turn):
    pools = FakePools({"train": 0}, delivers=False)
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(2))))

    turn(wiring, turns=4)

    assert pools.calls == [("size", "train", 2)]


def test_only_pools_that_this_controller_scales_are_resized(turn):
    other = declare_pool("karp", scaler="cluster-autoscaler")
    pools = FakePools({"karp": 0})

    tick = turn(wire(declare(other), pools, FakeSource(answer=WorkReport(work(1)))))

    assert pools.calls == []
    assert [cause.text for unmet in tick.decision.plan.unmet for cause in unmet.causes] == [
        "karp is scaled by cluster-autoscaler"
    ]


def test_a_pool_whose_queue_is_empty_closes_after_its_keep_alive(turn):
    pools = FakePools({"train": 2})
    source = FakeSource(answer=WorkReport(in_progress={"train": 0}))
    wiring = wire(declare(declare_pool()), pools, source)

    turn(wiring, turns=2, seconds=15)
    assert pools.sizes == {"train": 2}
    turn(wiring, turns=3, seconds=4000)

    assert pools.sizes == {"train": 0}
    assert pools.calls == [("remove", "train", "train-0", "train-1")]


def test_a_machine_whose_work_nobody_tells_of_is_never_idle(turn):
    pools = FakePools({"train": 2})

    turn(wire(declare(declare_pool()), pools, FakeSource()), turns=3, seconds=4000)

    assert pools.calls == []


def test_a_queue_in_progress_keeps_all_of_its_machines(turn):
    pools = FakePools({"train": 2})
    source = FakeSource(answer=WorkReport(in_progress={"train": 1}))

    turn(wire(declare(declare_pool()), pools, source), turns=3, seconds=4000)

    assert pools.calls == []


@pytest.mark.parametrize(
    "answer",
    [fault("connection refused"), fault("tells of -1 pieces of work, which is not believed")],
    ids=["down", "lying"],
)
def test_a_source_that_cannot_be_believed_holds_and_says_why(turn, store, answer):
    pools = FakePools({"train": 2})
    silent = FakeSource("silent", answer)
    queue = FakeSource(answer=WorkReport(in_progress={"train": 0}))
    wiring = wire(declare(declare_pool()), pools, queue, silent)

    tick = turn(wiring, turns=3, seconds=4000)

    assert pools.calls == []
    held = [hold.reason for hold in tick.decision.plan.holds]
    assert any(str(answer) in reason and "nothing shrinks" in reason for reason in held)
    assert {source.name: source.fault for source in store.read_sources()} == {
        "queue": "",
        "silent": str(answer),
    }


def test_a_source_that_is_down_does_not_keep_another_from_growing(turn):
    pools = FakePools({"train": 0})
    sources = FakeSource("down", fault()), FakeSource("up", WorkReport(work(1)))

    turn(wire(declare(declare_pool()), pools, *sources))

    assert pools.calls == [("size", "train", 1)]


def test_a_source_that_fails_is_asked_ever_more_rarely(turn):
    source = FakeSource(answer=fault())

    turn(wire(declare(declare_pool()), FakePools({"train": 0}), source), turns=20, seconds=4)

    assert source.asked == 4


def test_what_a_silent_source_told_opens_pools_for_a_while_and_then_no_more(turn):
    told = [WorkReport(work(1)), fault(), fault()]

    def answer():
        found = told.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    pools = FakePools({"train": 0}, delivers=False)
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=answer))
    pools.refuse = refusing(RefusalKind.CONFLICT, "train")

    soon = turn(wiring, turns=2, seconds=100)
    assert [order.wanted for order in soon.orders] == [1]

    told[:] = [WorkReport(work(1)), fault()]
    late = turn(wiring, turns=2, seconds=400)
    assert late.orders == []


def test_a_slow_source_is_given_up_for_this_turn_and_not_asked_twice_at_once(turn):
    def hang():
        time.sleep(0.4)
        return WorkReport(work(1))

    source = FakeSource(answer=hang)
    wiring = wire(declare(declare_pool()), FakePools({"train": 0}), source)

    tick = turn(wiring, turns=2, seconds=200, settings=LoopSettings(source_seconds=0.05))

    assert source.asked == 1
    (health,) = tick.decision.observation.demand.sources
    assert health.fault == "no answer within 0.05 s"


def test_a_cluster_that_suddenly_lists_nothing_is_not_believed(turn):
    pools = FakePools({"train": 2})
    full = WorkReport(nodes=(node("train-0"), node("train-1")))
    cluster = FakeSource("k8s", full)
    manifest = declare(declare_pool(cluster="main"))
    wiring = wire(manifest, pools, cluster, cordons=FakeCordons(), clusters={"k8s": ("train",)})
    turn(wiring)

    cluster.answer = WorkReport(nodes=())
    tick = turn(wiring, turns=3, seconds=4000)

    assert pools.calls == []
    (health,) = tick.decision.observation.demand.sources
    assert health.fault == "k8s lists no node, where 2 were and their clouds count 2"


def test_a_cloud_that_cannot_be_read_pauses_its_pools_alone(turn):
    manifest = declare(declare_pool("far"), declare_pool("near"))
    pools = FakePools({"far": 0, "near": 0})
    pools.unreadable["far"] = CloudRefused(RefusalKind.DENIED, "credentials expired")

    tick = turn(wire(manifest, pools, FakeSource(answer=WorkReport(work(1)))))

    assert pools.calls == [("size", "near", 1)]
    held = [hold.reason for hold in tick.decision.plan.holds if hold.pool == "far"]
    assert held == ["paused by the controller (denied: credentials expired)"]


def refusing(kind, pool):
    def refuse(asked):
        if asked == pool:
            raise CloudRefused(kind, "told to")

    return refuse


@pytest.mark.parametrize("kind", [RefusalKind.STOCK_OUT, RefusalKind.QUOTA, RefusalKind.THROTTLED])
def test_what_one_cloud_refuses_is_ordered_of_another_at_the_next_turn(turn, store, kind):
    manifest = declare(declare_pool("a"), declare_pool("b"))
    pools = FakePools({"a": 0, "b": 0}, refuse=refusing(kind, "a"))
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(1))))

    turn(wiring, turns=2)

    assert pools.calls == [("size", "b", 1)]
    assert outcomes(store, "a") == [("grow", 0, 1, Outcome.REFUSED)]
    assert [(each.offering, each.attempts) for each in store.read_refusals()] == [
        ("a/p5.48xlarge", 1)
    ]


def test_an_order_that_its_cloud_took_and_cannot_fill_is_given_up_and_ordered_elsewhere(turn):
    manifest = declare(declare_pool("a"), declare_pool("b"))
    pools = FakePools({"a": 0, "b": 0}, delivers=False)
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(1))))
    turn(wiring)
    pools.shortfalls["a"] = Shortfall(RefusalKind.STOCK_OUT, "no capacity")

    turn(wiring)

    assert pools.sizes == {"a": 0, "b": 1}


def test_an_error_after_the_change_was_made_buys_nothing_twice(turn, store):
    def fail(_pool):
        raise CloudRefused(RefusalKind.TRANSIENT, "500 after the change")

    pools = FakePools({"train": 0}, fail=fail)
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(2))))

    turn(wiring, turns=3, seconds=300)

    assert pools.calls == [("size", "train", 2)]
    assert outcomes(store) == [("grow", 0, 2, Outcome.REFUSED)]


def test_a_size_that_somebody_else_changed_meanwhile_is_left_alone(turn, store):
    pools = FakePools({"train": 0})

    def meanwhile(_pool):
        pools.sizes["train"] = 3

    pools.refuse = meanwhile

    turn(wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1)))))

    assert pools.calls == []
    assert pools.sizes == {"train": 3}
    assert outcomes(store) == [("grow", 0, 1, Outcome.REFUSED)]
    assert store.read_refusals() == []


def take_mortal_turn(wiring, store, clock, death, holder):
    async def go():
        mortal = replace(wiring, pools=Mortal(wiring.pools, death))
        controller = Controller(lambda: mortal, Mortal(store, death), clock, holder=holder)
        try:
            await controller.tick()
        finally:
            controller._executor.shutdown(wait=True, cancel_futures=True)

    try:
        asyncio.run(go())
    except Killed:
        return True
    return False


def test_killed_at_any_step_the_next_one_ends_at_the_same_size(tmp_path):
    died = 0
    for step in range(200):
        pools = FakePools({"train": 0}, delivers=False)
        wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(2))))
        engine = open_database(f"sqlite:///{tmp_path / f'{step}.db'}")
        clock = FakeClock()
        first = DatabaseStore(engine, patience_seconds=1)
        died_now = take_mortal_turn(wiring, first, clock, Death(step), "one")
        assert max([0, *(size for _, _, size in pools.calls)]) <= 2

        second = DatabaseStore(engine, patience_seconds=1)
        for _ in range(3):
            clock.advance(15)
            take_mortal_turn(wiring, second, clock, Death(10_000), "two")

        assert pools.sizes == {"train": 2}
        assert pools.calls == [("size", "train", 2)]
        engine.dispose()
        if not died_now:
            break
        died += 1
    assert died > 10


def test_of_two_controllers_one_leads_until_it_is_silent(store, clock):
    pools = FakePools({"train": 0})
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1))))

    async def go():
        one = Controller(lambda: wiring, store, clock, holder="one")
        two = Controller(lambda: wiring, DatabaseStore(store._engine), clock, holder="two")
        led = [await one.tick() is not None]
        for seconds in (0, 6, 3, 2):
            clock.advance(seconds)
            led.append(await two.tick() is not None)
        led.append(await one.tick() is not None)
        for each in (one, two):
            each._executor.shutdown()
        return led

    assert asyncio.run(go()) == [True, False, False, False, True, False]
    assert pools.calls == [("size", "train", 1)]


def test_a_paused_leader_that_wakes_up_asks_no_cloud_for_anything(store, clock):
    pools = FakePools({"train": 0})
    manifest = declare(declare_pool())
    other = DatabaseStore(store._engine, patience_seconds=0)

    def sleep_and_be_replaced():
        other.take_lease("two", 0.0)
        assert other.take_lease("two", 1.0) is not None
        return WorkReport(work(1))

    wiring = wire(manifest, pools, FakeSource(answer=sleep_and_be_replaced))

    async def go():
        controller = Controller(lambda: wiring, store, clock, holder="one")
        try:
            with pytest.raises(LeaseLost):
                await controller.tick()
        finally:
            controller._executor.shutdown()

    asyncio.run(go())

    assert pools.calls == []
    assert store.read_decisions(None, 10) == []


def test_a_node_on_which_work_started_meanwhile_is_reopened_and_kept(turn):
    pools = FakePools({"train": 2})
    cluster = FakeSource("k8s", WorkReport(nodes=(node("train-0"), node("train-1"))))
    cordons = FakeCordons(busy={"train-1"})
    manifest = declare(declare_pool(cluster="main"))
    wiring = wire(manifest, pools, cluster, cordons=cordons, clusters={"k8s": ("train",)})

    turn(wiring, turns=2, seconds=4000)

    assert pools.machines == {"train": ["train-1"]}
    assert pools.sizes == {"train": 1}
    assert set(cordons.closed) == {"train-0", "train-1"}
    assert cordons.reopened == ["train-1"]


def test_where_the_cloud_chooses_which_node_goes_a_busy_one_keeps_them_all(turn, store):
    pools = FakePools({"train": 2}, choosing=False)
    cluster = FakeSource(
        "k8s", WorkReport(nodes=(node("train-0", "train", "ns/pod"), node("train-1")))
    )
    manifest = declare(declare_pool(cluster="main"))
    wiring = wire(manifest, pools, cluster, cordons=FakeCordons(), clusters={"k8s": ("train",)})

    turn(wiring, turns=2, seconds=4000)
    assert pools.sizes == {"train": 2}
    held = [each for each in store.read_decisions("train", 9) if each.action == "shrink"]
    assert [each.detail.partition(" which")[0] for each in held] == ["its cloud would choose"]

    cluster.answer = WorkReport(nodes=(node("train-0"), node("train-1")))
    turn(wiring, turns=2, seconds=4000)
    assert pools.calls == [("size", "train", 0)]


def test_a_node_that_an_earlier_turn_closed_and_that_is_wanted_is_reopened(turn):
    closed = node("train-0", closed=True, closed_by_us=True)
    cluster = FakeSource("k8s", WorkReport(work(1), nodes=(closed,)))
    cordons = FakeCordons()
    manifest = declare(declare_pool(cluster="main"))
    pools = FakePools({"train": 1})

    turn(wire(manifest, pools, cluster, cordons=cordons, clusters={"k8s": ("train",)}))

    assert cordons.reopened == ["train-0"]
    assert pools.calls == []


def test_a_closed_node_whose_machine_is_gone_is_neither_reopened_nor_room_for_work(turn):
    closed = node("gone", closed=True, closed_by_us=True)
    cluster = FakeSource("k8s", WorkReport(work(1), nodes=(closed,)))
    cordons, pools = FakeCordons(), FakePools({"train": 0})
    manifest = declare(declare_pool(cluster="main"))
    wiring = wire(manifest, pools, cluster, cordons=cordons, clusters={"k8s": ("train",)})

    turn(wiring, turns=2)

    assert cordons.reopened == []
    assert pools.calls == [("size", "train", 1)]


def test_a_node_that_was_closed_and_may_not_go_after_all_is_reopened(turn):
    nodes = node("train-0", "train", "ns/pod"), node("train-1", closed=True, closed_by_us=True)
    cluster, cordons = FakeSource("k8s", WorkReport(nodes=nodes)), FakeCordons()
    pools = FakePools({"train": 2}, choosing=False)
    manifest = declare(declare_pool(cluster="main"))
    wiring = wire(manifest, pools, cluster, cordons=cordons, clusters={"k8s": ("train",)})

    tick = turn(wiring, turns=2, seconds=4000)

    assert [bool(order.refusal) for order in tick.orders] == [True]
    assert cordons.reopened == ["train-1", "train-1"]
    assert pools.calls == []


@pytest.mark.parametrize(("nodes", "calls"), [(None, []), (2, [("size", "train", 2)])])
def test_a_paused_pool_is_left_alone_and_a_pinned_one_has_its_size(
    turn, store, clock, nodes, calls
):
    pools = FakePools({"train": 0}, delivers=False)
    until = clock.now() + timedelta(hours=1)
    store.record_override(OverrideRecord("train", "ana", until, nodes))

    tick = turn(wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1)))))

    assert pools.calls == calls
    assert any("by ana" in hold.reason for hold in tick.decision.plan.holds)


def test_a_dry_run_changes_nothing_and_writes_nothing_down(store, clock):
    pools = FakePools({"train": 0})
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1))))

    async def go():
        controller = Controller(lambda: wiring, None, clock)
        try:
            return await controller.plan()
        finally:
            await controller.close()

    tick = asyncio.run(go())

    assert [(order.pool, order.seen, order.wanted) for order in tick.orders] == [("train", 0, 1)]
    assert pools.calls == []
    assert store.read_decisions(None, 10) == []


def test_a_clock_that_jumps_either_way_orders_nothing_twice(turn, clock):
    pools = FakePools({"train": 0}, delivers=False)
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1))))

    turn(wiring, seconds=-7200)
    turn(wiring, seconds=7260)
    turn(wiring)

    assert pools.calls == [("size", "train", 1)]


def test_it_runs_until_it_is_told_to_stop_and_gives_the_lead_back(store):
    wiring = wire(declare(declare_pool()), FakePools({"train": 0}), FakeSource())

    async def go():
        settings = LoopSettings(interval_seconds=0.01)
        controller = Controller(lambda: wiring, store, FakeClock(), settings, holder="one")
        running = asyncio.create_task(controller.run())
        while store.read_last_tick() is None:
            await asyncio.sleep(0.01)
        assert store.read_leader() == "one"
        controller.stop()
        await running

    asyncio.run(go())

    assert store.read_leader() == ""
