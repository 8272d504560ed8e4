"""Each fault on its own: what must hold, and that people see why in status, metrics and log."""

from __future__ import annotations

import asyncio
import time

import pytest
import structlog
from support.controller import (
    NOW,
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

from tidegate.controller.loop import Controller, LoopSettings
from tidegate.controller.status import describe_status
from tidegate.manifest.model import HourlyCeiling, Quota
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.reports import WorkReport

TURN_SECONDS = 15


class Stage:
    """A controller with its database, and all that people see of it."""

    def __init__(self, engine):
        self.store = DatabaseStore(engine)
        self.clock = FakeClock()
        self.away = False
        self.controller = None
        self.logs = []

    def __getattr__(self, name):
        if self.away:
            raise Unavailable("the state database does not answer: connection refused")
        return getattr(self.store, name)

    def live(self, wire_now, turns=1, *, settings=None, before=lambda _turn: None):
        """Take turns as the loop does, each after `before`."""

        async def go():
            made = self.controller = Controller(wire_now, self, self.clock, settings, holder="one")
            for turn in range(turns):
                before(turn)
                await made._try_tick()
                self.clock.advance(TURN_SECONDS)
            made._executor.shutdown(wait=True)

        with structlog.testing.capture_logs() as logs:
            asyncio.run(go())
        self.logs += logs

    def status(self):
        return describe_status(self.store, NOW)

    def figure(self, name, **labels):
        return self.controller.metrics.registry.get_sample_value(f"tidegate_{name}", labels)

    def logged(self, event):
        return [entry for entry in self.logs if entry["event"] == event]


@pytest.fixture
def stage(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    yield Stage(engine)
    engine.dispose()


def always(wiring):
    return lambda: wiring


def late():
    time.sleep(0.3)
    return WorkReport()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (fault("connection refused"), "connection refused"),
        (late, "no answer within 0.05 s"),
        (fault("jobs tells of -3 pieces, which is not believed"), "not believed"),
        (WorkReport(nodes=()), "lists no node, where 1 were"),
    ],
    ids=["down", "slow", "lying", "empty"],
)
def test_a_source_in_doubt_deletes_nothing_and_is_seen_everywhere(stage, answer, why):
    pools = FakePools({"train": 1})
    source = FakeSource("k8s", WorkReport(nodes=(node("train-0"),)))
    wiring = wire(
        declare(declare_pool()), pools, source, cordons=FakeCordons(), clusters={"k8s": ["train"]}
    )

    def foul(turn):
        source.answer = answer if turn else source.answer

    stage.live(always(wiring), 40, settings=LoopSettings(source_seconds=0.05), before=foul)

    (told,) = stage.status()["sources"]
    assert pools.calls == []
    assert why in told["fault"]
    assert stage.figure("source_sound", source="k8s") == 0
    assert any(why in entry["why"] for entry in stage.logged("source in doubt"))
    held = [each for each in stage.status()["decisions"] if each["action"] == "hold"]
    assert any(why in each["reason"] for each in held)


@pytest.mark.parametrize(
    "refusal",
    [
        CloudRefused(RefusalKind.THROTTLED, "Rate exceeded"),
        CloudRefused(RefusalKind.TRANSIENT, "500 internal error"),
        CloudRefused(RefusalKind.DENIED, "ExpiredToken: credentials expired"),
        CloudRefused(RefusalKind.NOT_FOUND, "the group was deleted"),
    ],
    ids=["throttled", "broken", "credentials expired", "deleted by hand"],
)
def test_a_pool_that_cannot_be_read_is_left_alone_and_its_work_goes_elsewhere(stage, refusal):
    pools = FakePools({"away": 1, "train": 0})
    pools.unreadable["away"] = refusal
    manifest = declare(declare_pool("away"), declare_pool("train"))
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(2))))

    stage.live(always(wiring), 3)

    away, _ = stage.status()["snapshot"]["pools"]
    assert pools.calls == [("size", "train", 2)]
    assert refusal.args[0] in away["unread"]
    assert stage.figure("pool_readable", pool="away") == 0
    assert refusal.args[0] in stage.logged("pool not read")[0]["why"]


def test_a_pool_that_was_deleted_by_hand_and_made_again_is_used_again(stage):
    pools = FakePools({"train": 0})
    gone = CloudRefused(RefusalKind.NOT_FOUND, "the group was deleted")
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1))))

    def change(turn):
        pools.unreadable = {"train": gone} if turn < 3 else {}

    stage.live(always(wiring), 5, before=change)

    assert pools.calls == [("size", "train", 1)]


KINDS = [kind for kind in RefusalKind if kind is not RefusalKind.CONFLICT]


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_change_is_seen_everywhere_and_nothing_grows_past_its_bounds(stage, kind):
    pools = FakePools({"a": 0, "b": 0})

    def refuse(pool):
        if pool == "a":
            raise CloudRefused(kind, "weather")

    pools.refuse = refuse
    manifest = declare(declare_pool("a", max_nodes=2), declare_pool("b", max_nodes=2))
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(9))))

    stage.live(always(wiring), 8)

    refused = [each for each in stage.status()["decisions"] if each["outcome"] == "refused"]
    assert pools.sizes == {"a": 0, "b": 2}
    assert "weather" in refused[0]["detail"]
    assert any(each["offering"].startswith("a/") for each in stage.status()["refused"])
    assert stage.figure("refusals_total", pool="a", kind=kind.value) >= 1
    assert any("weather" in entry["detail"] for entry in stage.logged("grow"))


def test_a_time_out_after_the_change_buys_nothing_twice_in_any_pool(stage):
    pools = FakePools({"a": 0, "b": 0}, delivers=False)

    def fail(pool):
        raise CloudRefused(RefusalKind.TRANSIENT, "read timed out")

    pools.fail = fail
    manifest = declare(declare_pool("a"), declare_pool("b"))
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(2))))

    stage.live(always(wiring), 6)

    assert sum(pools.sizes.values()) == 2
    assert stage.status()["decisions"][-1]["detail"] == "transient: read timed out"


def test_what_was_ordered_of_a_cloud_that_then_falls_silent_is_not_ordered_of_another(stage):
    pools = FakePools({"a": 0, "b": 0}, delivers=False)
    manifest = declare(declare_pool("a"), declare_pool("b"))
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(2))))

    def fall_silent(turn):
        if turn:
            away = CloudRefused(RefusalKind.THROTTLED, "Rate exceeded")
            pools.unreadable = {pool: away for pool, size in pools.sizes.items() if size}

    stage.live(always(wiring), 6, before=fall_silent)

    assert sorted(pools.sizes.values()) == [0, 2]


def test_another_scaler_of_the_same_pool_is_told_and_left_alone(stage):
    pools = FakePools({"train": 1})
    source = FakeSource(answer=WorkReport(work(4), in_progress={"train": 1}))
    wiring = wire(declare(declare_pool()), pools, source)
    sizes = []

    def meddle(_pool):
        pools.sizes["train"] = 1 if pools.sizes["train"] > 1 else 2
        sizes.append(pools.sizes["train"])

    pools.refuse = meddle

    stage.live(always(wiring), 6)

    told = stage.status()["decisions"]
    assert pools.calls == []
    assert len(sizes) > 1
    assert all("conflict" in each["detail"] for each in told if each["outcome"] == "refused")
    assert stage.figure("refusals_total", pool="train", kind="conflict") == len(sizes)
    assert stage.status()["refused"] == []  # a conflict says nothing of what can be bought


def test_a_database_that_is_gone_for_a_minute_stops_changes_and_is_told(stage):
    pools = FakePools({"train": 0})
    source = FakeSource(answer=WorkReport(work(1)))
    wiring = wire(declare(declare_pool()), pools, source)
    calls = []

    def change(turn):
        stage.away = turn < 4
        calls.append(list(pools.calls))

    stage.live(always(wiring), 6, before=change)

    assert calls[4] == []  # a minute long
    assert pools.calls == [("size", "train", 1)]
    assert stage.figure("tick_failures_total", kind="unavailable") == 4
    assert "connection refused" in stage.logged("tick failed")[0]["why"]


def test_a_leader_that_slept_asks_no_cloud_and_says_so(stage, tmp_path):
    pools = FakePools({"train": 0})
    other = DatabaseStore(stage.store._engine, patience_seconds=0)

    def sleep_and_be_replaced():
        other.take_lease("two", 0.0)
        assert other.take_lease("two", 1.0) is not None
        return WorkReport(work(1))

    source = FakeSource(answer=sleep_and_be_replaced)

    stage.live(always(wire(declare(declare_pool()), pools, source)))

    assert pools.calls == []
    assert stage.status()["leader"] == "two"
    assert stage.figure("tick_failures_total", kind="lease-lost") == 1
    assert len(stage.logged("another controller leads now")) == 1


def test_a_newer_manifest_in_the_middle_of_a_turn_holds_from_the_next_on(stage):
    pools = FakePools({"train": 0})
    manifests = [declare(declare_pool(max_nodes=4))]

    def replaced():
        manifests.append(declare(declare_pool(max_nodes=2)))
        return WorkReport(work(9))

    source = FakeSource(answer=replaced)

    def wire_now():
        return wire(manifests[-1], pools, source)

    stage.live(wire_now)
    first = dict(pools.sizes)
    pools.sizes["train"] = 0
    pools._deliver("train")
    stage.live(wire_now, 3)

    assert first == {"train": 4}
    assert pools.sizes == {"train": 2}
    (pool,) = stage.status()["snapshot"]["pools"]
    assert pool["max"] == 2


@pytest.mark.parametrize("hours", [-24, 24])
def test_a_clock_that_jumps_deletes_nothing_that_works_and_serves_what_waits(stage, hours):
    pools = FakePools({"train": 1})
    busy = node("train-0", "train", "k8s/ml/run")
    source = FakeSource("k8s", WorkReport(work(1), nodes=(busy,)))
    wiring = wire(
        declare(declare_pool()), pools, source, cordons=FakeCordons(), clusters={"k8s": ["train"]}
    )

    def jump(turn):
        if turn == 1:
            stage.clock.advance(hours * 3600)
            stage.clock.seconds = max(stage.clock.seconds, 0) + abs(hours) * 3600
            source.answer = WorkReport(work(2), nodes=(busy,))

    stage.live(always(wiring), 6, before=jump)

    assert "train-0" in pools.machines["train"]
    assert pools.sizes == {"train": 3}


def test_half_of_a_fleet_that_is_taken_away_is_replaced_and_the_rest_left_alone(stage):
    pools = FakePools({"train": 4})
    names = [f"train-{number}" for number in range(4)]
    busy = {name: node(name, "train", f"ml/{name}") for name in names}
    source = FakeSource("k8s", WorkReport(nodes=tuple(busy.values())))
    wiring = wire(
        declare(declare_pool(max_nodes=4)), pools, source, cordons=FakeCordons(),
        clusters={"k8s": ["train"]},
    )  # fmt: skip

    def strike(turn):
        if turn == 1:  # the cloud takes them, and will start as many as the size asks for
            pools.machines["train"] = names[2:]
            left = tuple(busy[name] for name in names[2:])
            source.answer = WorkReport(work(2), nodes=left)

    stage.live(always(wiring), 4, before=strike)

    assert pools.calls == []  # the size asks for the two that are replaced already
    assert pools.machines["train"] == names[2:]
    (pool,) = stage.status()["snapshot"]["pools"]
    assert pool["phases"] == {"busy": 2, "in-flight": 2}
    assert stage.figure("pool_nodes", pool="train", phase="in-flight") == 2


@pytest.mark.parametrize(
    ("limit", "cause", "why"),
    [
        ({"hourly_ceiling": HourlyCeiling(amount=120)}, "budget", "the hourly ceiling of 120 USD"),
        (
            {
                "quotas": [
                    Quota(
                        cloud="aws", region="us-east-1", family="p5",
                        capacity_type="on-demand", limit=2,
                    )
                ]
            },
            "quota",
            "has 2 of 2 in use",
        ),
        ({}, "maximum", "of at most 4 nodes"),
    ],
    ids=["ceiling", "quota", "maximum"],
)  # fmt: skip
def test_nothing_grows_past_a_bound_and_the_bound_is_named(stage, limit, cause, why):
    pools = FakePools({"train": 0})
    manifest = declare(declare_pool(max_nodes=4)).model_copy(update=limit)

    stage.live(always(wire(manifest, pools, FakeSource(answer=WorkReport(work(9))))), 4)

    snapshot = stage.status()["snapshot"]
    assert pools.sizes == {"train": 2 if limit else 4}
    assert any(why in each["why"] for unmet in snapshot["unmet"] for each in unmet["causes"])
    assert stage.figure("unmet_items_by_cause", cause=cause) >= 5
    told = [each["reason"] for each in stage.status()["decisions"] if each["action"] == "unmet"]
    assert any(why in reason for reason in told)


def test_an_order_of_which_nothing_was_heard_again_stays_to_be_seen(stage):
    """What a process was at when it died is found under `explain`."""
    pools = FakePools({"train": 0})
    wiring = wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1))))
    stage.store.record_outcome = lambda *_: (_ for _ in ()).throw(Unavailable("killed"))
    stage.live(always(wiring))
    del stage.store.record_outcome
    stage.clock.advance(60)

    stage.live(always(wiring), 2)

    outcomes = [each["outcome"] for each in stage.status()["decisions"]]
    assert outcomes == ["intended"]
    assert pools.calls == [("size", "train", 1)]


def test_an_order_of_a_life_that_was_cut_off_is_not_given_again_to_another_cloud(stage):
    """The cloud that took it cannot be read any more, so that nobody tells."""
    pools = FakePools({"a": 0, "b": 0})
    manifest = declare(declare_pool("a"), declare_pool("b"))
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport(work(1))))
    stage.store.record_outcome = lambda *_: (_ for _ in ()).throw(Unavailable("killed"))
    stage.live(always(wiring))
    del stage.store.record_outcome
    (grown,) = [pool for pool, size in pools.sizes.items() if size]
    stage.clock.advance(60)
    pools.unreadable = {grown: CloudRefused(RefusalKind.TRANSIENT, "no answer")}

    stage.live(always(wiring), 3)

    assert pools.calls == [("size", grown, 1)]
    assert [node.phase for node in stage.store.read_nodes()] == ["in-flight"]
