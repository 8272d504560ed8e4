"""Demand: work that waits for capacity, item by item, and what each item asks of a node."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tidegate.vocabulary.capacity import InterruptionTolerance, WorkloadClass

if TYPE_CHECKING:
    from tidegate.vocabulary.serving import EndpointDemand

TOLERANT_CLASSES = frozenset({WorkloadClass.TRAINING, WorkloadClass.PIPELINE})
"""Classes whose work may be interrupted unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class AcceleratorNeed:
    """One accelerator that would do, and how many of it a worker takes."""

    accelerator: str
    per_worker: int


@dataclass(frozen=True, slots=True)
class CheckpointHabit:
    """How work saves itself; None stands where it never does."""

    interval_seconds: int
    write_seconds: int
    restart_seconds: int


@dataclass(frozen=True, slots=True)
class DataNeed:
    """Data that work reads from or writes to a region, in GB for the whole item."""

    cloud: str
    region: str
    read_gb: int = 0
    write_gb: int = 0


@dataclass(frozen=True, slots=True)
class PlacementNeed:
    """Where an item may run; each empty field asks for nothing.

    Attributes:
        residency: Regions ("eu-west-1") or clouds and regions ("gcp/europe-west4") that the data
            may not leave.
        pools: The only pools allowed.
        software: What a node must carry, as node labels say it.
        tolerations: Keys of taints that the item tolerates.
        isolation: The isolation a node must give ("dedicated").
        service_level: The service level a pool must have.
        near_region: The region of its users or dependencies.
        max_latency_ms: How far it may be from there; None asks for nothing.
    """

    residency: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    software: tuple[tuple[str, str], ...] = ()
    tolerations: tuple[str, ...] = ()
    isolation: str = ""
    service_level: str = ""
    near_region: str = ""
    max_latency_ms: int | None = None


@dataclass(frozen=True, slots=True)
class WorkShape:
    """What equal items have in common.

    Attributes:
        accelerators: Alternatives, any of which would do; empty for work without accelerators.
        vcpus_milli: Thousandths of a virtual CPU a worker needs.
        memory_mib: Memory a worker needs.
        workers: Workers that start together or not at all.
        workload_class: Decides the defaults for waiting and interruption.
        priority: Higher goes first and may preempt lower.
        interruption_tolerance: None takes the default of the workload class.
        checkpoint: How it saves itself; None where it does not.
        duration_seconds: Expected or learned run time; None where unknown.
        wait_target_seconds: How long it may wait; None where it may wait long.
        placement: Where it may run.
        data: What it reads and writes, and where that lies.
    """

    accelerators: tuple[AcceleratorNeed, ...] = ()
    vcpus_milli: int = 0
    memory_mib: int = 0
    workers: int = 1
    workload_class: WorkloadClass = WorkloadClass.TRAINING
    priority: int = 0
    interruption_tolerance: InterruptionTolerance | None = None
    checkpoint: CheckpointHabit | None = None
    duration_seconds: int | None = None
    wait_target_seconds: int | None = None
    placement: PlacementNeed = PlacementNeed()
    data: tuple[DataNeed, ...] = ()

    def tolerates_interruption(self) -> bool:
        """Return whether it may be interrupted: as stated, else as its class does."""
        if self.interruption_tolerance is not None:
            return self.interruption_tolerance is InterruptionTolerance.TOLERANT
        return self.workload_class in TOLERANT_CLASSES


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One piece of work that waits.

    Attributes:
        id: What its source calls it; unique over all sources.
        shape: What it needs.
        queued_at: Since when it waits; decides the order among equal priorities.
        deadline: When it must be done; None without a deadline.
        work_left_seconds: What is left to run before the deadline; None where unknown.
    """

    id: str
    shape: WorkShape
    queued_at: datetime
    deadline: datetime | None = None
    work_left_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """What one source of demand last told, stamped on receipt.

    Attributes:
        name: The source, for people.
        received_at: When its last answer came; None when none ever did.
        fault: Why it cannot be trusted; empty when it can.
    """

    name: str
    received_at: datetime | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Demand:
    """All work that waits, and how far its sources can be trusted.

    An empty `sources` means that nobody was asked, which is not the same as no demand.

    Attributes:
        items: Each piece of work, replicas that wait for a node included.
        sources: How those who told of it are.
        endpoints: What serves requests.
    """

    items: tuple[WorkItem, ...]
    sources: tuple[SourceHealth, ...]
    endpoints: tuple[EndpointDemand, ...] = ()
