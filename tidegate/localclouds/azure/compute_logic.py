"""Capacity reservations: what they fill in, make and refuse."""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now
from tidegate.localclouds.azure.kinds import (
    RESERVATION,
)
from tidegate.localclouds.bodies import Body, fill_defaults, look


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
