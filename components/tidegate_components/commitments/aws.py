"""Commitments on AWS: reserved machines, capacity blocks, savings plans."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.commitments.kinds import CommitmentKind
from tidegate_components.commitments.spec import CommitmentSpec

with narrow_imports("pulumi_aws.ec2", "pulumi_aws.savingsplans"):
    from pulumi_aws.ec2.capacity_block_reservation import CapacityBlockReservation
    from pulumi_aws.ec2.capacity_reservation import CapacityReservation
    from pulumi_aws.savingsplans.savings_plan import SavingsPlan

Declared = tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]


def declare(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],  # noqa: ARG001 - the same signature on every cloud
    opts: pulumi.ResourceOptions | None,
) -> Declared:
    """Declare the commitment; return what a pool consumes, and its cloud identifiers."""
    if spec.kind is CommitmentKind.SAVINGS_PLAN:
        return _declare_plan(parent, spec, opts)
    if spec.kind is CommitmentKind.CAPACITY_BLOCK:
        return _declare_block(parent, spec, opts)
    return _declare_reservation(parent, spec, opts)


def _declare_reservation(
    parent: pulumi.ComponentResource, spec: CommitmentSpec, opts: pulumi.ResourceOptions | None
) -> Declared:
    reservation = CapacityReservation(
        spec.id,
        region=spec.region,
        availability_zone=spec.zone,
        instance_type=spec.machine.name,
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


def _declare_block(
    parent: pulumi.ComponentResource, spec: CommitmentSpec, opts: pulumi.ResourceOptions | None
) -> Declared:
    block = CapacityBlockReservation(
        spec.id,
        region=spec.region,
        capacity_block_offering_id=spec.purchase.offering_id,
        instance_platform="Linux/UNIX",
        tags=spec.cost_labels,
        opts=child_options(
            parent, opts, CapacityBlockReservation, protect=True, retain_on_delete=True
        ),
    )
    return block.id, {"capacityBlock": block.id, "arn": block.arn, "region": spec.region}


def _declare_plan(
    parent: pulumi.ComponentResource, spec: CommitmentSpec, opts: pulumi.ResourceOptions | None
) -> Declared:
    # Protected, so that the next apply after a create error, which taints the plan, is refused
    # instead of buying another (hashicorp/terraform-provider-aws#46265, #49753).
    upfront = spec.purchase.upfront_amount
    plan = SavingsPlan(
        spec.id,
        commitment=f"{spec.acknowledged.hourly_amount:f}",
        savings_plan_offering_id=spec.purchase.offering_id,
        purchase_time=spec.purchase.purchase_time,
        upfront_payment_amount=None if upfront is None else f"{upfront:f}",
        tags=spec.cost_labels,
        opts=child_options(parent, opts, SavingsPlan, protect=True, retain_on_delete=True),
    )
    return plan.id, {"savingsPlan": plan.id, "arn": plan.savings_plan_arn}
