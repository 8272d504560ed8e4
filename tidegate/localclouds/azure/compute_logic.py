"""Capacity reservations and scale sets: what they fill in, make and refuse."""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.arm_checks import refuse_changes
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now, parse_id
from tidegate.localclouds.azure.kinds import (
    RESERVATION,
)
from tidegate.localclouds.bodies import Body, fill_defaults, look

SCALE_SET_VM = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines"

# What Azure never changes in a scale set: general vendor documentation, not verified. Of capacity
# reservations it changes the count and the tags alone (terraform-provider-azurerm documents of
# azurerm_capacity_reservation that another zone or sku forces a new one, read on 2026-11-30).
FIXED_IN_SCALE_SETS = (
    "orchestrationMode",
    "platformFaultDomainCount",
    "virtualMachineProfile.evictionPolicy",
    "virtualMachineProfile.osProfile.adminUsername",
    "virtualMachineProfile.osProfile.computerNamePrefix",
    "virtualMachineProfile.priority",
)


class ReservationGroupLogic(Logic):
    """`Microsoft.Compute/capacityReservationGroups`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse other zones."""
        del arm, id
        body["properties"].pop("provisioningState", None)
        if old is not None and old.get("zones") != body.get("zones"):
            raise refused(
                "PropertyChangeNotAllowed", "Changing property 'zones' is not allowed.", 409
            )

    def show(self, arm: Arm, id: ArmId, body: Body) -> None:
        """List the reservations inside."""
        body["properties"]["capacityReservations"] = [
            {"id": item["id"]} for item in arm.shelf.find(RESERVATION.type, f"{id.key}/")
        ]

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Refuse while reservations stand inside."""
        del body
        if arm.shelf.find(RESERVATION.type, f"{id.key}/"):
            raise refused(
                "OperationNotAllowed",
                f"Capacity reservation group '{id.name}' cannot be deleted: it has capacity "
                "reservations.",
                409,
            )


class ReservationLogic(Logic):
    """`…/capacityReservations`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Hold it against its group, refuse what cannot change, and fill it in."""
        group = arm.find(id.parent())
        assert group is not None  # a reservation without its group was refused before
        zones = body.get("zones") or []
        if group["location"] != body["location"]:
            raise refused(
                "InvalidParameter",
                f"The location '{body['location']}' is not that of the group: {group['location']}.",
            )
        if not set(zones) <= set(group.get("zones") or []):
            raise refused(
                "InvalidParameter",
                f"The zones {zones} are not among the zones of the group: {group.get('zones')}.",
            )
        self._refuse_replacement(old, body)
        body["sku"] = {"capacity": 1, **body["sku"]}
        time = now()
        fill_defaults(
            body["properties"],
            {
                "platformFaultDomainCount": 1,
                "provisioningTime": time,
                "reservationId": identify(str(id)),
                "timeCreated": time,
            },
        )

    def _refuse_replacement(self, old: Body | None, body: Body) -> None:
        if old is None:
            return
        if old["sku"]["name"].lower() != body["sku"]["name"].lower():
            raise refused(
                "PropertyChangeNotAllowed", "Changing property 'sku.name' is not allowed.", 409
            )
        if (old.get("zones") or []) != (body.get("zones") or []):
            raise refused(
                "PropertyChangeNotAllowed", "Changing property 'zones' is not allowed.", 409
            )

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether more machines are to be held."""
        before = old["sku"]["capacity"] if old else 0
        return int(look(body, "sku.capacity") or 1) > before


class ScaleSetLogic(Logic):
    """`Microsoft.Compute/virtualMachineScaleSets`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse what cannot change or does not exist, and fill the set in."""
        refuse_changes(old, body, FIXED_IN_SCALE_SETS)
        given = look(
            body, "properties.virtualMachineProfile.capacityReservation.capacityReservationGroup.id"
        )
        if given and arm.find(parse_id(given)) is None:
            raise refused("NotFound", f"Capacity reservation group '{given}' was not found.", 404)
        body["sku"] = {"capacity": 0, "tier": "Standard", **(body.get("sku") or {})}
        fill_defaults(
            body["properties"],
            {
                "orchestrationMode": "Flexible",
                "overprovision": False,
                "platformFaultDomainCount": 1,
                "singlePlacementGroup": False,
                "timeCreated": now(),
                "uniqueId": identify(str(id)),
            },
        )

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Start or end machines until there are as many as asked for."""
        del is_new
        set_instances(arm, id, body)

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """End the machines."""
        del body
        for key, _ in arm.shelf.items(SCALE_SET_VM, f"{id.key}/"):
            arm.shelf.delete(SCALE_SET_VM, key)

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether more machines are asked for."""
        before = old["sku"]["capacity"] if old else 0
        return int(look(body, "sku.capacity") or 0) > before


def instances_of(arm: Arm, id: ArmId) -> list[Body]:
    """Return a scale set's machines, the oldest first."""
    found = arm.shelf.find(SCALE_SET_VM, f"{id.key}/virtualmachines/")
    return sorted(found, key=lambda machine: int(machine["instanceId"]))


def set_instances(arm: Arm, id: ArmId, body: Body) -> None:
    """Start or end machines until the set has its capacity; the youngest end first."""
    machines = instances_of(arm, id)
    count = int(body["sku"]["capacity"])
    for machine in machines[count:]:
        arm.shelf.delete(SCALE_SET_VM, parse_id(machine["id"]).key)
    made = int(body.get("x-local-made", 0))
    for serial in range(made, made + max(0, count - len(machines))):
        machine_id = id.child("virtualMachines", str(serial))
        machine = {
            "id": str(machine_id),
            "name": f"{id.name}_{serial}",
            "type": SCALE_SET_VM,
            "instanceId": str(serial),
            "location": body["location"],
            "sku": {"name": body["sku"].get("name"), "tier": "Standard"},
            "tags": body["tags"],
            "properties": {"provisioningState": "Succeeded", "latestModelApplied": True},
        }
        arm.shelf.put(SCALE_SET_VM, machine_id.key, machine)
        body["x-local-made"] = serial + 1
    arm.keep(id, body)


def delete_instances(arm: Arm, id: ArmId, instance_ids: list[str]) -> None:
    """Delete machines by their instance ids and lower the capacity by as many."""
    with arm.world.store.transaction():
        body = arm.get(id)
        known = {machine["instanceId"]: machine for machine in instances_of(arm, id)}
        unknown = [wanted for wanted in instance_ids if wanted not in known]
        if unknown:
            raise refused(
                "InvalidParameter",
                f"The provided instanceId {unknown[0]} is not an active Virtual Machine Scale Set "
                "VM instanceId.",
            )
        for wanted in set(instance_ids):
            arm.shelf.delete(SCALE_SET_VM, parse_id(known[wanted]["id"]).key)
        body["sku"]["capacity"] -= len(set(instance_ids))
        arm.keep(id, body)
