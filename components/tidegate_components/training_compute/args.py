"""The arguments of managed training, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class TrainingCheckpointArgs(TypedDict):
    """What a job declares about its checkpoints."""

    interval_seconds: int
    """Time between two checkpoints."""
    write_seconds: int
    """Time to write one."""
    restart_seconds: int
    """Time from an interruption until work goes on, boot excluded."""


class TrainingAwsArgs(TypedDict):
    """What only SageMaker training takes."""

    role_arn: NotRequired[pulumi.Input[str]]
    """The role of the jobs; it stands in the bindings."""


class TrainingGcpArgs(TypedDict):
    """What only Vertex custom training takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's; it stands in the bindings."""
    service_account: NotRequired[pulumi.Input[str]]
    """The service account of the jobs; it stands in the bindings."""
    flex_start: NotRequired[bool]
    """Whether jobs wait in Dynamic Workload Scheduler's queue until all their nodes are there."""


class TrainingAzureArgs(TypedDict):
    """What only an Azure Machine Learning compute cluster takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The workspace's resource group. Required on Azure."""
    workspace_name: NotRequired[pulumi.Input[str]]
    """The workspace. Required on Azure."""
    subnet_id: NotRequired[pulumi.Input[str]]
    """The subnet of the nodes; with one, they have no public addresses."""
    idle_seconds: NotRequired[int]
    """How long an idle node stays before it goes; 120 unless stated."""


class TrainingComputeArgs(TypedDict):
    """Training that its cloud runs, from no node up."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    instance_type: str
    """The cloud's own machine: ml.p4d.24xlarge, a2-highgpu-1g, Standard_NC24ads_A100_v4."""
    accelerator: NotRequired[str]
    """The accelerator's name in the catalog; none when absent."""
    accelerators_per_node: NotRequired[int]
    """How many of it a node has; needed where the catalog does not know."""
    capacity_type: str
    """on-demand or spot: SageMaker's managed spot, Vertex's spot, Azure's low priority."""
    max_nodes: int
    """The most nodes of all jobs at once."""
    declared_nodes: NotRequired[float]
    """Nodes expected on average; the basis of the cost as declared."""
    boot_seconds: NotRequired[int]
    """Seconds from a submitted job to its first node; 300 unless stated."""
    max_run_seconds: int
    """How long a job may run. SageMaker up to 28 days, Vertex's flex-start up to 7."""
    max_wait_seconds: NotRequired[int]
    """How long a job may take, waiting included: on SageMaker for spot, and not less than
    `max_run_seconds`; on Vertex how long flex-start waits for nodes."""
    checkpoint_uri: NotRequired[str]
    """Where jobs write checkpoints: s3://, gs:// or azureml://. Required for spot."""
    checkpoint: NotRequired[TrainingCheckpointArgs]
    """What jobs declare about their checkpoints."""
    priority: NotRequired[int]
    """Which pool goes first where several fit; higher goes first."""
    labels: dict[str, str]
    """The cost labels."""
    aws: NotRequired[TrainingAwsArgs]
    """What only SageMaker takes."""
    gcp: NotRequired[TrainingGcpArgs]
    """What only Vertex takes."""
    azure: NotRequired[TrainingAzureArgs]
    """What only Azure Machine Learning takes."""
