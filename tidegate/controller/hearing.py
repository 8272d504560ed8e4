"""What the sources told last: kept while one is silent, with its fault, and asked again later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from tidegate.controller.logs import hide_secrets
from tidegate.ports import Clock
from tidegate.vocabulary.demand import SourceHealth
from tidegate.vocabulary.reports import SourceFault, WorkReport

T = TypeVar("T")

FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 120.0


@dataclass(slots=True)
class Heard:
    """One source, as it answered so far.

    Attributes:
        name: The source.
        report: Its last good answer; None when none ever came.
        received_at: When that came.
        fault: Why it cannot be trusted now; empty when it can.
        failures: Failures in a row.
        wait_until: Monotonic time before which it is not asked again.
        is_running: Whether a call that outlived its time is still under way.
    """

    name: str
    report: WorkReport | None = None
    received_at: datetime | None = None
    fault: str = ""
    failures: int = 0
    wait_until: float = 0.0
    is_running: bool = False

    def succeed(self, report: WorkReport, now: datetime) -> None:
        """Take an answer; it is stamped on receipt."""
        self.report, self.received_at = report, now
        self.fault, self.failures, self.wait_until = "", 0, 0.0

    def fail(self, fault: str, monotonic: float) -> None:
        """Take a failure: the last answer stays, and what asks next waits ever longer."""
        self.fault = hide_secrets(fault)
        wait = min(FIRST_WAIT_SECONDS * 2 ** min(self.failures, 10), LONGEST_WAIT_SECONDS)
        self.failures += 1
        self.wait_until = monotonic + wait

    def come_back(self) -> None:
        """Say that no call is under way any more."""
        self.is_running = False

    def may_ask(self, monotonic: float) -> bool:
        """Return whether it is time to ask again."""
        return not self.is_running and monotonic >= self.wait_until

    def health(self) -> SourceHealth:
        """Return how far the source can be trusted."""
        return SourceHealth(self.name, self.received_at, self.fault)


@dataclass(slots=True)
class Ears:
    """All sources; those that are gone from the wiring are forgotten."""

    heard: dict[str, Heard] = field(default_factory=dict)

    def of(self, names: list[str]) -> list[Heard]:
        """Return what was heard of these sources, in their order."""
        self.heard = {name: self.heard.get(name) or Heard(name) for name in names}
        return list(self.heard.values())


async def ask(
    ear: Heard, fetch: Callable[[], T], clock: Clock, executor: Executor, seconds: float
) -> T | None:
    """Return what a source answers; None where it is not its time, or a failure was taken.

    Args:
        ear: The source, as it answered so far.
        fetch: Asks; blocks, and raises SourceFault.
        clock: The time.
        executor: Where it blocks, so that a source that hangs keeps nobody else waiting.
        seconds: How long it may take.
    """
    if not ear.may_ask(clock.monotonic()):
        return None
    ear.is_running = True
    try:
        return await ask_within(seconds, executor, fetch, ear.come_back)
    except SourceFault as fault:
        ear.fail(str(fault), clock.monotonic())
    except TimeoutError:
        ear.fail(f"no answer within {seconds:g} s", clock.monotonic())
    return None


async def ask_within(
    seconds: float, executor: Executor, fetch: Callable[[], T], come_back: Callable[[], None]
) -> T:
    """Return what is answered within a time; `come_back` is called once it ends, however late.

    Raises:
        TimeoutError: Nothing was.
    """
    call = asyncio.get_running_loop().run_in_executor(executor, fetch)

    def settle(done: asyncio.Future[T]) -> None:
        come_back()
        # What comes after its time is neither looked at nor a mistake: it is asked for again.
        _ = done.cancelled() or done.exception()

    call.add_done_callback(settle)
    return await asyncio.wait_for(asyncio.shield(call), seconds)
