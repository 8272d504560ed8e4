"""The arguments of an existing pool, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

from tidegate_components.node_pools.args import (
    CheckpointArgs,
    DisruptionBudgetArgs,
    ScheduleArgs,
    TaintArgs,
    WindowArgs,
)


class ExistingPoolArgs(TypedDict):
    """A pool as it stands; `tidegate adopt` writes these arguments."""

    cloud: str
    """aws, gcp or azure."""
    kind: str
    """eks-node-group, auto-scaling-group, karpenter-node-pool, gke-node-pool, instance-group, \
aks-agent-pool or scale-set."""
    region: str
    """The cloud's own name of the region."""
    identifiers: dict[str, str]
    """What names the pool in its cloud's API, such as nodeGroup, autoScalingGroup, nodePool, \
location, agentPool, resourceGroup."""
    cluster: NotRequired[str]
    """The cluster that its nodes join, by name."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    zones: NotRequired[list[str]]
    """The zones of the nodes."""
    accelerator: NotRequired[str]
    """The accelerator's name in the catalog, where the instance types do not decide it."""
    accelerators_per_node: NotRequired[int]
    """How many of it a node has, where the instance types do not decide it; 0 for none."""
    instance_types: list[str]
    """The cloud's own instance types, of one shape."""
    capacity_type: str
    """on-demand, spot or reserved."""
    reservation: NotRequired[str]
    """The id of the declared commitment that a reserved pool consumes."""
    min_nodes: NotRequired[int]
    """The fewest nodes; 0 unless stated."""
    max_nodes: int
    """The most nodes."""
    declared_nodes: NotRequired[float]
    """Nodes expected on average; the basis of the cost as declared."""
    boot_seconds: NotRequired[int]
    """Seconds from a request to a ready node; 300 unless stated."""
    labels: dict[str, str]
    """The cost labels."""
    node_labels: NotRequired[dict[str, str]]
    """The Kubernetes labels that its nodes carry."""
    taints: NotRequired[list[TaintArgs]]
    """The taints that its nodes carry."""
    priority: NotRequired[int]
    """Which pool goes first where several fit; higher goes first."""
    interruption_tolerance: NotRequired[str]
    """tolerant or intolerant; spot pools are tolerant, others intolerant unless stated."""
    workload_classes: NotRequired[list[str]]
    """Classes of work that the pool accepts; the class of its cost labels unless stated."""
    service_level: NotRequired[str]
    """The service level that the pool promises, by name."""
    disruption_budget: NotRequired[DisruptionBudgetArgs]
    """How many nodes may be disrupted at once; one unless stated."""
    windows: NotRequired[list[WindowArgs]]
    """When disruption is allowed; always when there is none."""
    schedules: NotRequired[list[ScheduleArgs]]
    """Other bounds at other times."""
    checkpoint: NotRequired[CheckpointArgs]
    """What the work declares about its checkpoints."""
    scaler: str
    """The one thing that resizes the pool: tidegate, cluster-autoscaler, provider or karpenter."""
