"""Reads what a commitment says of its purchase, and what was agreed to."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.commitments.args import AcknowledgementArgs, PurchaseArgs
from tidegate_components.commitments.kinds import RULES, CommitmentKind, purchase_keys
from tidegate_components.commitments.spec import Acknowledgement, Purchase

TERMS = (12, 36)
PLANNING_STATUSES = ("DRAFT", "SUBMITTED")
PLAN_AMOUNT = (Decimal("0.001"), Decimal(1_000_000))
"""The hourly commitment of a savings plan: AWS API reference, CreateSavingsPlan."""
PLAN_PLACES = 5

_NOTHING = Acknowledgement(Decimal(0), "USD", date.min)


def read_acknowledgement(read: Arguments, kind: CommitmentKind) -> Acknowledgement:
    """Return what was agreed to; nothing is bought without it."""
    nested = read.nested("acknowledge", AcknowledgementArgs)
    if nested is None:
        what = "reservation" if RULES[kind].holds else kind.value
        reason = f"is required: a {what} is paid for whether used or not"
        read.refuse("acknowledge", None, reason, "hourly_amount, currency and end_date")
        return _NOTHING
    amount = nested.decimal("hourly_amount")
    if amount is None and not nested.has("hourly_amount"):
        nested.refuse("hourly_amount", None, "is required and is missing", "an amount an hour")
    currency = nested.text("currency")
    if currency and not re.fullmatch(r"[A-Z]{3}", currency):
        nested.refuse("currency", currency, "is no ISO 4217 code", "three letters such as USD")
    end_date = _day(nested, "end_date", nested.text("end_date"))
    return Acknowledgement(amount or Decimal(0), currency, end_date or date.min)


def read_purchase(read: Arguments, kind: CommitmentKind, cloud: Cloud) -> Purchase:
    """Return what is said of the purchase; refuse what the kind lacks or does not take."""
    nested = read.nested("purchase", PurchaseArgs)
    needs, takes = purchase_keys(kind, cloud)
    for key in needs:
        if nested is None or not nested.has(key):
            reason = f"is needed by a {kind.value} and is missing"
            read.refuse(f"purchase.{key}", None, reason, "a value")
    if nested is None:
        return Purchase()
    for key in sorted(PurchaseArgs.__optional_keys__ - {*needs, *takes}):
        if nested.has(key):
            nested.refuse(key, None, f"concerns no {kind.value} on {cloud.value}", "leave it out")
    start, purchase_time = _start(nested)
    return Purchase(
        offering_id=nested.text("offering_id", ""),
        purchase_time=purchase_time,
        upfront_amount=nested.decimal("upfront_amount"),
        start_date=start,
        term_months=_term(nested),
        covers=nested.texts("covers"),
        commitment_type=nested.text("commitment_type", ""),
        existing_reservations=nested.text("existing_reservations", ""),
        planning_status=_planning_status(nested),
    )


def check_terms(
    read: Arguments, kind: CommitmentKind, cloud: Cloud, agreed: Acknowledgement, bought: Purchase
) -> None:
    """Refuse an acknowledged day before the end of the term, and an amount AWS does not sell."""
    if bought.start_date and agreed.end_date != date.min:
        end = _end_of_term(bought.start_date, bought.term_months)
        if end and agreed.end_date < end:
            reason = f"is before the term of {bought.term_months} months ends, on {end.isoformat()}"
            expected = f"{end.isoformat()} or later: it is paid for until then"
            read.refuse("acknowledge.end_date", agreed.end_date.isoformat(), reason, expected)
        elif agreed.end_date <= bought.start_date:
            reason = f"is not after the start {bought.start_date.isoformat()}"
            read.refuse("acknowledge.end_date", agreed.end_date.isoformat(), reason, "a later day")
    if agreed != _NOTHING and kind is CommitmentKind.SAVINGS_PLAN and cloud is Cloud.AWS:
        _check_plan_amount(read, agreed.hourly_amount)


def _check_plan_amount(read: Arguments, amount: Decimal) -> None:
    low, high = PLAN_AMOUNT
    places = -int(amount.normalize().as_tuple().exponent)
    if not low <= amount <= high or places > PLAN_PLACES:
        reason = "is no hourly commitment that AWS sells (API reference, CreateSavingsPlan)"
        expected = f"{low} to {high}, with at most {PLAN_PLACES} decimal places"
        read.refuse("acknowledge.hourly_amount", str(amount), reason, expected)


def _end_of_term(start: date, months: int | None) -> date | None:
    """Return the day on which a term ends; the clouds count whole years."""
    if months not in TERMS:
        return None
    year = start.year + months // 12
    leap_day = (start.month, start.day) == (2, 29)
    return date(year, 2, 28) if leap_day else start.replace(year=year)


def _start(nested: Arguments) -> tuple[date | None, str]:
    """Return the first day, and the moment of the purchase in AWS's spelling."""
    given = nested.text("purchase_time", "")
    start = _day(nested, "start_date", nested.text("start_date", ""))
    if not given:
        return start, ""
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        moment = None
    if moment is None or moment.utcoffset() != timedelta(0):
        nested.refuse("purchase_time", given, "is no moment in UTC", "YYYY-MM-DDTHH:MM:SSZ")
        return start, ""
    return moment.date(), moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _day(nested: Arguments, key: str, value: str) -> date | None:
    if not value:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        nested.refuse(key, value, "is no day", "YYYY-MM-DD")
        return None


def _term(nested: Arguments) -> int | None:
    months = nested.optional_whole("term_months", minimum=1)
    if months is not None and months not in TERMS:
        reason = "is no term that the clouds sell"
        nested.refuse("term_months", months, reason, "12 or 36")
    return months


def _planning_status(nested: Arguments) -> str:
    status = nested.text("planning_status", "DRAFT")
    if status not in PLANNING_STATUSES:
        reason = "is no planning status of a future reservation"
        nested.refuse("planning_status", status, reason, f"one of {', '.join(PLANNING_STATUSES)}")
    return status
