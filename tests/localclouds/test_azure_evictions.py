"""Evictions of spot machines: deleted or deallocated, and announced on a storage queue.

azure-storage-queue is no dependency: queues are read by the REST calls that it makes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.computefleet import ComputeFleetMgmtClient
from support.azure_types import (
    ANNOTATED,
    EVENT_SUBSCRIPTION,
    FLEET,
    GPU_SIZE,
    GROUP,
    INPUTS,
    PROVIDERS,
    SCALE_SET,
    SCALE_SET_ID,
    SCOPE,
    SETTINGS,
    SUBSCRIPTION,
    build_on,
    change,
    inside,
)

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.refusals import CloudError

ACTION = "Microsoft.Compute/simulateEviction"
QUEUE = "/tgevents/interruptions"
DATA = "data.resourceInfo.properties"


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_azure_cloud(world)


@pytest.fixture
def url(cloud: Cloud, serve: Callable[[Cloud], str]) -> str:
    return serve(cloud)


@pytest.fixture
def compute(url: str, build_azure_options: Callable[..., dict[str, Any]]) -> Any:
    return ComputeManagementClient(**build_azure_options(url, SUBSCRIPTION))


@pytest.fixture
def engine(cloud: Cloud, world: World, make_engine: Any) -> Any:
    """Azure with a spot scale set of one regular and two spot machines."""
    made = make_engine(cloud, world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    build_on(made, SCALE_SET)
    build_on(made, EVENT_SUBSCRIPTION)
    return made


def build_set(engine: Any, **changes: Any) -> Any:
    mix = {"baseRegularPriorityCount": 1, "regularPriorityPercentageAboveBase": 0}
    sku = {"name": GPU_SIZE, "capacity": 3}
    return engine.up(SCALE_SET, change(SCALE_SET, sku=sku, priorityMixPolicy=mix, **changes))


def interrupt(world: World, target: str, count: int | None = 1) -> None:
    world.faults.add(Fault(FaultKind.INTERRUPTION, "azure-native", target, count))


def fetch(url: str, **query: Any) -> list[dict[str, str]]:
    """Return what a queue's GET Messages answers."""
    answer = httpx.get(f"{url}{QUEUE}/messages", params=query).raise_for_status()
    root = ET.fromstring(answer.content)
    return [{part.tag: part.text or "" for part in message} for message in root]


def read_events(url: str) -> list[dict[str, Any]]:
    found = fetch(url, numofmessages=32)
    return [json.loads(base64.b64decode(message["MessageText"])) for message in found]


def look(event: dict[str, Any], path: str) -> Any:
    value: Any = event
    for step in path.split("."):
        value = value[step]
    return value


def list_machines(compute: Any) -> list[Any]:
    return list(compute.virtual_machines.list("ml"))


def test_evicted_machine_is_deleted_and_announced(
    engine: Any, world: World, url: str, compute: Any
) -> None:
    made = build_set(engine)
    engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    before = {machine.name: machine.priority for machine in list_machines(compute)}
    interrupt(world, f"{ACTION}{SCALE_SET_ID}/*")
    after = {machine.name: machine.priority for machine in list_machines(compute)}
    (gone,) = before.keys() - after.keys()
    assert before[gone] == "Spot"
    assert sorted(after.values()) == ["Regular", "Spot"]
    assert engine.refresh(SCALE_SET, made)["sku"]["capacity"] == 2
    (event,) = read_events(url)
    target = f"{PROVIDERS}/Microsoft.Compute/virtualMachines/{gone}"
    assert (event["eventType"], event["subject"], event["topic"]) == (ANNOTATED, target, SCOPE)
    told = look(event, DATA)
    assert told.pop("occurredTime") == event["eventTime"]
    assert told == {
        "targetResourceId": target,
        "targetResourceType": "Microsoft.Compute/virtualMachines",
        "annotationName": "VirtualMachinePreempted",
        "reason": "Low priority machine preempted",
        "summary": "This virtual machine has been preempted. This low-priority virtual machine is "
        "being stopped and deallocated.",
        "context": "Platform Initiated",
        "category": "Unplanned",
    }
    assert world.faults.list() == []


def test_evicted_machine_is_deallocated_where_the_policy_says_so(
    engine: Any, world: World, url: str, compute: Any
) -> None:
    profile = {**INPUTS[SCALE_SET]["virtualMachineProfile"], "evictionPolicy": "Deallocate"}
    made = build_set(engine, virtualMachineProfile=profile)
    engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    interrupt(world, f"{ACTION}{SCALE_SET_ID}/*", None)
    states = [
        (machine.priority, machine.instance_view.statuses[0].code)
        for machine in list_machines(compute)
    ]
    assert sorted(states) == [
        ("Regular", "PowerState/running"),
        ("Spot", "PowerState/deallocated"),
        ("Spot", "PowerState/deallocated"),
    ]
    assert engine.refresh(SCALE_SET, made)["sku"]["capacity"] == 3
    # Once each, however often a fault without end is looked at.
    list_machines(compute)
    assert len(read_events(url)) == 2


def test_interruption_counts_the_machines_that_it_names(
    engine: Any, world: World, compute: Any
) -> None:
    build_set(engine)
    interrupt(world, "*/virtualMachineScaleSets/other/*", 2)
    assert len(list_machines(compute)) == 3
    interrupt(world, "*/virtualMachineScaleSets/spot/*", 2)
    assert [machine.priority for machine in list_machines(compute)] == ["Regular"]


def test_regular_machines_are_never_interrupted(engine: Any, world: World, compute: Any) -> None:
    build_on(engine, SCALE_SET)
    profile = {"priority": "Regular"}
    sku = {"name": GPU_SIZE, "capacity": 2}
    regular = change(SCALE_SET, sku=sku, virtualMachineProfile=profile, priorityMixPolicy=None)
    engine.up(SCALE_SET, regular)
    interrupt(world, "*", None)
    machines = list_machines(compute)
    assert len(machines) == 2
    with pytest.raises(HttpResponseError, match="is not a spot VM"):
        compute.virtual_machines.simulate_eviction("ml", machines[0].name)


@pytest.mark.parametrize("through", ["machine", "instance"])
def test_an_eviction_is_simulated_on_command(
    engine: Any, url: str, compute: Any, through: str
) -> None:
    build_set(engine)
    engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    spot = next(machine for machine in list_machines(compute) if machine.priority == "Spot")
    if through == "machine":
        compute.virtual_machines.simulate_eviction("ml", spot.name)
    else:
        compute.virtual_machine_scale_set_vms.simulate_eviction("ml", "spot", spot.name)
    assert spot.name not in [machine.name for machine in list_machines(compute)]
    assert [look(event, f"{DATA}.targetResourceId") for event in read_events(url)] == [
        spot.id.replace("/virtualMachineScaleSets/spot/", "/")
    ]


def test_uniform_instances_are_announced_within_their_scale_set(
    engine: Any, world: World, url: str
) -> None:
    sku = {"name": GPU_SIZE, "capacity": 1}
    uniform = change(SCALE_SET, sku=sku, orchestrationMode="Uniform", priorityMixPolicy=None)
    engine.up(SCALE_SET, uniform)
    engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    interrupt(world, f"{ACTION}{SCALE_SET_ID}/virtualMachines/0")
    (event,) = read_events(url)
    assert event["subject"] == f"{SCALE_SET_ID}/virtualMachines/0"
    assert look(event, f"{DATA}.targetResourceType") == (
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines"
    )


def test_fleets_lose_spot_machines_too(
    engine: Any, world: World, url: str, build_azure_options: Callable[..., dict[str, Any]]
) -> None:
    engine.up(FLEET, INPUTS[FLEET])
    engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    interrupt(world, "*/fleets/train/*")
    fleets = ComputeFleetMgmtClient(**build_azure_options(url, SUBSCRIPTION)).fleets
    left = [machine.priority for machine in fleets.list_virtual_machines("ml", "train")]
    assert sorted(left) == ["Regular", "Spot", "Spot"]
    assert len(read_events(url)) == 1


@pytest.mark.parametrize("owner", ["fleet", "scale set"])
def test_who_is_to_restore_what_was_evicted_buys_another_at_once(
    engine: Any, world: World, url: str, compute: Any, owner: str
) -> None:
    engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    if owner == "fleet":
        engine.up(FLEET, inside(FLEET, "spotPriorityProfile", maintain=True))
    else:
        build_set(engine, spotRestorePolicy={"enabled": True})
    before = {machine.name: machine.priority for machine in list_machines(compute)}
    interrupt(world, "*")
    after = {machine.name: machine.priority for machine in list_machines(compute)}
    assert len(before.keys() - after.keys()) == 1
    assert sorted(after.values()) == sorted(before.values())
    assert len(read_events(url)) == 1


NAME = f"{DATA}.annotationName"
FILTERS: dict[str, tuple[dict[str, Any], bool]] = {
    "none": ({}, True),
    "its type": ({"includedEventTypes": [ANNOTATED]}, True),
    "another type": ({"includedEventTypes": [ANNOTATED.replace("Annotated", "Deleted")]}, False),
    "its scale set": ({"subjectBeginsWith": f"{SCOPE}/resourceGroups/ML/"}, True),
    "case": ({"subjectBeginsWith": f"{SCOPE}/resourceGroups/ML/",
              "isSubjectCaseSensitive": True}, False),
    "another end": ({"subjectEndsWith": "/disks"}, False),
    "in": ({"advancedFilters": [{"operatorType": "StringIn", "key": NAME,
                                 "values": ["VirtualMachinePreempted"]}]}, True),
    "contains": ({"advancedFilters": [{"operatorType": "StringContains", "key": "subject",
                                       "values": ["/spot_"]}]}, True),
    "not in": ({"advancedFilters": [{"operatorType": "StringNotIn", "key": NAME,
                                     "values": ["VirtualMachinePreempted"]}]}, False),
    "number": ({"advancedFilters": [{"operatorType": "NumberGreaterThan", "key": NAME,
                                     "value": 1}]}, False),
    "there": ({"advancedFilters": [{"operatorType": "IsNotNull", "key": NAME}]}, True),
    "absent": ({"advancedFilters": [{"operatorType": "IsNotNull", "key": "data.x"}]}, False),
}  # fmt: skip


@pytest.mark.parametrize(("given", "passes"), FILTERS.values(), ids=FILTERS)
def test_a_queue_gets_what_its_filter_lets_pass(
    engine: Any, world: World, url: str, given: dict[str, Any], passes: bool
) -> None:
    build_set(engine)
    engine.up(EVENT_SUBSCRIPTION, change(EVENT_SUBSCRIPTION, filter=given), "subscription")
    interrupt(world, "*")
    assert len(read_events(url)) == int(passes)


def test_events_of_other_topics_reach_no_queue(engine: Any, world: World, url: str) -> None:
    build_set(engine)
    interrupt(world, "*")
    assert read_events(url) == []


def test_cloud_events_have_their_own_form(engine: Any, world: World, url: str) -> None:
    build_set(engine)
    wanted = change(EVENT_SUBSCRIPTION, eventDeliverySchema="CloudEventSchemaV1_0")
    engine.up(EVENT_SUBSCRIPTION, wanted, "subscription")
    interrupt(world, "*")
    (event,) = read_events(url)
    assert event.keys() == {"id", "source", "subject", "type", "time", "specversion", "data"}
    assert (event["type"], event["source"], event["specversion"]) == (ANNOTATED, SCOPE, "1.0")


def test_messages_are_hidden_peeked_deleted_and_cleared(engine: Any, url: str) -> None:
    del engine
    body = "<QueueMessage><MessageText>aGk=</MessageText></QueueMessage>"
    for _ in range(3):
        put = httpx.post(f"{url}{QUEUE}/messages", content=body)
        assert put.status_code == 201
    (taken,) = fetch(url)
    assert (taken["MessageText"], taken["DequeueCount"]) == ("aGk=", "1")
    assert len(fetch(url, peekonly="true", numofmessages=32)) == 2
    assert "PopReceipt" not in fetch(url, peekonly="true")[0]
    gone = f"{url}{QUEUE}/messages/{taken['MessageId']}"
    refused = httpx.delete(gone, params={"popreceipt": "another"})
    assert (refused.status_code, refused.headers["x-ms-error-code"]) == (400, "PopReceiptMismatch")
    assert httpx.delete(gone, params={"popreceipt": taken["PopReceipt"]}).status_code == 204
    assert httpx.delete(gone, params={"popreceipt": taken["PopReceipt"]}).status_code == 404
    count = httpx.get(f"{url}{QUEUE}", params={"comp": "metadata"}).headers
    assert count["x-ms-approximate-messages-count"] == "2"
    assert count["x-ms-meta-pool"] == "spot"
    assert httpx.delete(f"{url}{QUEUE}/messages").status_code == 204
    assert fetch(url, peekonly="true", numofmessages=32) == []


@pytest.mark.parametrize(
    ("path", "query", "code"),
    [
        ("/tgevents/gone/messages", {}, "QueueNotFound"),
        ("/tggone/interruptions/messages", {}, "ResourceNotFound"),
        (f"{QUEUE}/messages", {"numofmessages": 33}, "InvalidParameter"),
    ],
)
def test_queue_refusals(engine: Any, url: str, path: str, query: dict[str, Any], code: str) -> None:
    del engine
    answer = httpx.get(f"{url}{path}", params=query)
    assert answer.headers["x-ms-error-code"] == code
    assert ET.fromstring(answer.content).findtext("Code") == code


def test_a_subscription_moved_to_another_queue_needs_it_first(engine: Any) -> None:
    made = engine.up(EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "subscription")
    moved = inside(EVENT_SUBSCRIPTION, "destination", queueName="second")
    with pytest.raises(CloudError, match="queues/second referenced by"):
        engine.change(EVENT_SUBSCRIPTION, made, moved, "subscription")
