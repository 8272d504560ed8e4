"""Reserved capacity on Azure: a group, which agent pools name, and the machines in it."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.commitments.spec import CommitmentSpec

with narrow_imports("pulumi_azure_native.compute"):
    from pulumi_azure_native.compute.capacity_reservation import CapacityReservation
    from pulumi_azure_native.compute.capacity_reservation_group import CapacityReservationGroup


def declare(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]:
    """Declare group and reservation; return what a pool consumes, and the identifiers."""
    resource_group = inputs["resource_group_name"]
    group = CapacityReservationGroup(
        spec.id,
        capacity_reservation_group_name=spec.id,
        resource_group_name=resource_group,
        location=spec.region,
        zones=[spec.zone],
        tags=spec.cost_labels,
        opts=child_options(
            parent,
            opts,
            CapacityReservationGroup,
            ignore=["capacityReservationGroupName"],  # another id would replace what was bought
            protect=True,
            retain_on_delete=True,
        ),
    )
    reservation = CapacityReservation(
        spec.id,
        capacity_reservation_name=spec.id,
        capacity_reservation_group_name=group.name,
        resource_group_name=resource_group,
        location=spec.region,
        sku={"name": spec.machine.name, "capacity": spec.count},
        zones=[spec.zone],
        tags=spec.cost_labels,
        opts=child_options(
            parent,
            opts,
            CapacityReservation,
            ignore=["capacityReservationName"],
            protect=True,
            retain_on_delete=True,
        ),
    )
    # A pool that named the group before its machines are reserved would find it empty.
    target = pulumi.Output.all(group.id, reservation.id).apply(lambda ids: str(ids[0]))
    return target, {
        "capacityReservationGroup": group.id,
        "capacityReservation": reservation.id,
        "region": spec.region,
    }
