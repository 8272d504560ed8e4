"""The arguments of a CPU node pool, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, and it finds descriptions only beside the
# fields of the class itself, so that this file repeats what all pools take.

from typing import NotRequired, TypedDict

import pulumi

from tidegate_components.node_pools.args import (
    AwsPoolArgs,
    CheckpointArgs,
    DisruptionBudgetArgs,
    ScheduleArgs,
    TaintArgs,
    WindowArgs,
)


class CpuNodePoolGcpArgs(TypedDict):
    """What only a GKE node pool takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""
    location: NotRequired[pulumi.Input[str]]
    """The cluster's region or zone; the pool's region when absent."""
    service_account: NotRequired[pulumi.Input[str]]
    """The service account of the nodes."""
    compact_placement: NotRequired[bool]
    """Whether nodes stand close together in one zone."""


class CpuNodePoolAzureArgs(TypedDict):
    """What only an AKS agent pool takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The cluster's resource group. Required on Azure."""
    vnet_subnet_id: NotRequired[pulumi.Input[str]]
    """The subnet of the nodes."""


class CpuNodePoolArgs(TypedDict):
    """A pool of equal plain nodes on EKS, GKE or AKS, from zero nodes up."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    cluster: NotRequired[pulumi.Input[str]]
    """The cluster that the pool joins, by name. Required; may be an Output."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    zones: NotRequired[list[str]]
    """The zones of the nodes."""
    instance_types: list[str]
    """The cloud's own instance types. One on GKE and AKS; on EKS several of one shape."""
    capacity_type: str
    """on-demand, spot or reserved."""
    reservation: NotRequired[str]
    """The id of the declared commitment that a reserved pool consumes."""
    reservation_target: NotRequired[pulumi.Input[str]]
    """The commitment's cloud identifier: a component's `reservation_target` output."""
    min_nodes: NotRequired[int]
    """The fewest nodes; 0 unless stated."""
    max_nodes: int
    """The most nodes."""
    declared_nodes: NotRequired[float]
    """Nodes expected on average; the basis of the cost as declared."""
    boot_seconds: NotRequired[int]
    """Seconds from a request to a ready node; 120 unless stated."""
    disk_gib: NotRequired[int]
    """The node's boot disk; 100 GiB unless stated."""
    labels: dict[str, str]
    """The cost labels."""
    node_labels: NotRequired[dict[str, str]]
    """Kubernetes labels of the nodes, beside those that are set for you."""
    taints: NotRequired[list[TaintArgs]]
    """Taints of the nodes; none are set for you, save AKS's own on spot nodes."""
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
    cloud_name: NotRequired[str]
    """The pool's name in its cloud, instead of one derived from its id. Refused when too long."""
    aws: NotRequired[AwsPoolArgs]
    """What only EKS takes."""
    gcp: NotRequired[CpuNodePoolGcpArgs]
    """What only GKE takes."""
    azure: NotRequired[CpuNodePoolAzureArgs]
    """What only AKS takes."""
