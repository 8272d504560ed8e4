"""A world for the soak: clouds with machines that boot, work that runs, saves itself and ends.

It keeps a list of what must never happen (`violations`): whatever breaks a promise writes there
what it did, so that the soak can tell where it went wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any

from support.controller import FakeClock, declare, declare_pool

from tidegate.manifest.model import HourlyCeiling, Manifest, Quota
from tidegate.vocabulary.demand import AcceleratorNeed, PlacementNeed, WorkItem, WorkShape
from tidegate.vocabulary.fleet_state import (
    ClusterNode,
    Machine,
    MachinePhase,
    RefusalKind,
    RunningPod,
    Shortfall,
)
from tidegate.vocabulary.reports import WorkReport

SPOT, GOOGLE, AZURE, FOREIGN = "spot-aws", "od-gcp", "od-azure", "others"
OURS = (SPOT, GOOGLE, AZURE)
MOST = 4
QUOTA = 3
CEILING = 400
PRICES = {SPOT: 24.768, GOOGLE: 88.49, AZURE: 98.32, FOREIGN: 0.0}
BOOT_SECONDS = 90
NODE_GPUS = 8


def declare_world(azure_nodes: int | None = MOST, ceiling: int = CEILING) -> Manifest:
    """Return a version of the stack; None leaves the pool on Azure out."""
    place = {"cluster": "main", "max_nodes": MOST}
    pools = [
        declare_pool(SPOT, capacity_type="spot", **place),
        declare_pool(
            GOOGLE, cloud="gcp", region="us-central1", kind="gke-node-pool",
            instance_types=["a3-highgpu-8g"], **place,
        ),
        declare_pool(FOREIGN, scaler="karpenter", **place),
    ]  # fmt: skip
    if azure_nodes is not None:
        pools.append(
            declare_pool(
                AZURE, cloud="azure", region="eastus", kind="aks-agent-pool",
                instance_types=["Standard_ND96isr_H100_v5"],
                **{**place, "max_nodes": azure_nodes},
            )
        )  # fmt: skip
    quota = Quota(
        cloud="gcp", region="us-central1", family="a3-highgpu", capacity_type="on-demand",
        limit=QUOTA,
    )  # fmt: skip
    limits = {"quotas": [quota], "hourly_ceiling": HourlyCeiling(amount=ceiling)}
    return declare(*pools).model_copy(update=limits)


@dataclass
class Job:
    """A pod that waits, or runs on a node; `number` tells which was made first."""

    name: str
    number: int
    gpus: int
    queued_at: datetime
    left: float
    saves: bool
    priority: int = 0
    node: str = ""
    started_at: datetime | None = None
    asked_at: datetime | None = None
    checkpoint_at: datetime | None = None

    def shape(self) -> WorkShape:
        return WorkShape(
            accelerators=(AcceleratorNeed("h100-80gb", self.gpus),),
            priority=self.priority,
            placement=PlacementNeed(pools=(*OURS, FOREIGN)),
        )


def _by_number(job: Job) -> int:
    return job.number


@dataclass
class Node:
    """A machine, from its order to its end."""

    name: str
    pool: str
    ready_at: float
    closed: bool = False
    by_us: bool = False
    drained_since: datetime | None = None
    evicting: bool = False
    ends_at: datetime | None = None


@dataclass
class World:
    """Clouds, a cluster over all of them, and its work."""

    chance: random.Random
    clock: FakeClock
    nodes: dict[str, Node] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    targets: dict[str, int] = field(default_factory=lambda: dict.fromkeys((*OURS, FOREIGN), 0))
    stock_outs: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    hectic: float = 0.1
    made: int = 0
    served: int = 0
    interrupted: int = 0
    violations: list[str] = field(default_factory=list)
    _waiting: dict[str, Job] = field(default_factory=dict)
    _running: dict[str, dict[str, Job]] = field(default_factory=dict)
    _moving: RLock = field(default_factory=RLock)  # several clouds are called at the same time

    def live(self, seconds: float) -> None:
        """Let time pass: machines boot and are taken away, work comes, starts, saves and ends."""
        self._deliver()
        for node in [each for each in self.nodes.values() if self._is_over(each)]:
            self.take_away(node.name)
        self._running = {node: jobs for node, jobs in self._running.items() if jobs}
        running = [job for jobs in self._running.values() for job in jobs.values()]
        for job in sorted(running, key=_by_number):
            if job.asked_at and job.saves and self.chance.random() < 0.7:
                job.checkpoint_at = max(self.clock.now(), job.asked_at)
            job.left -= seconds
            if job.left <= 0:
                del self.jobs[job.name], self._running[job.node][job.name]
                self.served += 1
        if self.chance.random() < self.hectic:
            for _ in range(self.chance.choice((1, 1, 2, 4))):
                self.queue_job()
        self._schedule()

    def queue_job(self) -> None:
        self.made += 1
        name = f"ml/job-{self.made}"
        seconds = self.chance.choice((60, 300, 1200, 5400))
        self.jobs[name] = self._waiting[name] = Job(
            name, self.made, self.chance.choice((4, 8)), self.clock.now(), seconds,
            saves=self.chance.random() < 0.5, priority=self.chance.choice((0, 0, 0, 10)),
        )  # fmt: skip

    def _is_over(self, node: Node) -> bool:
        return node.ends_at is not None and node.ends_at <= self.clock.now()

    def _deliver(self) -> None:
        for pool, target in self.targets.items():
            missing = target - len(self.of(pool))
            if missing > 0 and pool not in self.stock_outs and pool not in self.gone:
                for _ in range(missing):
                    self.made += 1
                    name = f"{pool}-{self.made}"
                    ready = self.clock.monotonic() + self.chance.uniform(0, BOOT_SECONDS)
                    self.nodes[name] = Node(name, pool, ready)

    def _schedule(self) -> None:
        with self._moving:
            room = {
                node.name: self.free(node.name)
                for node in self.nodes.values()
                if self.is_up(node) and not node.closed
            }
            for job in self._list_waiting(lambda job: (-job.priority, job.queued_at, job.number)):
                name = next((name for name, gpus in room.items() if gpus >= job.gpus), None)
                if name is not None:
                    room[name] -= job.gpus
                    self._start(job, name)

    def _start(self, job: Job, node: str) -> None:
        del self._waiting[job.name]
        self._running.setdefault(node, {})[job.name] = job
        job.node, job.started_at = node, self.clock.now()

    def _list_waiting(self, key: Callable[[Job], Any]) -> list[Job]:
        return sorted(self._waiting.values(), key=key)

    def take_away(self, name: str, *, shrink: bool = False) -> None:
        """Let a machine vanish by somebody else's doing; its work waits again."""
        node = self.nodes.pop(name)
        for job in self.on(name):
            self.requeue(job)
            self.interrupted += 1
        if shrink:
            self.targets[node.pool] = max(0, self.targets[node.pool] - 1)

    def requeue(self, job: Job) -> None:
        with self._moving:
            self._running.get(job.node, {}).pop(job.name, None)
            self._waiting[job.name] = job
            job.node, job.started_at, job.asked_at = "", None, None
            job.queued_at = self.clock.now()

    def of(self, pool: str) -> list[Node]:
        return [node for node in self.nodes.values() if node.pool == pool]

    def on(self, node: str) -> list[Job]:
        return sorted(self._running.get(node, {}).values(), key=_by_number)

    def free(self, node: str) -> int:
        return NODE_GPUS - sum(job.gpus for job in self.on(node))

    def is_up(self, node: Node) -> bool:
        return node.ready_at <= self.clock.monotonic()

    def report(self) -> WorkReport:
        """Return what the cluster tells."""
        waiting = [
            WorkItem(f"k8s/{job.name}", job.shape(), job.queued_at)
            for job in self._list_waiting(_by_number)
        ]
        nodes = [self._show(node) for node in self.nodes.values() if self.is_up(node)]
        return WorkReport(tuple(waiting), nodes=tuple(nodes))

    def _show(self, node: Node) -> ClusterNode:
        pods = [
            RunningPod(
                item=f"k8s/{job.name}", accelerators=job.gpus, priority=job.priority,
                name=job.name, owner=f"k8s/{job.name}", shape=job.shape(), ready=True,
                started_at=job.started_at, asked_at=job.asked_at, checkpoint_at=job.checkpoint_at,
            )
            for job in self.on(node.name)
        ]  # fmt: skip
        return ClusterNode(
            name=node.name, pool=node.pool, ready=True, closed=node.closed,
            closed_by_us=node.by_us, accelerators=NODE_GPUS, provider_id=f"x:///{node.name}",
            running=tuple(pods), drained_since=node.drained_since, evicting=node.evicting,
        )  # fmt: skip

    # The cluster's side of a controller.

    def close(self, pool: str, name: str) -> bool:
        node = self._find(name)
        if node is None:
            return True
        if not node.closed and self.chance.random() < 0.2:
            self._schedule()  # work may start between the look and the closing
        node.closed = node.by_us = True
        return not self.on(name)

    def reopen(self, pool: str, name: str) -> None:
        node = self._find(name)
        if node is not None:
            node.closed = node.by_us = node.evicting = False
            node.drained_since = None

    def start_drain(
        self, pool: str, name: str, pods: Sequence[str], at: datetime, closed_by_us: bool
    ) -> None:
        node = self._find(name)
        if node is not None:
            node.closed, node.by_us = True, closed_by_us
            node.drained_since = node.drained_since or at
        self.ask_checkpoint(pool, pods, at)

    def ask_checkpoint(self, pool: str, pods: Sequence[str], at: datetime | None) -> None:
        for name in pods:
            if name in self.jobs:
                self.jobs[name].asked_at = at

    def evict(self, pool: str, name: str, pods: Mapping[str, int | None]) -> Mapping[str, str]:
        node = self._find(name) if name else None
        if node is not None:
            node.evicting = True
        kept = {pod: "budget" for pod in pods if self.chance.random() < 0.1}
        for pod in set(pods) - set(kept):
            job = self.jobs.get(pod)
            if job is None or not job.node:
                continue
            has_saved = job.checkpoint_at and job.asked_at and job.checkpoint_at >= job.asked_at
            if not has_saved and self.nodes[job.node].ends_at is None:
                self.violations.append(f"{pod} was evicted from {job.node} and had not saved")
            self.requeue(job)
        return kept

    def _find(self, name: str) -> Node | None:
        return self.nodes.get(name)

    def cost(self, sizes: Mapping[str, int]) -> float:
        return sum(PRICES[pool] * nodes for pool, nodes in sizes.items())

    def machines(self, pool: str) -> tuple[Machine, ...]:
        return tuple(
            Machine(node.name, MachinePhase.RUNNING if self.is_up(node) else MachinePhase.STARTING)
            for node in self.of(pool)
        )

    def shortfall(self, pool: str) -> Shortfall | None:
        if pool in self.stock_outs and self.targets[pool] > len(self.of(pool)):
            return Shortfall(RefusalKind.STOCK_OUT, "none left")
        return None
