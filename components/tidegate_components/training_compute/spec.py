"""Managed training as a validated, frozen specification, and its pool in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Checkpoint, Fragment, Pool
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    PoolKind,
    Scaler,
)
from tidegate.vocabulary.labels import CostLabels


@dataclass(frozen=True, slots=True)
class TrainingSpec:
    """Everything plain about managed training.

    Attributes:
        accelerator: Its name in the catalog; empty where the nodes have none.
        chip: The accelerator in Vertex's spelling; empty elsewhere.
        max_wait_seconds: None where the cloud knows no such bound.
        idle_seconds: How long an idle Azure node stays.
    """

    id: str
    cloud: Cloud
    region: str
    account: str
    workspace: str
    instance_type: str
    accelerator: str
    accelerators_per_node: int
    chip: str
    capacity_type: CapacityType
    flex_start: bool
    max_nodes: int
    declared_nodes: Decimal | None
    boot_seconds: int
    max_run_seconds: int
    max_wait_seconds: int | None
    checkpoint_uri: str
    checkpoint: Checkpoint | None
    idle_seconds: int
    priority: int
    labels: CostLabels

    @property
    def where(self) -> str:
        """How messages call this pool."""
        return f"pool {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels of every job, and of what is made for them."""
        return self.labels.to_mapping(capacity_pool=self.id)

    @property
    def is_spot(self) -> bool:
        """Whether the cloud may take nodes away at short notice."""
        return self.capacity_type is CapacityType.SPOT

    def to_pool(self) -> Pool:
        """Return the pool's entry in the manifest; its cloud makes and takes the nodes."""
        tolerance = (
            InterruptionTolerance.TOLERANT if self.is_spot else InterruptionTolerance.INTOLERANT
        )
        return Pool(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            kind=PoolKind.MANAGED_TRAINING,
            cluster=self.workspace,
            accelerator=self.accelerator,
            accelerators_per_node=self.accelerators_per_node,
            instance_types=[self.instance_type],
            capacity_type=self.capacity_type,
            min_nodes=0,
            max_nodes=self.max_nodes,
            declared_nodes=self.declared_nodes,
            boot_seconds=self.boot_seconds,
            labels=self.cost_labels,
            priority=self.priority,
            interruption_tolerance=tolerance,
            workload_classes=[self.labels.workload_class],
            checkpoint=self.checkpoint,
            scaler=Scaler.PROVIDER,
        )

    def to_fragment(self) -> dict[str, Any]:
        """Return what the pool adds to the manifest, as plain JSON."""
        return dump_manifest(Fragment(pools=[self.to_pool()]))
