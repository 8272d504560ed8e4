"""Runs of Polyaxon, against a real server with its own client beside it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import httpx
import pytest
from support.controller import catalog, declare_pool
from support.programs import free_port, lack, running

from tidegate.cli.controller_queues import build_chips
from tidegate.controller.resuming import GOING_ON
from tidegate.sources.config import PolyaxonSource
from tidegate.sources.polyaxon import PolyaxonRuns
from tidegate.sources.polyaxon_control import PolyaxonControl
from tidegate.vocabulary.reports import SourceFault

BIN = Path(__file__).resolve().parents[3] / ".tools" / "polyaxon-server" / "bin"
READY_SECONDS = 240  # it migrates a new database first
POOL = "train-aws-h100"
MAKE = """
import json, sys
from polyaxon.client import ProjectClient, RunClient
from polyaxon.schemas import V1Operation

if not any(each.name == "train" for each in ProjectClient(owner="default").list().results):
    ProjectClient(owner="default", project="train").create({"name": "train"})
for name, run in json.load(sys.stdin).items():
    component = {"version": 1.1, "kind": "component", "run": run}
    operation = {"version": 1.1, "kind": "operation", "component": component}
    made = RunClient(owner="default", project="train")
    made.create(name=name, content=V1Operation.from_dict(operation))
    print(name, made.run_uuid)
"""
MOVE = """
import sys
from polyaxon.client import RunClient

client = RunClient(owner="default", project="train", run_uuid=sys.argv[1])
for status in sys.argv[2:]:
    client.log_status(status)
"""
GPUS = {"image": "train:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
RUNS = {
    "pinned": {
        "kind": "job",
        "environment": {"nodeSelector": {"capacity-pool": POOL}},
        "container": GPUS,
    },
    "gang": {
        "kind": "pytorchjob",
        "master": {"replicas": 1, "container": GPUS},
        "worker": {"replicas": 3, "container": GPUS},
    },
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Yield the address of a Polyaxon server, and what runs its client."""
    if not (BIN / "haupt").is_file():
        text = "there is no Polyaxon server: scripts/setup --polyaxon-server"
        lack(text, "TIDEGATE_WITHOUT_POLYAXON")
    folder = tmp_path_factory.mktemp("polyaxon")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
        "POLYAXON_CONTEXT_ROOT": str(folder),
        "POLYAXON_HOST": url,
    }
    environment.pop("PYTHONPATH", None)

    def call(program, *arguments, given=""):
        command = [BIN / "python", "-c", program, *arguments]
        done = subprocess.run(
            command, input=given, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    start = [BIN / "haupt", "sandbox", "start", "--host", "127.0.0.1", "--port", port]
    with running([*start, "--workers", "1"], folder / "log", environment):
        _wait_until_ready(url, folder / "log")
        yield url, call


def _wait_until_ready(url, log):
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            httpx.get(f"{url}/api/v1/default/none/runs", timeout=5, trust_env=False)
        except httpx.HTTPError:
            time.sleep(0.5)
        else:
            return
    raise AssertionError(log.read_text(encoding="utf-8"))


def test_queued_runs_are_demand_until_their_agent_starts_them(server):
    url, call = server
    given = {"kind": "polyaxon", "name": "plx", "url": url, "projects": ["train"]}
    chips = build_chips([declare_pool(POOL), declare_pool("other")], catalog())
    made = dict(line.split() for line in call(MAKE, given=json.dumps(RUNS)).splitlines())

    with httpx.Client(trust_env=False) as http:
        runs = PolyaxonRuns(PolyaxonSource(**given), catalog(), chips, http)
        queued = runs.fetch()
        call(MOVE, made["pinned"], "scheduled", "starting", "running")
        started = runs.fetch()
        call(MOVE, made["pinned"], "succeeded")
        call(MOVE, made["gang"], "stopped")
        ended = runs.fetch()
        strangers = PolyaxonSource(**{**given, "projects": ["none"]})
        with pytest.raises(SourceFault, match="answers 404: No Project"):
            PolyaxonRuns(strangers, catalog(), chips, http).fetch()

    workers = {item.id: item.shape.workers for item in queued.items}
    assert workers == {f"plx/train/{made['pinned']}": 1, f"plx/train/{made['gang']}": 4}
    assert [item.id for item in started.items] == [f"plx/train/{made['gang']}"]
    assert started.in_progress == {POOL: 1}
    assert (ended.items, ended.in_progress, ended.notes) == ((), {}, ())


def test_a_run_that_is_stopped_ends_and_goes_on_when_it_is_resumed(server):
    url, call = server
    made = dict(
        line.split()
        for line in call(MAKE, given=json.dumps({"moved": RUNS["pinned"]})).splitlines()
    )
    call(MOVE, made["moved"], "scheduled", "starting", "running")
    run = f"default/train/{made['moved']}"
    settings = PolyaxonSource(kind="polyaxon", name="plx", url=url, projects=["train"])

    with httpx.Client(trust_env=False) as http:
        runs = PolyaxonControl([settings], http)
        before = runs.fetch_status(run)
        runs.stop(run)
        runs.stop(run)
        stopping = runs.fetch_status(run)
        with pytest.raises(SourceFault, match="must reach a final state first"):
            runs.resume(run)
        # What its agent reports once its operator has ended the pods.
        call(MOVE, made["moved"], "stopped")
        stopped = runs.fetch_status(run)
        runs.resume(run)
        resumed = runs.fetch_status(run)
        with pytest.raises(SourceFault, match="answers 404"):
            runs.fetch_status("default/train/00000000000000000000000000000000")

    assert (before, stopping, stopped) == ("running", "stopping", "stopped")
    assert resumed in GOING_ON
    assert not runs.controls("other/train/x")
