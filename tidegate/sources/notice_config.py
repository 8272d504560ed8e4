"""Queues of interruption notices beside those that the stack itself declares."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from tidegate.manifest.document import Document
from tidegate.sources.patterns import Name, StorageAccount, Url


class SqsNoticeQueue(Document):
    """An SQS queue that EventBridge puts EC2's and AWS Health's events in."""

    kind: Literal["sqs"]
    name: Name
    region: str
    queue_url: Url


class PubSubNoticeQueue(Document):
    """A Pub/Sub subscription that a log sink puts Compute Engine's system events in."""

    kind: Literal["pubsub"]
    name: Name
    project: str
    subscription: str


class StorageNoticeQueue(Document):
    """A storage queue that Event Grid puts health events of machines in."""

    kind: Literal["storage-queue"]
    name: Name
    account: StorageAccount
    queue: str


NoticeQueue = Annotated[
    SqsNoticeQueue | PubSubNoticeQueue | StorageNoticeQueue, Field(discriminator="kind")
]
NOTICE_KINDS: tuple[type[Document], ...] = get_args(get_args(NoticeQueue)[0])
