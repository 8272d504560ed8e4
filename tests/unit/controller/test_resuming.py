"""Polyaxon's runs: stopped before their node goes, and made to go on, whatever dies meanwhile."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from support.controller import NOW, declare_pool
from support.emptied import FakeNotices, World

from tidegate.controller.resuming import resume_runs
from tidegate.vocabulary.notices import Notice, NoticeKind
from tidegate.vocabulary.records import Outcome, StoppedRun
from tidegate.vocabulary.reports import SourceFault

RUN = "acme/vision/8f2b"


class FakeRuns:
    """A server with one run; what it is told to do, it does at once, unless it is away."""

    def __init__(self, status="running"):
        self.status = status
        self.calls = []
        self.away = False

    def controls(self, run):
        return run.startswith("acme/")

    def stop(self, run):
        self._tell("stop", run)
        self.status = "stopping"

    def resume(self, run):
        self._tell("resume", run)
        self.status = "resuming"

    def fetch_status(self, run):
        if self.away:
            raise SourceFault("the server is away")
        return self.status

    def _tell(self, verb, run):
        if self.away:
            raise SourceFault("the server is away")
        self.calls.append((verb, run))


@pytest.fixture
def world(store):
    """Return two nodes, the first of which runs a pod of a run and is taken away."""
    made = World(store, gpus=8)
    made.pool = declare_pool(cluster="main", capacity_type="spot")
    metadata = made.kube.pods["ml/left"]["metadata"]
    metadata["labels"]["operation.polyaxon.com/uuid"] = "8f2b"
    metadata["annotations"] |= {
        "operation.polyaxon.com/owner": "acme",
        "operation.polyaxon.com/project": "vision",
    }
    made.turn()
    made.runs = FakeRuns()
    yield made
    made.close()


def interrupt(world, seconds=120):
    ends = world.clock.now() + timedelta(seconds=seconds)
    notice = Notice("e", "aws", "train-0", NoticeKind.INTERRUPTION, world.clock.now(), ends, "w")
    world.notices = [FakeNotices(notice)]


def turn(world):
    return world.turn(wiring=replace(world.wiring(), runs=world.runs))


def test_a_run_is_stopped_by_its_server_and_its_pods_are_left_to_its_operator(world, store):
    interrupt(world)

    turn(world)

    assert world.runs.calls == [("stop", RUN)]
    assert world.kube.evictions == []
    assert [run.run for run in store.read_stopped_runs()] == [RUN]
    (told,) = [each for each in store.read_decisions("train", 9) if each.action == "evict"]
    assert told.outcome is Outcome.APPLIED
    assert "run acme/vision/8f2b is stopped, and resumed once it ended" in told.detail


def test_a_run_goes_on_once_it_ended(world, store):
    interrupt(world)
    turn(world)
    world.runs.status = "stopped"
    del world.kube.pods["ml/left"]

    turn(world)

    assert world.runs.calls == [("stop", RUN), ("resume", RUN)]
    assert store.read_stopped_runs() == []
    told = [(e.action, e.outcome) for e in store.read_decisions("train", 20)]
    assert ("resume", Outcome.APPLIED) in told


def test_where_its_server_is_away_the_pods_are_evicted_and_the_run_goes_on_later(world, store):
    world.runs.away = True
    interrupt(world)

    turn(world)
    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]
    world.runs.away, world.runs.status = False, "failed"
    turn(world)

    assert world.runs.calls == [("resume", RUN)]


def test_where_the_machine_goes_sooner_than_an_operator_acts_the_pods_are_evicted_too(world):
    interrupt(world, seconds=50)

    turn(world)

    assert world.runs.calls == [("stop", RUN)]
    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]


def test_runs_of_nobodys_server_are_evicted_as_any_pod(world, store):
    metadata = world.kube.pods["ml/left"]["metadata"]
    metadata["annotations"]["operation.polyaxon.com/owner"] = "strangers"
    interrupt(world)

    turn(world)

    assert world.runs.calls == []
    assert store.read_stopped_runs() == []
    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]


@pytest.fixture
def token(store):
    found = store.take_lease("one", 0.0)
    store.record_stopped_run(found, StoppedRun(RUN, "train", NOW))
    return found


@pytest.mark.parametrize(
    ("status", "after", "calls", "known"),
    [
        ("stopping", 60, [], True),
        ("running", 60, [], True),
        ("stopped", 60, [("resume", RUN)], False),
        ("failed", 60, [("resume", RUN)], False),
        ("succeeded", 60, [], False),
        ("queued", 60, [], False),
        ("running", 3700, [], False),
    ],
)
def test_what_follows_from_a_runs_status(store, token, status, after, calls, known):
    runs = FakeRuns(status)

    resume_runs(store, runs, token, NOW + timedelta(seconds=after))

    assert runs.calls == calls
    assert bool(store.read_stopped_runs()) is known


def test_a_run_that_never_ended_is_told(store, token):
    resume_runs(store, FakeRuns("running"), token, NOW + timedelta(hours=2))

    (told,) = store.read_decisions("train", 9)
    assert (told.action, told.outcome) == ("resume", Outcome.HELD)
    assert told.reason == f"{RUN} is running, an hour after it was stopped"


def test_one_run_whose_server_is_away_waits_and_keeps_no_other(store, token):
    store.record_stopped_run(token, StoppedRun("acme/vision/9", "train", NOW))
    runs = FakeRuns("stopped")

    def fetch_status(run):
        if run == RUN:
            raise SourceFault("away")
        return "stopped"

    runs.fetch_status = fetch_status

    resume_runs(store, runs, token, NOW)

    assert [run.run for run in store.read_stopped_runs()] == [RUN]
    assert runs.calls == [("resume", "acme/vision/9")]


def test_killed_between_resuming_and_forgetting_a_run_is_resumed_once(store, token):
    runs = FakeRuns("stopped")

    class Dies:
        def __getattr__(self, name):
            if name == "drop_stopped_run":
                raise KeyboardInterrupt
            return getattr(store, name)

    with pytest.raises(KeyboardInterrupt):
        resume_runs(Dies(), runs, token, NOW)
    resume_runs(store, runs, token, NOW)

    assert runs.calls == [("resume", RUN)]
    assert store.read_stopped_runs() == []
