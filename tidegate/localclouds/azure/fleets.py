"""Compute fleets: what they fill in, start and refuse."""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.ids import ArmId, identify, now
from tidegate.localclouds.azure.kinds import FLEET_VM
from tidegate.localclouds.azure.machines import REGULAR, SPOT, Model, settle_machines
from tidegate.localclouds.bodies import Body, fill_defaults, look

PROFILES = {SPOT: "spotPriorityProfile", REGULAR: "regularPriorityProfile"}
# "Maintain is enabled by default"; the others: general vendor documentation, not verified.
DEFAULTS = {
    SPOT: {
        "allocationStrategy": "LowestPrice",
        "evictionPolicy": "Delete",
        "maintain": True,
        "maxPricePerVM": -1,
        "minCapacity": 0,
    },
    REGULAR: {"allocationStrategy": "LowestPrice", "minCapacity": 0},
}


class FleetLogic(Logic):
    """`Microsoft.AzureFleet/fleets`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Fill the fleet in."""
        del arm
        properties = body["properties"]
        for priority, word in PROFILES.items():
            if properties.get(word) is not None:
                fill_defaults(properties[word], {"capacity": 0, **DEFAULTS[priority]})
        before = (old or {}).get("properties") or {}
        fill_defaults(
            properties,
            {
                "timeCreated": before.get("timeCreated") or now(),
                "uniqueId": before.get("uniqueId") or identify(f"{id}/{now()}"),
            },
        )

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Start or end machines until there are as many of each priority as asked for."""
        del is_new
        properties = body["properties"]
        sizes = sorted(properties["vmSizesProfile"], key=lambda size: size.get("rank") or 0)
        model = Model(
            type=FLEET_VM,
            location=body["location"],
            sizes=[size["name"] for size in sizes],
            zones=body.get("zones") or [],
            tags=body["tags"],
            eviction=look(properties, "spotPriorityProfile.evictionPolicy") or "Delete",
            is_flexible=True,
        )
        settle_machines(arm, id, body, model, _count(body))
        arm.keep(id, body)

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether more machines are asked for."""
        before, after = _count(old or {}), _count(body)
        return any(after[priority] > before[priority] for priority in PROFILES)


def _count(body: Body) -> dict[str, int]:
    return {
        priority: int(look(body, f"properties.{word}.capacity") or 0)
        for priority, word in PROFILES.items()
    }
