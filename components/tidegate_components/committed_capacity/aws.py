"""Reserved capacity on EC2."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate_components.children import child_options
from tidegate_components.committed_capacity.spec import ReservationSpec
from tidegate_components.sdk_imports import narrow_imports

with narrow_imports("pulumi_aws.ec2"):
    from pulumi_aws.ec2.capacity_reservation import CapacityReservation


def declare(
    parent: pulumi.ComponentResource,
    spec: ReservationSpec,
    inputs: dict[str, Any],  # noqa: ARG001 - the same signature on every cloud
    opts: pulumi.ResourceOptions | None,
) -> tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]:
    """Declare the reservation; return what a pool consumes, and its cloud identifiers."""
    reservation = CapacityReservation(
        spec.id,
        region=spec.region,
        availability_zone=spec.zone,
        instance_type=spec.instance_type.name,
        instance_platform="Linux/UNIX",
        instance_count=spec.units,
        # Only pools that name it consume it: an open one is filled by whoever comes first.
        instance_match_criteria="targeted",
        end_date_type="limited",
        end_date=f"{spec.acknowledged.end_date.isoformat()}T23:59:59Z",
        tags=spec.cost_labels,
        opts=child_options(parent, opts, CapacityReservation, protect=True, retain_on_delete=True),
    )
    return reservation.id, {
        "capacityReservation": reservation.id,
        "arn": reservation.arn,
        "region": spec.region,
    }
