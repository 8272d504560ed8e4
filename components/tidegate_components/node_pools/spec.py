"""A node pool as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tidegate.catalog.model import InstanceType
from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import (
    Checkpoint,
    DisruptionBudget,
    Fragment,
    Pool,
    Schedule,
    Sharing,
    Taint,
    Window,
)
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    PoolKind,
    Scaler,
    SharingStrategy,
    WorkloadClass,
)
from tidegate.vocabulary.labels import CostLabels


@dataclass(frozen=True, slots=True)
class SharingSpec:
    """How several pods share one accelerator.

    Attributes:
        partition: The MIG profile; empty where accelerators stay whole.
        partitions: Parts that one accelerator has; 1 where it stays whole.
        clients: Pods that one part, or one whole accelerator, serves at once.
        device_plugin_config: The operator's configuration that shares so; empty where the cloud
            itself does.
    """

    strategy: SharingStrategy
    partition: str
    partitions: int
    clients: int
    device_plugin_config: str = ""

    @property
    def clients_per_accelerator(self) -> int:
        """Pods that one accelerator serves at once."""
        return self.partitions * self.clients

    @property
    def is_by_turns(self) -> bool:
        """Whether software, and not only hardware, shares."""
        return self.strategy is not SharingStrategy.MIG


@dataclass(frozen=True, slots=True)
class KarpenterChoices:
    """What only Karpenter takes."""

    ami_alias: str = "al2023@latest"
    consolidation_policy: str = "WhenEmpty"
    consolidate_after_seconds: int = 300
    expire_after_hours: int = 720
    termination_grace_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class AwsChoices:
    """What only EKS takes, of the plain arguments."""

    ami_type: str = ""
    image_id: str = ""
    kubernetes_version: str = ""
    makes_instance_profile: bool = True
    role_has_access: bool = False
    cluster_placement: bool = False
    efa: bool = False
    capacity_block: bool = False
    karpenter: KarpenterChoices | None = None


@dataclass(frozen=True, slots=True)
class GcpChoices:
    """What only GKE takes, of the plain arguments."""

    driver_version: str = "DEFAULT"
    queued: bool = False
    flex_start: bool = False
    max_run_duration_seconds: int | None = None
    compact: bool = False
    tpu_topology: str = ""


@dataclass(frozen=True, slots=True)
class AzureChoices:
    """What only AKS takes, of the plain arguments."""

    install_driver: bool = True
    gpu_instance_profile: str = ""


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """Everything plain about a pool; what may be an Output stays outside.

    Attributes:
        taints: Every taint that the nodes will carry, whoever sets it.
        node_labels: Every Kubernetes label that Tidegate declares on the nodes.
        accelerator: None for a pool of plain machines.
        account: Who pays; empty where the provider's configuration decides.
        cloud_name: The user's own name; empty when the name is derived.
    """

    id: str
    cloud: Cloud
    region: str
    kind: PoolKind
    account: str
    cluster: str
    zones: tuple[str, ...]
    accelerator: Accelerator | None
    accelerators_per_node: int
    instance_types: tuple[InstanceType, ...]
    capacity_type: CapacityType
    reservation: str
    min_nodes: int
    max_nodes: int
    declared_nodes: Decimal | None
    boot_seconds: int
    disk_gib: int
    labels: CostLabels
    node_labels: dict[str, str]
    taints: tuple[Taint, ...]
    priority: int
    interruption_tolerance: InterruptionTolerance
    workload_classes: tuple[WorkloadClass, ...]
    service_level: str
    disruption_budget: DisruptionBudget
    windows: tuple[Window, ...]
    schedules: tuple[Schedule, ...]
    checkpoint: Checkpoint | None
    scaler: Scaler
    cloud_name: str
    sharing: SharingSpec | None = None
    aws: AwsChoices = field(default_factory=AwsChoices)
    gcp: GcpChoices = field(default_factory=GcpChoices)
    azure: AzureChoices = field(default_factory=AzureChoices)

    @property
    def where(self) -> str:
        """How messages call this pool."""
        return f"pool {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the pool."""
        return self.labels.to_mapping(capacity_pool=self.id)

    @property
    def is_spot(self) -> bool:
        """Whether the cloud may take nodes away at short notice."""
        return self.capacity_type is CapacityType.SPOT

    @property
    def is_reserved(self) -> bool:
        """Whether the pool consumes a declared reservation."""
        return self.capacity_type is CapacityType.RESERVED

    @property
    def scales_itself(self) -> bool:
        """Whether the cloud's own autoscaler resizes the pool."""
        return self.scaler is Scaler.PROVIDER

    @property
    def resource(self) -> str:
        """The extended resource that pods request; empty where nodes have none."""
        return self.accelerator.kubernetes_resource if self.accelerator else ""

    @property
    def resources_per_node(self) -> int:
        """How many of the extended resource a node offers: accelerators, or shares of them."""
        shares = self.sharing.clients_per_accelerator if self.sharing else 1
        return self.accelerators_per_node * shares

    @property
    def nodes_at_once(self) -> int:
        """Nodes that come and go together: the hosts of a multi-host TPU slice."""
        chips = math.prod(int(side) for side in self.gcp.tpu_topology.split("x") if side)
        return max(1, chips // self.accelerators_per_node) if self.accelerators_per_node else 1

    @property
    def max_unavailable(self) -> int:
        """Nodes that an upgrade may take at once; clouds want at least one."""
        return max(1, self.disruption_budget.max_unavailable_nodes)

    def to_pool(self) -> Pool:
        """Return the pool's entry in the manifest."""
        return Pool(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            zones=list(self.zones),
            kind=self.kind,
            cluster=self.cluster,
            accelerator=self.accelerator.name if self.accelerator else "",
            accelerators_per_node=self.accelerators_per_node,
            instance_types=[each.name for each in self.instance_types],
            capacity_type=self.capacity_type,
            min_nodes=self.min_nodes,
            max_nodes=self.max_nodes,
            declared_nodes=self.declared_nodes,
            boot_seconds=self.boot_seconds,
            labels=self.cost_labels,
            node_labels=self.node_labels,
            taints=list(self.taints),
            priority=self.priority,
            interruption_tolerance=self.interruption_tolerance,
            workload_classes=list(self.workload_classes),
            service_level=self.service_level,
            disruption_budget=self.disruption_budget,
            windows=list(self.windows),
            schedules=list(self.schedules),
            checkpoint=self.checkpoint,
            scaler=self.scaler,
            reservation=self.reservation,
            sharing=self._to_sharing(),
            topology=self.gcp.tpu_topology,
            nodes_at_once=self.nodes_at_once,
        )

    def _to_sharing(self) -> Sharing | None:
        if self.sharing is None:
            return None
        return Sharing(
            strategy=self.sharing.strategy,
            partition=self.sharing.partition,
            clients_per_accelerator=self.sharing.clients_per_accelerator,
        )

    def to_fragment(self) -> dict[str, Any]:
        """Return what the pool adds to the manifest, as plain JSON."""
        return dump_manifest(Fragment(pools=[self.to_pool()]))
