"""Evictions of spot machines: on command, or because a fault says so.

What is announced: Microsoft Learn, "Azure Resource Notifications - Health Resources events in Azure
Event Grid" (the form of the event) and "Resource Health virtual machine Health Annotations"
(`VirtualMachinePreempted`: initiated by the platform, unplanned), read 2026-11-30. The notice of
half a minute before it is told to the machine alone, by its metadata service: no machine runs here.
"""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.event_rules import ANNOTATED, HEALTH_TOPIC
from tidegate.localclouds.azure.events import publish
from tidegate.localclouds.azure.ids import ArmId, identify, now, parse_id
from tidegate.localclouds.azure.kinds import FLEET_VM
from tidegate.localclouds.azure.machines import (
    EVICTION,
    OWNED,
    PRIORITY,
    SPOT,
    VIRTUAL_MACHINE,
    deallocate,
    forget_machine,
    is_running,
    virtual_machine_id,
)
from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.faults import FaultKind

ANNOTATIONS = "Microsoft.ResourceHealth/resourceAnnotations"
RESTORING = ("spotPriorityProfile.maintain", "spotRestorePolicy.enabled")
ACTION = "Microsoft.Compute/simulateEviction"
OTHER_KINDS = frozenset(FaultKind) - {FaultKind.INTERRUPTION}


def evict(arm: Arm, machine: Body) -> None:
    """Take a spot machine's hardware away: it is deleted or deallocated, and announced.

    Raises:
        CloudError: For a machine that is not spot.
    """
    if machine[PRIORITY] != SPOT:
        raise refused(
            "OperationNotAllowed",
            f"Simulate eviction is not allowed on '{machine['name']}': it is not a spot VM.",
            409,
        )
    with arm.world.store.transaction():
        if machine[EVICTION] == "Delete":
            forget_machine(arm, machine)
            _settle_owner(arm, parse_id(machine["id"]).parent())
        else:
            deallocate(arm, machine)
        event = build_event(machine, now())
        publish(arm, HEALTH_TOPIC, event["topic"], event)


def _settle_owner(arm: Arm, owner: ArmId) -> None:
    """Buy another machine at once where the owner is to, or lower a scale set's capacity.

    A fleet is to by `maintain`, a scale set by its spot restore policy. Azure does it when there is
    room, which there always is here.
    """
    body = arm.get(owner)
    if any(look(body, f"properties.{place}") for place in RESTORING):
        arm.put(owner, body)
    elif "sku" in body:
        body["sku"]["capacity"] -= 1
        arm.keep(owner, body)


def build_event(machine: Body, time: str) -> Body:
    """Return what Azure Resource Notifications says of a preempted machine."""
    target = virtual_machine_id(machine)
    mark = identify(f"{target}/{time}")
    kind = VIRTUAL_MACHINE if machine["type"] == FLEET_VM else parse_id(target).kind
    return {
        "id": identify(f"{mark}/event"),
        "topic": f"/subscriptions/{parse_id(target).subscription}",
        "subject": target,
        "data": {
            "resourceInfo": {
                "id": f"{target}/providers/{ANNOTATIONS}/{mark}",
                "name": mark,
                "type": ANNOTATIONS,
                "properties": {
                    "targetResourceId": target,
                    "targetResourceType": kind,
                    "occurredTime": time,
                    "annotationName": "VirtualMachinePreempted",
                    "reason": "Low priority machine preempted",
                    "summary": "This virtual machine has been preempted. This low-priority "
                    "virtual machine is being stopped and deallocated.",
                    "context": "Platform Initiated",
                    "category": "Unplanned",
                },
            },
            "operationalInfo": {"resourceEventTime": time},
            "apiVersion": "2022-08-01",
        },
        "eventType": ANNOTATED,
        "dataVersion": "1",
        "metadataVersion": "1",
        "eventTime": time,
    }


def evict_as_told(arm: Arm) -> int:
    """Evict what the interruption faults in force hit; return how many.

    A fault's target is a glob over "Microsoft.Compute/simulateEviction" and a machine's id; its
    count is how many are evicted, the oldest first.
    """
    faults = arm.world.faults
    if all(fault.kind is not FaultKind.INTERRUPTION for fault in faults.list()):
        return 0
    evicted = 0
    for machine in [body for kind in OWNED for body in arm.shelf.find(kind)]:
        if machine[PRIORITY] != SPOT or not is_running(machine):
            continue
        if faults.take("azure-native", f"{ACTION}{machine['id']}", OTHER_KINDS):
            evict(arm, machine)
            evicted += 1
    return evicted
