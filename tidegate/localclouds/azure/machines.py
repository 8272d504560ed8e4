"""The machines of scale sets and fleets: started, ended, and shown as each API shows them.

One record a machine, within its owner. A flexible scale set's machine is a virtual machine of its
own too, by the same name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidegate.localclouds.azure.arm import Arm, shown
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now, parse_id
from tidegate.localclouds.azure.kinds import FLEET_VM, SCALE_SET_VM
from tidegate.localclouds.bodies import Body

SPOT = "Spot"
REGULAR = "Regular"
VIRTUAL_MACHINE = "Microsoft.Compute/virtualMachines"
OWNED = (SCALE_SET_VM, FLEET_VM)
RUNNING = "PowerState/running"
DEALLOCATED = "PowerState/deallocated"

SERIAL = "x-local-serial"
PRIORITY = "x-local-priority"
EVICTION = "x-local-eviction"
IS_FLEXIBLE = "x-local-flexible"
MADE = "x-local-made"


@dataclass(frozen=True, slots=True)
class Model:
    """What an owner's machines are made from.

    Attributes:
        type: The machines' type: of a scale set or of a fleet.
        location: Where they are.
        sizes: The sizes to take; the first is taken.
        zones: The zones to spread them over.
        tags: Their tags.
        eviction: What becomes of an evicted one: "Delete" or "Deallocate".
        is_flexible: Whether each is a virtual machine of its own.
    """

    type: str
    location: str
    sizes: Sequence[str]
    zones: Sequence[str]
    tags: Mapping[str, str]
    eviction: str
    is_flexible: bool


def find_machines(arm: Arm, owner: ArmId) -> list[Body]:
    """Return an owner's machines, the oldest first."""
    found = [body for kind in OWNED for body in arm.shelf.find(kind, f"{owner.key}/")]
    return sorted(found, key=lambda machine: machine[SERIAL])


def settle_machines(
    arm: Arm, owner: ArmId, body: Body, model: Model, wanted: Mapping[str, int]
) -> None:
    """Start or end machines until there are as many of each priority; the youngest end first.

    Args:
        arm: Where they are kept.
        owner: The scale set or fleet.
        body: Its body; how many it has ever made is kept in it.
        model: What a new one is made from.
        wanted: Priority → how many.
    """
    machines = find_machines(arm, owner)
    for priority in (REGULAR, SPOT):
        have = [machine for machine in machines if machine[PRIORITY] == priority]
        count = wanted.get(priority, 0)
        for machine in have[count:]:
            forget_machine(arm, machine)
        for _ in range(count - len(have)):
            _start(arm, owner, body, model, priority)


def _start(arm: Arm, owner: ArmId, body: Body, model: Model, priority: str) -> None:
    serial = int(body.get(MADE, 0))
    body[MADE] = serial + 1
    mark = identify(f"{owner}/{serial}")
    name = f"{owner.name}_{mark[:8] if model.is_flexible else serial}"
    instance = name if model.is_flexible else str(serial)
    zones = [model.zones[serial % len(model.zones)]] if model.zones else []
    size = model.sizes[0] if model.sizes else None
    machine: Body = {
        "id": str(owner.child("virtualMachines", instance)),
        "name": name,
        "type": model.type,
        "instanceId": instance,
        "location": model.location,
        "zones": zones,
        "sku": {"name": size, "tier": "Standard"},
        "tags": dict(model.tags),
        "properties": {
            "provisioningState": "Succeeded",
            "latestModelApplied": True,
            "vmId": mark,
            "hardwareProfile": {"vmSize": size},
            "timeCreated": now(),
            "instanceView": {"statuses": [_status(RUNNING)]},
        },
        SERIAL: serial,
        PRIORITY: priority,
        EVICTION: model.eviction,
        IS_FLEXIBLE: model.is_flexible,
    }
    keep_machine(arm, machine)


def _status(code: str) -> Body:
    word = code.partition("/")[2]
    return {"code": code, "level": "Info", "displayStatus": f"VM {word}"}


def keep_machine(arm: Arm, machine: Body) -> None:
    """Write a machine as it is."""
    arm.shelf.put(machine["type"], parse_id(machine["id"]).key, machine)


def forget_machine(arm: Arm, machine: Body) -> None:
    """End a machine."""
    arm.shelf.delete(machine["type"], parse_id(machine["id"]).key)


def deallocate(arm: Arm, machine: Body) -> None:
    """Stop a machine and give its hardware back; it stays."""
    machine["properties"]["instanceView"] = {"statuses": [_status(DEALLOCATED)]}
    keep_machine(arm, machine)


def is_running(machine: Body) -> bool:
    """Tell whether a machine has its hardware."""
    return bool(machine["properties"]["instanceView"]["statuses"][0]["code"] == RUNNING)


def list_instances(arm: Arm, collection: ArmId) -> list[Body]:
    """Return a scale set's machines as its API shows them."""
    owner = collection.parent()
    arm.get(owner)
    return [shown(machine) for machine in find_machines(arm, owner)]


def list_virtual_machines(arm: Arm, collection: ArmId) -> list[Body]:
    """Return the virtual machines of a group or subscription."""
    where = ArmId(collection.subscription, collection.group)
    if where.group:
        arm.get(where)
    found = [body for kind in OWNED for body in arm.shelf.find(kind, f"{where}/".lower())]
    found.sort(key=lambda machine: (str(parse_id(machine["id"]).parent()), machine[SERIAL]))
    return [_as_virtual_machine(machine) for machine in found if machine[IS_FLEXIBLE]]


def find_virtual_machine(arm: Arm, id: ArmId) -> Body:
    """Return the record behind a virtual machine's id.

    Raises:
        NotFoundError: When there is none.
    """
    prefix = f"{ArmId(id.subscription, id.group)}/".lower()
    for kind in OWNED:
        for machine in arm.shelf.find(kind, prefix):
            is_same = machine[IS_FLEXIBLE] and machine["name"].lower() == id.name.lower()
            if is_same or parse_id(machine["id"]).key == id.key:
                return machine
    raise refused("ResourceNotFound", f"The virtual machine '{id}' was not found.", 404)


def list_fleet_machines(arm: Arm, collection: ArmId) -> list[Body]:
    """Return a fleet's machines as its API shows them."""
    owner = collection.parent()
    arm.get(owner)
    return [
        {
            "id": virtual_machine_id(machine),
            "name": machine["name"],
            "type": VIRTUAL_MACHINE,
            "operationStatus": "Succeeded",
            "vmSize": machine["sku"]["name"],
            "zone": (machine["zones"] or [None])[0],
            "priority": machine[PRIORITY],
        }
        for machine in find_machines(arm, owner)
    ]


def virtual_machine_id(machine: Body) -> str:
    """Return the id that events and fleets name a machine by."""
    own = parse_id(machine["id"])
    if not machine[IS_FLEXIBLE]:
        return str(own)
    namespace, kind = VIRTUAL_MACHINE.split("/")
    return str(ArmId(own.subscription, own.group, namespace, (kind,), (machine["name"],)))


def _as_virtual_machine(machine: Body) -> Body:
    body = shown(machine)
    properties = {**body["properties"], "priority": machine[PRIORITY]}
    properties.pop("latestModelApplied")
    if machine[PRIORITY] == SPOT:
        properties["evictionPolicy"] = machine[EVICTION]
    if machine["type"] == SCALE_SET_VM:
        properties["virtualMachineScaleSet"] = {"id": str(parse_id(machine["id"]).parent())}
    kept = {key: body[key] for key in ("name", "location", "zones", "tags")}
    return {
        **kept,
        "id": virtual_machine_id(machine),
        "type": VIRTUAL_MACHINE,
        "properties": properties,
    }
