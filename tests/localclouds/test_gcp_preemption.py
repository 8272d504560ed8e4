"""Spot instances taken back: the log entry, the topic that a sink tells, and the repair."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1
from support import gcp_inputs as given

from tidegate.localclouds.contracts import World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

SUBSCRIPTION = f"projects/{given.PROJECT}/subscriptions/preempted"
WHERE = {"project": given.PROJECT, "region": "us-central1", "instance_group_manager": "spot"}


@pytest.fixture
def url(world: World, serve: Callable[..., str]) -> str:
    return serve(build_gcp_cloud(world))


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    """An engine with two spot instances, and a sink that tells a topic of preemptions."""
    made = make_engine(build_gcp_cloud(world), world, given.SETTINGS)
    given.declare_base(made)
    made.up(given.GROUP, {**given.FLEXIBLE_GROUP, "targetSize": 2}, "group")
    made.up(given.SUBSCRIPTION, {"name": "preempted", "topic": "preempted"}, "subscription")
    sink = made.up(*given.EVERY_KIND["sink"], "sink")
    made.up(
        given.TOPIC_MEMBER,
        {
            "topic": given.TOPIC_NAME,
            "role": "roles/pubsub.publisher",
            "member": sink.outputs["writerIdentity"],
        },
        "writer",
    )
    return made


@pytest.fixture
def client(url: str) -> Callable[[str], Any]:
    options = {
        "credentials": AnonymousCredentials(),
        "client_options": {"api_endpoint": url},
    }
    return lambda name: getattr(compute_v1, f"{name}Client")(**options)


def pull(url: str) -> list[dict[str, Any]]:
    """Return the log entries that a pull finds."""
    answer = httpx.post(f"{url}/v1/{SUBSCRIPTION}:pull", json={"maxMessages": 10}).json()
    return [
        json.loads(base64.b64decode(item["message"]["data"]))
        for item in answer.get("receivedMessages", [])
    ]


def list_instances(client: Any) -> dict[str, str]:
    found = client("RegionInstanceGroupManagers").list_managed_instances(**WHERE)
    return {item.name: item.id for item in found}


def interrupt(world: World, **changes: Any) -> None:
    target = "compute:Instances.Preempt/*"
    world.faults.add(
        Fault(**{"kind": FaultKind.INTERRUPTION, "cloud": "gcp", "target": target, **changes})
    )


def test_interruption_tells_the_topic_as_the_audit_log_does(
    engine: Any, world: World, url: str, client: Any
) -> None:
    before = list_instances(client)
    interrupt(world)
    (entry,) = pull(url)
    assert entry["logName"].endswith("cloudaudit.googleapis.com%2Fsystem_event")
    assert entry["resource"]["type"] == "gce_instance"
    assert entry["resource"]["labels"]["project_id"] == given.PROJECT
    payload = entry["protoPayload"]
    assert payload["methodName"] == "compute.instances.preempted"
    assert payload["serviceName"] == "compute.googleapis.com"
    name = payload["resourceName"].rsplit("/", 1)[1]
    assert entry["resource"]["labels"]["instance_id"] == str(before[name])
    # The count of one is used up: nothing more happens.
    assert world.faults.list() == []


def test_group_starts_a_preempted_instance_again_under_its_name(
    engine: Any, world: World, client: Any
) -> None:
    before = list_instances(client)
    interrupt(world)
    after = list_instances(client)
    assert after.keys() == before.keys()
    assert len({*after.items()} - {*before.items()}) == 1
    zones = ("us-central1-a", "us-central1-b")
    kinds = [
        operation.operation_type
        for zone in zones
        for operation in client("ZoneOperations").list(project=given.PROJECT, zone=zone)
    ]
    assert kinds == ["compute.instances.preempted"]


def test_group_stays_short_while_there_is_no_room_for_a_repair(
    engine: Any, world: World, url: str, client: Any
) -> None:
    world.faults.add(
        Fault(FaultKind.STOCK_OUT, cloud="gcp", target="compute:Instances.Insert/*", count=None)
    )
    interrupt(world)
    groups = client("RegionInstanceGroupManagers")
    assert groups.get(**WHERE).current_actions.creating == 1
    assert len(pull(url)) == 1
    world.faults.clear()
    assert groups.get(**WHERE).current_actions.creating == 0


def test_interruption_hits_only_the_instances_that_its_target_names(
    engine: Any, world: World, url: str, client: Any
) -> None:
    chosen = min(list_instances(client))
    interrupt(world, target=f"compute:Instances.Preempt/*/{chosen}", count=None)
    entries = pull(url)
    assert {entry["protoPayload"]["resourceName"].rsplit("/", 1)[1] for entry in entries} == {
        chosen
    }


def test_interruption_of_every_instance_takes_each_once_a_call(
    engine: Any, world: World, url: str
) -> None:
    interrupt(world, count=2)
    assert len(pull(url)) == 2


def test_on_demand_instance_is_never_interrupted(engine: Any, world: World, client: Any) -> None:
    engine.up(*given.EVERY_KIND["global-template"], "plain")
    plain = f"projects/{given.PROJECT}/global/instanceTemplates/plain"
    inputs = {
        "name": "plain",
        "zone": "us-central1-c",
        "baseInstanceName": "plain",
        "targetSize": 1,
        "versions": [{"instanceTemplate": plain}],
    }
    engine.up(given.ZONE_GROUP, inputs, "plain-group")
    interrupt(world, target="compute:Instances.Preempt/*/plain-*")
    list_instances(client)
    assert [fault.kind for fault in world.faults.list()] == [FaultKind.INTERRUPTION]


def test_simulated_maintenance_preempts_a_spot_instance(engine: Any, url: str, client: Any) -> None:
    before = list_instances(client)
    (zone, instance) = next(
        (scope.removeprefix("zones/"), listed.instances[0])
        for scope, listed in client("Instances").aggregated_list(project=given.PROJECT)
        if listed.instances
    )
    client("Instances").simulate_maintenance_event_unary(
        project=given.PROJECT, zone=zone, instance=instance.name
    )
    assert list_instances(client)[instance.name] != before[instance.name]
    assert len(pull(url)) == 1


def test_node_of_a_spot_pool_is_preempted_and_its_pool_repaired(
    engine: Any, world: World, url: str
) -> None:
    engine.up(
        given.CLUSTER,
        {"name": "train", "location": "us-central1-c", "initialNodeCount": 1},
        "cluster",
    )
    pool = engine.up(
        given.NODE_POOL,
        {
            "name": "spot",
            "cluster": "train",
            "location": "us-central1-c",
            "nodeCount": 2,
            "nodeConfig": {"machineType": "n2-standard-8", "spot": True},
        },
        "pool",
    )
    interrupt(world, target="compute:Instances.Preempt/*/gke-train-spot-*")
    (entry,) = pull(url)
    assert entry["resource"]["labels"]["zone"] == "us-central1-c"
    assert engine.refresh(given.NODE_POOL, pool, "pool") == pool.inputs


def test_sink_whose_writer_may_not_publish_drops_what_it_should_tell(
    engine: Any, world: World, url: str
) -> None:
    body = {"policy": {"bindings": []}}
    httpx.post(f"{url}/v1/{given.TOPIC_NAME}:setIamPolicy", json=body)
    interrupt(world)
    assert pull(url) == []
    listed = httpx.post(
        f"{url}/v2/entries:list",
        json={"resourceNames": [f"projects/{given.PROJECT}"], "filter": given.PREEMPTED},
    ).json()
    assert len(listed["entries"]) == 1


def test_entries_that_a_filter_or_an_exclusion_stops_reach_no_topic(engine: Any, url: str) -> None:
    log = f"projects/{given.PROJECT}/logs/cloudaudit.googleapis.com%2Fsystem_event"

    def write(method: str, zone: str) -> None:
        entry = {
            "protoPayload": {"methodName": method},
            "resource": {"type": "gce_instance", "labels": {"zone": zone}},
        }
        httpx.post(f"{url}/v2/entries:write", json={"logName": log, "entries": [entry]})

    write("compute.instances.insert", "us-central1-a")
    write("compute.instances.preempted", "us-east1-b")
    assert pull(url) == []
    write("compute.instances.preempted", "us-central1-a")
    assert len(pull(url)) == 1
