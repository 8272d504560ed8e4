"""The supply that is there: pools as declared, nodes as observed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tidegate.vocabulary.capacity import Scaler, WorkloadClass
from tidegate.vocabulary.demand import WorkShape


class NodePhase(StrEnum):
    """What a node is doing. A stopped machine is no capacity."""

    IN_FLIGHT = "in-flight"
    READY = "ready"
    BUSY = "busy"
    IDLE = "idle"
    DRAINING = "draining"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    STOPPED = "stopped"


HEALTHY = frozenset({NodePhase.IN_FLIGHT, NodePhase.READY, NodePhase.BUSY, NodePhase.IDLE})
"""Phases that count towards a pool's minimum."""
LEAVING = frozenset({NodePhase.DRAINING, NodePhase.INTERRUPTED})
"""Phases that still count against a pool's maximum, and serve nothing new."""
GONE = frozenset({NodePhase.FAILED, NodePhase.STOPPED})
"""Phases that are no capacity at all."""


@dataclass(frozen=True, slots=True)
class RunningWork:
    """Work on a node, from its start (setup is work) to its end.

    Attributes:
        item: The item that runs.
        accelerators: What it takes of the node.
        vcpus_milli: Thousandths of a virtual CPU that it takes.
        memory_mib: Memory that it takes.
        priority: Its priority.
        workers: Workers of its whole gang, over all nodes.
        daemonset: True for what runs on every node; it keeps no node alive.
        checkpoint_at: When it last saved itself; None when it cannot be resumed.
        restart_seconds: From its stop until it goes on elsewhere.
        deadline: When it must be done; None without a deadline.
        work_left_seconds: What is left to run; None where unknown.
        shape: What it asks of a node; without it, it is moved nowhere.
        started_at: When it began on this node; None where nobody says.
    """

    item: str
    accelerators: int = 0
    vcpus_milli: int = 0
    memory_mib: int = 0
    priority: int = 0
    workers: int = 1
    daemonset: bool = False
    checkpoint_at: datetime | None = None
    restart_seconds: int = 0
    deadline: datetime | None = None
    work_left_seconds: int | None = None
    shape: WorkShape | None = None
    started_at: datetime | None = None

    def has_zones(self) -> bool:
        """Return whether all its times have a zone."""
        for time in (self.deadline, self.checkpoint_at, self.started_at):
            if time is not None and time.tzinfo is None:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Node:
    """One node as observed.

    Attributes:
        id: What the cluster calls it.
        pool: Its pool's id.
        offering: What was ordered; empty where that is not known (an orphan, an adopted node).
        phase: What it is doing, as far as the observer can tell.
        since: When it entered the phase; stamped on receipt.
        running: What runs on it.
        assigned: Seats that an earlier plan gave to items that have not started on it yet.
        accelerators: How many it reports; None before its device plugin answers.
        expected: False for a node that nobody ordered.
        slice: Nodes of one slice come and go together; empty for a node by itself.
    """

    id: str
    pool: str
    offering: str
    phase: NodePhase
    since: datetime
    running: tuple[RunningWork, ...] = ()
    assigned: tuple[str, ...] = ()
    accelerators: int | None = None
    expected: bool = True
    slice: str = ""
    _work: tuple[RunningWork, ...] = field(init=False, repr=False, compare=False)
    _zoned: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A decision asks many times for what keeps a node busy, and each one whether times can be
        # compared; most nodes are the same ones from decision to decision.
        work = tuple([entry for entry in self.running if not entry.daemonset])
        object.__setattr__(self, "_work", work)
        zoned = self.since.tzinfo is not None and all(entry.has_zones() for entry in self.running)
        object.__setattr__(self, "_zoned", zoned)

    def work(self) -> tuple[RunningWork, ...]:
        """Return what keeps the node busy: everything but daemonsets."""
        return self._work

    def has_zones(self) -> bool:
        """Return whether all times of the node and of what it runs have a zone."""
        return self._zoned


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A cron start in an IANA zone and how long it stays open."""

    cron: str
    time_zone: str
    duration_seconds: int


@dataclass(frozen=True, slots=True)
class BoundsSchedule:
    """Other bounds from each start of a cron line on, until another schedule starts."""

    cron: str
    time_zone: str
    min_nodes: int
    max_nodes: int


@dataclass(frozen=True, slots=True)
class PoolSupply:
    """A pool as declared; what was observed never overwrites it.

    Attributes:
        id: The label `capacity-pool`.
        domain: Where a gang can span: cloud, account, region and cluster.
        nodes_at_once: Nodes that come and go together.
        max_disrupted: Nodes that may be disrupted at once; None where nothing bounds it.
    """

    id: str
    cloud: str
    region: str
    domain: str
    min_nodes: int
    max_nodes: int
    scaler: Scaler = Scaler.TIDEGATE
    workload_classes: frozenset[WorkloadClass] = frozenset(WorkloadClass)
    priority: int = 0
    node_labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[str, ...] = ()
    isolation: str = ""
    service_level: str = ""
    nodes_at_once: int = 1
    max_disrupted: int | None = None
    windows: tuple[TimeWindow, ...] = ()
    schedules: tuple[BoundsSchedule, ...] = ()


@dataclass(frozen=True, slots=True)
class Fleet:
    """All pools and nodes, and when the nodes were observed (None: they were not).

    Attributes:
        pools: As declared.
        nodes: As observed, each once.
        observed_at: When the observation came in.
        idle_gaps: Pool → seconds from the end of work to the next arrival, as observed.
        arrivals: Pool → accelerators that were asked for within each past boot time.
        wait_targets: Pool → the shortest wait target of what came lately, in seconds.
    """

    pools: tuple[PoolSupply, ...]
    nodes: tuple[Node, ...]
    observed_at: datetime | None
    idle_gaps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    arrivals: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    wait_targets: Mapping[str, int] = field(default_factory=dict)
