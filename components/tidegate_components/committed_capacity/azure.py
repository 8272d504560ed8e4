"""Reserved capacity on Azure: a group, which agent pools name, and the machines in it."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_azure_native as azure

from tidegate_components.children import child_options
from tidegate_components.committed_capacity.spec import ReservationSpec


def declare(
    parent: pulumi.ComponentResource,
    spec: ReservationSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]:
    """Declare group and reservation; return what a pool consumes, and the identifiers."""
    resource_group = inputs["resource_group_name"]
    group = azure.compute.CapacityReservationGroup(
        spec.id,
        capacity_reservation_group_name=spec.id,
        resource_group_name=resource_group,
        location=spec.region,
        zones=[spec.zone],
        tags=spec.cost_labels,
        opts=child_options(
            parent,
            opts,
            azure.compute.CapacityReservationGroup,
            protect=True,
            retain_on_delete=True,
        ),
    )
    reservation = azure.compute.CapacityReservation(
        spec.id,
        capacity_reservation_name=spec.id,
        capacity_reservation_group_name=group.name,
        resource_group_name=resource_group,
        location=spec.region,
        sku={"name": spec.instance_type.name, "capacity": spec.units},
        zones=[spec.zone],
        tags=spec.cost_labels,
        opts=child_options(
            parent, opts, azure.compute.CapacityReservation, protect=True, retain_on_delete=True
        ),
    )
    # A pool that named the group before its machines are reserved would find it empty.
    target = pulumi.Output.all(group.id, reservation.id).apply(lambda ids: str(ids[0]))
    return target, {
        "capacityReservationGroup": group.id,
        "capacityReservation": reservation.id,
        "region": spec.region,
    }
