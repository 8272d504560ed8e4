"""A day of faults in compressed time: what must hold whatever happens, for any seed."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

import pytest
from support.controller import (
    FakeClock,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    fault,
    node,
    wire,
    work,
)

from tidegate.controller.loop import Controller
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind, Shortfall
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.reports import WorkReport

POOLS = ("a", "b", "c")
MOST = 4
TURNS = 150


@dataclass
class World:
    """Three pools of one cluster, and work that comes, runs and ends on their nodes."""

    chance: random.Random
    pools: FakePools = field(default_factory=lambda: FakePools(dict.fromkeys(POOLS, 0)))
    running: dict[str, str] = field(default_factory=dict)
    waiting: int = 0
    made: int = 0
    lost: list[str] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    is_calm: bool = False

    def live(self) -> None:
        """Let a quarter of a minute pass: work comes, starts and ends."""
        self.waiting += self.chance.choice((0, 0, 0, 1, 2))
        for name in list(self.running):
            if self.chance.random() < 0.2:
                del self.running[name]
        for name in self.nodes():
            if self.waiting and name not in self.running and name not in self.closed:
                self.waiting -= 1
                self.made += 1
                self.running[name] = f"ml/job-{self.made}"

    def nodes(self) -> list[str]:
        return [name for pool in POOLS for name in self.pools.machines[pool]]

    def report(self) -> WorkReport:
        found = [
            node(
                name,
                pool,
                *filter(None, [self.running.get(name)]),
                closed_by_us=name in self.closed,
            )
            for pool in POOLS
            for name in self.pools.machines[pool]
        ]
        return WorkReport(work(self.waiting), nodes=tuple(found))

    def close(self, pool: str, name: str) -> bool:
        # Work may start between the look and the closing.
        if not self.is_calm and self.chance.random() < 0.3:
            self.running.setdefault(name, "ml/late")
        self.closed.add(name)
        return name not in self.running

    def reopen(self, pool: str, name: str) -> None:
        self.closed.discard(name)

    def check(self) -> None:
        """Hold what must hold after every turn."""
        there = set(self.nodes())
        self.lost += [name for name in self.running if name not in there]
        assert self.lost == []
        assert all(self.pools.sizes[pool] <= MOST for pool in POOLS)
        assert all(self.pools.sizes[pool] >= 0 for pool in POOLS)


class Weather:
    """What goes wrong in a turn."""

    def __init__(self, world, chance, store):
        self.world, self.chance, self.store = world, chance, store
        self.source = FakeSource("k8s", world.report)
        self.is_foul = True

    def change(self):
        pools, pool = self.world.pools, self.chance.choice(POOLS)
        pools.unreadable.clear()
        pools.shortfalls.clear()
        pools.refuse = pools.fail = lambda _pool: None
        self.source.answer = self.world.report
        self.store.away = False
        kind = self.chance.choice(list(RefusalKind))
        refusal = CloudRefused(kind, "weather")

        def strike(asked):
            if asked == pool:
                raise refusal

        def resize_by_another_hand():
            if pools.sizes[pool] < MOST:
                pools.sizes[pool] += 1
                pools._deliver(pool)

        events = [
            lambda: pools.unreadable.update({pool: refusal}),
            lambda: setattr(pools, "refuse", strike),
            lambda: setattr(pools, "fail", strike),
            lambda: pools.shortfalls.update({pool: Shortfall(kind, "weather")}),
            lambda: setattr(self.source, "answer", fault("down")),
            lambda: setattr(self.source, "answer", WorkReport(nodes=())),
            lambda: setattr(self.store, "away", True),
            resize_by_another_hand,
        ]
        event = self.chance.randrange(12)
        if self.is_foul and event < len(events):
            events[event]()


class StoreWithWeather:
    """A database that is away now and then."""

    def __init__(self, store):
        self._store = store
        self.away = False

    def __getattr__(self, name):
        if self.away:
            raise Unavailable("the state database does not answer")
        return getattr(self._store, name)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_runs_is_lost_and_nothing_grows_past_its_maximum(tmp_path, seed):
    chance = random.Random(seed)
    world = World(chance)
    clock = FakeClock()
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    store = StoreWithWeather(DatabaseStore(engine, patience_seconds=20))
    weather = Weather(world, chance, store)
    manifest = declare(*(declare_pool(name, cluster="main", max_nodes=MOST) for name in POOLS))
    wiring = wire(manifest, world.pools, weather.source, cordons=world, clusters={"k8s": POOLS})
    most = 0

    async def go():
        nonlocal most
        holder = 0
        controller = Controller(lambda: wiring, store, clock, holder="0")
        for _ in range(TURNS):
            weather.change()
            world.live()
            await controller._try_tick()
            world.check()
            most = max(most, sum(world.pools.sizes.values()))
            clock.advance(chance.choice((15, 15, 15, 120, 900, -30)))
            clock.seconds = max(clock.seconds, 0)
            if chance.random() < 0.05:  # the process dies, and another begins
                controller._executor.shutdown()
                holder += 1
                controller = Controller(lambda: wiring, store, clock, holder=str(holder))
        # Fair weather, and no more work: everything closes in the end.
        weather.is_foul = False
        weather.change()
        world.waiting, world.running, world.is_calm = 0, {}, True
        for _ in range(30):
            await controller._try_tick()
            world.check()
            clock.advance(1800)
        controller._executor.shutdown()

    asyncio.run(go())
    engine.dispose()

    assert most > MOST
    assert world.pools.sizes == dict.fromkeys(POOLS, 0)
