"""A budget of Cloud Billing, and the notification channels of its e-mail addresses."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.cost_budget.spec import BudgetSpec, Period

with narrow_imports("pulumi_gcp.billing", "pulumi_gcp.monitoring"):
    from pulumi_gcp.billing.budget import Budget
    from pulumi_gcp.monitoring.notification_channel import NotificationChannel

PERIODS = {Period.MONTHLY: "MONTH", Period.QUARTERLY: "QUARTER", Period.ANNUALLY: "YEAR"}
NANOS = Decimal(10**9)


def declare(
    parent: pulumi.ComponentResource,
    spec: BudgetSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the channels and the budget; return the cloud identifiers."""
    channels = [
        NotificationChannel(
            f"{spec.id}-{index}",
            project=inputs["project"],
            display_name=f"{spec.id}: {address}",
            type="email",
            labels={"email_address": address},
            user_labels=spec.cost_labels,
            opts=child_options(parent, opts, NotificationChannel),
        ).name
        for index, address in enumerate(spec.emails)
    ]
    budget = Budget(
        spec.id,
        billing_account=inputs["billing_account"],
        display_name=spec.id,
        amount={"specified_amount": build_amount(spec)},
        budget_filter=build_filter(spec, inputs["projects"]),
        threshold_rules=build_rules(spec),
        all_updates_rule=build_updates(spec, inputs, channels),
        opts=child_options(parent, opts, Budget),
    )
    return {"budget": budget.name}


def build_amount(spec: BudgetSpec) -> Any:
    """Return the amount in whole units and billionths of one, as Google counts money."""
    whole = int(spec.amount)
    nanos = int((spec.amount - whole) * NANOS)
    amount: dict[str, Any] = {"currency_code": spec.currency, "units": str(whole)}
    return {**amount, "nanos": nanos} if nanos else amount


def build_filter(spec: BudgetSpec, projects: Any) -> Any:
    """Return by what charges count: one label at most, and projects by number."""
    found: dict[str, Any] = {}
    if projects:
        found["projects"] = [_number(project) for project in projects]
    if spec.label:
        found["labels"] = dict([spec.label])
    if spec.start and spec.end:
        found["custom_period"] = {"start_date": _day(spec.start), "end_date": _day(spec.end)}
    else:
        found["calendar_period"] = PERIODS[spec.period]
    return found


def build_rules(spec: BudgetSpec) -> list[Any]:
    """Return one rule for each threshold; Google's percents are shares of 1."""
    return [
        {"threshold_percent": percent / 100, "spend_basis": basis}
        for basis, percents in (
            ("CURRENT_SPEND", spec.thresholds),
            ("FORECASTED_SPEND", spec.forecast_thresholds),
        )
        for percent in percents
    ]


def build_updates(spec: BudgetSpec, inputs: dict[str, Any], channels: list[Any]) -> Any:
    """Return whom the budget tells; None for the administrators of the billing account alone."""
    told: dict[str, Any] = {}
    every = [*channels, *(inputs["notification_channels"] or [])]
    if every:
        told["monitoring_notification_channels"] = every
    if inputs["pubsub_topic"] is not None:
        told["pubsub_topic"] = inputs["pubsub_topic"]
        told["schema_version"] = "1.0"
    if not spec.tell_administrators:
        told["disable_default_iam_recipients"] = True
    return told or None


def _number(project: Any) -> Any:
    """Return a project as the API answers it; another form is a permanent difference."""
    text = pulumi.Output.from_input(project)
    return text.apply(lambda name: name if name.startswith("projects/") else f"projects/{name}")


def _day(day: Any) -> dict[str, int]:
    return {"year": day.year, "month": day.month, "day": day.day}
