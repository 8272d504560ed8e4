"""What goes wrong in a soak, by chance: episodes that begin, last a while and end."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from support.controller import FakeSource
from support.soak_clouds import Trouble
from support.soak_world import AZURE, OURS, SPOT, World, declare_world

from tidegate.manifest.model import Manifest
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.reports import SourceFault, WorkReport

BEGIN = 0.12
"""How probably an episode begins in a turn."""
SLOW_SECONDS = 0.7


class AwayStore:
    """A database that is away now and then."""

    def __init__(self, store: Any, weather: Weather) -> None:
        self._store, self._weather = store, weather

    def __getattr__(self, name: str) -> Any:
        if self._weather.database_is_away:
            raise Unavailable("the state database does not answer")
        return getattr(self._store, name)


@dataclass
class Weather:
    """Trouble of all kinds; `kinds` counts what there was."""

    world: World
    chance: random.Random
    trouble: Trouble = field(default_factory=Trouble)
    manifest: Manifest = field(default_factory=declare_world)
    database_is_away: bool = False
    kinds: dict[str, int] = field(default_factory=dict)
    _ends: dict[str, tuple[float, Callable[[], None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.source = FakeSource("k8s", self.world.report)

    def change(self) -> None:
        """End what is over, and perhaps begin something."""
        now = self.world.clock.monotonic()
        for name, (until, end) in list(self._ends.items()):
            if now >= until:
                del self._ends[name]
                end()
        if self.chance.random() < BEGIN:
            name = self.chance.choice(sorted(EPISODES))
            self.begin(name)

    def begin(self, name: str) -> None:
        if name in self._ends:
            return
        self.kinds[name] = self.kinds.get(name, 0) + 1
        end = EPISODES[name](self)
        if end is not None:
            lasts = self.chance.choice((15, 60, 60, 300, 1800))
            self._ends[name] = (self.world.clock.monotonic() + lasts, end)

    def clear(self) -> None:
        """End everything."""
        for _, end in self._ends.values():
            end()
        self._ends.clear()

    def pool(self) -> str:
        return self.chance.choice(OURS)

    def answer(self, answer: Any) -> Callable[[], None]:
        self.source.answer = answer

        def end() -> None:
            self.source.answer = self.world.report

        return end


def _source_down(weather: Weather) -> Callable[[], None]:
    return weather.answer(SourceFault("connection refused"))


def _source_slow(weather: Weather) -> Callable[[], None]:
    def late() -> WorkReport:
        report = weather.world.report()
        time.sleep(SLOW_SECONDS)
        return report

    return weather.answer(late)


def _source_lies(weather: Weather) -> Callable[[], None]:
    return weather.answer(WorkReport(nodes=()))  # a cluster that lists nothing at all


def _refusals(where: str, *kinds: RefusalKind) -> Callable[[Weather], Callable[[], None]]:
    def begin(weather: Weather) -> Callable[[], None]:
        found = getattr(weather.trouble, where)
        pool = weather.pool()
        found[pool] = CloudRefused(weather.chance.choice(kinds), "weather")

        def end() -> None:
            found.pop(pool, None)

        return end

    return begin


def _stock_out(weather: Weather) -> Callable[[], None]:
    pool = weather.pool()
    weather.world.stock_outs.add(pool)
    return lambda: weather.world.stock_outs.discard(pool)


def _database_away(weather: Weather) -> Callable[[], None]:
    weather.database_is_away = True

    def end() -> None:
        weather.database_is_away = False

    return end


def _newer_manifest(weather: Weather) -> Callable[[], None]:
    nodes, ceiling = weather.chance.choice(((2, 400), (4, 250), (None, 400)))
    newer = declare_world(nodes, ceiling)

    def meanwhile() -> WorkReport:
        weather.manifest = newer  # the stack changes while a turn goes on
        return weather.world.report()

    weather.source.answer = meanwhile

    def end() -> None:
        weather.source.answer = weather.world.report
        weather.manifest = declare_world()

    return end


def _pool_deleted(weather: Weather) -> Callable[[], None]:
    world, pool = weather.world, AZURE
    for node in world.of(pool):
        world.take_away(node.name)
    world.targets[pool] = 0
    world.gone.add(pool)
    return lambda: world.gone.discard(pool)


def _resized_by_hand(weather: Weather) -> None:
    world, pool = weather.world, weather.pool()
    if weather.chance.random() < 0.5 and world.targets[pool] < 4:
        world.targets[pool] += 1
    elif world.of(pool):
        world.take_away(world.of(pool)[0].name, shrink=True)


def _another_scaler(weather: Weather) -> Callable[[], None]:
    pool = weather.pool()
    weather.trouble.meddlers.add(pool)
    return lambda: weather.trouble.meddlers.discard(pool)


def _half_interrupted(weather: Weather) -> None:
    found = sorted(weather.world.nodes)
    for name in weather.chance.sample(found, (len(found) + 1) // 2):
        weather.world.take_away(name)


def _announced_interruption(weather: Weather) -> None:
    for node in weather.world.of(SPOT):
        node.ends_at = weather.world.clock.now() + timedelta(seconds=120)


def _clock_jumps(weather: Weather) -> None:
    hours = weather.chance.choice((-24, -1, -0.1, 0.1, 1, 24))
    weather.world.clock.time += timedelta(hours=hours)


EPISODES: dict[str, Callable[[Weather], Callable[[], None] | None]] = {
    "source down": _source_down,
    "source slow": _source_slow,
    "source lies": _source_lies,
    "looks throttled": _refusals("look", RefusalKind.THROTTLED, RefusalKind.TRANSIENT),
    "changes throttled": _refusals("change", RefusalKind.THROTTLED, RefusalKind.TRANSIENT),
    "time-out after the change": _refusals("after", RefusalKind.TRANSIENT),
    "credentials expired": _refusals("look", RefusalKind.DENIED),
    "changes denied": _refusals("change", RefusalKind.DENIED),
    "quota exhausted": _refusals("change", RefusalKind.QUOTA),
    "stock-out": _stock_out,
    "database away": _database_away,
    "newer manifest": _newer_manifest,
    "pool deleted": _pool_deleted,
    "resized by hand": _resized_by_hand,
    "another scaler": _another_scaler,
    "half the fleet interrupted": _half_interrupted,
    "machines announced to go": _announced_interruption,
    "clock jumps": _clock_jumps,
}
"""Name → what begins it and returns what ends it; None where it is over at once."""
