"""A budget on Azure, and the alert of a subscription's anomalies."""

from __future__ import annotations

from datetime import date
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.cost_budget.spec import BudgetSpec, Period

with narrow_imports("pulumi_azure_native.consumption", "pulumi_azure_native.costmanagement"):
    from pulumi_azure_native.consumption.budget import Budget
    from pulumi_azure_native.costmanagement.scheduled_action_by_scope import (
        ScheduledActionByScope,
    )

GRAINS = {
    Period.MONTHLY: "Monthly",
    Period.QUARTERLY: "Quarterly",
    Period.ANNUALLY: "Annually",
}
VIEW = "providers/Microsoft.CostManagement/views/ms:DailyAnomalyByResourceGroup"
"""The view that Azure's own anomaly alerts show."""


def declare(
    parent: pulumi.ComponentResource,
    spec: BudgetSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the budget and the alert; return the cloud identifiers."""
    scope = inputs["scope"]
    budget = Budget(
        spec.id,
        budget_name=spec.id,
        scope=scope,
        category="Cost",
        amount=float(spec.amount),
        time_grain=GRAINS[spec.period],
        time_period=build_period(spec),
        filter=build_filter(spec),
        notifications=build_notifications(spec, inputs["action_groups"]),
        # Azure changes neither the start nor the grain of a budget: it is made anew, and the name,
        # which is its id, is free only once the old one is gone.
        opts=child_options(
            parent,
            opts,
            Budget,
            replace=["timePeriod.startDate", "timeGrain"],
            delete_before_replace=True,
        ),
    )
    identifiers: dict[str, pulumi.Input[str]] = {"budget": budget.name, "scope": scope}
    if spec.anomaly:
        identifiers["anomalyAlert"] = _declare_alert(parent, spec, scope, opts)
    return identifiers


def build_period(spec: BudgetSpec) -> Any:
    """Return the days of the budget; its start is an argument, never the present."""
    period: dict[str, str] = {"start_date": _time(spec.start)}
    return {**period, "end_date": _time(spec.end)} if spec.end else period


def build_filter(spec: BudgetSpec) -> Any:
    """Return by what charges count: the one tag; None for every charge."""
    if spec.label is None:
        return None
    key, value = spec.label
    return {"tags": {"name": key, "operator": "In", "values": [value]}}


def build_notifications(spec: BudgetSpec, groups: Any) -> dict[str, Any]:
    """Return one notification for each threshold, by name."""
    told: dict[str, Any] = {"contact_emails": list(spec.emails)}
    if groups:
        told["contact_groups"] = list(groups)
    return {
        f"{kind.lower()}-{percent}": {
            "enabled": True,
            "operator": "GreaterThanOrEqualTo",
            "threshold": percent,
            "threshold_type": kind,
            **told,
        }
        for kind, percents in (
            ("Actual", spec.thresholds),
            ("Forecasted", spec.forecast_thresholds),
        )
        for percent in percents
    }


def _declare_alert(
    parent: pulumi.ComponentResource,
    spec: BudgetSpec,
    scope: pulumi.Input[str],
    opts: pulumi.ResourceOptions | None,
) -> pulumi.Output[str]:
    """Declare the alert of the subscription's anomalies, which Azure finds for all labels alike."""
    until = spec.anomaly.until if spec.anomaly else None
    alert = ScheduledActionByScope(
        spec.id,
        name=spec.id,
        scope=scope,
        kind="InsightAlert",
        display_name=f"Cost anomalies: {spec.id}",
        status="Enabled",
        view_id=pulumi.Output.concat(scope, "/", VIEW),
        notification={"subject": f"Cost anomaly: {spec.id}", "to": list(spec.emails)},
        schedule={
            "frequency": "Daily",
            "start_date": _time(spec.start),
            "end_date": _time(until),
        },
        opts=child_options(parent, opts, ScheduledActionByScope),
    )
    return alert.name


def _time(day: date | None) -> str:
    return f"{day.isoformat()}T00:00:00Z" if day else ""
