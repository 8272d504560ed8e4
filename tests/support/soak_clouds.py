"""The soak's clouds as a controller calls them, each call held against what must never happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from support.soak_world import CEILING, FOREIGN, GOOGLE, QUOTA, World

from tidegate.manifest.model import Manifest
from tidegate.vocabulary.fleet_state import CloudRefused, PoolState, RefusalKind


@dataclass
class Trouble:
    """What a cloud answers instead, for each pool: to looks, before a change, after one."""

    look: dict[str, CloudRefused] = field(default_factory=dict)
    change: dict[str, CloudRefused] = field(default_factory=dict)
    after: dict[str, CloudRefused] = field(default_factory=dict)
    meddlers: set[str] = field(default_factory=set)

    def raise_for(self, found: dict[str, CloudRefused], pool: str) -> None:
        if pool in found:
            raise found[pool]


@dataclass
class Clouds:
    """The port of pools that one version of the stack is wired to."""

    world: World
    trouble: Trouble
    manifest: Manifest
    seen: dict[str, int]
    leaders: list[str]
    holder: str

    def fetch_state(self, pool: str) -> PoolState:
        self.trouble.raise_for(self.trouble.look, pool)
        if pool in self.world.gone:
            raise CloudRefused(RefusalKind.NOT_FOUND, f"{pool} was deleted")
        size = self.world.targets[pool]
        state = PoolState(pool, size, self.world.machines(pool), self.world.shortfall(pool))
        self.seen[pool] = size
        if pool in self.trouble.meddlers:  # somebody else, just after the look
            self.meddle(pool)
        return state

    def meddle(self, pool: str) -> None:
        """Let another scaler change a pool: a node more, or one less of those without work."""
        world = self.world
        if world.chance.random() < 0.5 and world.targets[pool] < 4:
            world.targets[pool] += 1
        else:
            idle = [node.name for node in world.of(pool) if not world.on(node.name)]
            if idle:
                world.take_away(idle[0], shrink=True)

    def can_choose(self, pool: str) -> bool:
        return pool != GOOGLE

    def apply_size(self, pool: str, seen: int, wanted: int) -> None:
        self._begin(pool)
        now = self.world.targets[pool]
        if now not in (seen, wanted):
            raise CloudRefused(RefusalKind.CONFLICT, f"{pool} was changed to {now} nodes")
        if wanted > now:
            self._check_growth(pool, now, wanted)
        self.world.targets[pool] = wanted
        self.seen[pool] = wanted
        while len(self.world.of(pool)) > wanted:  # the cloud chooses, and chooses badly
            found = self.world.of(pool)
            self._remove(max(found, key=lambda node: len(self.world.on(node.name))).name)
        self.trouble.raise_for(self.trouble.after, pool)

    def apply_removal(self, pool: str, machines: Sequence[str]) -> None:
        self._begin(pool)
        there = [name for name in machines if name in self.world.nodes]
        for name in there:
            self._remove(name)
        self.world.targets[pool] = max(0, self.world.targets[pool] - len(there))
        self.seen[pool] = self.world.targets[pool]
        self.trouble.raise_for(self.trouble.after, pool)

    def _begin(self, pool: str) -> None:
        self.leaders.append(self.holder)
        if pool == FOREIGN:
            self._violate(f"{pool} is not ours, and was changed")
        self.trouble.raise_for(self.trouble.change, pool)
        if pool in self.world.gone:
            raise CloudRefused(RefusalKind.NOT_FOUND, f"{pool} was deleted")
        if pool in self.world.stock_outs and self.world.chance.random() < 0.5:
            raise CloudRefused(RefusalKind.STOCK_OUT, "none left")  # else it is seen later

    def _check_growth(self, pool: str, now: int, wanted: int) -> None:
        declared = {each.id: each.max_nodes for each in self.manifest.pools}
        most = declared[pool]
        if wanted > max(most, now):
            self._violate(f"{pool} grew to {wanted} nodes, beyond its maximum of {most}")
        if pool == GOOGLE and wanted > max(QUOTA, now):
            self._violate(f"{pool} grew to {wanted} nodes, beyond its quota of {QUOTA}")
        ceiling = self.manifest.hourly_ceiling
        sizes = {
            name: size
            for name, size in self.seen.items()
            if name in declared and name not in self.world.gone
        }
        cost = self.world.cost({**sizes, pool: wanted})
        if ceiling is not None and cost > float(ceiling.amount):
            self._violate(f"{pool} grew to {wanted} nodes, and the fleet to {cost} of {CEILING}")

    def _remove(self, name: str) -> None:
        node, work = self.world.nodes[name], self.world.on(name)
        if work and node.ends_at is None:
            names = ", ".join(job.name for job in work)
            self._violate(f"{name} was deleted with {names} on it")
        del self.world.nodes[name]
        for job in work:
            self.world.requeue(job)

    def _violate(self, text: str) -> None:
        self.world.violations.append(f"{self.world.clock.now():%H:%M:%S} {self.holder}: {text}")
