"""The arguments of inference capacity, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi

from tidegate_components.commitments.args import AcknowledgementArgs, PurchaseArgs


class InferenceCommitmentArgs(TypedDict):
    """What is paid for whether used or not: the endpoint's floor."""

    id: NotRequired[str]
    """The commitment's id in the manifest; the component's name unless stated."""
    kind: NotRequired[str]
    """capacity-reservation unless stated; the kinds of `CommittedCapacity`."""
    zone: NotRequired[str]
    """The one zone of reserved machines. Required for them."""
    instance_type: NotRequired[str]
    """The cloud's own instance type. Required where machines are committed to."""
    accelerator: NotRequired[str]
    """The accelerator, where the instance type leaves a choice."""
    accelerators_per_node: NotRequired[int]
    """How many of it a machine has, where the instance type leaves a choice."""
    units: NotRequired[int]
    """How many machines. Required where machines are committed to."""
    acknowledge: NotRequired[AcknowledgementArgs]
    """What is agreed to. Required: nothing is bought without it."""
    purchase: NotRequired[PurchaseArgs]
    """What only some kinds say of their purchase."""


class SageMakerTargetArgs(TypedDict):
    """A SageMaker endpoint, by its variant or by an inference component on it."""

    endpoint_name: NotRequired[pulumi.Input[str]]
    """An endpoint that exists; one is made when absent."""
    variant_name: NotRequired[str]
    """The endpoint's variant; main unless stated."""
    model_name: NotRequired[pulumi.Input[str]]
    """The SageMaker model of the variant. Without it the endpoint made hosts inference
    components, and may go to zero."""
    execution_role_arn: NotRequired[pulumi.Input[str]]
    """The role of an endpoint made for inference components. Required for one."""
    instance_type: NotRequired[str]
    """The machine of a replica, such as ml.g5.xlarge. Required where the endpoint is made."""
    inference_component_name: NotRequired[pulumi.Input[str]]
    """The inference component that scales by copies. No Pulumi type makes one: make it on the
    endpoint with SageMaker's SDK, then name it here."""
    async_output_s3_uri: NotRequired[pulumi.Input[str]]
    """Where answers go: makes the endpoint asynchronous, so that its variant may go to zero."""
    invocations_per_minute: NotRequired[float]
    """Invocations a minute that one instance or copy should see; of an asynchronous endpoint the
    backlog of one instance. Required where something scales."""


class VertexTargetArgs(TypedDict):
    """A Vertex endpoint with a pool of machines that deployed models share."""

    endpoint: NotRequired[pulumi.Input[str]]
    """An endpoint that exists; one is made when absent."""
    machine_type: str
    """The machine of a replica, such as g2-standard-12."""
    accelerator: NotRequired[str]
    """The accelerator, where the machine type leaves a choice."""
    accelerators_per_replica: NotRequired[int]
    """How many of it a replica has, where the machine type leaves a choice."""
    utilization_percent: NotRequired[int]
    """The utilization that scaling aims at, 1 to 100; 60 unless stated, as Vertex does."""


class AzureMlTargetArgs(TypedDict):
    """A managed online endpoint of an Azure Machine Learning workspace, and its deployment."""

    workspace_name: NotRequired[pulumi.Input[str]]
    """The workspace. Required."""
    endpoint_name: NotRequired[pulumi.Input[str]]
    """An endpoint that exists; one is made when absent."""
    model_id: NotRequired[pulumi.Input[str]]
    """The registered model, as an ARM or azureml:// id. Required."""
    environment_id: NotRequired[pulumi.Input[str]]
    """The environment that serves it; none for a model that carries its own (MLflow)."""
    instance_type: str
    """The virtual machine size of an instance."""
    auth_mode: NotRequired[str]
    """AADToken, AMLToken or Key; AADToken unless stated."""
    public_network_access: NotRequired[bool]
    """Whether the endpoint is reached from outside the workspace's network; false unless stated."""
    utilization_percent: NotRequired[int]
    """The utilization that scaling aims at, 10 to 100; 70 unless stated."""


class TolerationArgs(TypedDict):
    """A Kubernetes toleration, beside the accelerator's own."""

    key: str
    """The taint's key."""
    value: NotRequired[str]
    """The taint's value; any when absent."""
    effect: NotRequired[str]
    """NoSchedule, PreferNoSchedule or NoExecute; any when absent."""


class TriggerArgs(TypedDict):
    """What KEDA watches: demand that is seen while no replica runs."""

    type: str
    """prometheus, aws-sqs-queue, gcp-pubsub, azure-queue, azure-servicebus, rabbitmq or kafka."""
    metadata: NotRequired[pulumi.Input[dict[str, pulumi.Input[str]]]]
    """The trigger's own settings, as KEDA names them. Required."""
    authentication: NotRequired[pulumi.Input[str]]
    """The TriggerAuthentication in the same namespace."""


class KubernetesTargetArgs(TypedDict):
    """A Deployment on a declared pool, scaled by KEDA."""

    image: NotRequired[pulumi.Input[str]]
    """The container's image. Required."""
    namespace: NotRequired[pulumi.Input[str]]
    """The namespace; default unless stated."""
    port: NotRequired[int]
    """The port it serves on; 8080 unless stated."""
    command: NotRequired[list[str]]
    """The container's entry point, instead of the image's."""
    args: NotRequired[list[str]]
    """The container's arguments."""
    accelerator: NotRequired[str]
    """The accelerator's name in the catalog; none when absent."""
    accelerators_per_replica: NotRequired[int]
    """How many of it a replica takes; 1 unless stated."""
    cpu: NotRequired[str]
    """Processor that a replica requests, as Kubernetes writes it; 1 unless stated."""
    memory: NotRequired[str]
    """Memory that a replica requests and may take, as Kubernetes writes it; 4Gi unless stated."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations beside the accelerator's own."""
    trigger: NotRequired[TriggerArgs]
    """What scales it. Required."""
    cooldown_seconds: NotRequired[int]
    """How long nothing is asked before the last replica goes; 300 unless stated."""


class InferenceCapacityGcpArgs(TypedDict):
    """What only Google Cloud takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""


class InferenceCapacityAzureArgs(TypedDict):
    """What only Azure takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group of endpoint and reservation. Required for what is made on Azure."""


class InferenceCapacityArgs(TypedDict):
    """What serves a model: a committed base, an elastic top, and a way down to nothing."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    model: str
    """What is served, by name, for the manifest."""
    commitment: NotRequired[InferenceCommitmentArgs]
    """What is paid for whether used or not."""
    pool: NotRequired[str]
    """The id of the pool whose nodes serve. Required for a Kubernetes Deployment; it consumes the
    commitment through its own `reservation`."""
    elastic_pool: NotRequired[str]
    """The id of the pool that takes what exceeds `pool`."""
    min_replicas: NotRequired[int]
    """The fewest replicas; 0 unless stated."""
    max_replicas: int
    """The most replicas."""
    service_level: NotRequired[str]
    """The service level that the endpoint promises, by name."""
    cold_start_budget_seconds: NotRequired[int]
    """How long the service level lets a request wait for a first replica."""
    boot_seconds: NotRequired[int]
    """Seconds from a request to a ready machine; 300 unless stated."""
    load_seconds: NotRequired[int]
    """Seconds from a ready machine to a loaded model."""
    idle_shutdown_seconds: NotRequired[int]
    """After what time without requests and load Tidegate's controller sizes the endpoint to its
    least, 600 s or more; it leaves it alone when absent."""
    idle_action: NotRequired[str]
    """What it does then: shrink, unless stated, or remove, which takes the model away where the
    cloud keeps a machine otherwise (Vertex, Azure Machine Learning)."""
    labels: dict[str, str]
    """The cost labels."""
    sagemaker: NotRequired[SageMakerTargetArgs]
    """A SageMaker endpoint is what scales. One of the four is required."""
    vertex: NotRequired[VertexTargetArgs]
    """A Vertex endpoint is what scales."""
    azure_ml: NotRequired[AzureMlTargetArgs]
    """An Azure Machine Learning online endpoint is what scales."""
    kubernetes: NotRequired[KubernetesTargetArgs]
    """A Kubernetes Deployment is what scales, on any cloud."""
    gcp: NotRequired[InferenceCapacityGcpArgs]
    """What only Google Cloud takes."""
    azure: NotRequired[InferenceCapacityAzureArgs]
    """What only Azure takes."""
