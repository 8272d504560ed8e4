"""Pub/Sub topics and subscriptions.

Sources: ranges, defaults and names as the property descriptions of pulumi-gcp 10.2.0 and the
discovery document pubsub.v1 have them (2026-11-30).
"""

# ruff: noqa: ARG001 - what completes a body has one signature for all kinds

from __future__ import annotations

from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults
from tidegate.localclouds.gcp.kind import Kind, Reference, Rest
from tidegate.localclouds.gcp.kind_rules import (
    duration_rule,
    exclusive_rule,
    name_rule,
    range_rule,
)
from tidegate.localclouds.gcp.pubsub import MESSAGE
from tidegate.localclouds.gcp.references import SUBSCRIPTION, TOPIC, find_account, find_topic
from tidegate.localclouds.rest_shape import Field, Shape
from tidegate.localclouds.shelf import Shelf

DAY = 86400
RETENTION = (600, 31 * DAY)
ENDLESS = 10**12
DELETED_TOPIC = "_deleted-topic_"
NAME = name_rule(
    r"[A-Za-z][-A-Za-z0-9._~+%]{2,254}",
    "3 to 255 letters, digits, dashes, periods, underscores, tildes, pluses and percents, "
    "starting with a letter",
    reserved="goog",
)


def _fill_topic(name: str, body: Body) -> None:
    body["state"] = "ACTIVE"


def _leave_subscriptions(shelf: Shelf, name: str) -> None:
    """Detach the subscriptions of a topic that is gone; a topic of the same name is another."""
    for key, body in shelf.items(SUBSCRIPTION):
        if body["topic"] == name:
            shelf.put(SUBSCRIPTION, key, {**body, "topic": DELETED_TOPIC})


def _fill_subscription(name: str, body: Body) -> None:
    project = name.split("/")[1]
    topics = [body, body.get("deadLetterPolicy") or {}]
    for place, key in zip(topics, ("topic", "deadLetterTopic"), strict=True):
        if place.get(key) and "/" not in place[key] and place[key] != DELETED_TOPIC:
            place[key] = f"projects/{project}/topics/{place[key]}"
    body["ackDeadlineSeconds"] = body.get("ackDeadlineSeconds") or 10
    body.setdefault("expirationPolicy", {"ttl": f"{31 * DAY}s"})
    fill_defaults(
        body,
        {
            "messageRetentionDuration": f"{7 * DAY}s",
            "pushConfig": {},
            "state": "ACTIVE",
        },
    )


def _forget_messages(shelf: Shelf, name: str) -> None:
    for key, _ in shelf.items(MESSAGE, f"{name}/"):
        shelf.delete(MESSAGE, key)


def _find_topic_of_subscription(shelf: Shelf, name: str, value: str) -> str:
    return "" if value == DELETED_TOPIC else find_topic(shelf, name, value)


def _expiration_to_rest(policy: dict[str, Any]) -> dict[str, Any]:
    """Return the policy as REST has it: one that never ends has no time to live."""
    return {"ttl": policy["ttl"]} if policy.get("ttl") else {}


def _expiration_to_pulumi(policy: dict[str, Any]) -> dict[str, Any]:
    return {"ttl": policy.get("ttl", "")}


TOPIC_KIND = Kind(
    pulumi="gcp:pubsub/topic:Topic",
    name=TOPIC,
    path="projects/{project}/topics/{name}",
    shape=Shape(rest_only=frozenset({"state"})),
    rest=Rest("v1", "topics", create="PUT", patch_wrapper="topic"),
    rules=(NAME, duration_rule("messageRetentionDuration", *RETENTION)),
    fill=_fill_topic,
    after_delete=_leave_subscriptions,
    labels=("labels",),
)

SUBSCRIPTION_KIND = Kind(
    pulumi="gcp:pubsub/subscription:Subscription",
    name=SUBSCRIPTION,
    path="projects/{project}/subscriptions/{name}",
    shape=Shape(
        fields={
            "expirationPolicy": Field(to_rest=_expiration_to_rest, to_pulumi=_expiration_to_pulumi),
        },
        rest_only=frozenset({"state"}),
    ),
    rest=Rest("v1", "subscriptions", create="PUT", patch_wrapper="subscription"),
    rules=(
        NAME,
        range_rule("ackDeadlineSeconds", 0, 600),
        duration_rule("messageRetentionDuration", *RETENTION),
        duration_rule("expirationPolicy.ttl", DAY, ENDLESS),
        duration_rule("retryPolicy.minimumBackoff", 0, 600),
        duration_rule("retryPolicy.maximumBackoff", 0, 600),
        range_rule("deadLetterPolicy.maxDeliveryAttempts", 5, 100),
        exclusive_rule("pushConfig.pushEndpoint", "bigqueryConfig", "cloudStorageConfig"),
    ),
    references=(
        Reference("topic", _find_topic_of_subscription),
        Reference("deadLetterPolicy.deadLetterTopic", find_topic),
        Reference("pushConfig.oidcToken.serviceAccountEmail", find_account),
    ),
    fill=_fill_subscription,
    after_delete=_forget_messages,
    labels=("labels",),
    freely=("topic",),
)

KINDS = (TOPIC_KIND, SUBSCRIPTION_KIND)
