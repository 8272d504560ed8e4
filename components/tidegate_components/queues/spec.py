"""Queues as validated, frozen specifications, and their entries in the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Fragment, Pool
from tidegate.manifest.queues import Queue
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud, InterruptionTolerance
from tidegate.vocabulary.labels import CostLabels


@dataclass(frozen=True, slots=True)
class Priority:
    """A class of priority; higher values go first."""

    name: str
    value: int
    description: str


@dataclass(frozen=True, slots=True)
class Machine:
    """What a node of a pool has beside its accelerators: the least over its instance types."""

    vcpus: int
    memory_gib: Decimal


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """One queue.

    Attributes:
        accelerator: None for work without one.
        pools: In the order in which they are filled.
        quotas: Pool id → what of it is the queue's own, in the units of the manifest.
        queued_pools: Those whose nodes are asked for before work is admitted.
        units_per_run: What a run of the preset requests.
    """

    id: str
    accelerator: Accelerator | None
    priority: Priority
    tolerance: InterruptionTolerance
    service_level: str
    pools: tuple[Pool, ...]
    quotas: Mapping[str, int]
    borrowing_limit: int | None
    lending_limit: int | None
    strict_order: bool
    queued_pools: tuple[str, ...]
    units_per_run: int
    max_retries: int
    timeout_seconds: int | None

    @property
    def is_tolerant(self) -> bool:
        """Whether its work survives losing a node."""
        return self.tolerance is InterruptionTolerance.TOLERANT

    @property
    def resource(self) -> str:
        """The extended resource that its pods request; empty for work without an accelerator."""
        return self.accelerator.kubernetes_resource if self.accelerator else ""


@dataclass(frozen=True, slots=True)
class NamespaceSpec:
    """A project's namespace.

    Attributes:
        queues: Ids of the queues that it may use.
        hard: What Kubernetes bounds: resource → the most that pods may request at once.
    """

    name: str
    exists: bool
    labels: CostLabels
    queues: tuple[str, ...]
    hard: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueuesSpec:
    """Everything about the queues of one cluster; all of it is plain.

    Attributes:
        machines: Pool id → what its nodes have.
        agent: Polyaxon's agent for the cluster; empty where Polyaxon finds the queue by name.
    """

    id: str
    cloud: Cloud
    cluster: str
    labels: CostLabels
    priorities: tuple[Priority, ...]
    queues: tuple[QueueSpec, ...]
    namespaces: tuple[NamespaceSpec, ...]
    machines: Mapping[str, Machine]
    provisioning_class: str
    agent: str

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every object that belongs to no one project."""
        return self.labels.to_mapping()

    @property
    def pools(self) -> tuple[Pool, ...]:
        """Every pool that a queue fills, once, by id."""
        found = {pool.id: pool for queue in self.queues for pool in queue.pools}
        return tuple(found[pool_id] for pool_id in sorted(found))

    def users_of(self, queue: QueueSpec) -> list[str]:
        """Return the namespaces that may use a queue."""
        return [each.name for each in self.namespaces if queue.id in each.queues]

    def name_priority(self, priority: Priority) -> str:
        """Return what a priority is called in the cluster: its classes have no namespace."""
        return f"{self.id}-{priority.name}"

    def to_fragment(self) -> dict[str, Any]:
        """Return what the queues add to the manifest, as plain JSON."""
        return dump_manifest(Fragment(queues=[self._to_entry(queue) for queue in self.queues]))

    def _to_entry(self, queue: QueueSpec) -> Queue:
        return Queue(
            id=queue.id,
            cloud=self.cloud,
            cluster=self.cluster,
            accelerator=queue.accelerator.name if queue.accelerator else "",
            priority=queue.priority.name,
            interruption_tolerance=queue.tolerance,
            service_level=queue.service_level,
            pools=[pool.id for pool in queue.pools],
            namespaces=self.users_of(queue),
            quotas=dict(queue.quotas),
            cohort=self.id,
            borrowing_limit=queue.borrowing_limit,
            lending_limit=queue.lending_limit,
            labels=self.cost_labels,
        )
