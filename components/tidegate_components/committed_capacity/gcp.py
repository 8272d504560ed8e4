"""Reserved capacity on Compute Engine."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate_components.children import child_options
from tidegate_components.committed_capacity.spec import ReservationSpec
from tidegate_components.names import GCP_RESERVATION, derive_name
from tidegate_components.sdk_imports import narrow_imports

with narrow_imports("pulumi_gcp.compute"):
    from pulumi_gcp.compute.reservation import Reservation


def declare(
    parent: pulumi.ComponentResource,
    spec: ReservationSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]:
    """Declare the reservation; return what a pool consumes, and its cloud identifiers."""
    properties: Any = {"machine_type": spec.instance_type.name}
    if spec.attached:
        accelerator, count = spec.attached
        properties["guest_accelerators"] = [
            {"accelerator_type": accelerator.gke_type, "accelerator_count": count}
        ]
    reservation = Reservation(
        spec.id,
        name=derive_name(spec.id, GCP_RESERVATION),
        project=inputs["project"],
        zone=spec.zone,
        specific_reservation={"count": spec.units, "instance_properties": properties},
        # Only pools that name it consume it.
        specific_reservation_required=True,
        delete_at_time=f"{spec.acknowledged.end_date.isoformat()}T23:59:59Z",
        description=spec.description,  # a reservation takes no labels
        opts=child_options(parent, opts, Reservation, protect=True, retain_on_delete=True),
    )
    return reservation.name, {
        "reservation": reservation.name,
        "selfLink": reservation.self_link,
        "zone": spec.zone,
    }
