"""The controller in a cluster as a validated, frozen specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Fragment, Pool
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels


class MonitorKind(StrEnum):
    """The kinds of the Prometheus Operator that name what is scraped."""

    POD = "pod-monitor"
    SERVICE = "service-monitor"


class Leader(StrEnum):
    """What says which of several controllers leads."""

    DATABASE = "database"
    LEASE = "lease"


@dataclass(frozen=True, slots=True)
class SecretKey:
    """A key of a Secret in the controller's namespace."""

    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Storage:
    """The volume of the state; `storage_class` is empty for the cluster's default."""

    size_gib: int = 1
    storage_class: str = ""


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Who scrapes; `kind` is None where Prometheus is told otherwise."""

    namespace: str
    kind: MonitorKind | None
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ControllerSpec:
    """Everything plain about the controller; what may be an Output stays outside.

    Attributes:
        capacity: The manifest as JSON.
        sources: The sources' file as JSON: the cluster around it first.
        prices: An overlay of the catalog; empty without one.
        otlp: The URL of a collector of traces; empty without one.
        secrets: Environment variables out of Secrets.
        database: The Secret with the URL of PostgreSQL; None for SQLite.
        pool: The pool it runs on; None for wherever there is room.
        identities: The clouds whose identity its pods have.
        is_federated: Whether AWS' role is got with the service account's own token.
        egress_ports: TCP ports that it connects to.
    """

    id: str
    cloud: Cloud
    cluster: str
    namespace: str
    makes_namespace: bool
    service_account: str
    labels: CostLabels
    capacity: Mapping[str, Any]
    sources: Mapping[str, Any]
    prices: str
    otlp: str
    secrets: Mapping[str, SecretKey]
    token: SecretKey
    replicas: int
    leader: Leader
    database: SecretKey | None
    storage: Storage
    kubeconfig: SecretKey | None
    interval_seconds: int
    pool: Pool | None
    cpu: str
    memory: str
    monitoring: Monitoring | None
    identities: frozenset[Cloud]
    is_federated: bool
    egress_ports: tuple[int, ...]

    @property
    def where(self) -> str:
        """How messages call it."""
        return f"controller {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every object."""
        return self.labels.to_mapping()

    @property
    def has_volume(self) -> bool:
        """Whether its state outlives its pod on a volume, which is for one pod alone."""
        return self.database is None and self.replicas == 1

    @property
    def cluster_role(self) -> str:
        """The name of its rights in the whole cluster."""
        return f"{self.namespace}-{self.id}"

    def to_fragment(self) -> dict[str, Any]:
        """Return what it adds to the manifest: nothing that costs or scales by itself."""
        return dump_manifest(Fragment())
