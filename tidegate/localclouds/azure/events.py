"""Event Grid: system topics, their subscriptions, and what reaches a storage queue.

An event goes to each subscription whose topic it belongs to and whose filter lets it pass; a
storage queue gets it as one message, in base64 (general vendor documentation, not verified).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import no_reference, refused
from tidegate.localclouds.azure.event_rules import find_destination
from tidegate.localclouds.azure.ids import ArmId, identify, parse_id
from tidegate.localclouds.azure.kinds import EVENT_SUBSCRIPTION, SYSTEM_TOPIC
from tidegate.localclouds.azure.queues import put_message, queue_of
from tidegate.localclouds.bodies import Body, look

Test = Callable[[str, list[str]], bool]

TEXT_TESTS: Mapping[str, Test] = {
    "StringBeginsWith": lambda value, given: any(value.startswith(each) for each in given),
    "StringContains": lambda value, given: any(each in value for each in given),
    "StringEndsWith": lambda value, given: any(value.endswith(each) for each in given),
    "StringIn": lambda value, given: value in given,
    "StringNotBeginsWith": lambda value, given: not any(value.startswith(x) for x in given),
    "StringNotContains": lambda value, given: not any(each in value for each in given),
    "StringNotEndsWith": lambda value, given: not any(value.endswith(each) for each in given),
    "StringNotIn": lambda value, given: value not in given,
}


class SystemTopicLogic(Logic):
    """`Microsoft.EventGrid/systemTopics`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a second topic of one source, and fill the topic in.

        Microsoft Learn, "System topics in Azure Event Grid", read 2026-11-30: one a source.
        """
        del old
        properties = body["properties"]
        for other in arm.shelf.find(
            SYSTEM_TOPIC.type, f"/subscriptions/{id.subscription}/".lower()
        ):
            if parse_id(other["id"]).key != id.key and _is_same_source(other, body):
                raise refused(
                    "InvalidRequest",
                    f"Only one system topic is allowed per source: {properties['source']} has "
                    f"'{other['name']}' for topic type {properties['topicType']}.",
                    409,
                )
        properties["metricResourceId"] = identify(str(id))


def _is_same_source(one: Body, other: Body) -> bool:
    return _source_of(one) == _source_of(other)


def _source_of(topic: Body) -> tuple[str, str]:
    properties = topic["properties"]
    return _fold(properties["topicType"]), _fold(properties["source"])


def _fold(text: Any) -> str:
    return str(text).strip("/").lower()


class EventSubscriptionLogic(Logic):
    """`Microsoft.EventGrid/systemTopics/eventSubscriptions`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a queue that does not exist."""
        del old
        queue = destination_queue(body)
        if queue is not None and arm.find(queue) is None:
            raise no_reference(str(queue), str(id))
        body["properties"]["topic"] = str(id.parent())


def destination_queue(subscription: Body) -> ArmId | None:
    """Return the storage queue that a subscription delivers to, None where it is none."""
    _, target = find_destination(subscription["properties"])
    if look(target, "endpointType") != "StorageQueue":
        return None
    return queue_of(parse_id(target["properties"]["resourceId"]), target["properties"]["queueName"])


def publish(arm: Arm, topic_type: str, source: str, event: Body) -> int:
    """Deliver an event, in the Event Grid schema, to the queues that ask for it.

    Returns:
        How many queues got it.
    """
    delivered = 0
    for topic in arm.shelf.find(SYSTEM_TOPIC.type):
        given = topic["properties"]
        if _fold(given["topicType"]) != _fold(topic_type) or _fold(given["source"]) != _fold(
            source
        ):
            continue
        for subscription in arm.shelf.find(EVENT_SUBSCRIPTION.type, f"{topic['id']}/".lower()):
            queue = destination_queue(subscription)
            if queue is None or arm.find(queue) is None or not passes(subscription, event):
                continue
            schema = subscription["properties"].get("eventDeliverySchema")
            put_message(arm, queue, _render(event, schema))
            delivered += 1
    return delivered


def _render(event: Body, schema: Any) -> str:
    body = _as_cloud_event(event) if schema == "CloudEventSchemaV1_0" else event
    return base64.b64encode(json.dumps(body).encode()).decode()


def _as_cloud_event(event: Body) -> Body:
    return {
        "id": event["id"],
        "source": event["topic"],
        "subject": event["subject"],
        "type": event["eventType"],
        "time": event["eventTime"],
        "specversion": "1.0",
        "data": event["data"],
    }


def passes(subscription: Body, event: Body) -> bool:
    """Tell whether a subscription's filter lets an event pass."""
    given = subscription["properties"].get("filter") or {}
    types = given.get("includedEventTypes")
    if types and "All" not in types and event["eventType"] not in types:
        return False
    fold = str if given.get("isSubjectCaseSensitive") else str.lower
    subject = fold(event["subject"])
    if not subject.startswith(fold(given.get("subjectBeginsWith") or "")):
        return False
    if not subject.endswith(fold(given.get("subjectEndsWith") or "")):
        return False
    return all(_matches(each, event) for each in given.get("advancedFilters") or [])


def _matches(test: Mapping[str, Any], event: Body) -> bool:
    operator, value = str(test.get("operatorType")), look(event, str(test.get("key")))
    if operator == "IsNullOrUndefined":
        return value is None
    if operator == "IsNotNull":
        return value is not None
    # Of the others these are events of text; numbers and truth never stand in them.
    compare = TEXT_TESTS.get(operator)
    if compare is None or value is None:
        return operator.startswith("StringNot")
    return compare(str(value).lower(), [str(each).lower() for each in test.get("values") or []])
