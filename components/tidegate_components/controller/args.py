"""The arguments of the controller, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import Any, NotRequired, TypedDict

import pulumi


class SecretKeyArgs(TypedDict):
    """A key of a Secret in the controller's namespace, which something else makes."""

    name: str
    """The Secret's name."""
    key: str
    """The key in it."""


class ControllerAwsArgs(TypedDict):
    """How the pods get the role of a `ControllerAccess` on AWS."""

    role_arn: NotRequired[pulumi.Input[str]]
    """The role, where the access is `irsa`. Left out on EKS where it is `pod_identity`, which \
hands the role out by itself."""


class ControllerGcpArgs(TypedDict):
    """How the pods act as the service account of a `ControllerAccess` on Google Cloud."""

    service_account: pulumi.Input[str]
    """The service account's email."""
    identity_provider: NotRequired[pulumi.Input[str]]
    """Outside of GKE: the workload identity provider that trusts the cluster, as \
projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER."""


class ControllerAzureArgs(TypedDict):
    """How the pods act as the identity of a `ControllerAccess` on Azure."""

    client_id: pulumi.Input[str]
    """The client id of the user-assigned identity that is federated with the service account."""
    tenant_id: pulumi.Input[str]
    """The tenant of the identity."""


class StorageArgs(TypedDict):
    """The volume of the state, where it is in SQLite."""

    size_gib: NotRequired[int]
    """Its size in GiB; 1 unless stated."""
    storage_class: NotRequired[str]
    """Its StorageClass; the cluster's default unless stated."""


class MonitoringArgs(TypedDict):
    """How Prometheus finds and reaches the controller's figures."""

    namespace: str
    """The namespace that Prometheus runs in: nothing else may connect."""
    kind: NotRequired[str]
    """pod-monitor or service-monitor, of the Prometheus Operator; neither unless stated."""
    labels: NotRequired[dict[str, str]]
    """Further labels of the monitor, by which a Prometheus selects it."""


class ControllerArgs(TypedDict):
    """Tidegate's controller as a Deployment, with no more rights than it uses."""

    cloud: str
    """aws, gcp or azure: the cloud of the cluster that it runs in."""
    cluster: str
    """The cluster that it runs in, by name, as the manifest's pools state it; the `provider` \
option is its Kubernetes."""
    region: NotRequired[str]
    """The cluster's region, where clusters of several regions share a name."""
    image: pulumi.Input[str]
    """The image, built from deploy/Containerfile; Tidegate publishes none."""
    capacity: dict[str, Any]
    """The capacity manifest of the stack, as it exports it."""
    bindings: pulumi.Input[dict[str, Any]]
    """The bindings of the stack, by section and id, as it exports them."""
    token: SecretKeyArgs
    """The bearer token that its face asks for: 16 characters or more."""
    namespace: NotRequired[str]
    """Its namespace; tidegate unless stated."""
    existing_namespace: NotRequired[bool]
    """Whether the namespace is there already, and stays when the controller goes."""
    service_account: NotRequired[str]
    """Its Kubernetes service account, as `ControllerAccess` names it; the component's name \
unless stated."""
    replicas: NotRequired[int]
    """1 unless stated. More than one stand by for the one that leads, and need a database or a \
lease that says which."""
    leader: NotRequired[str]
    """database, unless stated: the PostgreSQL database says which of several leads; or lease, a \
Lease of the cluster."""
    database: NotRequired[SecretKeyArgs]
    """The URL of a PostgreSQL database, postgresql://…; SQLite unless stated, on a volume where \
there is one replica."""
    database_port: NotRequired[int]
    """The port of that database; 5432 unless stated."""
    storage: NotRequired[StorageArgs]
    """The volume of the state, where it is in SQLite."""
    sources: NotRequired[dict[str, Any]]
    """The sources' file, as `tidegate controller run --sources` reads it, without the cluster \
around the controller."""
    prices: NotRequired[str]
    """Your own prices: the text of a catalog's overlay, as `--overlay` reads it."""
    otlp: NotRequired[str]
    """The URL of an OpenTelemetry collector, to which each turn is sent as a trace."""
    secrets: NotRequired[dict[str, SecretKeyArgs]]
    """Environment variables out of Secrets: those that sources name as `tokenEnvironment`."""
    kubeconfig: NotRequired[SecretKeyArgs]
    """A kubeconfig with contexts of the manifest's other clusters."""
    interval_seconds: NotRequired[int]
    """Seconds between two turns; 15 unless stated."""
    pool: NotRequired[str]
    """The pool whose nodes it runs on, by id; wherever there is room unless stated."""
    cpu: NotRequired[str]
    """What it requests of a CPU; 250m unless stated."""
    memory: NotRequired[str]
    """What it requests and may use of memory; 512Mi unless stated."""
    monitoring: NotRequired[MonitoringArgs]
    """How Prometheus finds and reaches it; nobody connects unless stated."""
    egress_ports: NotRequired[list[int]]
    """Further TCP ports that it may connect to; those of clouds, clusters, the database and \
Prometheus sources are known."""
    aws: NotRequired[ControllerAwsArgs]
    """Its identity on AWS."""
    gcp: NotRequired[ControllerGcpArgs]
    """Its identity on Google Cloud."""
    azure: NotRequired[ControllerAzureArgs]
    """Its identity on Azure."""
    labels: dict[str, str]
    """The cost labels."""
