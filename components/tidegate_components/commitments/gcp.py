"""Commitments on Compute Engine: reservations, future reservations, committed use."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.commitments.kinds import CommitmentKind
from tidegate_components.commitments.spec import CommitmentSpec
from tidegate_components.names import GCP_RESERVATION, derive_name

with narrow_imports("pulumi_gcp.compute"):
    from pulumi_gcp.compute.future_reservation import FutureReservation
    from pulumi_gcp.compute.region_commitment import RegionCommitment
    from pulumi_gcp.compute.reservation import Reservation

Declared = tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]

PLANS = {12: "TWELVE_MONTH", 36: "THIRTY_SIX_MONTH"}

AS_BOUGHT = ("description", "name")
"""Compute Engine never changes these: another id, or other labels, which stand in the description,
would replace what was bought. The manifest says those of today."""


def declare(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> Declared:
    """Declare the commitment; return what a pool consumes, and its cloud identifiers."""
    if spec.kind is CommitmentKind.RESOURCE_CUD:
        return _declare_committed_use(parent, spec, inputs, opts)
    if spec.kind is CommitmentKind.FUTURE_RESERVATION:
        return _declare_future(parent, spec, inputs, opts)
    return _declare_reservation(parent, spec, inputs, opts)


def _declare_reservation(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> Declared:
    reservation = Reservation(
        spec.id,
        name=derive_name(spec.id, GCP_RESERVATION),
        project=inputs["project"],
        zone=spec.zone,
        specific_reservation={
            "count": spec.count,
            "instance_properties": build_properties(spec),
        },
        # Only pools that name it consume it.
        specific_reservation_required=True,
        delete_at_time=_end_of_last_day(spec),
        description=spec.description,  # a reservation takes no labels
        opts=child_options(
            parent, opts, Reservation, ignore=AS_BOUGHT, protect=True, retain_on_delete=True
        ),
    )
    return reservation.name, {
        "reservation": reservation.name,
        "selfLink": reservation.self_link,
        "zone": spec.zone,
    }


def _declare_future(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> Declared:
    start = spec.purchase.start_date
    name = derive_name(spec.id, GCP_RESERVATION)
    future = FutureReservation(
        spec.id,
        name=name,
        project=inputs["project"],
        zone=spec.zone,
        planning_status=spec.purchase.planning_status,
        # Known beforehand, so that a pool can name it.
        reservation_name=name,
        specific_reservation_required=True,
        auto_delete_auto_created_reservations=True,
        time_window={
            "start_time": f"{start.isoformat()}T00:00:00Z" if start else "",
            "end_time": _end_of_last_day(spec),
        },
        specific_sku_properties={
            "total_count": str(spec.count),
            "instance_properties": build_properties(spec),
        },
        description=spec.description,
        opts=child_options(
            parent,
            opts,
            FutureReservation,
            ignore=(*AS_BOUGHT, "reservationName"),
            protect=True,
            retain_on_delete=True,
        ),
    )
    target = future.reservation_name.apply(lambda found: found or name)
    return target, {"futureReservation": future.name, "reservation": target, "zone": spec.zone}


def _declare_committed_use(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> Declared:
    commitment = RegionCommitment(
        spec.id,
        name=derive_name(spec.id, GCP_RESERVATION),
        project=inputs["project"],
        region=spec.region,
        category="MACHINE",
        plan=PLANS[spec.purchase.term_months or 12],
        type=spec.purchase.commitment_type,
        resources=build_resources(spec),
        auto_renew=False,
        existing_reservations=spec.purchase.existing_reservations or None,
        description=spec.description,
        # Unchanged `existing_reservations` forced a replacement, which would buy again
        # (hashicorp/terraform-provider-google#27579).
        opts=child_options(
            parent,
            opts,
            RegionCommitment,
            ignore=(*AS_BOUGHT, "existingReservations"),
            protect=True,
            retain_on_delete=True,
        ),
    )
    identifiers = {"commitment": commitment.name, "selfLink": commitment.self_link}
    return commitment.name, {**identifiers, "region": spec.region}


def build_properties(spec: CommitmentSpec) -> Any:
    """Return the machine of a reservation, with what is attached to it."""
    properties: dict[str, Any] = {"machine_type": spec.machine.name}
    if spec.attached:
        accelerator, count = spec.attached
        properties["guest_accelerators"] = [
            {"accelerator_type": accelerator.gke_type, "accelerator_count": count}
        ]
    return properties


def build_resources(spec: CommitmentSpec) -> Any:
    """Return what the machines are made of: Compute Engine sells cores, memory and chips."""
    # The parser saw to it that the catalog knows both.
    vcpus, memory_gib = spec.machine.vcpus or 0, spec.machine.memory_gib or 0
    resources = [
        {"type": "VCPU", "amount": str(vcpus * spec.count)},
        {"type": "MEMORY", "amount": str(int(memory_gib * 1024) * spec.count)},
    ]
    if spec.chips:
        chip, each = spec.chips
        resources.append(
            {"type": "ACCELERATOR", "accelerator_type": chip, "amount": str(each * spec.count)}
        )
    return resources


def _end_of_last_day(spec: CommitmentSpec) -> str:
    return f"{spec.acknowledged.end_date.isoformat()}T23:59:59Z"
