"""A soak: hours of a controller's life among faults, in compressed time, by a seed.

The controller and its store are the real ones, on SQLite; time, clouds and cluster are the test's.
Beside the weather, the process dies at any step, and is paused while another takes over.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from support.controller import FakeClock, catalog
from support.mortal import Death, Killed, Mortal
from support.soak_clouds import Clouds
from support.soak_weather import AwayStore, Weather
from support.soak_world import FOREIGN, OURS, World

from tidegate.controller.loop import Controller, LoopSettings
from tidegate.controller.wiring import Wiring, build_wiring
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.problems import Unavailable

TURN_SECONDS = 15
PATIENT = LoopSettings(source_seconds=0.5, pool_seconds=60.0)
"""So that a machine that is busy with something else changes nothing of what a seed shows."""
KILL, PAUSE = 0.01, 0.01
"""How probably the process dies, or is paused, in a turn."""
CLUSTERED = {"k8s": (*OURS, FOREIGN)}
CALM_SECONDS = 120
CALM_TURNS = 3000
"""At most: what waits is served first, and then everything closes."""


@dataclass
class Soak:
    """One life of controllers; `violations` is what must stay empty."""

    folder: Path
    seed: int
    most_nodes: int = 0
    turns: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chance = random.Random(self.seed)
        self.chance = chance
        self.clock = FakeClock()
        self.world = World(chance, self.clock)
        self.weather = Weather(self.world, chance)
        self.engine = open_database(f"sqlite:///{self.folder / 'soak.db'}")
        self.seen: dict[str, int] = {}
        self.leaders: list[str] = []
        self.lives = 0
        self._wirings: dict[tuple[str, str], Wiring] = {}
        self.controller = self._begin_life()

    @property
    def violations(self) -> list[str]:
        return self.world.violations

    def run(self, hours: float, report: Callable[[Soak], None] = lambda _: None) -> None:
        """Live through so many hours of faults, and then through calm until all is closed."""
        asyncio.run(self._run(int(hours * 3600 / TURN_SECONDS), report))

    async def _run(self, turns: int, report: Callable[[Soak], None]) -> None:
        for _ in range(turns):
            self.weather.change()
            await self._take_turn()
            self._look_around()
            self._pass(TURN_SECONDS)
            report(self)
            if self.violations:
                return
        self.weather.clear()
        self.world.hectic = 0.0
        for _ in range(CALM_TURNS):
            if not self.world.jobs and not any(self.world.targets[pool] for pool in OURS):
                break
            await self.controller.run_once()
            self._look_around()
            self._pass(CALM_SECONDS)

    def close(self) -> None:
        """End the last process."""
        self._end_life()
        self.engine.dispose()

    def check(self) -> None:
        """Hold what must hold; a failure says the seed that shows it again."""
        told = f"seed {self.seed}, turn {self.turns}"
        assert self.violations == [], f"{told}: {self.violations}"
        assert self.world.jobs == {}, f"{told}: work was never served"
        open_still = {pool: size for pool, size in self.world.targets.items() if size}
        assert set(open_still) <= {FOREIGN}, f"{told}: {open_still} never closed"
        assert self.world.served > 0
        assert self.most_nodes > 4, f"{told}: the fleet never grew beyond {self.most_nodes}"

    def _pass(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.world.live(seconds)

    def _look_around(self) -> None:
        self.turns += 1
        self.most_nodes = max(self.most_nodes, sum(self.world.targets.values()))
        for pool, size in self.world.targets.items():
            if not 0 <= size <= 4:
                self.violations.append(f"{pool} has {size} nodes")

    async def _take_turn(self) -> None:
        dice = self.chance.random()
        if dice < KILL:
            await self._die()
        elif dice < KILL + PAUSE:
            await self._sleep_while_another_leads()
        else:
            await self.controller.run_once()

    async def _die(self) -> None:
        """End the process at any step of a turn; the next life begins with the next turn."""
        death = Death(self.chance.randrange(60))
        self._count("killed")
        dying = self._life(lambda port: Mortal(port, death))
        try:
            await dying.tick()
        except (Killed, Unavailable):
            pass
        finally:
            dying.end()
        self._end_life()
        self.controller = self._begin_life()

    async def _sleep_while_another_leads(self) -> None:
        """Pause the leader in the middle of a look; what it does when it wakes up is nothing."""
        self._count("paused")
        answer, other = self.weather.source.answer, self._life()
        asleep = self.controller
        calls = len(self.leaders)

        def sleep() -> Any:
            self.weather.source.answer = answer
            for _ in range(3):  # the lead is taken once it has been silent for long enough
                asyncio.run(other.run_once())
                self.clock.advance(8)
            return self.world.report()

        self.weather.source.answer = sleep
        await asleep.run_once()
        self.weather.source.answer = answer
        if asleep.holder in self.leaders[calls:] and other.holder in self.leaders[calls:]:
            last = len(self.leaders) - 1 - self.leaders[::-1].index(asleep.holder)
            if other.holder in self.leaders[calls:last]:
                self.violations.append(f"{asleep.holder} woke up and acted after {other.holder}")
        self._end_life()
        self.controller = other

    def _count(self, kind: str) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def _begin_life(self) -> Life:
        return self._life()

    def _end_life(self) -> None:
        self.controller.end()

    def _life(self, pass_on: Callable[[Any], Any] = lambda port: port) -> Life:
        self.lives += 1
        holder = f"life-{self.lives}"
        store = AwayStore(DatabaseStore(self.engine, patience_seconds=10), self.weather)
        return Life(holder, lambda: self._wire(holder, pass_on), pass_on(store), self.clock)

    def _wire(self, holder: str, pass_on: Callable[[Any], Any]) -> Wiring:
        manifest = self.weather.manifest
        key = holder, manifest.model_dump_json()
        if key not in self._wirings:
            clouds = Clouds(
                self.world, self.weather.trouble, manifest, self.seen, self.leaders, holder
            )
            made = build_wiring(
                manifest, catalog(), clouds, [self.weather.source], self.world, CLUSTERED
            )
            self._wirings = {key: replace(made, pools=pass_on(clouds), cordons=pass_on(self.world))}
        return self._wirings[key]


class Life:
    """One process of the controller."""

    def __init__(
        self, holder: str, wire: Callable[[], Wiring], store: Any, clock: FakeClock
    ) -> None:
        self.holder = holder
        self._controller = Controller(wire, store, clock, PATIENT, holder=holder)

    async def run_once(self) -> None:
        """Take a turn as the loop does: what fails is told, and no mistake of the program."""
        await self._controller._try_tick()
        failed = self._controller.metrics.registry.get_sample_value(
            "tidegate_tick_failures_total", {"kind": "mistake"}
        )
        assert not failed, "a turn failed by a mistake of this program"

    async def tick(self) -> None:
        await self._controller.tick()

    def end(self) -> None:
        self._controller._executor.shutdown(wait=True, cancel_futures=True)
