"""What is asked for by the minute and kept between: states and metrics, unknown once one fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from tidegate.controller.hearing import Heard, ask
from tidegate.ports import Clock
from tidegate.vocabulary.reports import WorkReport

ASK_SECONDS = 60.0
"""Metrics come by the minute: asking more often tells nothing new."""
T = TypeVar("T")


class Lookout:
    """Asks again what was told long enough ago; a failure makes what was told before unknown."""

    def __init__(self, clock: Clock, executor: Executor, seconds: float) -> None:
        self._clock = clock
        self._executor = executor
        self._seconds = seconds
        self._ears: dict[str, Heard] = {}
        self._told: dict[str, Any] = {}

    async def look(
        self, name: str, fetch: Callable[[], T], turn: asyncio.Semaphore
    ) -> tuple[T | None, str]:
        """Return what is known, and why it is not; exactly one of the two.

        Args:
            name: What is looked at.
            fetch: Asks; blocks, and raises SourceFault.
            turn: Bounds how many are asked at once: pools have the same threads.
        """
        ear = self._ears.setdefault(name, Heard(name))
        async with turn:
            found = await ask(ear, fetch, self._clock, self._executor, self._seconds)
        if found is not None:
            self._told[name] = found
            ear.succeed(WorkReport(), self._clock.now())
            ear.wait_until = self._clock.monotonic() + ASK_SECONDS
        if ear.fault:
            return None, ear.fault
        known = self._told.get(name)
        return known, "" if known is not None else "an earlier look has not come back yet"

    def forget(self, name: str) -> None:
        """Ask again at the next look: what was told is not so any more."""
        self._ears.pop(name, None)
        self._told.pop(name, None)

    def forget_others(self, names: set[str]) -> None:
        """Keep nothing of what is gone from the stack."""
        for kept in (self._ears, self._told):
            for name in kept.keys() - names:
                del kept[name]
