"""How the program's process waits for what the SDK has begun."""

from __future__ import annotations

import asyncio

import pytest

from tidegate.engine import language_child


@pytest.fixture(autouse=True)
def moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_child, "_BATCH_SECONDS", 0)


async def answer(after: int) -> int:
    for _ in range(after):
        await asyncio.sleep(0)
    return after


async def fail() -> None:
    raise ValueError("refused")


def wait_for(*coroutines: object) -> tuple[list[object], int]:
    """Return what those that are done came to, and how many are not."""

    async def run() -> tuple[list[object], int]:
        tasks = [asyncio.ensure_future(each) for each in coroutines]  # type: ignore[arg-type]
        done, pending = await language_child._wait_for_several(
            tasks, return_when=asyncio.FIRST_COMPLETED
        )
        assert done | pending == set(tasks)
        for task in pending:
            task.cancel()
        return [task.exception() or task.result() for task in tasks if task in done], len(pending)

    return asyncio.run(run())


def test_one_that_is_done_is_returned_while_others_go_on() -> None:
    assert wait_for(answer(0), answer(50)) == ([0], 1)


def test_those_that_are_done_a_moment_later_are_returned_with_it() -> None:
    assert wait_for(answer(0), answer(1), answer(50)) == ([0, 1], 1)


def test_one_that_failed_is_returned_at_once_however_long_the_others_take() -> None:
    (error,), pending = wait_for(answer(50), fail())

    assert (str(error), pending) == ("refused", 1)


def test_nothing_is_left_when_all_are_done() -> None:
    assert wait_for(answer(0)) == ([0], 0)
