"""A small stack and its outside world in memory, for the tests of the controller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.controller.loop import Controller
from tidegate.controller.wiring import Wiring, build_wiring
from tidegate.manifest.model import Manifest, Pool
from tidegate.ports import StateStore
from tidegate.vocabulary.demand import AcceleratorNeed, PlacementNeed, WorkItem, WorkShape
from tidegate.vocabulary.fleet_state import (
    CloudRefused,
    ClusterNode,
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
    RunningPod,
    Shortfall,
)
from tidegate.vocabulary.reports import SourceFault, WorkReport

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@cache
def catalog() -> Catalog:
    return load_catalog()


def declare_pool(id: str = "train", **changes: Any) -> Pool:
    stated: dict[str, Any] = {
        "cloud": "aws",
        "region": "us-east-1",
        "kind": "auto-scaling-group",
        "accelerator": "h100-80gb",
        "accelerators_per_node": 8,
        "instance_types": ["p5.48xlarge"],
        "capacity_type": "on-demand",
        "min_nodes": 0,
        "max_nodes": 4,
        "boot_seconds": 120,
        "labels": {},
        "interruption_tolerance": "tolerant",
        "workload_classes": ["training"],
        "scaler": "tidegate",
    }
    return Pool(id=id, **{**stated, **changes})


def declare(*pools: Pool) -> Manifest:
    return Manifest(project="tests", stack="dev", catalog_digest="x", pools=list(pools))


def work(count: int, gpus: int = 8, pools: Sequence[str] = ()) -> tuple[WorkItem, ...]:
    shape = WorkShape(
        accelerators=(AcceleratorNeed("h100-80gb", gpus),),
        placement=PlacementNeed(pools=tuple(pools)),
    )
    return tuple(
        WorkItem(f"job-{number}", shape, NOW - timedelta(seconds=60)) for number in range(count)
    )


def node(name: str, pool: str = "train", *pods: str, **changes: Any) -> ClusterNode:
    made = ClusterNode(
        name=name,
        pool=pool,
        ready=True,
        accelerators=8,
        provider_id=f"aws:///us-east-1a/{name}",
        running=tuple(RunningPod(pod, accelerators=8) for pod in pods),
    )
    return replace(made, **changes)


@dataclass
class FakeClock:
    time: datetime = NOW
    seconds: float = 0.0

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)
        self.seconds += seconds


@dataclass
class FakeSource:
    """Answers what it is told to; an error is raised."""

    name: str = "queue"
    answer: WorkReport | Exception | Callable[[], WorkReport] = field(default_factory=WorkReport)
    asked: int = 0

    def fetch(self) -> WorkReport:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if isinstance(self.answer, WorkReport) else self.answer()


@dataclass
class FakePools:
    """Clouds that deliver at once, and refuse when they are told to.

    `refuse` is asked before a call changes anything, `fail` after; each may raise.
    """

    sizes: dict[str, int]
    machines: dict[str, list[str]] = field(default_factory=dict)
    choosing: bool = True
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    unreadable: dict[str, CloudRefused] = field(default_factory=dict)
    shortfalls: dict[str, Shortfall] = field(default_factory=dict)
    refuse: Callable[[str], None] = lambda _pool: None
    fail: Callable[[str], None] = lambda _pool: None
    delivers: bool = True
    made: int = 0

    def __post_init__(self) -> None:
        for pool in self.sizes:
            self._deliver(pool)

    def fetch_state(self, pool: str) -> PoolState:
        if pool in self.unreadable:
            raise self.unreadable[pool]
        found = tuple(Machine(name, MachinePhase.RUNNING) for name in self.machines[pool])
        return PoolState(pool, self.sizes[pool], found, self.shortfalls.get(pool))

    def can_choose(self, pool: str) -> bool:
        return self.choosing

    def apply_size(self, pool: str, seen: int, wanted: int) -> None:
        self.refuse(pool)
        if self.sizes[pool] not in (seen, wanted):
            raise CloudRefused(RefusalKind.CONFLICT, f"{pool} has {self.sizes[pool]} nodes")
        if self.sizes[pool] != wanted:
            self.calls.append(("size", pool, wanted))
        self.sizes[pool] = wanted
        self._deliver(pool)
        self.fail(pool)

    def apply_removal(self, pool: str, machines: Sequence[str]) -> None:
        self.refuse(pool)
        there = [name for name in machines if name in self.machines[pool]]
        self.calls.append(("remove", pool, *there))
        self.sizes[pool] -= len(there)
        self.machines[pool] = [name for name in self.machines[pool] if name not in there]
        self.fail(pool)

    def _deliver(self, pool: str) -> None:
        found = self.machines.setdefault(pool, [])
        del found[self.sizes[pool] :]
        while self.delivers and len(found) < self.sizes[pool]:
            found.append(f"{pool}-{self.made}")
            self.made += 1


@dataclass
class FakeCordons:
    busy: set[str] = field(default_factory=set)
    closed: list[str] = field(default_factory=list)
    reopened: list[str] = field(default_factory=list)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)

    def close(self, pool: str, node: str) -> bool:
        self.closed.append(node)
        return node not in self.busy

    def reopen(self, pool: str, node: str) -> None:
        self.reopened.append(node)

    def start_drain(self, pool, node, pods, at, closed_by_us) -> None:  # type: ignore[no-untyped-def]
        self.calls.append(("drain", node, *pods))

    def ask_checkpoint(self, pool, pods, at) -> None:  # type: ignore[no-untyped-def]
        self.calls.append(("ask" if at else "withdraw", *pods))

    def evict(self, pool, node, pods) -> dict[str, str]:  # type: ignore[no-untyped-def]
        self.calls.append(("evict", node, dict(pods)))
        return {pod: why for pod, why in self.kept.items() if pod in pods}


def wire(manifest: Manifest, pools: Any, *sources: Any, **others: Any) -> Wiring:
    return build_wiring(manifest, catalog(), pools, sources, **others)


def take_turns(
    wiring: Wiring, store: StateStore, clock: FakeClock, turns: int, seconds: float
) -> None:
    """Take turns with one controller; so many seconds pass after each."""

    async def go() -> None:
        controller = Controller(lambda: wiring, store, clock, holder="one")
        for _ in range(turns):
            await controller.tick()
            clock.advance(seconds)
        controller._executor.shutdown()

    asyncio.run(go())


def fault(text: str = "no answer") -> SourceFault:
    return SourceFault(text)
