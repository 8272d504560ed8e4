"""The arguments of a GPU node pool, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

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


class GpuNodePoolGcpArgs(TypedDict):
    """What only a GKE node pool takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""
    location: NotRequired[pulumi.Input[str]]
    """The cluster's region or zone; the pool's region when absent."""
    service_account: NotRequired[pulumi.Input[str]]
    """The service account of the nodes."""
    driver_version: NotRequired[str]
    """DEFAULT, LATEST or INSTALLATION_DISABLED; always sent, because GKE's own default moved."""
    queued_provisioning: NotRequired[bool]
    """Whether nodes come through Dynamic Workload Scheduler's queue, all at once."""
    flex_start: NotRequired[bool]
    """Whether nodes are flex-start machines, which run for a bounded time."""
    max_run_duration_seconds: NotRequired[int]
    """How long a flex-start or queued node may run."""
    compact_placement: NotRequired[bool]
    """Whether nodes stand close together in one zone."""
    tpu_topology: NotRequired[str]
    """How the chips of a TPU slice are joined, such as 2x4. Larger than one machine makes the
    pool one slice, whose nodes come and go together."""


class GpuNodePoolAzureArgs(TypedDict):
    """What only an AKS agent pool takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The cluster's resource group. Required on Azure."""
    vnet_subnet_id: NotRequired[pulumi.Input[str]]
    """The subnet of the nodes."""
    install_driver: NotRequired[bool]
    """Whether AKS installs the accelerator's driver; false where an operator does."""
    gpu_instance_profile: NotRequired[str]
    """The MIG profile, as AKS spells `sharing` of strategy mig: MIG1g, MIG2g, MIG3g, MIG4g or
    MIG7g."""


class SharingArgs(TypedDict):
    """How several pods share one accelerator."""

    strategy: str
    """mig (parts in hardware), time-sharing or mps (turns or shares of one, in software)."""
    partition: NotRequired[str]
    """The MIG profile of every accelerator, such as 1g.10gb. Needed by mig."""
    clients_per_accelerator: NotRequired[int]
    """Pods that one accelerator, or one partition, serves at once. Needed by time-sharing and
    mps."""
    device_plugin_config: NotRequired[str]
    """The entry of NVIDIA's device plugin configuration that shares so, where the cloud does not
    do it: on EKS, and on AKS for all but mig."""


class GpuNodePoolArgs(TypedDict):
    """A pool of equal accelerated nodes on EKS, GKE or AKS, from zero nodes up."""

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
    accelerator: str
    """The accelerator's name in the catalog, such as h100-80gb."""
    accelerators_per_node: NotRequired[int]
    """Needed only where the instance type does not decide it."""
    instance_types: list[str]
    """The cloud's own instance types. One on GKE and AKS; on EKS several of one shape."""
    sharing: NotRequired[SharingArgs]
    """How several pods share one accelerator; each has its own unless stated."""
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
    """Seconds from a request to a ready node; 300 unless stated."""
    disk_gib: NotRequired[int]
    """The node's boot disk; 200 GiB unless stated."""
    labels: dict[str, str]
    """The cost labels."""
    node_labels: NotRequired[dict[str, str]]
    """Kubernetes labels of the nodes, beside those that are set for you."""
    taints: NotRequired[list[TaintArgs]]
    """Taints of the nodes, beside the accelerator's own."""
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
    gcp: NotRequired[GpuNodePoolGcpArgs]
    """What only GKE takes."""
    azure: NotRequired[GpuNodePoolAzureArgs]
    """What only AKS takes."""
