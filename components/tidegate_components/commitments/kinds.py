"""The kinds of commitment: where each exists, what it needs, and whether it is bought here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tidegate.vocabulary.capacity import Cloud

AWS, GCP, AZURE = Cloud.AWS, Cloud.GCP, Cloud.AZURE


class CommitmentKind(StrEnum):
    """What can be committed to, as the manifest calls it, and future reservations."""

    CAPACITY_RESERVATION = "capacity-reservation"
    CAPACITY_BLOCK = "capacity-block"
    FUTURE_RESERVATION = "future-reservation"
    SAVINGS_PLAN = "savings-plan"
    RESOURCE_CUD = "resource-cud"
    FLEXIBLE_CUD = "flexible-cud"
    RESERVED_INSTANCE = "reserved-instance"
    AZURE_RESERVATION = "azure-reservation"


@dataclass(frozen=True, slots=True)
class KindRule:
    """What one kind is.

    Attributes:
        clouds: Where it exists.
        bought: Where a resource type buys it; elsewhere it is only recorded.
        machines: Whether it is for machines of one type, and not for an amount of money.
        zonal: Whether its machines stand in one zone.
        holds: Whether it holds capacity, which a pool then consumes.
        needs: The keys of `purchase` that it needs.
        takes: The keys of `purchase` that it takes besides.
    """

    clouds: tuple[Cloud, ...]
    bought: tuple[Cloud, ...]
    machines: bool = False
    zonal: bool = False
    holds: bool = False
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


RULES: dict[CommitmentKind, KindRule] = {
    CommitmentKind.CAPACITY_RESERVATION: KindRule(
        (AWS, GCP, AZURE), (AWS, GCP, AZURE), machines=True, zonal=True, holds=True
    ),
    CommitmentKind.CAPACITY_BLOCK: KindRule(
        (AWS,), (AWS,), machines=True, zonal=True, holds=True, needs=("offering_id", "start_date")
    ),
    CommitmentKind.FUTURE_RESERVATION: KindRule(
        (GCP,),
        (GCP,),
        machines=True,
        zonal=True,
        holds=True,
        needs=("start_date",),
        takes=("planning_status",),
    ),
    CommitmentKind.SAVINGS_PLAN: KindRule(
        (AWS, AZURE), (AWS,), needs=("term_months", "covers"), takes=("start_date",)
    ),
    CommitmentKind.RESOURCE_CUD: KindRule(
        (GCP,),
        (GCP,),
        machines=True,
        needs=("term_months",),
        takes=("commitment_type", "existing_reservations", "start_date"),
    ),
    CommitmentKind.FLEXIBLE_CUD: KindRule(
        (GCP,), (), needs=("term_months", "covers"), takes=("start_date",)
    ),
    CommitmentKind.RESERVED_INSTANCE: KindRule(
        (AWS,), (), machines=True, needs=("term_months",), takes=("start_date",)
    ),
    CommitmentKind.AZURE_RESERVATION: KindRule(
        (AZURE,), (), machines=True, needs=("term_months",), takes=("start_date",)
    ),
}

AWS_PLAN_NEEDS = ("offering_id", "purchase_time")
AWS_PLAN_TAKES = ("upfront_amount",)

CUD_TYPES = {
    "a2": "ACCELERATOR_OPTIMIZED",
    "c2": "COMPUTE_OPTIMIZED_C2",
    "c3": "GENERAL_PURPOSE_C3",
    "e2": "GENERAL_PURPOSE_E2",
    "g2": "GRAPHICS_OPTIMIZED_G2",
    "n1": "GENERAL_PURPOSE",
    "n2": "GENERAL_PURPOSE_N2",
    "n2d": "GENERAL_PURPOSE_N2D",
    "t2d": "GENERAL_PURPOSE_T2D",
}
"""Machine family → commitment type, as the property description of
`gcp.compute.RegionCommitment.type` (pulumi-gcp 10.2.0) lists them."""


def purchase_keys(kind: CommitmentKind, cloud: Cloud) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of `purchase` that a kind needs, and those that it takes, on a cloud."""
    rule = RULES[kind]
    if kind is CommitmentKind.SAVINGS_PLAN and cloud is AWS:
        # A purchase time is the start.
        return (*rule.needs, *AWS_PLAN_NEEDS), AWS_PLAN_TAKES
    return rule.needs, rule.takes
