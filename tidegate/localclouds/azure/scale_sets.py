"""Virtual machine scale sets: what they fill in, start and refuse."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.arm_checks import refuse_changes
from tidegate.localclouds.azure.compute_rules import MIX
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now, parse_id
from tidegate.localclouds.azure.kinds import SCALE_SET_VM
from tidegate.localclouds.azure.machines import (
    REGULAR,
    SPOT,
    Model,
    find_machines,
    forget_machine,
    settle_machines,
)
from tidegate.localclouds.bodies import Body, fill_defaults, look

# What Azure never changes in a scale set: general vendor documentation, not verified.
FIXED = (
    "orchestrationMode",
    "platformFaultDomainCount",
    "virtualMachineProfile.evictionPolicy",
    "virtualMachineProfile.osProfile.adminUsername",
    "virtualMachineProfile.osProfile.computerNamePrefix",
    "virtualMachineProfile.priority",
)
NETWORK_API = "2020-11-01"
"""The one version that the SDKs know for networks of flexible scale sets."""


class ScaleSetLogic(Logic):
    """`Microsoft.Compute/virtualMachineScaleSets`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse what cannot change or does not exist, and fill the set in."""
        refuse_changes(old, body, FIXED)
        given = look(
            body, "properties.virtualMachineProfile.capacityReservation.capacityReservationGroup.id"
        )
        if given and arm.find(parse_id(given)) is None:
            raise refused("NotFound", f"Capacity reservation group '{given}' was not found.", 404)
        sku = {"capacity": 0, **(body.get("sku") or {})}
        body["sku"] = sku if sku.get("name") == MIX else {"tier": "Standard", **sku}
        properties = body["properties"]
        fill_defaults(
            properties,
            {
                "orchestrationMode": "Flexible",
                "overprovision": False,
                "platformFaultDomainCount": 1,
                "singlePlacementGroup": False,
                "timeCreated": now(),
                "uniqueId": identify(str(id)),
            },
        )
        profile = properties.get("virtualMachineProfile") or {}
        if profile.get("priority") == SPOT:
            fill_defaults(profile, {"evictionPolicy": "Deallocate"})
        is_flexible = properties["orchestrationMode"] == "Flexible"
        if is_flexible and profile.get("networkProfile"):
            fill_defaults(profile["networkProfile"], {"networkApiVersion": NETWORK_API})

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Start or end machines until there are as many as asked for."""
        del is_new
        settle_machines(arm, id, body, _build_model(body), count_by_priority(body))
        arm.keep(id, body)

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether more machines are asked for."""
        before = old["sku"]["capacity"] if old else 0
        return int(look(body, "sku.capacity") or 0) > before


def count_by_priority(body: Body) -> dict[str, int]:
    """Return how many machines of each priority a scale set's capacity means.

    A priority mix keeps its base regular, and of what is above it the given percentage. Azure
    documents no rounding: a part of a machine is a regular one here, so that the floor holds.
    """
    count = int(body["sku"]["capacity"])
    if look(body, "properties.virtualMachineProfile.priority") != SPOT:
        return {REGULAR: count}
    mix = look(body, "properties.priorityMixPolicy") or {}
    base = min(count, int(mix.get("baseRegularPriorityCount") or 0))
    share = int(mix.get("regularPriorityPercentageAboveBase") or 0)
    regular = base + -(-(count - base) * share // 100)
    return {REGULAR: regular, SPOT: count - regular}


def _build_model(body: Body) -> Model:
    properties = body["properties"]
    return Model(
        type=SCALE_SET_VM,
        location=body["location"],
        sizes=_sizes_of(body),
        zones=body.get("zones") or [],
        tags=body["tags"],
        eviction=look(properties, "virtualMachineProfile.evictionPolicy") or "Deallocate",
        is_flexible=properties["orchestrationMode"] == "Flexible",
    )


def _sizes_of(body: Body) -> Sequence[str]:
    """Return the sizes in the order in which they are taken: by rank, or as they are listed."""
    mixed = look(body, "properties.skuProfile.vmSizes")
    if not mixed:
        return [size for size in [body["sku"].get("name")] if size]
    ranked = sorted(mixed, key=lambda size: size.get("rank") or 0)
    return [str(size["name"]) for size in ranked]


def delete_instances(arm: Arm, id: ArmId, instance_ids: Sequence[str]) -> None:
    """Delete machines by their instance ids and lower the capacity by as many."""
    with arm.world.store.transaction():
        body = arm.get(id)
        known = {machine["instanceId"].lower(): machine for machine in find_machines(arm, id)}
        wanted = {instance.lower(): instance for instance in instance_ids}
        for key, instance in wanted.items():
            if key not in known:
                raise refused(
                    "InvalidParameter",
                    f"The provided instanceId {instance} is not an active Virtual Machine Scale "
                    "Set VM instanceId.",
                )
        for key in wanted:
            forget_machine(arm, known[key])
        body["sku"]["capacity"] -= len(wanted)
        arm.keep(id, body)
