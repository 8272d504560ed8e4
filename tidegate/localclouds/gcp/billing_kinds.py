"""Cloud Billing budgets, and the notification channels of Cloud Monitoring.

Sources: the property descriptions of pulumi-gcp 10.2.0 and the discovery documents
billingbudgets.v1 and monitoring.v3 (2026-11-30). The grammar of a billing account and the labels
of each channel type: general vendor documentation, not verified.
"""

# ruff: noqa: ARG001 - what completes a body has one signature for all kinds

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.kind import Kind, Reference, Rest, find_all
from tidegate.localclouds.gcp.kind_rules import exclusive_rule, items_rule, length_rule, range_rule
from tidegate.localclouds.gcp.references import CHANNEL, find_channel, find_topic
from tidegate.localclouds.rest_shape import Field, Shape

BUDGET = "billingbudgets.googleapis.com/Budget"
PROJECT = re.compile(r"projects/\d+")
MAX_CHANNELS = 5

# What a channel of each type cannot do without, among its labels or its sensitive ones.
CHANNEL_LABELS: dict[str, tuple[str, ...]] = {
    "campfire": ("subdomain", "room"),
    "email": ("email_address",),
    "google_chat": ("space",),
    "hipchat": ("room",),
    "pagerduty": (),
    "pubsub": ("topic",),
    "slack": ("channel_name",),
    "sms": ("number",),
    "webhook_basicauth": ("url",),
    "webhook_tokenauth": ("url",),
}


def _check_projects(body: Body) -> Iterator[CheckFailure]:
    for place, value in find_all(body, "budgetFilter.projects[]"):
        if isinstance(value, str) and not PROJECT.fullmatch(value):
            yield CheckFailure(
                place, f"Invalid project '{value}': expected its number, projects/123456789012."
            )


def _check_labels(body: Body) -> Iterator[CheckFailure]:
    labels = look(body, "budgetFilter.labels")
    if isinstance(labels, dict) and len(labels) > 1:
        yield CheckFailure("budgetFilter.labels", "Only one label can be filtered by.")


def _check_amount(body: Body) -> Iterator[CheckFailure]:
    amount = body.get("amount")
    if not isinstance(amount, dict):
        return
    words = ("specifiedAmount", "lastPeriodAmount")
    given = [word for word in words if amount.get(word) is not None]
    if len(given) != 1:
        yield CheckFailure(
            "amount", "Exactly one of specifiedAmount and lastPeriodAmount has to be given."
        )
    units = look(amount, "specifiedAmount.units")
    if isinstance(units, str) and not units.lstrip("-").isdigit():
        yield CheckFailure("amount.specifiedAmount.units", f"'{units}' is not a whole number.")


def _check_forecast(body: Body) -> Iterator[CheckFailure]:
    if look(body, "budgetFilter.customPeriod") in (None, UNKNOWN):
        return
    for place, value in find_all(body, "thresholdRules[].spendBasis"):
        if value == "FORECASTED_SPEND":
            yield CheckFailure(place, "A forecast needs a calendar period, not a custom one.")


def _check_credits(body: Body) -> Iterator[CheckFailure]:
    kinds = look(body, "budgetFilter.creditTypes")
    treatment = look(body, "budgetFilter.creditTypesTreatment")
    if kinds and treatment not in ("INCLUDE_SPECIFIED_CREDITS", UNKNOWN):
        yield CheckFailure(
            "budgetFilter.creditTypes",
            "Credit types need creditTypesTreatment INCLUDE_SPECIFIED_CREDITS.",
        )


def _fill_budget(name: str, body: Body) -> None:
    fill_defaults(
        body,
        {"budgetFilter": {"creditTypesTreatment": "INCLUDE_ALL_CREDITS"}},
    )
    if not body["budgetFilter"].get("customPeriod"):
        fill_defaults(body["budgetFilter"], {"calendarPeriod": "MONTH"})
    for rule in body.get("thresholdRules", []):
        fill_defaults(rule, {"spendBasis": "CURRENT_SPEND"})
    if body.get("notificationsRule"):
        fill_defaults(body["notificationsRule"], {"schemaVersion": "1.0"})
    body["etag"] = names.fingerprint_of({k: v for k, v in body.items() if k != "etag"})


def _labels_to_rest(labels: dict[str, Any]) -> dict[str, Any]:
    return {key: [value] for key, value in labels.items()}


def _labels_to_pulumi(labels: dict[str, Any]) -> dict[str, Any]:
    return {key: values[0] for key, values in labels.items() if values}


_FILTER = Shape(fields={"labels": Field(to_rest=_labels_to_rest, to_pulumi=_labels_to_pulumi)})
_AMOUNT = Shape(
    fields={
        "lastPeriodAmount": Field(
            to_rest=lambda asked: {} if asked else None, to_pulumi=lambda _: True
        )
    }
)

BUDGET_KIND = Kind(
    pulumi="gcp:billing/budget:Budget",
    name=BUDGET,
    path="billingAccounts/{billingAccount}/budgets/{name}",
    shape=Shape(
        fields={
            "allUpdatesRule": Field("notificationsRule"),
            "amount": Field(shape=_AMOUNT),
            "budgetFilter": Field(shape=_FILTER),
        },
        rest_only=frozenset({"etag"}),
    ),
    rest=Rest("v1", "budgets"),
    rules=(
        length_rule("displayName", 60),
        _check_amount,
        _check_projects,
        _check_labels,
        _check_credits,
        _check_forecast,
        exclusive_rule("budgetFilter.calendarPeriod", "budgetFilter.customPeriod"),
        range_rule("thresholdRules[].thresholdPercent", 0, 1e9),
        items_rule("notificationsRule.monitoringNotificationChannels", MAX_CHANNELS),
    ),
    references=(
        Reference("notificationsRule.pubsubTopic", find_topic),
        Reference("notificationsRule.monitoringNotificationChannels[]", find_channel),
    ),
    fill=_fill_budget,
    make_id=lambda seed: str(uuid.UUID(names.hexadecimal_of(seed, 32))),
)


def _check_channel(body: Body) -> Iterator[CheckFailure]:
    kind, labels = body.get("type"), body.get("labels", {})
    if not isinstance(kind, str):
        return
    if kind not in CHANNEL_LABELS:
        yield CheckFailure(
            "type", f"Unknown channel type '{kind}': one of {', '.join(CHANNEL_LABELS)}."
        )
        return
    for key in CHANNEL_LABELS[kind]:
        if isinstance(labels, dict) and not labels.get(key):
            yield CheckFailure("labels", f"A channel of type {kind} needs the label '{key}'.")


def _fill_channel(name: str, body: Body) -> None:
    fill_defaults(body, {"enabled": True, "labels": {}})


CHANNEL_KIND = Kind(
    pulumi="gcp:monitoring/notificationChannel:NotificationChannel",
    name=CHANNEL,
    path="projects/{project}/notificationChannels/{name}",
    shape=Shape(provider_only=frozenset({"forceDelete"})),
    rest=Rest("v3", "notificationChannels"),
    rules=(_check_channel, length_rule("displayName", 512), length_rule("description", 1024)),
    references=(Reference("labels.topic", find_topic),),
    fill=_fill_channel,
    private=frozenset({"sensitiveLabels"}),
    labels=("userLabels",),
    shown_name="full",
    make_id=names.number_of,
)

KINDS = (BUDGET_KIND, CHANNEL_KIND)
