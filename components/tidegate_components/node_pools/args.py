"""What the arguments of every node pool are made of, as Pulumi's schema sees it."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class TaintArgs(TypedDict):
    """A Kubernetes taint."""

    key: str
    """The taint's key."""
    value: NotRequired[str]
    """The taint's value."""
    effect: str
    """NoSchedule, PreferNoSchedule or NoExecute, as Kubernetes spells them on every cloud."""


class DisruptionBudgetArgs(TypedDict):
    """How many nodes may be disrupted at once."""

    max_unavailable_nodes: int
    """Nodes that an upgrade, a consolidation or a repair may take at once."""


class ScheduleArgs(TypedDict):
    """Other bounds from a moment on."""

    cron: str
    """Five fields: minute hour day-of-month month day-of-week."""
    time_zone: str
    """An IANA zone such as Europe/Berlin."""
    min_nodes: int
    """The fewest nodes from then on."""
    max_nodes: int
    """The most nodes from then on."""


class WindowArgs(TypedDict):
    """When disruption is allowed."""

    cron: str
    """The start, as five cron fields."""
    time_zone: str
    """An IANA zone such as Europe/Berlin."""
    duration_seconds: int
    """How long the window stays open."""


class CheckpointArgs(TypedDict):
    """What work on the pool declares about its checkpoints."""

    interval_seconds: int
    """Time between two checkpoints."""
    write_seconds: int
    """Time to write one."""
    restart_seconds: int
    """Time from an interruption until work goes on, boot excluded."""


class KarpenterArgs(TypedDict):
    """What only a pool takes whose nodes Karpenter makes."""

    ami_alias: NotRequired[str]
    """Karpenter's alias of the image, family@version; al2023@latest unless stated. A version
    that is not pinned replaces nodes whenever AWS publishes an image."""
    consolidation_policy: NotRequired[str]
    """WhenEmpty or WhenEmptyOrUnderutilized; WhenEmpty unless stated, because moving work off a
    running accelerator loses what it has not written."""
    consolidate_after_seconds: NotRequired[int]
    """How long a node stays idle before it goes; 300 unless stated."""
    expire_after_hours: NotRequired[int]
    """The age at which a node is replaced, 720 unless stated; 0 means never."""
    termination_grace_seconds: NotRequired[int]
    """How long a node that has to go may wait for its pods; as long as they need unless stated."""


class AwsPoolArgs(TypedDict):
    """What only a pool on EKS takes."""

    node_kind: NotRequired[str]
    """eks-node-group (EKS manages the nodes), or auto-scaling-group (you do). Left out when the
    scaler is karpenter."""
    node_role_arn: NotRequired[pulumi.Input[str]]
    """The role of the nodes. Required on AWS."""
    subnet_ids: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The subnets of the nodes; they decide the zones. Required on AWS."""
    security_group_ids: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The security groups of the nodes, instead of the cluster's own, which EKS gives managed
    nodes. Required where EKS gives none: for an Auto Scaling group, Karpenter and EFA."""
    ami_type: NotRequired[str]
    """An EKS image type instead of the one that suits the machine."""
    image_id: NotRequired[str]
    """An image of an Auto Scaling group's nodes, instead of EKS's recommended one."""
    kubernetes_version: NotRequired[str]
    """The version, such as 1.34, whose recommended image an Auto Scaling group's nodes boot."""
    cluster_endpoint: NotRequired[pulumi.Input[str]]
    """The cluster's API server. Required for an Auto Scaling group."""
    cluster_certificate: NotRequired[pulumi.Input[str]]
    """The cluster's certificate authority, in base64. Required for an Auto Scaling group."""
    service_cidr: NotRequired[pulumi.Input[str]]
    """The range of the cluster's services. Required for an Auto Scaling group."""
    instance_profile: NotRequired[pulumi.Input[str]]
    """The name of an instance profile of the role, instead of one that is made."""
    role_has_access: NotRequired[bool]
    """Whether the cluster knows the role already, from a managed node group or another pool of
    the same role; otherwise an Auto Scaling group declares its access entry."""
    cluster_placement: NotRequired[bool]
    """Whether nodes stand close together in one zone, in a cluster placement group."""
    efa: NotRequired[bool]
    """Whether nodes get every Elastic Fabric Adapter that their type has."""
    capacity_block: NotRequired[bool]
    """Whether the reservation is a Capacity Block for ML."""
    karpenter: NotRequired[KarpenterArgs]
    """What only a pool takes whose scaler is karpenter."""
