"""A budget on AWS, and monitors of anomalies."""

from __future__ import annotations

import json
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.cost_budget.spec import Anomaly, BudgetSpec, Period

with narrow_imports("pulumi_aws.budgets", "pulumi_aws.costexplorer"):
    from pulumi_aws.budgets.budget import Budget
    from pulumi_aws.costexplorer.anomaly_monitor import AnomalyMonitor
    from pulumi_aws.costexplorer.anomaly_subscription import AnomalySubscription
    from pulumi_aws.costexplorer.cost_allocation_tag import CostAllocationTag

TIME_UNITS = {
    Period.MONTHLY: "MONTHLY",
    Period.QUARTERLY: "QUARTERLY",
    Period.ANNUALLY: "ANNUALLY",
}


def declare(
    parent: pulumi.ComponentResource,
    spec: BudgetSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the budget, its monitor and its tag; return the cloud identifiers."""
    topic = inputs["sns_topic_arn"]
    before: list[pulumi.Resource] = []
    if spec.create_topic:
        from tidegate_components.cost_budget.aws_topic import declare_topic

        topic, policy = declare_topic(parent, spec, opts)
        before.append(policy)
    if spec.activate_tag and spec.label:
        tag = CostAllocationTag(
            spec.id,
            tag_key=spec.label[0],
            status="Active",
            # Other budgets count by it too: one budget's end must not switch it off for all.
            opts=child_options(parent, opts, CostAllocationTag, retain_on_delete=True),
        )
        before.append(tag)
    budget = Budget(
        spec.id,
        budget_type="COST",
        limit_amount=f"{spec.amount:f}",
        limit_unit=spec.currency,
        time_unit=TIME_UNITS[spec.period],
        time_period_start=f"{spec.start.isoformat()}_00:00" if spec.start else None,
        time_period_end=f"{spec.end.isoformat()}_00:00" if spec.end else None,
        cost_filters=build_filters(spec),
        notifications=build_notifications(spec, topic),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Budget, depends_on=before),
    )
    identifiers: dict[str, pulumi.Input[str]] = {"budget": budget.name, "arn": budget.arn}
    if topic is not None:
        identifiers["topic"] = topic
    if spec.anomaly:
        identifiers["anomalyMonitor"] = _declare_anomalies(
            parent, spec, spec.anomaly, topic, before, opts
        )
    return identifiers


def build_filters(spec: BudgetSpec) -> list[Any]:
    """Return by what charges count: AWS puts key and value of a tag into one text."""
    if spec.label is None:
        return []
    key, value = spec.label
    return [{"name": "TagKeyValue", "values": [f"user:{key}${value}"]}]


def build_notifications(spec: BudgetSpec, topic: Any) -> list[Any]:
    """Return one notification for each threshold."""
    told: dict[str, Any] = {}
    if spec.emails:
        told["subscriber_email_addresses"] = list(spec.emails)
    if topic is not None:
        told["subscriber_sns_topic_arns"] = [topic]
    return [
        {
            "comparison_operator": "GREATER_THAN",
            "notification_type": kind,
            "threshold": percent,
            "threshold_type": "PERCENTAGE",
            **told,
        }
        for kind, percents in (
            ("ACTUAL", spec.thresholds),
            ("FORECASTED", spec.forecast_thresholds),
        )
        for percent in percents
    ]


def build_specification(label: tuple[str, str]) -> str:
    """Return a monitor's expression; AWS answers the empty parts too, which must be stated."""
    key, value = label
    tags = {"Key": f"user:{key}", "MatchOptions": None, "Values": [value]}
    empty = dict.fromkeys(("And", "CostCategories", "Dimensions", "Not", "Or"))
    return json.dumps({**empty, "Tags": tags}, sort_keys=True)


def _declare_anomalies(
    parent: pulumi.ComponentResource,
    spec: BudgetSpec,
    anomaly: Anomaly,
    topic: Any,
    before: list[pulumi.Resource],
    opts: pulumi.ResourceOptions | None,
) -> pulumi.Output[str]:
    """Declare the monitor, and a subscription for each way of telling; return the monitor's ARN."""
    monitor = AnomalyMonitor(
        spec.id,
        monitor_type="CUSTOM",
        monitor_specification=build_specification(spec.label or ("", "")),
        tags=spec.cost_labels,
        # A monitor by a tag that is not active yet is refused.
        opts=child_options(parent, opts, AnomalyMonitor, depends_on=before),
    )
    ways: list[tuple[str, str, list[Any]]] = []
    if spec.emails:
        addresses = [{"type": "EMAIL", "address": address} for address in spec.emails]
        ways.append((f"{spec.id}-email", anomaly.frequency.value, addresses))
    if topic is not None:
        # A topic is told at once and e-mail is not: AWS takes no subscription of both.
        ways.append((f"{spec.id}-topic", "IMMEDIATE", [{"type": "SNS", "address": topic}]))
    impact = {
        "key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE",
        "match_options": ["GREATER_THAN_OR_EQUAL"],
        "values": [f"{anomaly.minimum_impact:f}"],
    }
    expression: Any = {"dimension": impact}
    for name, frequency, subscribers in ways:
        AnomalySubscription(
            name,
            frequency=frequency,
            monitor_arn_lists=[monitor.arn],
            subscribers=subscribers,
            threshold_expression=expression,
            tags=spec.cost_labels,
            opts=child_options(parent, opts, AnomalySubscription, depends_on=before),
        )
    return monitor.arn
