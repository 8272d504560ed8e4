"""The controller's access as a validated, frozen specification."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Fragment
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels


@dataclass(frozen=True, slots=True)
class KubernetesIdentity:
    """Whom a workload on Kubernetes is known as."""

    namespace: str
    service_account: str

    @property
    def subject(self) -> str:
        """Whom tokens of the cluster are about."""
        return f"system:serviceaccount:{self.namespace}:{self.service_account}"

    def __str__(self) -> str:
        return f"{self.namespace}/{self.service_account}"


@dataclass(frozen=True, slots=True)
class AwsAccess:
    """What only AWS takes, of the plain arguments.

    Attributes:
        way: How the role is got: "pod_identity", "irsa" or "principal_arns".
        identity: Who gets it on Kubernetes; None otherwise.
        cluster_region: The region of a Pod Identity's cluster; empty for the provider's.
    """

    pools: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    way: str = ""
    identity: KubernetesIdentity | None = None
    cluster_region: str = ""


@dataclass(frozen=True, slots=True)
class GcpAccess:
    """What only Google Cloud takes, of the plain arguments.

    Attributes:
        clusters: The clusters whose node pools are resized.
        group_tag: (key, value) of the tag of instance groups; None where none is resized.
        identity: Who acts as the service account on GKE; None elsewhere.
        federated: Who acts as it from elsewhere; None on GKE.
    """

    clusters: tuple[str, ...] = ()
    group_tag: tuple[str, str] | None = None
    identity: KubernetesIdentity | None = None
    federated: KubernetesIdentity | None = None


@dataclass(frozen=True, slots=True)
class AzureAccess:
    """What only Azure takes, of the plain arguments.

    Attributes:
        identity: Who acts as the user-assigned identity on Kubernetes; None elsewhere.
    """

    identity: KubernetesIdentity | None = None


@dataclass(frozen=True, slots=True)
class AccessSpec:
    """Everything plain about the controller's access; what may be an Output stays outside."""

    id: str
    cloud: Cloud
    account: str
    labels: CostLabels
    aws: AwsAccess = field(default_factory=AwsAccess)
    gcp: GcpAccess = field(default_factory=GcpAccess)
    azure: AzureAccess = field(default_factory=AzureAccess)

    @property
    def where(self) -> str:
        """How messages call it."""
        return f"access {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on what takes any."""
        return self.labels.to_mapping()

    @property
    def description(self) -> str:
        """The labels in words, for what takes a description and no labels."""
        return " ".join(f"{key}={value}" for key, value in sorted(self.cost_labels.items()))

    def to_fragment(self) -> dict[str, Any]:
        """Return what it adds to the manifest: nothing that costs or scales."""
        return dump_manifest(Fragment())
