"""Which clusters there are: every EKS, GKE and AKS cluster that the local clouds hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from tidegate.localclouds.contracts import World
from tidegate.localclouds.shelf import Shelf
from tidegate.localclouds.wire import unmark_secrets

EKS_CLUSTER = "aws:eks/cluster:Cluster"
GKE_CLUSTER = "container.googleapis.com/Cluster"
AKS_CLUSTER = "Microsoft.ContainerService/managedClusters"
PREFIX = "/k8s/"


@dataclass(frozen=True, slots=True)
class Cluster:
    """One cluster.

    Attributes:
        cloud: "aws", "gcp" or "azure".
        name: The cluster's own name.
        place: What tells it from others of its name in its cloud: region, project, group.
        server: The address that its cloud gives for it ("https://ABC.gr7.…amazonaws.com").
        born: What differs when a cluster of the same name is made anew.
    """

    cloud: str
    name: str
    place: str
    server: str
    born: str

    @property
    def id(self) -> str:
        """How users name it: "aws/ml.us-east-1"."""
        return f"{self.cloud}/{self.name}.{self.place}"

    @property
    def path(self) -> str:
        """Where its API answers on the local face."""
        return f"{PREFIX}{self.cloud}/{quote(f'{self.name}.{self.place}')}"

    @property
    def key(self) -> str:
        """Under which the store keeps its objects; another for each birth."""
        return f"{self.id}#{hashlib.sha256(self.born.encode()).hexdigest()[:8]}"


def list_clusters(world: World) -> list[Cluster]:
    """Return every cluster, by id."""
    found = [*_list_eks(world), *_list_gke(world), *_list_aks(world)]
    return sorted(found, key=lambda cluster: cluster.id)


def find_by_path(world: World, path: str) -> tuple[Cluster, str] | None:
    """Return the cluster that a request's path begins with, and the rest of the path."""
    for cluster in list_clusters(world):
        start = f"{PREFIX}{cluster.id}"
        if path == start or path.startswith(f"{start}/"):
            return cluster, path.removeprefix(start) or "/"
    return None


def find_by_server(world: World, server: str) -> list[Cluster]:
    """Return the clusters whose API a kubeconfig's `server` means.

    That is the local face's address of a cluster, or the address that its cloud gave for it.
    """
    parts = urlsplit(server if "://" in server else f"https://{server}")
    if PREFIX in parts.path:
        return [each for each in list_clusters(world) if parts.path.rstrip("/") == each.path]
    host = parts.hostname or ""
    return [each for each in list_clusters(world) if urlsplit(each.server).hostname == host.lower()]


def _list_eks(world: World) -> Iterator[Cluster]:
    for record in world.store.list("aws", EKS_CLUSTER):
        outputs = unmark_secrets(record.outputs).values
        arn = str(outputs.get("arn", ""))
        region = arn.split(":")[3] if arn.count(":") >= 5 else "local"
        endpoint = str(outputs.get("endpoint", "")).lower()
        yield Cluster("aws", record.id, region, endpoint, str(outputs.get("createdAt")))


def _list_gke(world: World) -> Iterator[Cluster]:
    for name, body in Shelf(world.store, "gcp").items(GKE_CLUSTER):
        parts = name.split("/")  # projects/P/locations/L/clusters/N
        place = f"{parts[3]}.{parts[1]}"
        yield Cluster(
            "gcp", parts[5], place, f"https://{body['endpoint']}", str(body["createTime"])
        )


def _list_aks(world: World) -> Iterator[Cluster]:
    for _, body in Shelf(world.store, "azure-native").items(AKS_CLUSTER):
        yield _build_aks(body)


def _build_aks(body: dict[str, Any]) -> Cluster:
    # /subscriptions/S/resourceGroups/G/providers/Microsoft.ContainerService/managedClusters/N
    parts = str(body["id"]).strip("/").split("/")
    properties = body["properties"]
    server = f"https://{properties['fqdn']}:443"
    return Cluster("azure", parts[-1], f"{parts[3]}.{parts[1]}", server.lower(), _aks_birth(body))


def _aks_birth(body: dict[str, Any]) -> str:
    return str((body.get("systemData") or {}).get("createdAt") or body["properties"]["resourceUID"])
