"""The reaper on the local clouds: metrics written and notebooks stopped by the clouds' own APIs."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from support import gcp_inputs as google
from support.azure_types import DEPLOYMENT, GROUP, INPUTS, SETTINGS, build_on
from support.controller import FakeClock, FakePools, wire
from typer.testing import CliRunner

from tidegate.cli.controller import app
from tidegate.cli.controller_use import build_uses
from tidegate.clouds.bound_reapables import BoundReapables
from tidegate.clouds.gcp.services import build_service
from tidegate.controller.reaping import Reaper
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Endpoint, Manifest, Notebook
from tidegate.scaling.reaping import ReapSettings
from tidegate.vocabulary.problems import InvalidInput

STEP = timedelta(seconds=300)
LABELS = {"owner": "ana"}
ONLINE = "Microsoft.MachineLearningServices/workspaces/onlineEndpoints/deployments"
STOPPABLE = {
    "idle_shutdown_seconds": 3600,
    "stopped_by": "tidegate",
    "instance_type": "g2-standard-8",
    "labels": LABELS,
}


@pytest.fixture
def stack(world, serve, make_engine):
    """A Workbench machine on Google and a deployment on Azure that Tidegate may stop."""
    clouds = {"gcp": build_gcp_cloud(world), "azure": build_azure_cloud(world)}
    on_google = make_engine(clouds["gcp"], world, google.SETTINGS)
    on_google.up(google.ACCOUNT, {"accountId": "nodes-of-pool"}, "account")
    desk = on_google.up(*google.EVERY_KIND["notebook"], "notebook")
    on_azure = make_engine(clouds["azure"], world, SETTINGS)
    on_azure.up(GROUP, {"resourceGroupName": "ml"}, "group")
    build_on(on_azure, DEPLOYMENT)
    blue = on_azure.up(DEPLOYMENT, INPUTS[DEPLOYMENT], "blue")
    manifest = Manifest(
        project="tidegate",
        stack="prod",
        catalog_digest="x",
        notebooks=[
            Notebook(
                id="desk", cloud="gcp", region="us-central1", kind="vertex-workbench", **STOPPABLE
            )
        ],
        endpoints=[
            Endpoint(
                id="chat",
                cloud="azure",
                region="westeurope",
                kind="azure-ml-deployment",
                instance_type="Standard_NC24ads_A100_v4",
                min_replicas=1,
                max_replicas=4,
                idle_shutdown_seconds=3600,
                labels=LABELS,
            )
        ],
    )
    bindings = {"notebook/desk": {"id": desk.id}, "endpoint/chat": {"deployment": blue.id}}
    urls = {name: serve(cloud) for name, cloud in clouds.items()}
    return manifest, bindings, urls


def tell_use(stack, now, busy=0.0):
    """Write what the machines' own agents would have told of the last four hours."""
    _, bindings, urls = stack
    monitoring = build_service("monitoring", "v3", urls["gcp"], local=True)
    series = monitoring.projects().timeSeries()
    machine = bindings["notebook/desk"]["id"].rpartition("/")[2]
    for back in range(49):
        at = (now - back * STEP).isoformat()
        for metric, value in (("cpu/utilization", busy), ("network/received_bytes_count", 10.0)):
            labels = {"instance_name": machine}
            point = {"interval": {"endTime": at}, "value": {"doubleValue": value}}
            one = {
                "metric": {"type": f"compute.googleapis.com/instance/{metric}", "labels": labels},
                "points": [point],
            }
            body = {"timeSeries": [one]}
            series.create(name=f"projects/{google.PROJECT}", body=body).execute()
        gpu = {"dimValues": [], "min": 1, "max": 1, "sum": 1, "count": 1}
        data = {"metric": "GpuUtilizationPercentage", "namespace": ONLINE, "series": [gpu]}
        place = f"{urls['azure']}{bindings['endpoint/chat']['deployment']}/metrics"
        told = {"time": at, "data": {"baseData": data}}
        assert httpx.post(place, json=told, trust_env=False).is_success


def take_turn(stack, store, clock, executor):
    """Take a turn of a new process; signals speak of the clock's time."""
    manifest, bindings, urls = stack
    uses = build_uses(manifest, bindings, (), urls)
    for use in uses:
        use._clock = clock.now
    wiring = wire(manifest, FakePools({}))
    declared = [*manifest.notebooks, *manifest.endpoints]
    wiring = replace(wiring, reapables=BoundReapables(declared, bindings, urls), use=uses)
    # What was made a moment ago is old enough here: the clouds' clock is the machine's.
    reaper = Reaper(clock, executor, 20.0, ReapSettings(least_age_seconds=0))

    async def go():
        reaping = await reaper.look(wiring, store)
        return await reaper.carry_out(wiring, store, 1, reaping)

    return {each.decision.rule.id: each for each in asyncio.run(go())}, wiring.reapables


def test_what_rests_on_two_clouds_is_warned_of_and_stopped(stack, store):
    assert store.take_lease("one", 0.0) == 1
    start = datetime.now(UTC) + timedelta(hours=5)
    clock = FakeClock(time=start)
    tell_use(stack, start + 6 * STEP)
    with ThreadPoolExecutor(8) as executor:
        warned, _ = take_turn(stack, store, clock, executor)
        clock.advance(1000)
        ended, clouds = take_turn(stack, store, clock, executor)

    told = {name: done.decision.verdict.value for name, done in warned.items()}
    assert told == {"endpoint/chat": "warn", "notebook/desk": "warn"}
    assert [done.decision.verdict.value for done in ended.values()] == ["end", "end"]
    assert clouds.fetch_state("notebook/desk").size == 0
    assert clouds.fetch_state("endpoint/chat").size == 1


def test_a_notebook_that_computes_behind_a_closed_browser_is_left_alone(stack, store):
    assert store.take_lease("one", 0.0) == 1
    start = datetime.now(UTC) + timedelta(hours=5)
    clock = FakeClock(time=start)
    tell_use(stack, start, busy=0.97)
    with ThreadPoolExecutor(8) as executor:
        done, clouds = take_turn(stack, store, clock, executor)

    assert set(done) == {"endpoint/chat"}
    assert clouds.fetch_state("notebook/desk").size == 1


@pytest.fixture
def call(tmp_path, stack, monkeypatch):
    """Run the command on the stack's outputs; the SDKs are pointed at the local clouds."""
    manifest, bindings, urls = stack
    sections = {"notebooks": {}, "endpoints": {}}
    for name, binding in bindings.items():
        section, _, key = name.partition("/")
        sections[f"{section}s"][key] = binding
    outputs = tmp_path / "outputs.json"
    outputs.write_text(json.dumps({"capacity": dump_manifest(manifest), "bindings": sections}))
    monkeypatch.setenv("TIDEGATE_LOCAL", "1")
    for name, url in urls.items():
        monkeypatch.setenv(f"TIDEGATE_LOCAL_{name.upper()}_URL", url)

    def run(*arguments, stacked=True):
        given = ["--state-dir", str(tmp_path / "state")]
        given += ["--outputs", str(outputs)] if stacked else []
        result = CliRunner().invoke(app, [*arguments, *given])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_the_plan_says_what_is_not_known_and_stops_nothing(call):
    told = json.loads(call("plan", "--format", "json").stdout)

    assert [(each["id"], each["verdict"]) for each in told["idle"]] == [
        ("endpoint/chat", "leave"),
        ("notebook/desk", "leave"),
    ]
    assert told["idle"][0]["owner"] == "ana"
    assert told["idle"][0]["reason"].startswith("was started or changed")
    assert {each["name"]: each["sound"] for each in told["utilisation"]} == {
        "endpoint/chat/GpuUtilizationPercentage": False,
        "endpoint/chat/RequestsPerMinute": True,
        "notebook/desk/cpu": False,
        "notebook/desk/network": False,
    }


def test_a_notebook_is_snoozed_by_name_after_a_turn(call):
    assert "leave notebook/desk (ana): size 1; was started or changed" in call("once").stdout

    said = call("snooze", "desk", "--owner", "ben", "--hours", "3", stacked=False).stdout
    planned = call("plan").stdout
    shown = call("status", stacked=False).stdout

    assert said.startswith("notebook/desk goes on until ")
    assert "leave notebook/desk (ana): size 1; ben wants it to go on until" in planned
    assert "override   notebook/desk: snoozed by ben until" in shown
    assert "leave notebook/desk (ana): size 1" in shown
    assert call("resume", "notebook/desk", stacked=False).stdout == (
        "notebook/desk is looked at again\n"
    )
    with pytest.raises(InvalidInput, match="did you mean 'desk'"):
        call("snooze", "dsk", "--owner", "ben", "--hours", "3", stacked=False)
