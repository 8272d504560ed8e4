"""The arguments of a notebook, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class NotebookAwsArgs(TypedDict):
    """What only SageMaker takes."""

    role_arn: NotRequired[pulumi.Input[str]]
    """The role of the notebook. A notebook instance stops itself with it, so it must allow
    sagemaker:StopNotebookInstance, and cloudwatch:PutMetricData where `stopped_by` is tidegate.
    Required on AWS."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """The subnet of a notebook instance; with one, it has no internet access of its own."""
    security_group_ids: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The security groups of a notebook instance, or of a Studio user."""
    domain_id: NotRequired[pulumi.Input[str]]
    """A Studio domain that exists; one is made when absent."""
    vpc_id: NotRequired[pulumi.Input[str]]
    """The network of a Studio domain that is made. Required for one."""
    subnet_ids: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The subnets of a Studio domain that is made. Required for one."""


class NotebookGcpArgs(TypedDict):
    """What only Vertex Workbench takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""
    network: NotRequired[pulumi.Input[str]]
    """The network of the machine."""
    subnetwork: NotRequired[pulumi.Input[str]]
    """The subnetwork of the machine; without a public address it needs a way out."""
    service_account: NotRequired[pulumi.Input[str]]
    """The service account of the machine."""
    owner: NotRequired[pulumi.Input[str]]
    """The one person who may open it; whoever has the role when absent."""
    public_ip: NotRequired[bool]
    """Whether the machine has a public address; false unless stated."""


class NotebookAzureArgs(TypedDict):
    """What only Azure Machine Learning takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The workspace's resource group. Required on Azure."""
    workspace_name: NotRequired[pulumi.Input[str]]
    """The workspace. Required on Azure."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """The subnet of the machine; with one, it has no public address."""
    stop_cron: NotRequired[str]
    """When it stops every day whatever it does, as five cron fields."""
    stop_time_zone: NotRequired[str]
    """The time zone of `stop_cron` in Windows' words; UTC unless stated."""


class NotebooksArgs(TypedDict):
    """An interactive machine that stops by itself when nobody works on it."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    kind: NotRequired[str]
    """On AWS notebook-instance, unless stated, or studio; elsewhere the cloud's one kind."""
    zone: NotRequired[str]
    """The zone of a Workbench machine. Required on Google Cloud."""
    instance_type: str
    """The cloud's own machine: ml.g5.xlarge, g2-standard-8, Standard_NC4as_T4_v3."""
    accelerator: NotRequired[str]
    """The accelerator, where the machine type leaves a choice."""
    accelerators_per_node: NotRequired[int]
    """How many of it the machine has, where the machine type leaves a choice."""
    idle_shutdown_seconds: NotRequired[int]
    """How long nobody works before it stops. Required: SageMaker notebook instances from 600 s,
    Studio from 3600 s, Workbench from 600 s to a day, Azure from 900 s to 3 days; all but notebook
    instances by the minute."""
    max_age_seconds: NotRequired[int]
    """How long it may run whatever it does; without Tidegate's controller SageMaker notebook
    instances only."""
    stopped_by: NotRequired[str]
    """provider, unless stated: its cloud's own idle shutdown. tidegate: the controller, which warns
    first and can be asked to wait; the cloud's own comes after four times as long at the latest."""
    disk_gib: NotRequired[int]
    """The disk for work; 50 GiB unless stated, 150 GiB on Workbench. Azure has its own."""
    labels: dict[str, str]
    """The cost labels."""
    aws: NotRequired[NotebookAwsArgs]
    """What only SageMaker takes."""
    gcp: NotRequired[NotebookGcpArgs]
    """What only Vertex Workbench takes."""
    azure: NotRequired[NotebookAzureArgs]
    """What only Azure Machine Learning takes."""
