"""A pool as its cloud shows it, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidegate.vocabulary.capacity import CapacityType, Cloud, PoolKind, Scaler


@dataclass(frozen=True, slots=True)
class ObservedTaint:
    """A Kubernetes taint; the effect in Kubernetes' spelling."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class ObservedPool:
    """One pool, read from its cloud.

    Attributes:
        name: What the cloud calls it.
        account: AWS account, Google project or Azure subscription; empty where not told.
        zones: The zones of its nodes, in the cloud's own form; empty where not told.
        instance_types: In the order in which the cloud tries them; empty where it chooses.
        accelerator: What the cloud calls a chip that is attached to a plain machine; else empty.
        accelerators_per_node: Of that chip; 0 where the machine type decides.
        max_nodes: None where its cloud bounds nothing.
        desired_nodes: The size that is asked for now; None where not told.
        tags: Cost labels and whatever else it carries, keys as they are spelt.
        scaler: Who resizes it, where the cloud shows that; None where it does not.
        identifiers: What names it in its cloud's API, by the component bindings' keys.
    """

    cloud: Cloud
    kind: PoolKind
    name: str
    cluster: str
    region: str
    account: str
    zones: tuple[str, ...]
    instance_types: tuple[str, ...]
    capacity_type: CapacityType
    min_nodes: int
    max_nodes: int | None
    desired_nodes: int | None
    accelerator: str = ""
    accelerators_per_node: int = 0
    node_labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[ObservedTaint, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    scaler: Scaler | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)
