"""Inference capacity as a validated, frozen specification, and its entries in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Endpoint, Fragment
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels
from tidegate_components.commitments.spec import CommitmentSpec


class TargetKind(StrEnum):
    """What scales, by the argument that declares it."""

    SAGEMAKER = "sagemaker"
    VERTEX = "vertex"
    AZURE_ML = "azure_ml"
    KUBERNETES = "kubernetes"


@dataclass(frozen=True, slots=True)
class SageMakerTarget:
    """A SageMaker endpoint.

    Attributes:
        makes_endpoint: Whether the endpoint is declared here.
        hosts_components: Whether it hosts inference components, which alone go to zero at once.
        names_component: Whether the component to scale exists already.
        is_async: Whether answers go to a bucket, so that requests wait for a first instance.
        invocations_per_minute: What one replica should see; None where nothing scales yet.
    """

    variant_name: str
    instance_type: str
    makes_endpoint: bool
    hosts_components: bool
    names_component: bool
    is_async: bool
    invocations_per_minute: float | None
    kind: TargetKind = TargetKind.SAGEMAKER

    @property
    def manifest_kind(self) -> str:
        """What a replica is, as the manifest calls it."""
        component = self.hosts_components or self.names_component
        return "sagemaker-inference-component" if component else "sagemaker-variant"


@dataclass(frozen=True, slots=True)
class VertexTarget:
    """A pool of machines for Vertex deployments; `chips` in Vertex's spelling."""

    instance_type: str
    chips: tuple[str, int] | None
    makes_endpoint: bool
    utilization_percent: int
    kind: TargetKind = TargetKind.VERTEX
    manifest_kind: str = "vertex-resource-pool"


@dataclass(frozen=True, slots=True)
class AzureMlTarget:
    """A managed online deployment."""

    instance_type: str
    has_accelerators: bool
    makes_endpoint: bool
    auth_mode: str
    public_network_access: bool
    utilization_percent: int
    kind: TargetKind = TargetKind.AZURE_ML
    manifest_kind: str = "azure-ml-deployment"


@dataclass(frozen=True, slots=True)
class KubernetesTarget:
    """A Deployment that KEDA scales."""

    port: int
    command: tuple[str, ...]
    args: tuple[str, ...]
    accelerator: Accelerator | None
    accelerators_per_replica: int
    cpu: str
    memory: str
    tolerations: tuple[dict[str, str], ...]
    trigger: str
    cooldown_seconds: int
    instance_type: str = ""
    kind: TargetKind = TargetKind.KUBERNETES
    manifest_kind: str = "kubernetes-deployment"


Target = SageMakerTarget | VertexTarget | AzureMlTarget | KubernetesTarget


@dataclass(frozen=True, slots=True)
class EndpointSpec:
    """Everything plain about an endpoint; what may be an Output stays outside.

    Attributes:
        idle_shutdown_seconds: After what time without use the controller acts; None for never.
        idle_action: What it does then, "shrink" or "remove"; None where it never acts.
        load_seconds: From a ready machine to a loaded model; None where it was not stated.
        identifiers: Names of the scaling target that are known beforehand.
    """

    id: str
    cloud: Cloud
    region: str
    account: str
    model: str
    pool: str
    elastic_pool: str
    min_replicas: int
    max_replicas: int
    service_level: str
    boot_seconds: int
    load_seconds: int | None
    idle_shutdown_seconds: int | None
    idle_action: str | None
    labels: CostLabels
    target: Target
    commitment: CommitmentSpec | None
    identifiers: dict[str, str]

    @property
    def where(self) -> str:
        """How messages call this endpoint."""
        return f"endpoint {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels of the endpoint's resources; its own machines are a pool of its own name."""
        return self.labels.to_mapping(capacity_pool=self.pool or self.id)

    @property
    def cold_start_seconds(self) -> int | None:
        """From nothing to a served request; None where the load is not known."""
        return None if self.load_seconds is None else self.boot_seconds + self.load_seconds

    def to_fragment(self) -> dict[str, Any]:
        """Return what the endpoint and its commitment add to the manifest, as plain JSON."""
        endpoint = Endpoint.model_validate(
            {
                "id": self.id,
                "cloud": self.cloud,
                "account": self.account,
                "region": self.region,
                "kind": self.target.manifest_kind,
                "model": self.model,
                "instance_type": self.target.instance_type,
                "pool": self.pool,
                "elastic_pool": self.elastic_pool,
                "commitment": self.commitment.id if self.commitment else "",
                "target": self.identifiers,
                "min_replicas": self.min_replicas,
                "max_replicas": self.max_replicas,
                "cold_start_seconds": self.cold_start_seconds,
                "idle_shutdown_seconds": self.idle_shutdown_seconds,
                "idle_action": self.idle_action,
                "service_level": self.service_level,
                "labels": self.cost_labels,
            }
        )
        bought = [self.commitment.to_commitment()] if self.commitment else []
        return dump_manifest(Fragment(endpoints=[endpoint], commitments=bought))
