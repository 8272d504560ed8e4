from __future__ import annotations

import asyncio

import pytest

from tidegate.controller.together import finish_all, finish_both


def work(ended, name, turns, error=None):
    async def go():
        for _ in range(turns):
            await asyncio.sleep(0)
        ended.append(name)
        if error is not None:
            raise error
        return name

    return go()


def test_results_come_in_their_order():
    ended = []

    async def go():
        return await finish_all([work(ended, "slow", 5), work(ended, "fast", 1)])

    assert asyncio.run(go()) == ["slow", "fast"]
    assert ended == ["fast", "slow"]


@pytest.mark.parametrize(
    "finish", [lambda *both: finish_all(both), finish_both], ids=["all", "both"]
)
def test_what_fails_waits_for_the_others_to_end(finish):
    ended = []

    async def go():
        await finish(work(ended, "fails", 1, ValueError("first")), work(ended, "works", 9))

    with pytest.raises(ValueError, match="first"):
        asyncio.run(go())
    assert ended == ["fails", "works"]


def test_of_two_that_fail_the_first_named_is_told():
    async def go():
        await finish_both(work([], "a", 9, ValueError("a")), work([], "b", 1, KeyError("b")))

    with pytest.raises(ValueError, match="a"):
        asyncio.run(go())


def test_both_results_keep_their_kind():
    async def go():
        return await finish_both(work([], "a", 1), work([], "b", 2))

    assert asyncio.run(go()) == ("a", "b")
