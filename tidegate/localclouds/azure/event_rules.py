"""What Azure refuses in system topics and their event subscriptions, said of the REST body.

Source: Microsoft Learn, "Azure Resource Notifications - Health Resources events in Azure Event
Grid", read 2026-11-30: events of a whole subscription. The rest is general vendor documentation,
not verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.azure.times import parse_time
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

HEALTH_TOPIC = "microsoft.resourcenotifications.healthresources"
ANNOTATED = "Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated"
STATUS_CHANGED = "Microsoft.ResourceNotifications.HealthResources.AvailabilityStatusChanged"
QUEUE_NEEDS = ("resourceId", "queueName")


def check_system_topic(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a system topic: health events are a whole subscription's."""
    del name
    source, topic = look(body, "properties.source"), look(body, "properties.topicType")
    if not (isinstance(topic, str) and topic.lower() == HEALTH_TOPIC):
        return
    steps = [step for step in str(source).split("/") if step]
    if isinstance(source, str) and not (len(steps) == 2 and steps[0].lower() == "subscriptions"):
        yield CheckFailure(
            "properties.source", f"Topic type {topic} has a subscription as its source: {source}."
        )
    location = body.get("location")
    if isinstance(location, str) and location.lower() != "global":
        yield CheckFailure(
            "location", f"A topic whose source is a subscription is in 'global': {location}."
        )


def check_event_subscription(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an event subscription."""
    del name
    properties = body.get("properties") or {}
    place, target = find_destination(properties)
    if target is None:
        yield CheckFailure("properties.destination", "An event subscription needs a destination.")
    if look(target, "endpointType") == "StorageQueue":
        for word in QUEUE_NEEDS:
            if look(target, f"properties.{word}") is None:
                yield CheckFailure(f"{place}.properties.{word}", f"A queue needs {word}.")
    end = look(properties, "expirationTimeUtc")
    if isinstance(end, str) and parse_time(end) is None:
        yield CheckFailure("properties.expirationTimeUtc", f"Invalid expiration time: '{end}'.")
    filters = look(properties, "filter.advancedFilters")
    for index, each in enumerate(filters if isinstance(filters, list) else []):
        if look(each, "key") is None:
            yield CheckFailure(
                f"properties.filter.advancedFilters[{index}].key", "An advanced filter has a key."
            )


def find_destination(properties: Body) -> tuple[str, Any]:
    """Return where an event subscription's destination stands, and the destination itself."""
    plain = properties.get("destination")
    if plain is not None:
        return "properties.destination", plain
    by_identity = look(properties, "deliveryWithResourceIdentity.destination")
    whole = properties.get("deliveryWithResourceIdentity")
    return (
        "properties.deliveryWithResourceIdentity.destination",
        UNKNOWN if whole is UNKNOWN else by_identity,
    )
