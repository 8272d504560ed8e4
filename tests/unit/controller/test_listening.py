"""Queues of notices: what is heard is remembered first, whatever fails or dies meanwhile."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from support.controller import FakeClock, declare_pool
from support.emptied import SPOT, FakeNotices, World, warn
from support.mortal import Death, Killed, Mortal

from tidegate.controller.listening import Listener
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.records import LeaseLost


def listen(listener, sources, store, token=1):
    return asyncio.run(listener.listen(sources, store, token))


class ForgetfulStore:
    def __init__(self, error):
        self.error = error

    def record_notices(self, *_):
        raise self.error


@pytest.mark.parametrize("error", [Unavailable("away"), LeaseLost("two leads")])
def test_what_could_not_be_remembered_comes_again(error):
    queue = FakeNotices(warn())
    with ThreadPoolExecutor(2) as threads:
        listener = Listener(FakeClock(), threads, 5)
        with pytest.raises(type(error)):
            listen(listener, [queue], ForgetfulStore(error))

    assert [notice.id for notice in queue.waiting] == ["e-1"]


def test_a_queue_that_fails_is_asked_ever_more_rarely(store):
    queue, clock = FakeNotices(), FakeClock()
    queue.fault = "away"
    token = store.take_lease("one", 0.0)
    with ThreadPoolExecutor(2) as threads:
        listener = Listener(clock, threads, 5)
        for _ in range(20):
            listen(listener, [queue], store, token)
            clock.advance(4)

    assert queue.asked == 4


def test_killed_at_any_step_no_notice_is_lost_and_none_counts_twice(tmp_path):
    died = 0
    for step in range(0, 120, 4):
        engine = open_database(f"sqlite:///{tmp_path / f'{step}.db'}")
        world = World(DatabaseStore(engine, patience_seconds=1), gpus=8)
        world.pool = declare_pool(**SPOT)
        world.turn()
        world.notices = [FakeNotices(warn())]
        death, wiring = Death(step), world.wiring()
        mortal = replace(
            wiring,
            pools=Mortal(wiring.pools, death),
            cordons=Mortal(wiring.cordons, death),
            notices=[Mortal(world.notices[0], death)],
        )
        try:
            world.turn(wiring=mortal, store=Mortal(world.store, death))
            lived = True
        except Killed:
            lived = False
        second = DatabaseStore(engine, patience_seconds=1)
        for _ in range(6):
            world.turn(store=second, holder="two")

        assert "train-0" not in world.kube.nodes
        assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]
        assert world.pools.sizes == {"train": 2}
        assert world.store.read_risks()[0].interruptions == 1
        world.close()
        engine.dispose()
        if lived:
            break
        died += 1
    assert died > 6
