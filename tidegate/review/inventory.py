"""What is declared against what is used: idle, under-used, ending, unmatched, undeclared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

import numpy as np

from tidegate.pricing.applied import Applied, PurchaseUse
from tidegate.pricing.usage import MICRO, Hours, Usage, sum_exactly
from tidegate.review.held import Held, describe_row
from tidegate.review.measured import Measured
from tidegate.review.portfolio import Floats

ENDING_DAYS = 90
WELL_USED = Decimal("0.9")
UNPLACED = "was used, is declared by no stack, and its rows do not say where and on what it runs"


class FindingKind(StrEnum):
    """What can be wrong between what is declared and what is used."""

    IDLE = "idle"
    UNDER_USED = "under-used"
    ENDING = "ending"
    ENDED = "ended"
    NEVER_MATCHED = "never-matched"
    UNDECLARED = "undeclared-use"
    BILLED_UNDECLARED = "billed-undeclared"
    NEVER_BILLED = "never-billed"
    USED_NOT_AS_BILLED = "used-not-as-billed"


@dataclass(frozen=True, slots=True)
class InventoryFinding:
    """One thing found.

    Attributes:
        kind: What it is.
        subject: The commitment or pool.
        message: What was found, with its figures.
        currency: The currency of the cost.
        cost: What it cost over the measured hours; None where that is not known.
    """

    kind: FindingKind
    subject: str
    message: str
    currency: str = "USD"
    cost: Decimal | None = None

    @property
    def id(self) -> str:
        """Return what `explain` knows it by."""
        return f"{self.kind.value}:{self.subject}"


@dataclass(frozen=True, slots=True)
class HourlyShare:
    """A share hour by hour, over the measured hours in which there is anything to share.

    Attributes:
        overall: The share of the sums.
        least: The least of any hour.
        most: The most of any hour.
        hours: How many hours have a share.
        by_hour: The share of each hour of the usage; NaN where there is nothing to share.
    """

    overall: Decimal
    least: Decimal
    most: Decimal
    hours: int
    by_hour: Floats = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Inventory:
    """Declared against used.

    Attributes:
        applied: The use with everything that is held.
        coverage: Currency → the part of eligible use, at on-demand prices, that is committed to.
        utilization: Commitment → the part of what was bought that was used.
        findings: What was found, sorted by kind and subject.
    """

    applied: Applied
    coverage: Mapping[str, HourlyShare]
    utilization: Mapping[str, HourlyShare]
    findings: tuple[InventoryFinding, ...]

    def with_findings(self, more: Iterable[InventoryFinding]) -> Inventory:
        """Return the inventory with further findings among its own."""
        return replace(self, findings=_sort([*self.findings, *more]))


def build_inventory(
    measured: Measured, held: Sequence[Held], applied: Applied, today: date
) -> Inventory:
    """Return what is found between what is declared and what is used."""
    usage = measured.usage
    uses = {use.purchase.id: use for use in applied.uses}
    shares = {
        each.purchase.id: _share(uses[each.purchase.id].used, uses[each.purchase.id].size)
        for each in held
    }
    findings = [
        *(found for each in held for found in _judge_use(each, uses[each.purchase.id], usage)),
        *(found for each in held for found in _judge_end(each, today)),
        *_find_undeclared(usage, applied, measured.undeclared),
        *(InventoryFinding(FindingKind.UNDECLARED, name, UNPLACED) for name in measured.unplaced),
    ]
    return Inventory(
        applied=applied,
        coverage=_coverage(usage, applied),
        utilization={key: share for key, share in shares.items() if share is not None},
        findings=_sort(findings),
    )


def _sort(findings: Iterable[InventoryFinding]) -> tuple[InventoryFinding, ...]:
    return tuple(sorted(findings, key=lambda found: (found.kind.value, found.subject)))


def _judge_use(held: Held, use: PurchaseUse, usage: Usage) -> Iterator[InventoryFinding]:
    purchase = held.purchase
    utilization = use.utilization
    if utilization is None:
        return
    if not held.rows:
        message = "covers no use of any pool in the usage"
        yield InventoryFinding(
            FindingKind.NEVER_MATCHED, purchase.id, message, purchase.currency, use.cost
        )
    elif utilization < WELL_USED:
        unused = _unused_cost(held, use, usage)
        kind = FindingKind.IDLE if utilization == 0 else FindingKind.UNDER_USED
        message = f"was used to {utilization:.1%} of what was bought"
        yield InventoryFinding(kind, purchase.id, message, purchase.currency, unused)


def _unused_cost(held: Held, use: PurchaseUse, usage: Usage) -> Decimal | None:
    """Return what the unused part cost: of a reservation, at the on-demand price."""
    unused = Decimal(sum_exactly(use.size - use.used)) / MICRO
    purchase = held.purchase
    if not purchase.instrument.pays_on_demand:
        whole = Decimal(sum_exactly(use.size)) / MICRO
        return use.cost * unused / whole
    prices = [row.price for row in usage.rows if row.id in held.rows and row.price is not None]
    price = prices[0] if prices else purchase.price
    return None if price is None else price * unused


def _judge_end(held: Held, today: date) -> Iterator[InventoryFinding]:
    end = held.commitment.end
    if end is None:
        return
    if end < today:
        message = f"ended on {end}; what it covered is paid for on demand"
        yield InventoryFinding(FindingKind.ENDED, held.purchase.id, message)
    elif end <= today + timedelta(days=ENDING_DAYS):
        days = (end - today).days
        message = f"ends on {end}, in {days} days; {held.purchase.instrument.cancellation}"
        yield InventoryFinding(FindingKind.ENDING, held.purchase.id, message)


def _find_undeclared(
    usage: Usage, applied: Applied, undeclared: Sequence[str]
) -> Iterator[InventoryFinding]:
    for row in usage.rows:
        if row.pool in undeclared:
            node_hours = Decimal(sum_exactly(applied.billed[row.id])) / MICRO
            message = f"used {node_hours:.1f} node-hours and is declared by no stack"
            cost = None if row.price is None else row.price * node_hours
            yield InventoryFinding(
                FindingKind.UNDECLARED,
                row.pool,
                f"{describe_row(row)} {message}",
                row.currency,
                cost,
            )


def _coverage(usage: Usage, applied: Applied) -> dict[str, HourlyShare]:
    """Return the covered part of eligible use, weighed by on-demand prices in millionths."""
    covered: dict[str, Hours] = {}
    eligible: dict[str, Hours] = {}
    for row in usage.rows:
        if row.price is None or not row.eligible:
            continue
        price = int(row.price * MICRO)
        whole = np.where(usage.known, row.micro_nodes, 0) // 1000 * price
        left = np.minimum(applied.uncovered[row.id] // 1000 * price, whole)
        eligible[row.currency] = eligible.get(row.currency, 0 * whole) + whole
        covered[row.currency] = covered.get(row.currency, 0 * whole) + whole - left
    shares = {key: _share(covered[key], eligible[key]) for key in eligible}
    return {key: share for key, share in shares.items() if share is not None}


def _share(part: Hours, whole: Hours) -> HourlyShare | None:
    hours = np.flatnonzero(whole)
    total = sum_exactly(whole)
    if len(hours) == 0 or total == 0:
        return None
    ratios = part[hours] / whole[hours]
    by_hour = np.full(len(whole), np.nan)
    by_hour[hours] = ratios
    return HourlyShare(
        overall=Decimal(sum_exactly(part)) / Decimal(total),
        least=Decimal(repr(float(ratios.min()))),
        most=Decimal(repr(float(ratios.max()))),
        hours=len(hours),
        by_hour=by_hour,
    )
