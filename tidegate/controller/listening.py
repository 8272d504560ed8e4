"""Hearing of machines that are taken away: remembered first, then deleted from the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import structlog

from tidegate.controller.hearing import Ears, Heard, ask
from tidegate.controller.together import InThreads
from tidegate.ports import Clock, NoticeSource, NoticeStore
from tidegate.vocabulary.notices import NoticeRecord
from tidegate.vocabulary.reports import SourceFault, WorkReport

LOG = structlog.get_logger("tidegate.controller")
LONGEST_SECONDS = 10.0
"""A turn begins with what is announced, and must not wait long for it."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one source told in one turn: how many notices, and what was none."""

    source: str
    notices: int
    refused: tuple[str, ...]


class Listener(InThreads):
    """Asks sources of notices, each with its own time-out and backoff."""

    def __init__(self, clock: Clock, executor: Executor, seconds: float) -> None:
        super().__init__(executor)
        self._clock = clock
        self._seconds = min(seconds, LONGEST_SECONDS)
        self._ears = Ears()

    def heard(self) -> Sequence[Heard]:
        """Return how the sources answered last."""
        return list(self._ears.heard.values())

    async def listen(
        self, sources: Sequence[NoticeSource], store: NoticeStore, token: int
    ) -> list[Told]:
        """Ask every source, and remember what it told.

        Raises:
            LeaseLost: Another leads now; what was taken from the queues comes again.
            Unavailable: The store does not answer; likewise.
        """
        ears = self._ears.of([source.name for source in sources])
        asked = zip(sources, ears, strict=True)
        found = await asyncio.gather(*(self._ask(each, ear, store, token) for each, ear in asked))
        return [told for told in found if told is not None]

    async def _ask(
        self, source: NoticeSource, ear: Heard, store: NoticeStore, token: int
    ) -> Told | None:
        report = await ask(ear, source.fetch, self._clock, self._executor, self._seconds)
        if report is None:
            return None
        now = self._clock.now()
        # A cloud's clock that runs ahead must not make a notice of tomorrow.
        records = [
            NoticeRecord(replace(notice, at=min(notice.at, now)), source.name, now)
            for notice in report.notices
        ]
        if records:
            await self._run(store.record_notices, token, records)
        for text in report.refused:
            LOG.warning("no notice", source=source.name, why=text)
        ear.succeed(WorkReport(), now)
        try:
            await self._run(source.settle, report.receipts)
        except SourceFault as fault:
            ear.fail(str(fault), self._clock.monotonic())
        return Told(source.name, len(records), report.refused)
