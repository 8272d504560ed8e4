"""From the arguments of a budget to its specification, with every fault reported at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels, check_label_value
from tidegate.vocabulary.problems import suggest
from tidegate_components.arguments import Arguments
from tidegate_components.cost_budget import args as shapes
from tidegate_components.cost_budget.limits import check_limits
from tidegate_components.cost_budget.spec import Anomaly, BudgetSpec, Frequency, Period
from tidegate_components.names import check_identifier

THRESHOLDS = (50, 80, 100)
FORECAST_THRESHOLDS = (100,)
DEFAULT_LABEL = "cost-center"

_ADDRESS = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s,;]+")


def parse_budget(
    name: str,
    raw: Mapping[str, Any],
    catalog: Catalog | None = None,  # noqa: ARG001 - every component's arguments are read alike
) -> BudgetSpec:
    """Return the budget that the arguments declare; `name` is its id.

    Nothing of a budget is looked up in the catalog.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"budget {name}", raw, shapes.CostBudgetArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    for other in Cloud:
        if other is not cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the budget is for {cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
    aws = read.nested("aws", shapes.CostBudgetAwsArgs)
    gcp = read.nested("gcp", shapes.CostBudgetGcpArgs)
    labels = read.cost_labels()
    start, end = read_day(read, "start"), read_day(read, "end")
    spec = BudgetSpec(
        id=name,
        cloud=cloud,
        account=read.text("account", ""),
        amount=_amount(read),
        currency=_currency(read),
        period=read.choice("period", Period, Period.MONTHLY),
        start=start,
        end=end,
        label=_label(read, labels),
        thresholds=_thresholds(read, "thresholds_percent", THRESHOLDS),
        forecast_thresholds=_thresholds(
            read, "forecast_thresholds_percent", _default_forecasts(cloud, end)
        ),
        emails=_emails(read),
        anomaly=_anomaly(read),
        labels=labels,
        activate_tag=aws.flag("activate_cost_allocation_tag", False) if aws else False,
        create_topic=aws.flag("create_topic", False) if aws else False,
        tell_administrators=gcp.flag("tell_billing_administrators", True) if gcp else True,
    )
    check_limits(read, spec)
    read.finish()
    return spec


def read_day(read: Arguments, key: str) -> date | None:
    """Return a day that was given as text; None when absent.

    Days are never taken from the clock: a day that is computed moves with each run.
    """
    value = read.plain(key)
    if value is None:
        return None
    try:
        return date.fromisoformat(value) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else _no_day()
    except (TypeError, ValueError):
        read.refuse(key, value, "is no day", "a day such as 2026-12-01")
        return None


def _no_day() -> date:
    raise ValueError


def _amount(read: Arguments) -> Decimal:
    amount = read.decimal("amount")
    if amount is None:
        if not read.has("amount"):
            read.refuse("amount", None, "is required and is missing", "an amount above 0")
        return Decimal(1)
    if not amount:
        read.refuse("amount", amount, "is nothing", "an amount above 0")
    return amount


def _currency(read: Arguments) -> str:
    # A budget without a currency was read in the account's own (a USD budget as JPY).
    currency = read.text("currency")
    if currency and not re.fullmatch(r"[A-Z]{3}", currency):
        expected = "three capital letters (ISO 4217), one currency a budget"
        read.refuse("currency", currency, "is no currency code", expected)
    return currency


def _label(read: Arguments, labels: CostLabels) -> tuple[str, str] | None:
    """Return the one label that charges are counted by."""
    if read.flag("whole_account", False):
        for key in ("by_label", "label_value"):
            if read.has(key):
                reason = "and whole_account exclude each other"
                read.refuse(key, None, reason, "one of the two")
        return None
    own = labels.to_mapping()
    key = read.text("by_label", DEFAULT_LABEL)
    if key not in own and not read.has("label_value"):
        hint = suggest(key, own)
        reason = f"is no label of this budget{hint}"
        read.refuse("by_label", key, reason, f"one of {', '.join(sorted(own))}, or a label_value")
        return key, ""
    value = read.text("label_value", own.get(key, "-"))
    for problem in check_label_value(read.where, key, value):
        read.refuse("label_value", value, problem.reason, problem.expected)
    return key, value


def _thresholds(read: Arguments, key: str, default: tuple[int, ...]) -> tuple[int, ...]:
    stated = read.plain(key)
    if stated is None:
        return default
    if not isinstance(stated, list | tuple):
        read.refuse(key, stated, "is not a list", "a list of whole percents")
        return default
    found: list[int] = []
    for index, percent in enumerate(stated):
        whole = isinstance(percent, int | float) and not isinstance(percent, bool)
        if not whole or percent != int(percent) or percent < 1:
            read.refuse(f"{key}[{index}]", percent, "is no whole percent", "1 or more")
        elif int(percent) in found:
            read.refuse(f"{key}[{index}]", percent, "is there twice", "each threshold once")
        else:
            found.append(int(percent))
    return tuple(sorted(found))


def _default_forecasts(cloud: Cloud, end: date | None) -> tuple[int, ...]:
    """Return the forecasts told by default; a budget of its own dates has none on Google Cloud."""
    return () if cloud is Cloud.GCP and end is not None else FORECAST_THRESHOLDS


def _emails(read: Arguments) -> tuple[str, ...]:
    addresses = read.texts("emails")
    for index, address in enumerate(addresses):
        if not _ADDRESS.fullmatch(address):
            read.refuse(f"emails[{index}]", address, "is no e-mail address", "name@host")
    return addresses


def _anomaly(read: Arguments) -> Anomaly | None:
    nested = read.nested("anomaly", shapes.AnomalyArgs)
    if nested is None:
        return None
    return Anomaly(
        minimum_impact=nested.decimal("minimum_impact"),
        frequency=nested.choice("frequency", Frequency, Frequency.DAILY),
        until=read_day(nested, "until"),
    )
