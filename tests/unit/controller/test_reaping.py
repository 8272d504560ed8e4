"""The reaper: warnings outlive the controller that gave them, and every stop is fenced."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from threading import Event

import pytest
from support.controller import (
    NOW,
    FakeClock,
    FakePools,
    FakeSource,
    declare_pool,
    wire,
    work,
)

from tidegate.controller.loop import Controller
from tidegate.controller.reap_records import HOLD, STOP, WARN, WITHDRAW, build_record
from tidegate.controller.reaping import Reaper
from tidegate.manifest.model import Endpoint, Manifest, Notebook
from tidegate.scaling.reaping import ReapSettings, ReapVerdict
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState
from tidegate.vocabulary.records import LeaseLost, Outcome, OverrideRecord
from tidegate.vocabulary.reports import SourceFault, WorkReport
from tidegate.vocabulary.use import Shows, UsePoint, UseReport

PLACE = {"cloud": "aws", "region": "us-east-1", "labels": {"owner": "ana"}}
DESK = "notebook/desk"


@dataclass
class FakeReapables:
    """Clouds that do what they are asked, and refuse when they are told to."""

    sizes: dict[str, int]
    clock: FakeClock
    smallest: int = 0
    refusal: CloudRefused | None = None
    unreadable: CloudRefused | None = None
    since: datetime = NOW - timedelta(days=1)
    calls: list[tuple[object, ...]] = field(default_factory=list)

    def fetch_state(self, name):
        if self.unreadable:
            raise self.unreadable
        size = self.sizes[name]
        phase = ReapablePhase.RUNNING if size else ReapablePhase.STOPPED
        return ReapableState(name, phase, size, self.smallest, self.since)

    def apply_stop(self, name):
        self._do("stop", name, 0)

    def apply_size(self, name, seen, wanted):
        self._do("size", name, wanted)

    def apply_removal(self, name):
        self._do("remove", name, 0)

    def _do(self, what, name, size):
        if self.refusal:
            raise self.refusal
        self.calls.append((what, name, size))
        self.sizes[name] = size


@dataclass
class FakeUse:
    """Tells of no use all along, unless it is told of some."""

    about: str
    shows: Shows
    clock: FakeClock
    value: int = 0
    fault: str = ""
    asked: int = 0
    hours: int = 4

    @property
    def name(self):
        return f"{self.about}-{self.shows.value}"

    def fetch(self):
        self.asked += 1
        if self.fault:
            raise SourceFault(self.fault)
        now, step = self.clock.now(), 300
        points = tuple(
            UsePoint(now - timedelta(seconds=back), Decimal(self.value if back == 0 else 0))
            for back in range(self.hours * 3600, -1, -step)
        )
        start = now - timedelta(hours=self.hours)
        return UseReport(
            self.name, self.about, self.shows, points, start, now, step, 900, Decimal(1)
        )


@dataclass
class FakeMessenger:
    told: list[dict[str, str]] = field(default_factory=list)
    fault: str = ""

    def tell(self, message):
        if self.fault:
            raise Unavailable(self.fault)
        self.told.append(dict(message))


NOTEBOOK = Notebook(
    id="desk",
    kind="sagemaker-notebook-instance",
    instance_type="ml.g5.xlarge",
    idle_shutdown_seconds=3600,
    stopped_by="tidegate",
    **PLACE,
)
ENDPOINT = Endpoint(
    id="chat",
    kind="azure-ml-deployment",
    min_replicas=1,
    max_replicas=4,
    idle_shutdown_seconds=3600,
    **PLACE,
)


class Stage:
    """A reaper on a stack of one notebook or endpoint."""

    def __init__(self, store, *declared):
        self.clock = FakeClock()
        self.store = store
        self.declared = declared or (NOTEBOOK,)
        names = [
            f"{'notebook' if isinstance(each, Notebook) else 'endpoint'}/{each.id}"
            for each in self.declared
        ]
        self.name = names[0]
        self.clouds = FakeReapables(dict.fromkeys(names, 3), self.clock)
        self.uses = [
            FakeUse(name, shows, self.clock)
            for name in names
            for shows in (Shows.ACTIVITY, Shows.LOAD)
        ]
        self.messenger = None
        self.executor = ThreadPoolExecutor(4)
        self.token = store.take_lease("one", 0.0) if store else None
        self.start()

    def start(self, settings=None):
        """Begin anew, as a process does that takes over."""
        self.reaper = Reaper(self.clock, self.executor, 5.0, settings or ReapSettings())

    def wiring(self):
        manifest = Manifest(
            project="tests",
            stack="dev",
            catalog_digest="x",
            pools=[declare_pool("train")],
            notebooks=[each for each in self.declared if isinstance(each, Notebook)],
            endpoints=[each for each in self.declared if isinstance(each, Endpoint)],
        )
        wired = wire(manifest, FakePools({"train": 0}))
        return replace(wired, reapables=self.clouds, use=self.uses, messenger=self.messenger)

    def plan(self):
        return asyncio.run(self.reaper.look(self.wiring(), self.store))

    def turn(self, minutes=5):
        """Take a turn, then let time pass."""

        async def go():
            wiring = self.wiring()
            reaping = await self.reaper.look(wiring, self.store)
            return await self.reaper.carry_out(wiring, self.store, self.token, reaping)

        done = asyncio.run(go())
        self.clock.advance(minutes * 60)
        return done

    def actions(self, name=None):
        return [
            (each.action, each.outcome.value)
            for each in reversed(self.store.read_decisions(name or self.name, 50))
        ]


@pytest.fixture
def stage(store):
    made = Stage(store)
    yield made
    made.executor.shutdown()


@pytest.fixture
def serving(store):
    made = Stage(store, ENDPOINT)
    yield made
    made.executor.shutdown()


def test_an_idle_notebook_is_warned_of_waited_for_and_stopped_once(stage):
    stage.messenger = FakeMessenger()

    for _ in range(6):
        stage.turn()

    assert stage.clouds.calls == [("stop", DESK, 0)]
    assert stage.actions() == [(WARN, "applied"), (STOP, "applied")]
    warned = stage.store.read_decisions(DESK, 5)[-1]
    assert warned.reason == (
        "nobody has used it for 4 h, and 60 min is idle (notebook/desk-activity and "
        "notebook/desk-load) (owner ana, ends at 2026-11-30 12:15 UTC)"
    )
    assert [(each["what"], each["owner"]) for each in stage.messenger.told] == [
        (WARN, "ana"),
        (STOP, "ana"),
    ]
    assert stage.messenger.told[0]["endsAt"] == "2026-11-30T12:15:00+00:00"
    assert stage.messenger.told[0]["stack"] == "tests/dev"


def test_what_was_just_stopped_is_not_warned_of_again(stage):
    for _ in range(120):
        stage.turn(minutes=0.25)

    assert stage.actions() == [(WARN, "applied"), (STOP, "applied")]


def test_a_dry_run_tells_and_changes_nothing(stage):
    planned = stage.plan()

    (decision,) = planned.decisions
    assert (decision.verdict, decision.rule.owner) == (ReapVerdict.WARN, "ana")
    assert (stage.clouds.calls, stage.actions()) == ([], [])


def test_a_controller_that_takes_over_knows_of_the_warning(stage):
    stage.turn(minutes=15)
    stage.start()

    stage.turn()

    assert stage.actions() == [(WARN, "applied"), (STOP, "applied")]


def test_use_after_the_warning_takes_it_back_and_the_next_one_is_new(stage):
    stage.turn()
    stage.uses[1].value = 9
    stage.turn(minutes=120)
    stage.uses[1].value = 0
    stage.turn(minutes=10)
    stage.turn()

    assert stage.clouds.calls == []
    assert stage.actions() == [(WARN, "applied"), (WITHDRAW, "applied"), (WARN, "applied")]


def test_a_snooze_holds_until_it_lapses(stage):
    stage.turn()
    until = stage.clock.now() + timedelta(hours=1)
    stage.store.record_override(OverrideRecord(DESK, "ana", until))
    stage.turn(minutes=61)
    assert stage.clouds.calls == []
    stage.turn(minutes=16)
    stage.turn()

    assert stage.clouds.calls == [("stop", DESK, 0)]
    assert [action for action, _ in stage.actions()] == [WARN, WITHDRAW, WARN, STOP]


def test_a_signal_that_is_lost_holds_and_says_so_once(stage):
    stage.turn(minutes=15)
    stage.uses[0].fault = "no answer"
    for _ in range(4):
        stage.turn()

    assert stage.clouds.calls == []
    assert stage.actions() == [(WARN, "applied"), (HOLD, "held")]
    assert "no answer" in stage.store.read_decisions(DESK, 1)[0].reason


def test_a_cloud_that_cannot_be_read_stops_nothing(stage):
    stage.turn(minutes=15)
    stage.clouds.unreadable = CloudRefused(RefusalKind.DENIED, "expired")
    stage.turn()

    assert stage.clouds.calls == []
    assert stage.actions()[-1] == (HOLD, "held")


def test_a_refused_stop_is_told_and_tried_again_without_another_warning(stage):
    stage.turn(minutes=15)
    stage.clouds.refusal = CloudRefused(RefusalKind.THROTTLED, "slow down")
    (refused,) = stage.turn()
    stage.clouds.refusal = None
    stage.turn()

    assert (refused.outcome, refused.kind) == (Outcome.REFUSED, RefusalKind.THROTTLED)
    assert stage.clouds.calls == [("stop", DESK, 0)]
    assert stage.actions() == [(WARN, "applied"), (STOP, "refused"), (STOP, "applied")]


def test_what_somebody_started_a_moment_ago_is_not_stopped(stage):
    stage.turn(minutes=15)
    reaping = stage.plan()
    stage.clouds.since = stage.clock.now()

    (done,) = asyncio.run(stage.reaper.carry_out(stage.wiring(), stage.store, stage.token, reaping))

    assert (done.outcome, done.kind) == (Outcome.REFUSED, RefusalKind.CONFLICT)
    assert stage.clouds.calls == []
    stage.turn()
    assert stage.actions()[-1] == (WITHDRAW, "applied")


def test_a_process_that_ended_before_the_stop_was_made_leaves_it_to_the_next(stage):
    stage.turn(minutes=15)
    reaping = stage.plan()
    assert reaping.decisions[0].verdict is ReapVerdict.END
    # Written down, and then the process was killed.
    stage.store.record_intents(stage.token, [build_record(reaping.decisions[0], NOW)])
    stage.start()

    stage.turn()

    assert stage.clouds.calls == [("stop", DESK, 0)]
    assert stage.actions() == [(WARN, "applied"), (STOP, "intended"), (STOP, "applied")]


def test_a_controller_that_lost_the_lead_stops_nothing(stage):
    stage.turn(minutes=15)
    wiring, reaping = stage.wiring(), stage.plan()
    stage.store.release_lease(stage.token)
    assert stage.store.take_lease("two", 1.0) is not None

    with pytest.raises(LeaseLost):
        asyncio.run(stage.reaper.carry_out(wiring, stage.store, stage.token, reaping))

    assert stage.clouds.calls == []


def test_of_what_is_carried_out_nothing_goes_on_once_a_lost_lead_is_told(store):
    stage = Stage(store, NOTEBOOK, NOTEBOOK.model_copy(update={"id": "lab"}))
    is_lost = Event()

    class Losing:
        def __getattr__(self, name):
            return getattr(store, name)

        def record_outcome(self, *_):
            is_lost.set()
            raise LeaseLost("two leads")

    class Waiting(FakeMessenger):
        def tell(self, message):
            if message["id"] != DESK:
                is_lost.wait()
            super().tell(message)

    stage.messenger = Waiting()

    async def go():
        wiring = stage.wiring()
        reaping = await stage.reaper.look(wiring, store)
        with pytest.raises(LeaseLost):
            await stage.reaper.carry_out(wiring, Losing(), stage.token, reaping)
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(go()) == set()
    assert [each["id"] for each in stage.messenger.told] == [DESK, "notebook/lab"]
    stage.executor.shutdown()


def test_an_owner_who_could_not_be_told_was_not_warned(stage):
    stage.messenger = FakeMessenger(fault="the webhook answers 500")
    stage.turn()
    stage.turn(minutes=60)
    assert stage.actions() == [(WARN, "held"), (WARN, "held")]
    stage.messenger.fault = ""
    stage.turn(minutes=14)
    stage.turn(minutes=1)
    assert stage.clouds.calls == []
    stage.messenger.fault = "the webhook answers 500"
    stage.turn()

    # Whoever was warned need not be told again.
    assert stage.clouds.calls == [("stop", DESK, 0)]
    assert "was not told" in stage.store.read_decisions(DESK, 1)[0].detail


def test_an_endpoint_is_sized_to_its_declared_minimum(serving):
    for _ in range(6):
        serving.turn()

    assert serving.clouds.calls == [("size", "endpoint/chat", 1)]
    stopped = serving.store.read_decisions("endpoint/chat", 1)[0]
    assert (stopped.from_nodes, stopped.to_nodes) == (3, 1)


def test_a_model_is_taken_away_only_where_that_is_declared(store):
    removed = Stage(store, ENDPOINT.model_copy(update={"idle_action": "remove"}))

    for _ in range(6):
        removed.turn()

    assert removed.clouds.calls == [("remove", "endpoint/chat", 0)]
    removed.executor.shutdown()


@pytest.mark.parametrize(
    "declared",
    [
        NOTEBOOK.model_copy(update={"stopped_by": None}),
        NOTEBOOK.model_copy(update={"stopped_by": "provider"}),
        ENDPOINT.model_copy(update={"idle_shutdown_seconds": None}),
    ],
    ids=["undeclared", "provider", "endpoint"],
)
def test_what_is_not_left_to_tidegate_is_not_even_looked_at(store, declared):
    left = Stage(store, declared)

    for _ in range(6):
        left.turn()

    assert (left.plan().decisions, left.clouds.calls) == ((), [])
    left.executor.shutdown()


def test_metrics_are_asked_for_by_the_minute(stage):
    for seconds in (0, 15, 30, 59, 60):
        stage.clock.time, stage.clock.seconds = NOW + timedelta(seconds=seconds), float(seconds)
        stage.plan()

    assert [each.asked for each in stage.uses] == [2, 2]


def test_a_notebook_and_an_endpoint_of_one_name_are_told_apart(store):
    both = Stage(store, NOTEBOOK, ENDPOINT.model_copy(update={"id": "desk"}))
    both.store.record_override(OverrideRecord(DESK, "ana", NOW + timedelta(days=1)))

    for _ in range(6):
        both.turn()

    assert both.clouds.calls == [("size", "endpoint/desk", 1)]
    both.executor.shutdown()


def test_pools_whose_accelerators_lie_idle_are_hinted_at(stage):
    stage.uses = [
        FakeUse("pool/train", shows, stage.clock, hours=25) for shows in (Shows.LOAD, Shows.MEMORY)
    ]

    (hint,) = stage.plan().hints

    assert (hint.name, hint.accelerators, hint.would_do) == ("train", 8, 1)
    assert hint.reason == "over 25.1 h at most 0 % busy and 0 % of the memory used"


def test_a_short_observation_hints_at_nothing(stage):
    stage.uses = [FakeUse("pool/train", shows, stage.clock) for shows in (Shows.LOAD, Shows.MEMORY)]

    assert stage.plan().hints == ()


def test_a_mistake_in_looking_at_notebooks_keeps_no_pool_from_its_size(store):
    pools = FakePools({"train": 0})
    manifest = Manifest(
        project="tests",
        stack="dev",
        catalog_digest="x",
        pools=[declare_pool("train")],
        notebooks=[NOTEBOOK],
    )
    clouds = FakeReapables({}, FakeClock())  # it knows of no notebook, and fails by that
    queue = FakeSource("queue", WorkReport(work(1)))
    wiring = replace(wire(manifest, pools, queue), reapables=clouds)
    controller = Controller(lambda: wiring, store, FakeClock(), holder="one")

    async def turn():
        try:
            await controller.tick()
        finally:
            await controller.close()

    with pytest.raises(KeyError, match="desk"):
        asyncio.run(turn())

    assert pools.calls == [("size", "train", 1)]
    assert store.read_last_tick().waiting == 1
