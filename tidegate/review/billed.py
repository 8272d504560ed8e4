"""What was billed against what is declared and what was used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.pricing.usage import MICRO, Usage, sum_exactly
from tidegate.review.charges import Charges, CommitmentBill
from tidegate.review.held import Held
from tidegate.review.inventory import FindingKind, InventoryFinding

DIFFERENCE = Decimal("0.05")
"""The share by which hours used and hours billed may differ unsaid: boot and shut-down."""


@dataclass(frozen=True, slots=True)
class BilledPool:
    """What one pool was charged, in one currency.

    Attributes:
        pool: Its id; empty for charges of no pool.
        currency: The currency.
        billed: As it stands on the invoice.
        effective: With what was paid upfront spread over what it covers.
        billed_node_hours: Hours of nodes in the charges.
        used_node_hours: Hours of nodes that were measured; None where use was taken from charges.
    """

    pool: str
    currency: str
    billed: Decimal
    effective: Decimal
    billed_node_hours: Decimal
    used_node_hours: Decimal | None


@dataclass(frozen=True, slots=True)
class BilledCommitment:
    """What one commitment was charged, in one currency.

    Attributes:
        bill_id: What the bill calls it.
        declared: The commitment of a stack that it is; empty where none is known to be.
        currency: The currency.
        bill: Its charges.
    """

    bill_id: str
    declared: str
    currency: str
    bill: CommitmentBill


@dataclass(frozen=True, slots=True)
class Billing:
    """Charges beside what is declared and used.

    Attributes:
        rows: How many charges were read.
        pools: What each pool was charged.
        commitments: What each commitment was charged.
        findings: Where bill, use and declaration differ.
    """

    rows: int
    pools: tuple[BilledPool, ...]
    commitments: tuple[BilledCommitment, ...]
    findings: tuple[InventoryFinding, ...] = field(default=())


def build_billing(
    charges: Charges, usage: Usage, held: Sequence[Held], bound: Mapping[str, str], measured: bool
) -> Billing:
    """Return charges beside what is declared and used.

    Args:
        charges: What was billed.
        usage: What was used.
        held: What is declared.
        bound: What clouds call each declared commitment, in lower case → its id.
        measured: Whether use was measured apart from the charges.
    """
    used = _used_hours(usage) if measured else {}
    pools = tuple(
        BilledPool(
            pool,
            currency,
            bill.billed,
            bill.effective,
            bill.node_hours,
            used.get(pool, Decimal(0)) if measured and pool else None,
        )
        for (pool, currency), bill in sorted(charges.pools.items())
    )
    known = {each.purchase.id: each for each in held}
    commitments = tuple(
        BilledCommitment(name, _declared(name, known, bound), currency, bill)
        for (name, currency), bill in sorted(charges.commitments.items())
    )
    findings = [
        *_find_undeclared(commitments),
        *(_find_never_billed(held, commitments, bound) if charges.rows else ()),
        *_find_differences(pools),
    ]
    return Billing(charges.rows, pools, commitments, tuple(findings))


def _used_hours(usage: Usage) -> dict[str, Decimal]:
    hours: dict[str, Decimal] = {}
    for row in usage.rows:
        used = Decimal(sum_exactly(row.micro_nodes * usage.known)) / MICRO
        hours[row.pool] = hours.get(row.pool, Decimal(0)) + used
    return hours


def _declared(name: str, known: Mapping[str, Held], bound: Mapping[str, str]) -> str:
    if name in known:
        return name
    lowered = name.lower()
    return bound.get(lowered) or bound.get(lowered.rpartition("/")[2]) or ""


def _find_undeclared(commitments: Sequence[BilledCommitment]) -> Iterator[InventoryFinding]:
    for each in commitments:
        if not each.declared:
            named = f" ({each.bill.name})" if each.bill.name else ""
            message = f"{each.bill.kind}{named} is billed, and no stack is known to declare it"
            cost = each.bill.used + each.bill.unused
            yield InventoryFinding(
                FindingKind.BILLED_UNDECLARED, each.bill_id, message, each.currency, cost
            )


def _find_never_billed(
    held: Sequence[Held], commitments: Sequence[BilledCommitment], bound: Mapping[str, str]
) -> Iterator[InventoryFinding]:
    """Yield what is declared and bound to a cloud's name that no charge has."""
    billed = {each.declared for each in commitments}
    for each in held:
        if each.purchase.id not in billed and each.purchase.id in bound.values():
            message = "is declared, and no charge names it"
            yield InventoryFinding(FindingKind.NEVER_BILLED, each.purchase.id, message)


def _find_differences(pools: Sequence[BilledPool]) -> Iterator[InventoryFinding]:
    for each in pools:
        used, billed = each.used_node_hours, each.billed_node_hours
        if used is None or abs(used - billed) <= DIFFERENCE * max(used, billed):
            continue
        message = f"used {used:.1f} node-hours and was billed {billed:.1f}"
        yield InventoryFinding(
            FindingKind.USED_NOT_AS_BILLED, each.pool, message, each.currency, each.billed
        )
