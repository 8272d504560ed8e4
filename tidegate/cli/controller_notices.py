"""Queues of interruption notices, wired: those that the stack's pools declare, and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from tidegate.manifest.model import Manifest, Pool
from tidegate.ports import NoticeSource
from tidegate.sources.notice_config import NoticeQueue, PubSubNoticeQueue, SqsNoticeQueue
from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate.vocabulary.fleet_state import CloudRefused
from tidegate.vocabulary.notices import NoticeReport
from tidegate.vocabulary.problems import refuse
from tidegate.vocabulary.reports import SourceFault

Binding = Mapping[str, str]


class LateNotices:
    """A queue whose client is made when it is first read: a dry run reads none."""

    def __init__(self, name: str, build: Callable[[], NoticeSource]) -> None:
        self.name = name
        self._build = build
        self._queue: NoticeSource | None = None

    def open(self) -> NoticeSource:
        """Return the queue.

        Raises:
            SourceFault: It cannot be read; asked again, it may be.
        """
        if self._queue is None:
            try:
                self._queue = self._build()
            except CloudRefused as refusal:
                raise SourceFault(str(refusal)) from refusal
        return self._queue

    def fetch(self) -> NoticeReport:
        """Take what was announced.

        Raises:
            SourceFault: No answer.
        """
        return self.open().fetch()

    def settle(self, receipts: Sequence[str]) -> None:
        """Have messages deleted; nothing was taken from a queue that could not be opened.

        Raises:
            SourceFault: No answer.
        """
        if self._queue is not None:
            self._queue.settle(receipts)


def build_notices(
    manifest: Manifest,
    bindings: Mapping[str, Binding],
    given: Sequence[NoticeQueue],
    local_urls: Mapping[str, str],
) -> list[NoticeSource]:
    """Return every queue of notices, each once.

    Args:
        manifest: As declared; pools of other scalers have their own readers.
        bindings: Pool id → what names it, and its queue, in its cloud's API.
        given: The queues of the sources' file.
        local_urls: Cloud → where a cloud on this machine answers.

    Raises:
        InvalidInput: The file gives a queue the name of one that a pool declares.
    """
    found: dict[str, NoticeSource] = {}
    declared = [
        (f"{pool.id}/interruptions", queue)
        for pool in manifest.pools
        if pool.scaler is Scaler.TIDEGATE
        for queue in _declare(pool, bindings.get(pool.id, {}))
    ]
    read: set[tuple[str, ...]] = set()
    for name, queue in (*declared, *((each.name, _state(each)) for each in given)):
        if name in found:
            expected = "another name"
            raise refuse(f"notices {name}", "name", name, "is a declared queue's", expected)
        if queue not in read:
            read.add(queue)
            found[name] = _build(name, queue, local_urls)
    return list(found.values())


def _declare(pool: Pool, binding: Binding) -> Iterable[tuple[str, ...]]:
    """Yield what names the queue that a pool's component declared."""
    if pool.cloud is Cloud.AWS and "interruptionQueue" in binding:
        yield ("sqs", binding.get("region") or pool.region, binding["interruptionQueue"])
    if pool.cloud is Cloud.GCP and "interruptionSubscription" in binding:
        yield ("pubsub", binding["interruptionSubscription"])
    if pool.cloud is Cloud.AZURE and "interruptionStorageAccount" in binding:
        yield ("storage", binding["interruptionStorageAccount"], binding["interruptionQueue"])


def _state(queue: NoticeQueue) -> tuple[str, ...]:
    if isinstance(queue, SqsNoticeQueue):
        return ("sqs", queue.region, queue.queue_url)
    if isinstance(queue, PubSubNoticeQueue):
        return ("pubsub", f"projects/{queue.project}/subscriptions/{queue.subscription}")
    return ("storage", queue.account, queue.queue)


def _build(name: str, queue: tuple[str, ...], local_urls: Mapping[str, str]) -> LateNotices:
    kind, *place = queue
    return LateNotices(name, partial(BUILDERS[kind], name, place, local_urls))


def _build_sqs(name: str, place: Sequence[str], _urls: Mapping[str, str]) -> NoticeSource:
    from tidegate.clouds.aws.clients import build_client
    from tidegate.sources.notices import SqsNotices

    region, url = place
    return SqsNotices(name, url, build_client("sqs", region))


def _build_pubsub(name: str, place: Sequence[str], urls: Mapping[str, str]) -> NoticeSource:
    from tidegate.clouds.gcp.clients import build_session
    from tidegate.clouds.gcp.refusals import refusing
    from tidegate.sources.notices import PUBSUB, PubSubNotices

    url = urls.get("gcp", "")
    with refusing("looking for Google's credentials"):
        session = build_session("pubsub", url)
    return PubSubNotices(name, place[0], session, url or PUBSUB)


def _build_storage(name: str, place: Sequence[str], urls: Mapping[str, str]) -> NoticeSource:
    from tidegate.clouds.azure.clients import build_queue_client
    from tidegate.sources.notices import StorageQueueNotices

    account, queue = place
    return StorageQueueNotices(name, build_queue_client(account, queue, urls.get("azure", "")))


BUILDERS: Mapping[str, Callable[[str, Sequence[str], Mapping[str, str]], NoticeSource]] = {
    "sqs": _build_sqs,
    "pubsub": _build_pubsub,
    "storage": _build_storage,
}
