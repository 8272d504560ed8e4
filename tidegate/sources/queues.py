"""How many messages wait in the clouds' own queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tidegate.sources.config import PubSubSource, SqsSource, StorageQueueSource
from tidegate.sources.counted import Count, to_count
from tidegate.vocabulary.reports import SourceFault

TIMEOUT_SECONDS = 10
CALLS = {
    "get_queue_attributes": "sqs:GetQueueAttributes",
    "timeSeries.list": "monitoring.timeSeries.list",
    "get_queue_properties": "Microsoft.Storage/storageAccounts/queueServices/queues/read",
}
"""What is called here → the action that the controller's role must allow."""
SQS_COUNTS = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
UNDELIVERED = "pubsub.googleapis.com/subscription/num_undelivered_messages"
MONITORING = "https://monitoring.googleapis.com"
SESSION_MODULES = ("requests", "google", "urllib3", "json")
"""Whose errors a signed session of Google's raises."""


def count_sqs(settings: SqsSource, sqs: Any) -> Callable[[], Count]:
    """Return what asks an SQS queue; `sqs` is a boto3 client."""

    def fetch() -> Count:
        try:
            told = sqs.get_queue_attributes(
                QueueUrl=settings.queue_url, AttributeNames=list(SQS_COUNTS)
            )["Attributes"]
        except Exception as error:
            raise as_fault(error, "botocore", settings.queue_url) from error
        if not set(SQS_COUNTS) <= set(told):
            raise SourceFault(f"{settings.queue_url} answers without its counts")
        waiting, working = (to_count(told[name], name) for name in SQS_COUNTS)
        return Count(waiting, working)

    return fetch


def count_storage_queue(settings: StorageQueueSource, queue: Any) -> Callable[[], Count]:
    """Return what asks a storage queue; `queue` is a QueueClient.

    Azure's count includes messages that somebody took, and does not tell how many those are.
    """
    where = f"{settings.account}/{settings.queue}"

    def fetch() -> Count:
        try:
            found = queue.get_queue_properties(timeout=TIMEOUT_SECONDS)
        except Exception as error:
            raise as_fault(error, "azure", where) from error
        return Count(to_count(found.approximate_message_count, f"the count of {where}"))

    return fetch


def count_subscription(
    settings: PubSubSource, session: Any, url: str = MONITORING
) -> Callable[[], Count]:
    """Return what asks Cloud Monitoring how many messages a subscription has not acknowledged.

    Pub/Sub itself tells no number. The count includes messages that somebody took.

    Args:
        settings: The source's entry.
        session: A `google.auth` session, which signs requests.
        url: Where Cloud Monitoring answers.
    """
    where = f"{settings.project}/{settings.subscription}"

    def fetch() -> Count:
        now = datetime.now(UTC)
        chosen = f'resource.labels.subscription_id="{settings.subscription}"'
        asked = {
            "filter": f'metric.type="{UNDELIVERED}" AND {chosen}',
            "interval.startTime": (now - timedelta(seconds=settings.fresh_seconds)).isoformat(),
            "interval.endTime": now.isoformat(),
        }
        try:
            answer = session.get(
                f"{url}/v3/projects/{settings.project}/timeSeries",
                params=asked,
                timeout=TIMEOUT_SECONDS,
            )
            answer.raise_for_status()
            series = answer.json().get("timeSeries") or []
        except Exception as error:
            raise as_fault(error, SESSION_MODULES, where) from error
        return Count(_read_point(series, where, now, settings.fresh_seconds))

    return fetch


def _read_point(series: list[Mapping[str, Any]], where: str, now: datetime, fresh: int) -> int:
    """Return the newest point's value."""
    try:
        points = [point for each in series for point in each["points"]]
        newest = max(points, key=lambda point: point["interval"]["endTime"], default=None)
        if newest is None:
            raise SourceFault(f"Cloud Monitoring has no point of {where} within {fresh} s")
        at = datetime.fromisoformat(newest["interval"]["endTime"])
        value = newest["value"]["int64Value"]
    except (KeyError, TypeError, ValueError) as error:
        raise SourceFault(f"Cloud Monitoring answers no time series for {where}") from error
    if now - at > timedelta(seconds=fresh):
        raise SourceFault(f"the newest point of {where} is of {at.isoformat()}")
    return to_count(value, f"the backlog of {where}")


def as_fault(error: Exception, modules: str | tuple[str, ...], what: str) -> Exception:
    """Return an SDK's error as a fault; any other is a mistake here, and stays what it is."""
    if isinstance(error, SourceFault) or not type(error).__module__.startswith(modules):
        return error
    first = str(error).partition("\n")[0]
    return SourceFault(f"{what} cannot be read: {type(error).__name__}: {first}")
