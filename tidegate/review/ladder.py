"""What to buy now and in the next months: the policy's target, in steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal

import numpy as np

from tidegate.catalog.instruments import Unit
from tidegate.pricing.applied import Applied
from tidegate.pricing.usage import MICRO, Usage, UsageRow
from tidegate.review.candidates import Candidate
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.online import SHARE_A_MONTH, STEPS_A_YEAR, decide_target
from tidegate.review.past import CENT
from tidegate.review.portfolio import Floats

STEPS = 3
YEAR_HOURS = 8760
STEP_HOURS = YEAR_HOURS // STEPS_A_YEAR
FLOOR_HOURS = 4 * HOURS_OF_WEEK


@dataclass(frozen=True, slots=True)
class Step:
    """One purchase of a ladder.

    Attributes:
        candidate: What is bought.
        month: In how many months; 0 is now. Later steps are to be decided anew by then.
        quantity: Machines, or an amount of money an hour.
    """

    candidate: Candidate
    month: int
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class Target:
    """What the policy would be committed to of one candidate.

    Attributes:
        candidate: What is bought.
        quantity: All of its steps together.
        stable_floor: The least that any hour of the last four weeks would use of it.
        by_past: What past use alone would suggest.
        by_forecast: The most that the lower end of the forecast bears.
    """

    candidate: Candidate
    quantity: Decimal
    stable_floor: Decimal
    by_past: Decimal
    by_forecast: Decimal

    @property
    def above_floor(self) -> bool:
        """Return whether it is more than what every recent hour would use."""
        return self.quantity > self.stable_floor


def decide_targets(
    usage: Usage,
    without: Applied,
    low: Usage,
    low_without: Applied,
    candidates: Sequence[Candidate],
) -> tuple[Target, ...]:
    """Return what to be committed to of each candidate; those of nothing are left out.

    Candidates take their part of the use in the order of application. The target is the policy's,
    and never more than the discount's quantile of the lower end of the forecast.

    Args:
        usage: The use that was measured.
        without: It, with what is held.
        low: The lower end of the forecast.
        low_without: It, with what is held by then.
        candidates: What can be bought.
    """
    rows = {row.id: row for row in usage.rows}
    past = {row.id: without.uncovered[row.id][usage.known] / MICRO for row in usage.rows}
    future = {row.id: low_without.uncovered[row.id] / MICRO for row in low.rows}
    targets = []
    for candidate in candidates:
        asked, ahead = _asked(candidate, rows, past), _asked(candidate, rows, future)
        discount = float(candidate.offer.discount)
        term = candidate.offer.term_months * YEAR_HOURS // 12
        by_past = _down(candidate, decide_target(asked, discount, term, STEP_HOURS))
        by_forecast = _down(candidate, float(np.quantile(ahead, discount)))
        floor = _down(candidate, float(asked[-FLOOR_HOURS:].min()))
        quantity = min(by_past, by_forecast)
        if quantity > 0:
            targets.append(Target(candidate, quantity, floor, by_past, by_forecast))
            _take(candidate, rows, past, float(quantity))
            _take(candidate, rows, future, float(quantity))
    return tuple(targets)


def build_ladder(targets: Sequence[Target]) -> tuple[Step, ...]:
    """Return the purchases month by month: what the policy buys in a month, in the last the rest.

    Quantities are rounded to what can be bought: a single machine is bought at once.
    """
    share = Decimal(repr(SHARE_A_MONTH))
    steps = []
    for target in targets:
        left, unit = target.quantity, _unit(target.candidate)
        for month in range(STEPS):
            part = left * share if month < STEPS - 1 else left
            quantity = (part / unit).to_integral_value(ROUND_HALF_UP) * unit
            if quantity > 0:
                steps.append(Step(target.candidate, month, quantity))
            left -= quantity
    return tuple(sorted(steps, key=lambda step: (step.month, step.candidate.id)))


def _asked(
    candidate: Candidate, rows: Mapping[str, UsageRow], nodes: Mapping[str, Floats]
) -> Floats:
    """Return what the use would take of a candidate, hour by hour."""
    purchase = candidate.purchase
    by_money = purchase.instrument.unit is Unit.AMOUNT
    asked = np.zeros(len(nodes[candidate.rows[0]]))
    for key in candidate.rows:
        asked += nodes[key] * (float(purchase.rate(rows[key])) if by_money else 1.0)
    return asked


def _take(
    candidate: Candidate, rows: Mapping[str, UsageRow], nodes: dict[str, Floats], amount: float
) -> None:
    """Take the part that the candidate covers from the nodes that are left."""
    asked = _asked(candidate, rows, nodes)
    kept = np.where(asked > amount, 1 - amount / np.maximum(asked, 1e-12), 0.0)
    for key in candidate.rows:
        nodes[key] = nodes[key] * kept


def _unit(candidate: Candidate) -> Decimal:
    return CENT if candidate.purchase.instrument.unit is Unit.AMOUNT else Decimal(1)


def _down(candidate: Candidate, amount: float) -> Decimal:
    unit = _unit(candidate)
    # What floating point lost of a whole number is given back before rounding down.
    return (Decimal(repr(amount + 1e-9)) / unit).to_integral_value(ROUND_FLOOR) * unit
