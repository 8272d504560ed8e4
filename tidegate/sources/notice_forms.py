"""What each cloud's announcement of a machine's end looks like, read into notices.

AWS: EventBridge events, as an SQS target has them ("EC2 Spot Instance interruption notices",
"EC2 instance rebalance recommendations", "EC2 Instance State-change Notification", "AWS Health
event"). Google: Compute Engine's system events as a log sink exports them ("Preemptible VM
instances", "Cloud Audit Logs"). Azure: "Azure Resource Notifications - Health Resources events in
Azure Event Grid". Vendor documentation, read 2026-11-30.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any

from tidegate.sources.times import parse_time
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.notices import Notice, NoticeKind

Body = Mapping[str, Any]
YEARS = range(2000, 3000)
LONGEST = 500
"""Letters of a name or a text: what is longer is none of a cloud's."""
AWS_SECONDS = 120
"""From the warning to the end of a Spot Instance."""
GOOGLE_SECONDS = 30
"""From the preemption to the end of a machine."""
AWS_KINDS = {
    "EC2 Spot Instance Interruption Warning": NoticeKind.INTERRUPTION,
    "EC2 Instance Rebalance Recommendation": NoticeKind.REBALANCE,
    "EC2 Instance State-change Notification": NoticeKind.ENDED,
}
HEALTH_EVENT = "AWS Health Event"
GONE_STATES = frozenset({"shutting-down", "stopping", "stopped", "terminated"})
GOOGLE_METHODS = {
    "compute.instances.preempted": "was preempted",
    "compute.instances.hostError": "lost its host",
}
AZURE_ANNOTATED = "Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated"
AZURE_STATUS = "Microsoft.ResourceNotifications.HealthResources.AvailabilityStatusChanged"
AZURE_ENDS = {
    "VirtualMachinePreempted": NoticeKind.INTERRUPTION,
    "VirtualMachineLowPriorityPreempted": NoticeKind.INTERRUPTION,
    "VirtualMachineDeallocationInitiated": NoticeKind.ENDED,
    "VirtualMachineStopped": NoticeKind.ENDED,
}


def parse_notices(cloud: Cloud, text: str) -> list[Notice]:
    """Return what a message announces; nothing where it is of no machine's end.

    Raises:
        ValueError: The message is none of its cloud's.
    """
    try:
        body = json.loads(text)
        if not isinstance(body, dict):
            raise TypeError("no JSON object")  # noqa: TRY301 - told as all others below
        return [_bound(notice) for notice in FORMS[cloud](body)]
    except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"lacks what such an event has: {error!r}") from error


def _bound(notice: Notice) -> Notice:
    """Return a notice that can be remembered and shown, whoever wrote its message.

    Raises:
        ValueError: It names no machine that could be one.
    """
    if len(notice.machine) > LONGEST or not notice.machine.isprintable():
        raise ValueError(f"names {notice.machine[:40]!r} as a machine")
    if any(at is not None and at.year not in YEARS for at in (notice.at, notice.ends_at)):
        raise ValueError(f"is of {notice.at.isoformat()}")
    identity = notice.id
    if len(identity) > LONGEST or not identity.isprintable():
        identity = sha256(identity.encode(errors="replace")).hexdigest()
    text = "".join(letter for letter in notice.text[:LONGEST] if letter.isprintable())
    return replace(notice, id=identity, text=text)


def _parse_aws(event: Body) -> Iterator[Notice]:
    if event.get("Type") == "Notification":  # by way of an SNS topic
        event = json.loads(event["Message"])
    if event["detail-type"] == HEALTH_EVENT:
        yield from _parse_health(event)
        return
    kind, detail = AWS_KINDS[event["detail-type"]], event["detail"]
    if kind is NoticeKind.ENDED and detail["state"] not in GONE_STATES:
        return
    at = parse_time(event["time"])
    warned = kind is NoticeKind.INTERRUPTION
    ends = at + timedelta(seconds=AWS_SECONDS) if warned else None
    what = f"{event['detail-type']}: {detail.get('instance-action') or detail.get('state') or ''}"
    yield Notice(
        id=str(event["id"]),
        cloud=Cloud.AWS.value,
        machine=_text(detail["instance-id"]),
        kind=kind,
        at=at,
        ends_at=at if kind is NoticeKind.ENDED else ends,
        text=what.rstrip(": "),
    )


def _parse_health(event: Body) -> Iterator[Notice]:
    """Yield a notice for each machine of a scheduled change that still stands."""
    detail = event["detail"]
    is_open = detail.get("statusCode") != "closed"
    if detail["eventTypeCategory"] != "scheduledChange" or not is_open:
        return
    starts = parsedate_to_datetime(detail["startTime"])
    starts = starts if starts.tzinfo else starts.replace(tzinfo=UTC)
    for entity in detail.get("affectedEntities") or ():
        machine = _text(entity["entityValue"])
        yield Notice(
            id=f"{detail['eventArn']}/{machine}/{starts.isoformat()}",
            cloud=Cloud.AWS.value,
            machine=machine,
            kind=NoticeKind.MAINTENANCE,
            at=parse_time(event["time"]),
            ends_at=starts,
            text=f"{detail['eventTypeCode']} from {starts.isoformat()}",
        )


def _parse_google(entry: Body) -> Iterator[Notice]:
    payload = entry["protoPayload"]
    what = GOOGLE_METHODS[payload["methodName"]]
    at = parse_time(entry["timestamp"])
    yield Notice(
        id=f"{entry['insertId']}/{payload['resourceName']}",
        cloud=Cloud.GCP.value,
        machine=_text(payload["resourceName"]),
        kind=NoticeKind.INTERRUPTION,
        at=at,
        ends_at=at + timedelta(seconds=GOOGLE_SECONDS),
        text=what,
    )


def _parse_azure(event: Body) -> Iterator[Notice]:
    kind_of_event = event.get("eventType") or event["type"]
    properties = event["data"]["resourceInfo"]["properties"]
    at = parse_time(event.get("eventTime") or event["time"])
    if kind_of_event == AZURE_STATUS:
        if properties.get("availabilityState") != "Unavailable":
            return
        # It may come back, so it is no end.
        kind, text = NoticeKind.REBALANCE, "is unavailable"
    elif kind_of_event == AZURE_ANNOTATED:
        name = properties["annotationName"]
        if name not in AZURE_ENDS:
            return
        kind, text = AZURE_ENDS[name], str(properties.get("reason") or name)
    else:
        raise ValueError(f"is of the type {kind_of_event!r}, which is not asked for")
    yield Notice(
        id=str(event["id"]),
        cloud=Cloud.AZURE.value,
        machine=_text(properties["targetResourceId"]),
        kind=kind,
        at=at,
        ends_at=at,
        text=text,
    )


FORMS: Mapping[Cloud, Callable[[Body], Iterator[Notice]]] = {
    Cloud.AWS: _parse_aws,
    Cloud.GCP: _parse_google,
    Cloud.AZURE: _parse_azure,
}


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"names {value!r} as a machine")
    return value
