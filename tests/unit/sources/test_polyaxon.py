"""Runs of Polyaxon, from the answers that a real server gave (tests/data/polyaxon)."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from support.controller import catalog, declare_pool

from tidegate.cli.controller_queues import build_chips
from tidegate.sources.config import PolyaxonSource, parse_sources
from tidegate.sources.pods import Chips
from tidegate.sources.polyaxon import PolyaxonRuns
from tidegate.sources.polyaxon_runs import NothingAsked, read_run
from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.reports import SourceFault

RECORDED = json.loads(
    (Path(__file__).parents[2] / "data" / "polyaxon" / "runs.json").read_text(encoding="utf-8")
)
POOLS = [declare_pool("train-aws-h100"), declare_pool("train-spot-h100")]
CHIPS = build_chips(POOLS, catalog())
EVERY = ("train-aws-h100", "train-spot-h100")
PRESETS = {
    "train-spot": {
        "accelerators": [{"accelerator": "h100-80gb", "perWorker": 4}],
        "placement": {"pools": ["train-spot-h100"]},
    }
}


class Server:
    """Answers as the recorded server did; a test may state other answers."""

    def __init__(self):
        self.asked = []
        self.runs = RECORDED["runs"]
        self.details = dict(RECORDED["details"])
        self.failure = None

    def __call__(self, request):
        self.asked.append(request)
        if self.failure is not None:
            if isinstance(self.failure, Exception):
                raise self.failure
            return self.failure
        last = request.url.path.rpartition("/")[2]
        body = self.runs if last == "runs" else self.details[last]
        return httpx.Response(200, json=body)


@pytest.fixture
def server():
    return Server()


def build(server, **changes):
    settings = PolyaxonSource(
        kind="polyaxon", name="plx", url="http://plx", projects=["train"], **changes
    )
    client = httpx.Client(transport=httpx.MockTransport(server))
    return PolyaxonRuns(settings, catalog(), CHIPS, client)


def by_name(report):
    names = {run["uuid"]: run["name"] for run in RECORDED["runs"]["results"]}
    found = {}
    for item in report.items:
        found.setdefault(names[item.id.split("/")[2]], []).append(item.shape)
    return found


def test_queued_runs_ask_for_what_their_pods_ask_for(server):
    shapes = by_name(build(server).fetch())

    assert {name: [shape.workers for shape in found] for name, found in shapes.items()} == {
        "waiting": [1],
        "pytorch": [4],
        "ray": [2, 1],
        "service": [2],
    }
    assert [need.per_worker for need in shapes["pytorch"][0].accelerators] == [8]
    assert shapes["service"][0].vcpus_milli == 4000
    assert shapes["service"][0].memory_mib == 16 * 1024
    assert shapes["service"][0].workload_class is WorkloadClass.INFERENCE
    assert shapes["waiting"][0].workload_class is WorkloadClass.TRAINING
    assert {shape.placement.pools for found in shapes.values() for shape in found} == {EVERY}


def test_a_preset_stands_for_what_its_run_does_not_say(server):
    (shape,) = by_name(build(server, presets=PRESETS).fetch())["by-preset"]

    assert [(need.accelerator, need.per_worker) for need in shape.accelerators] == [
        ("h100-80gb", 4)
    ]
    assert shape.placement.pools == ("train-spot-h100",)


def test_started_runs_are_told_where_they_are_pinned_and_are_no_demand(server):
    report = build(server).fetch()

    assert report.in_progress == {"train-aws-h100": 1}
    assert report.notes == (
        "1 run started",
        "run by-preset (job) asks for nothing",
        "run foreign asks for amd.com/gpu, which none of its pools has",
        "run asks-nothing (job) asks for nothing",
    )


def test_what_a_run_asks_for_is_asked_once(server):
    runs = build(server)
    runs.fetch()
    before = len(server.asked)
    runs.fetch()

    assert before == 1 + len(RECORDED["details"])
    assert len(server.asked) == before + 1


def test_a_run_that_shifts_the_pages_is_counted_once(server):
    first = dict(server.runs, next="more")
    pages = [first, dict(server.runs, results=server.runs["results"][-3:])]

    def answer(request):
        last = request.url.path.rpartition("/")[2]
        body = pages.pop(0) if last == "runs" else server.details[last]
        return httpx.Response(200, json=body)

    assert len(build(answer).fetch().items) == len(build(server).fetch().items)


def test_a_token_of_the_environment_signs_and_its_lack_is_a_fault(server, monkeypatch):
    runs = build(server, token_environment="PLX_TOKEN")
    with pytest.raises(SourceFault, match="PLX_TOKEN holds no token"):
        runs.fetch()
    monkeypatch.setenv("PLX_TOKEN", "a-secret")

    runs.fetch()

    assert server.asked[-1].headers["Authorization"] == "Token a-secret"


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (httpx.ConnectError("refused"), "does not answer: ConnectError"),
        (httpx.ReadTimeout("slow"), "does not answer: ReadTimeout"),
        (httpx.Response(404, json={"detail": "No Project"}), "answers 404: No Project"),
        (httpx.Response(401, text="<html>"), "answers 401: no reason"),
        (httpx.Response(200, text="<html>"), "no run of Polyaxon"),
        (httpx.Response(200, json={"results": [{}], "next": None}), "no run of Polyaxon"),
        (httpx.Response(200, content=b" " * (5 * 1024 * 1024)), "bytes"),
    ],
    ids=["away", "slow", "no project", "denied", "no JSON", "no run", "too much"],
)
def test_what_is_no_list_of_runs_is_a_fault_and_never_none(server, failure, says):
    server.failure = failure

    with pytest.raises(SourceFault, match=says):
        build(server).fetch()


def test_more_runs_than_are_believed_are_a_fault(server):
    server.runs = dict(server.runs, next="more")

    with pytest.raises(SourceFault, match="more than 100 runs, which is not believed"):
        build(server, most_runs=100).fetch()


def test_runs_that_are_told_too_slowly_are_learnt_over_several_looks(server, monkeypatch):
    seconds = iter(range(0, 1000, 5))
    monkeypatch.setattr("tidegate.sources.polyaxon.time.monotonic", lambda: next(seconds))
    runs = build(server)

    looks = 0
    while True:
        looks += 1
        try:
            report = runs.fetch()
        except SourceFault as fault:
            assert "too slowly" in str(fault)  # noqa: PT017 - each look but the last ends so
            continue
        break

    assert looks == 3
    assert len(report.items) == 5


@pytest.mark.parametrize(
    "content",
    [
        {"run": {"kind": "job", "container": {"resources": {"limits": {"cpu": "much"}}}}},
        {"run": {"kind": "job", "replicas": "x", "container": {}}},
        {},
    ],
    ids=["quantity", "number", "nothing"],
)
def test_what_is_no_run_is_refused(content):
    with pytest.raises((KeyError, ValueError)):
        read_run(content, CHIPS, {}, "run")


def test_a_run_without_pods_of_its_own_asks_for_nothing():
    with pytest.raises(NothingAsked, match=r"run \(dag\) asks for nothing"):
        read_run({"run": {"kind": "dag", "operations": []}}, Chips({}, ()), {}, "run")


def test_presets_that_are_no_work_are_told():
    entry = {"kind": "polyaxon", "name": "plx", "url": "http://plx", "projects": ["train"]}
    wrong = {**entry, "presets": {"spot": {"vcpu": 3}}}

    with pytest.raises(InvalidInput, match=r"preset spot.*did you mean 'vcpus'"):
        parse_sources("sources.yaml", {"sources": [wrong]})
    with pytest.raises(InvalidInput, match="projects"):
        parse_sources("sources.yaml", {"sources": [{**entry, "projects": []}]})
