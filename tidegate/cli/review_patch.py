"""What a review would buy now, as entries of a stack's configuration that still need agreement."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from decimal import ROUND_CEILING
from pathlib import Path
from typing import Any

from tidegate.catalog.instruments import Scope, Unit
from tidegate.cli.adopt_config import add_entries
from tidegate.review.commitments import CommitmentReview
from tidegate.review.ladder import Step
from tidegate.review.past import CENT
from tidegate.vocabulary.capacity import Cloud, WorkloadClass
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse

KEY = "tidegate:commitments"
MOST_ID = 63


def add_purchases(path: Path, review: CommitmentReview, accept_assumed: bool) -> list[str]:
    """Add what to buy now to a stack's configuration; return what is to be agreed to, by entry.

    No entry has `acknowledge`: the stack refuses each until a person states what it may cost and
    until when.

    Raises:
        InvalidInput: When nothing is to be bought, when a discount is assumed and that was not
            accepted, or when the file cannot be added to; it is as it was then.
    """
    steps = [step for step in (review.outlook.ladder if review.outlook else ()) if step.month == 0]
    if not steps:
        raise refuse(str(path), "--patch", None, "has nothing to add: the review buys nothing now")
    assumed = [step for step in steps if step.candidate.offer.assumed]
    if assumed and not accept_assumed:
        raise InvalidInput([_refuse_assumed(path, step) for step in assumed])
    entries = {_identifier(step, review): _entry(step, review) for step in steps}
    add_entries(path, KEY, entries, "a commitment that is not there")
    return [_say_agreement(step, review) for step in steps]


def _say_agreement(step: Step, review: CommitmentReview) -> str:
    """Return the block that makes the purchase, to be added by whoever agrees to it."""
    offer = step.candidate.offer
    price = step.candidate.price
    hourly = step.quantity if price is None else step.quantity * price
    last = add_months(review.settings.today, offer.term_months)
    block = (
        f'acknowledge: {{hourlyAmount: "{hourly.quantize(CENT, ROUND_CEILING)}", '
        f'currency: {step.candidate.purchase.currency}, endDate: "{last}"}}'
    )
    instrument = offer.instrument
    bought = instrument.cloud is Cloud.AWS and instrument.unit is Unit.AMOUNT
    also = " and purchase.offeringId and purchase.purchaseTime as AWS lists them" if bought else ""
    targets = review.outlook.targets if review.outlook else ()
    above = any(each.above_floor for each in targets if each.candidate == step.candidate)
    floor = "; it is above the stable floor" if above else ""
    return f"{_identifier(step, review)}: needs {block}{also}{floor}"


def add_months(day: date, months: int) -> date:
    """Return the last day of a term that begins on a day."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    longest = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, longest)) - timedelta(days=1)


def _refuse_assumed(path: Path, step: Step) -> Problem:
    offer = step.candidate.offer
    reason = f"rests on a discount that is no quote ({offer.origin}, {offer.as_of})"
    expected = "a quote, or --accept-assumed-prices"
    return Problem(str(path), "--patch", step.candidate.id, reason, expected)


def _identifier(step: Step, review: CommitmentReview) -> str:
    """Return an id of lower-case letters, digits and dashes, with the month of the purchase."""
    month = review.settings.today.strftime("%Y-%m")
    text = re.sub(r"[^a-z0-9]+", "-", step.candidate.id.lower())
    return f"{text[: MOST_ID - len(month) - 1].strip('-')}-{month}"


def _entry(step: Step, review: CommitmentReview) -> dict[str, Any]:
    candidate = step.candidate
    instrument = candidate.offer.instrument
    rows = [row for row in review.usage.rows if row.id in candidate.rows]
    entry: dict[str, Any] = {
        "cloud": instrument.cloud.value,
        "region": candidate.purchase.region or rows[0].region,
        "kind": instrument.kind,
        "workloadClass": WorkloadClass.PLATFORM.value,
    }
    purchase: dict[str, Any] = {"termMonths": candidate.offer.term_months}
    if instrument.unit is Unit.MACHINES:
        entry |= {"instanceType": candidate.purchase.target, "units": int(step.quantity)}
    else:
        family = instrument.scope is Scope.FAMILY
        purchase["covers"] = [candidate.purchase.target] if family else ["compute"]
    return {**entry, "purchase": purchase}
