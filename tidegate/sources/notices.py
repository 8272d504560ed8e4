"""Announcements of machines' ends, taken from the queues that clouds put them in.

A message is deleted only once what it says is remembered, so that a controller that is killed
meanwhile is told again.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tidegate.sources.notice_forms import parse_notices
from tidegate.sources.queues import SESSION_MODULES, as_fault
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.notices import Notice, NoticeReport

TIMEOUT_SECONDS = 10
BATCH = 10
BATCHES = 50
"""Of a flood the rest is taken at the next turn."""
HIDDEN_SECONDS = 60
"""How long a message that was taken is not told to others; then it comes again."""
MOST_TOLD = 200
"""Characters of a message that is refused which are told."""
PUBSUB = "https://pubsub.googleapis.com"
TAKE_MESSAGES = "Microsoft.Storage/storageAccounts/queueServices/queues/messages/process/action"
CALLS = {
    "receive_message": "sqs:ReceiveMessage",
    "delete_message_batch": "sqs:DeleteMessage",
    "subscriptions.pull": "pubsub.subscriptions.consume",
    "subscriptions.acknowledge": "pubsub.subscriptions.consume",
    "receive_messages": TAKE_MESSAGES,
    "delete_message": TAKE_MESSAGES,
}
"""What is called here → the action that the controller's role must allow."""


class SqsNotices:
    """EventBridge's messages in an SQS queue; `sqs` is a boto3 client."""

    def __init__(self, name: str, queue_url: str, sqs: Any) -> None:
        self.name = name
        self._url = queue_url
        self._sqs = sqs

    def fetch(self) -> NoticeReport:
        """Take what there is.

        Raises:
            SourceFault: The queue cannot be read.
        """

        def take() -> Sequence[tuple[str, str]]:
            try:
                told = self._sqs.receive_message(
                    QueueUrl=self._url, MaxNumberOfMessages=BATCH, VisibilityTimeout=HIDDEN_SECONDS
                )
                found = told.get("Messages", [])
            except Exception as error:
                raise as_fault(error, "botocore", self._url) from error
            return [(message["ReceiptHandle"], message["Body"]) for message in found]

        return collect(Cloud.AWS, take)

    def settle(self, receipts: Sequence[str]) -> None:
        """Delete messages that are remembered.

        Raises:
            SourceFault: The queue does not answer; they come again.
        """
        for batch in _batches(receipts):
            entries = [{"Id": str(n), "ReceiptHandle": one} for n, one in enumerate(batch)]
            try:
                self._sqs.delete_message_batch(QueueUrl=self._url, Entries=entries)
            except Exception as error:
                raise as_fault(error, "botocore", self._url) from error


class PubSubNotices:
    """A log sink's messages in a Pub/Sub subscription; `session` signs requests."""

    def __init__(self, name: str, subscription: str, session: Any, url: str = PUBSUB) -> None:
        """Prepare.

        Args:
            name: What people call it.
            subscription: "projects/…/subscriptions/…".
            session: A `google.auth` session.
            url: Where Pub/Sub answers.
        """
        self.name = name
        self._path = f"{url}/v1/{subscription}"
        self._session = session

    def fetch(self) -> NoticeReport:
        """Take what there is.

        Raises:
            SourceFault: The subscription cannot be read.
        """

        def take() -> Sequence[tuple[str, str]]:
            body = {"maxMessages": BATCH, "returnImmediately": True}
            found = self._post("pull", body).get("receivedMessages") or []
            return [(one["ackId"], _decode(one["message"].get("data", ""))) for one in found]

        return collect(Cloud.GCP, take)

    def settle(self, receipts: Sequence[str]) -> None:
        """Acknowledge messages that are remembered.

        Raises:
            SourceFault: Pub/Sub does not answer; they come again.
        """
        for batch in _batches(receipts):
            self._post("acknowledge", {"ackIds": list(batch)})

    def _post(self, verb: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._session.post(f"{self._path}:{verb}", json=body, timeout=TIMEOUT_SECONDS)
            answer.raise_for_status()
            told = answer.json()
        except Exception as error:
            raise as_fault(error, SESSION_MODULES, self._path) from error
        return told if isinstance(told, dict) else {}


class StorageQueueNotices:
    """Event Grid's messages in a storage queue; `queue` is a QueueClient."""

    def __init__(self, name: str, queue: Any) -> None:
        self.name = name
        self._queue = queue

    def fetch(self) -> NoticeReport:
        """Take what there is.

        Raises:
            SourceFault: The queue cannot be read.
        """

        def take() -> Sequence[tuple[str, str]]:
            try:
                found = list(
                    self._queue.receive_messages(
                        max_messages=BATCH,
                        visibility_timeout=HIDDEN_SECONDS,
                        timeout=TIMEOUT_SECONDS,
                    )
                )
            except Exception as error:
                raise as_fault(error, "azure", self.name) from error
            return [
                (json.dumps([message.id, message.pop_receipt]), _decode(message.content))
                for message in found
            ]

        return collect(Cloud.AZURE, take)

    def settle(self, receipts: Sequence[str]) -> None:
        """Delete messages that are remembered.

        Raises:
            SourceFault: The queue does not answer; they come again.
        """
        from azure.core.exceptions import ResourceNotFoundError

        for receipt in receipts:
            identifier, pop_receipt = json.loads(receipt)
            try:
                self._queue.delete_message(identifier, pop_receipt, timeout=TIMEOUT_SECONDS)
            except ResourceNotFoundError:
                continue  # its time was over
            except Exception as error:
                raise as_fault(error, "azure", self.name) from error


def collect(cloud: Cloud, take: Callable[[], Sequence[tuple[str, str]]]) -> NoticeReport:
    """Return what batches of messages say, until one is empty.

    Args:
        cloud: Whose messages.
        take: Returns the next messages: a receipt, and the text.
    """
    notices: list[Notice] = []
    refused: list[str] = []
    receipts: list[str] = []
    for _ in range(BATCHES):
        messages = take()
        for receipt, text in messages:
            receipts.append(receipt)
            try:
                notices += parse_notices(cloud, text)
            except ValueError as error:
                refused.append(f"a message {error}: {text[:MOST_TOLD]}")
        if not messages:
            break
    return NoticeReport(tuple(notices), tuple(refused), tuple(receipts))


def _decode(text: str) -> str:
    """Return a message that may stand in base64; what cannot be read stays what it is."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return text


def _batches(receipts: Sequence[str]) -> Iterable[Sequence[str]]:
    return (receipts[start : start + BATCH] for start in range(0, len(receipts), BATCH))
