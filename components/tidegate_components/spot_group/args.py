"""The arguments of a spot group, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi

from tidegate_components.node_pools.args import (
    CheckpointArgs,
    DisruptionBudgetArgs,
    ScheduleArgs,
    WindowArgs,
)


class SpotGroupAwsArgs(TypedDict):
    """What only an Auto Scaling group takes."""

    subnet_ids: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The subnets of the machines; they decide the zones. Required on AWS."""
    security_group_ids: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The security groups; the VPC's default one when absent."""
    instance_profile_arn: NotRequired[pulumi.Input[str]]
    """The instance profile, where the machines call AWS."""
    root_device: NotRequired[str]
    """The image's root device, which `disk_gib` sizes: /dev/xvda unless stated, as on Amazon
    Linux; /dev/sda1 on Ubuntu."""


class SpotGroupGcpArgs(TypedDict):
    """What only managed instance groups take."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""
    subnetwork: NotRequired[pulumi.Input[str]]
    """The subnetwork of the machines. Required on Google Cloud."""
    service_account: NotRequired[pulumi.Input[str]]
    """The service account of the machines."""
    disk_type: NotRequired[str]
    """The boot disk's type; pd-balanced unless stated, hyperdisk-balanced for machine families
    that take no persistent disk."""
    resource_manager_tags: NotRequired[pulumi.Input[dict[str, pulumi.Input[str]]]]
    """Tags of the groups, tagKeys/… to tagValues/…: by them `ControllerAccess` knows a group,
    because IAM conditions see neither its name nor any label."""


class SpotGroupAzureArgs(TypedDict):
    """What only scale sets and fleets take."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group. Required on Azure."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """The subnet of the machines. Required on Azure."""
    ssh_public_key: NotRequired[pulumi.Input[str]]
    """The key of the administrator; there is no password. Required on Azure."""
    admin_username: NotRequired[str]
    """The administrator's name; tidegate unless stated."""
    fleet: NotRequired[bool]
    """Whether an Azure Fleet buys the machines, instead of a scale set."""
    subscription: NotRequired[pulumi.Input[str]]
    """The subscription's id as a path, /subscriptions/…, whose health events are listened to.
    Required unless `system_topic_name` is given."""
    system_topic_name: NotRequired[pulumi.Input[str]]
    """The Event Grid system topic of the subscription's health events, where there is one
    already: Azure allows one a subscription. A group's `bindings` name the one that it made."""
    system_topic_resource_group: NotRequired[pulumi.Input[str]]
    """The resource group of that topic; the group's own when absent."""


class SpotGroupArgs(TypedDict):
    """Diversified spot machines outside Kubernetes, the first of them bought on demand."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    zones: NotRequired[list[str]]
    """The zones of the machines; on AWS the subnets decide them."""
    instance_types: list[str]
    """The cloud's own instance types, of one shape; the more, the fewer interruptions."""
    accelerators_per_node: NotRequired[int]
    """Needed only where the catalog does not know it."""
    image: NotRequired[pulumi.Input[str]]
    """What the machines boot: an AMI's id, a Compute Engine image or family, an Azure image's id
    or publisher:offer:sku:version. Required."""
    startup_script: NotRequired[pulumi.Input[str]]
    """What a machine runs when it boots, beginning with #!."""
    disk_gib: NotRequired[int]
    """The boot disk; 100 GiB unless stated."""
    min_nodes: NotRequired[int]
    """The fewest machines; 0 unless stated."""
    max_nodes: int
    """The most machines."""
    on_demand_base_nodes: NotRequired[int]
    """The first machines, which are bought on demand; 0 unless stated."""
    on_demand_percent_above_base: NotRequired[int]
    """The share of the machines above those that is bought on demand too; 0 unless stated."""
    allocation_strategy: NotRequired[str]
    """How the cloud chooses among the types, in its own word; the one that weighs capacity unless
    stated. The cheapest pool alone is interrupted most, so lowest-price must be asked for."""
    declared_nodes: NotRequired[float]
    """Machines expected on average; the basis of the cost as declared."""
    boot_seconds: NotRequired[int]
    """Seconds from a request to a ready machine; 180 unless stated."""
    labels: dict[str, str]
    """The cost labels."""
    priority: NotRequired[int]
    """Which pool goes first where several fit; higher goes first."""
    workload_classes: NotRequired[list[str]]
    """Classes of work that the group accepts; the class of its cost labels unless stated."""
    service_level: NotRequired[str]
    """The service level that the group promises, by name."""
    disruption_budget: NotRequired[DisruptionBudgetArgs]
    """How many machines may be disrupted at once; one unless stated."""
    windows: NotRequired[list[WindowArgs]]
    """When disruption is allowed; always when there is none."""
    schedules: NotRequired[list[ScheduleArgs]]
    """Other bounds at other times."""
    checkpoint: NotRequired[CheckpointArgs]
    """What the work declares about its checkpoints."""
    scaler: str
    """The one thing that resizes the group: tidegate."""
    aws: NotRequired[SpotGroupAwsArgs]
    """What only AWS takes."""
    gcp: NotRequired[SpotGroupGcpArgs]
    """What only Google Cloud takes."""
    azure: NotRequired[SpotGroupAzureArgs]
    """What only Azure takes."""
