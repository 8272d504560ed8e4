"""A spot group as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Checkpoint, DisruptionBudget, Fragment, Pool, Schedule, Window
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    PoolKind,
    Scaler,
    WorkloadClass,
    split_purchase,
)
from tidegate.vocabulary.labels import CostLabels
from tidegate_components.ec2_machines import ROOT_DEVICE
from tidegate_components.spot_group.hardware import Machines

KINDS = {
    Cloud.AWS: PoolKind.AUTO_SCALING_GROUP,
    Cloud.GCP: PoolKind.INSTANCE_GROUP,
    Cloud.AZURE: PoolKind.SCALE_SET,
}


@dataclass(frozen=True, slots=True)
class AwsChoices:
    """What only AWS takes, of the plain arguments."""

    root_device: str = ROOT_DEVICE


@dataclass(frozen=True, slots=True)
class GcpChoices:
    """What only Google Cloud takes, of the plain arguments."""

    disk_type: str = "pd-balanced"


@dataclass(frozen=True, slots=True)
class AzureChoices:
    """What only Azure takes, of the plain arguments."""

    admin_username: str = "tidegate"
    fleet: bool = False


@dataclass(frozen=True, slots=True)
class SpotSpec:
    """Everything plain about a spot group; what may be an Output stays outside.

    Attributes:
        account: Who pays; empty where the provider's configuration decides.
        allocation_strategy: In the cloud's own word; empty where there is nothing to choose.
    """

    id: str
    cloud: Cloud
    region: str
    account: str
    zones: tuple[str, ...]
    machines: Machines
    disk_gib: int
    min_nodes: int
    max_nodes: int
    on_demand_base_nodes: int
    on_demand_percent_above_base: int
    allocation_strategy: str
    declared_nodes: Decimal | None
    boot_seconds: int
    labels: CostLabels
    priority: int
    workload_classes: tuple[WorkloadClass, ...]
    service_level: str
    disruption_budget: DisruptionBudget
    windows: tuple[Window, ...]
    schedules: tuple[Schedule, ...]
    checkpoint: Checkpoint | None
    aws: AwsChoices
    gcp: GcpChoices
    azure: AzureChoices

    @property
    def where(self) -> str:
        """How messages call this group."""
        return f"pool {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the group that takes any."""
        return self.labels.to_mapping(capacity_pool=self.id)

    @property
    def description(self) -> str:
        """The labels in words, for resources that take a description and no labels."""
        return " ".join(f"{key}={value}" for key, value in sorted(self.cost_labels.items()))

    @property
    def type_names(self) -> list[str]:
        """The instance types by name, the preferred one first."""
        return [each.name for each in self.machines.instance_types]

    @property
    def has_floor(self) -> bool:
        """Whether some machines are bought on demand."""
        return bool(self.on_demand_base_nodes or self.on_demand_percent_above_base)

    @property
    def first_split(self) -> tuple[int, int]:
        """The (on-demand, spot) machines of the first size, for clouds that count them apart."""
        base, percent = self.on_demand_base_nodes, self.on_demand_percent_above_base
        on_demand, spot = split_purchase(Decimal(self.min_nodes), base, percent)
        return int(on_demand), int(spot)

    def to_pool(self) -> Pool:
        """Return the group's entry in the manifest."""
        return Pool(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            zones=list(self.zones),
            kind=KINDS[self.cloud],
            accelerator=self.machines.accelerator,
            accelerators_per_node=self.machines.per_node,
            instance_types=self.type_names,
            capacity_type=CapacityType.SPOT,
            min_nodes=self.min_nodes,
            max_nodes=self.max_nodes,
            on_demand_base_nodes=self.on_demand_base_nodes,
            on_demand_percent_above_base=self.on_demand_percent_above_base,
            allocation_strategy=self.allocation_strategy,
            declared_nodes=self.declared_nodes,
            boot_seconds=self.boot_seconds,
            labels=self.cost_labels,
            priority=self.priority,
            interruption_tolerance=InterruptionTolerance.TOLERANT,
            workload_classes=list(self.workload_classes),
            service_level=self.service_level,
            disruption_budget=self.disruption_budget,
            windows=list(self.windows),
            schedules=list(self.schedules),
            checkpoint=self.checkpoint,
            scaler=Scaler.TIDEGATE,
        )

    def to_fragment(self) -> dict[str, Any]:
        """Return what the group adds to the manifest, as plain JSON."""
        return dump_manifest(Fragment(pools=[self.to_pool()]))
