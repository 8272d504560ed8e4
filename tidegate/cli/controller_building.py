"""A controller of a stack, as every command builds it."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from tidegate.cli.controller_leader import open_led_state
from tidegate.cli.controller_options import database_url, explain_lacking, has_database
from tidegate.cli.controller_stack import StackChoice, StackFeed

COLLECTOR = (50_000, 20, 20)
"""Thresholds of the garbage collector. What SDKs load, and nearly all that a decision makes, lives
until its end: looking for garbage among it costs a tenth of a dry run and a fifth of a decision."""

Result = TypeVar("Result")


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()


def build_controller(
    choice: StackChoice,
    database: str,
    leader: str = "",
    *,
    writes: bool = True,
    interval: float = 15.0,
) -> Any:
    """Return a controller of a stack; one that only plans may have no memory.

    Raises:
        InvalidInput: The stack, its sources or the database cannot be taken.
        Unavailable: Something that it needs is not installed, or does not answer.
    """
    gc.set_threshold(*COLLECTOR)
    try:
        from tidegate.controller.loop import Controller, LoopSettings
    except ModuleNotFoundError as error:
        raise explain_lacking(error) from error
    feed = StackFeed(choice)
    url = database_url(choice.state, database)
    if writes and not database:
        choice.state.mkdir(parents=True, exist_ok=True)
    store = open_led_state(url, leader) if writes or has_database(url) else None
    return Controller(feed, store, SystemClock(), LoopSettings(interval_seconds=interval))


def run_and_close(controller: Any, work: Callable[[], Awaitable[Result]]) -> Result:
    """Return what one piece of work comes to; however it ends, the controller is closed then."""

    async def go() -> Result:
        try:
            return await work()
        finally:
            await controller.close()

    return asyncio.run(go())
