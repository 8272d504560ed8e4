"""A portfolio played through months that stand as one typical week each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from tidegate.catalog.instruments import Unit
from tidegate.pricing.applied import Applied, Purchase, apply_purchases
from tidegate.pricing.usage import HALF_BITS, MICRO, Hours, Usage
from tidegate.review.candidates import Candidate, with_quantity
from tidegate.review.ladder import Step
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.vocabulary.money import HOURS_PER_MONTH

Costs = Mapping[str, Decimal]
"""Currency → an amount; currencies are never mixed."""


@dataclass(frozen=True, slots=True)
class Bought:
    """A step of a portfolio as a purchase.

    Attributes:
        candidate: What is bought.
        month: When.
        purchase: The same over the hours of the months.
    """

    candidate: Candidate
    month: int
    purchase: Purchase

    @property
    def hourly(self) -> Decimal:
        """Return what it costs an hour, amortised."""
        by_money = self.candidate.offer.instrument.unit is Unit.AMOUNT
        price = Decimal(1) if by_money else self.candidate.price or Decimal(0)
        return self.purchase.quantity * price

    @property
    def whole_cost(self) -> Decimal:
        """Return what it costs over its term."""
        return self.hourly * HOURS_PER_MONTH * self.candidate.offer.term_months

    @property
    def upfront(self) -> Decimal:
        """Return what is due on the day of the purchase."""
        return self.whole_cost * self.candidate.offer.upfront_share


@dataclass(frozen=True, slots=True)
class Played:
    """What a portfolio costs in a scenario.

    Attributes:
        cost: Over all months, amortised.
        by_month: Currency → the cost of each month, amortised.
        utilization: The used part of what was newly bought; None where nothing was.
    """

    cost: Costs
    by_month: Mapping[str, tuple[Decimal, ...]]
    utilization: Decimal | None


def buy_steps(steps: Sequence[Step]) -> list[Bought]:
    """Return steps as purchases; each lasts for its term from its month on."""
    return [
        Bought(
            step.candidate,
            step.month,
            replace(
                with_quantity(step.candidate, step.quantity),
                id=f"{step.candidate.id}@{step.month}",
                first_hour=step.month * HOURS_OF_WEEK,
                end_hour=(step.month + step.candidate.offer.term_months) * HOURS_OF_WEEK,
                price=step.candidate.price,  # use that tells it may be gone by then
            ),
        )
        for step in steps
    ]


def play(usage: Usage, kept: Sequence[Purchase], bought: Sequence[Bought]) -> Played:
    """Return what use costs with what is held and what is newly bought."""
    applied = apply_purchases(usage, [*kept, *(each.purchase for each in bought)])
    new = {each.purchase.id for each in bought}
    shares = [
        (use.utilization, use.cost)
        for use in applied.uses
        if use.purchase.id in new and use.utilization is not None
    ]
    spent = sum((cost for _, cost in shares), Decimal(0))
    used = sum((share * cost for share, cost in shares), Decimal(0))
    by_month = {
        key: tuple(to_months({key: amount})[key] for amount in amounts)
        for key, amounts in _by_month(usage, applied).items()
    }
    return Played(to_months(applied.totals()), by_month, used / spent if spent else None)


def to_months(totals: Costs) -> dict[str, Decimal]:
    """Return costs of typical weeks as those of the months that they stand for."""
    return {key: amount * HOURS_PER_MONTH / HOURS_OF_WEEK for key, amount in totals.items()}


def build_balance(nothing: Played, played: Played, bought: Sequence[Bought]) -> tuple[Decimal, ...]:
    """Return what was saved by the end of each month, less what was paid ahead of its month.

    Empty where nothing is bought, or where there are several currencies.
    """
    if not bought or len(nothing.by_month) != 1:
        return ()
    (currency,) = nothing.by_month
    saved = Decimal(0)
    balance = []
    for month, cost in enumerate(nothing.by_month[currency]):
        saved += cost - played.by_month[currency][month]
        balance.append(saved - sum((_paid_ahead(each, month) for each in bought), Decimal(0)))
    return tuple(balance)


def find_break_even(balance: Sequence[Decimal]) -> int | None:
    """Return the month by whose end all that was paid is less than without buying, for good.

    None where it does not happen in time.
    """
    found: int | None = None
    for month, ahead in enumerate(balance, start=1):
        if ahead <= 0:
            found = None
        elif found is None:
            found = month
    return found


def _paid_ahead(bought: Bought, month: int) -> Decimal:
    """Return the upfront part of later months that is paid by the end of a month."""
    if month < bought.month:
        return Decimal(0)
    term = bought.candidate.offer.term_months
    return bought.upfront * max(0, term - (month - bought.month + 1)) / term


def _by_month(usage: Usage, applied: Applied) -> dict[str, list[Decimal]]:
    months = usage.hours // HOURS_OF_WEEK
    costs: dict[str, list[Decimal]] = {}
    for row in usage.rows:
        if row.price is not None:
            here = costs.setdefault(row.currency, [Decimal(0)] * months)
            for month, nodes in enumerate(sum_weeks(applied.uncovered[row.id])):
                here[month] += row.price * nodes / MICRO
    for use in applied.uses:
        active = np.count_nonzero(use.size.reshape(-1, HOURS_OF_WEEK), axis=1).tolist()
        whole = sum(active)
        here = costs.setdefault(use.purchase.currency, [Decimal(0)] * months)
        for month, hours in enumerate(active):
            here[month] += use.cost * hours / whole if whole else Decimal(0)
    return costs


def sum_weeks(hours: Hours) -> list[int]:
    """Return the exact sum of each week's hours."""
    weeks = hours.reshape(-1, HOURS_OF_WEEK)
    high, low = weeks >> HALF_BITS, weeks & ((1 << HALF_BITS) - 1)
    sums = zip(high.sum(axis=1).tolist(), low.sum(axis=1).tolist(), strict=True)
    return [(upper << HALF_BITS) + lower for upper, lower in sums]
