"""Work that is under way side by side, and of which nothing goes on once its turn is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


async def finish_all(work: Iterable[Awaitable[T]]) -> list[T]:
    """Return all results, in their order, once everything has ended.

    Raises:
        BaseException: What the first that failed raised; by then the others have ended as well, so
            that none of them changes anything while the next turn looks.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    failed = [result for result in results if isinstance(result, BaseException)]
    if failed:
        raise failed[0]
    return [result for result in results if not isinstance(result, BaseException)]


async def finish_both(one: Coroutine[Any, Any, A], other: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Return two results once both have ended; see `finish_all`."""
    first, second = asyncio.ensure_future(one), asyncio.ensure_future(other)
    await finish_all((first, second))
    return first.result(), second.result()


class InThreads:
    """What asks the store, clouds and clusters, whose calls block, in threads."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    async def _run(self, call: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, call, *arguments)
