"""What each cloud's budgets take, with the limit's origin in each message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.cost_budget.spec import BudgetSpec

AWS_NOTIFICATIONS = 10
AWS_EMAILS = 10
GCP_CHANNELS = 5
AZURE_NOTIFICATIONS = 5
AZURE_EMAILS = 50
AZURE_HIGHEST_PERCENT = 1000
AWS_CURRENCIES = ("USD", "CNY")


def check_limits(read: Arguments, spec: BudgetSpec) -> None:
    """Note what the budget's cloud would refuse, or would do otherwise than it is meant."""
    own = read.input(spec.cloud.value)
    given = own if isinstance(own, Mapping) else {}
    if spec.start and spec.end and spec.end <= spec.start:
        reason = f"is not after the start {spec.start.isoformat()}"
        read.refuse("end", spec.end.isoformat(), reason, "a later day")
    if not (spec.thresholds or spec.forecast_thresholds):
        expected = "at least one threshold"
        read.refuse("thresholds_percent", None, "is empty, and so are forecasts", expected)
    check = {Cloud.AWS: _check_aws, Cloud.GCP: _check_gcp, Cloud.AZURE: _check_azure}
    check[spec.cloud](read, spec, given)


def _check_aws(read: Arguments, spec: BudgetSpec, own: Mapping[str, Any]) -> None:
    if re.fullmatch(r"[A-Z]{3}", spec.currency) and spec.currency not in AWS_CURRENCIES:
        reason = "is not what AWS counts in: a budget has its account's currency"
        read.refuse("currency", spec.currency, reason, "USD, or CNY in China")
    _at_most(read, "thresholds_percent", _alerts(spec), AWS_NOTIFICATIONS, "AWS budget")
    _at_most(read, "emails", len(spec.emails), AWS_EMAILS, "notification of an AWS budget")
    if spec.create_topic and own.get("sns_topic_arn") is not None:
        reason = "and sns_topic_arn exclude each other: AWS tells one topic"
        read.refuse("aws.create_topic", "true", reason, "one of the two")
    if not (spec.emails or spec.create_topic or own.get("sns_topic_arn") is not None):
        _tells_nobody(read, "emails, aws.sns_topic_arn or aws.create_topic")
    anomaly = spec.anomaly
    if spec.activate_tag and spec.label is None:
        reason = "needs a label, and the budget counts every charge"
        read.refuse("aws.activate_cost_allocation_tag", "true", reason, "by_label, or leave it out")
    if anomaly is None:
        return
    if not anomaly.minimum_impact:
        reason = "is needed: without it every cent is told"
        read.refuse("anomaly.minimum_impact", None, reason, "an amount above 0")
    if spec.label is None:
        reason = "is for one label, and the budget counts every charge"
        read.refuse("anomaly", None, reason, "by_label, or leave it out")
    if anomaly.until is not None:
        read.refuse("anomaly.until", None, "concerns azure", "leave it out")


def _check_gcp(read: Arguments, spec: BudgetSpec, own: Mapping[str, Any]) -> None:
    if spec.anomaly is not None:
        reason = "cannot be declared: Cloud Billing detects anomalies by itself, for all projects"
        read.refuse("anomaly", None, reason, "leave it out")
    if spec.start and not spec.end:
        reason = "cannot be set alone: budgets of calendar periods have always begun"
        read.refuse("start", spec.start.isoformat(), reason, "an end too, or leave it out")
    if spec.end and not spec.start:
        reason = "needs a start: Cloud Billing takes both days of a custom period"
        read.refuse("end", spec.end.isoformat(), reason, "a start too")
    if spec.end and spec.forecast_thresholds:
        reason = "cannot be forecast: Cloud Billing forecasts calendar periods only"
        read.refuse("forecast_thresholds_percent", None, reason, "no forecast, or no end")
    channels = own.get("notification_channels") or []
    told = len(spec.emails) + len(channels)
    _at_most(read, "emails", told, GCP_CHANNELS, "budget of Cloud Billing (channels included)")
    if spec.emails and not own.get("project"):
        reason = "is needed: each e-mail address becomes a notification channel in it"
        read.refuse("gcp.project", None, reason, "a project")
    if not (told or own.get("pubsub_topic") or spec.tell_administrators):
        _tells_nobody(read, "emails, a topic, channels, or tell_billing_administrators")
    for index, project in enumerate(own.get("projects") or []):
        if isinstance(project, str) and not re.fullmatch(r"(projects/)?\d+", project):
            # An id instead of a number is a permanent difference, or counts nothing.
            reason, expected = "is no project number", "a number, or projects/NUMBER"
            read.refuse(f"gcp.projects[{index}]", project, reason, expected)


def _check_azure(read: Arguments, spec: BudgetSpec, own: Mapping[str, Any]) -> None:
    if spec.start is None:
        # One that is computed moves each month, and Azure refuses to change it
        # (Azure/azure-quickstart-templates#7095).
        reason = "is needed: Azure never changes a budget's start, so it is pinned"
        read.refuse("start", None, reason, "the first day of a month, such as 2026-12-01")
    elif spec.start.day != 1:
        reason = "is not where an Azure budget can begin"
        read.refuse("start", spec.start.isoformat(), reason, "the first day of a month")
    _at_most(read, "thresholds_percent", _alerts(spec), AZURE_NOTIFICATIONS, "Azure budget")
    _at_most(read, "emails", len(spec.emails), AZURE_EMAILS, "notification of an Azure budget")
    for key, stated in (
        ("thresholds_percent", spec.thresholds),
        ("forecast_thresholds_percent", spec.forecast_thresholds),
    ):
        if any(percent > AZURE_HIGHEST_PERCENT for percent in stated):
            reason = "is beyond what an Azure budget takes"
            read.refuse(key, max(stated), reason, f"at most {AZURE_HIGHEST_PERCENT}")
    if not spec.emails and not own.get("action_groups"):
        _tells_nobody(read, "emails or azure.action_groups")
    _check_scope(read, spec, own.get("scope"))
    if spec.anomaly is not None:
        _check_insight(read, spec)


def _check_scope(read: Arguments, spec: BudgetSpec, scope: object) -> None:
    if not isinstance(scope, str):
        return  # an Output, or missing, which is refused with the other Inputs
    subscription = re.fullmatch(r"/subscriptions/[^/]+", scope)
    group = re.fullmatch(r"/subscriptions/[^/]+/resourceGroups/[^/]+", scope)
    management = re.fullmatch(r"/providers/Microsoft\.Management/managementGroups/[^/]+", scope)
    if not (subscription or group or management):
        expected = "/subscriptions/ID, a resource group below it, or a management group"
        read.refuse("azure.scope", scope, "is no scope of costs", expected)
    elif spec.anomaly is not None and not subscription:
        reason = "cannot be watched: Azure's anomaly alerts are for a whole subscription"
        read.refuse("azure.scope", scope, reason, "/subscriptions/ID, or no anomaly")


def _check_insight(read: Arguments, spec: BudgetSpec) -> None:
    anomaly = spec.anomaly
    if anomaly is None:
        return
    if anomaly.minimum_impact is not None:
        reason = "cannot be set: Azure decides itself what is unusual"
        read.refuse("anomaly.minimum_impact", anomaly.minimum_impact, reason, "leave it out")
    if not spec.emails:
        read.refuse("anomaly", None, "is told by e-mail alone on Azure", "emails")
    if anomaly.until is None:
        reason = "is needed: Azure's anomaly alerts end on a stated day"
        read.refuse("anomaly.until", None, reason, "a day such as 2027-11-30")
    elif spec.start and anomaly.until <= spec.start:
        reason = f"is not after the start {spec.start.isoformat()}"
        read.refuse("anomaly.until", anomaly.until.isoformat(), reason, "a later day")


def _alerts(spec: BudgetSpec) -> int:
    return len(spec.thresholds) + len(spec.forecast_thresholds)


def _at_most(read: Arguments, key: str, found: int, limit: int, what: str) -> None:
    if found > limit:
        reason = f"are more than one {what} takes, forecasts included"
        if key == "emails":
            reason = f"are more than one {what} tells"
        read.refuse(key, found, reason, f"at most {limit}")


def _tells_nobody(read: Arguments, expected: str) -> None:
    read.refuse("emails", None, "is missing: the budget would tell nobody", expected)
