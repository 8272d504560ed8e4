"""What other objects of a cluster have to say when one is written or deleted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.kubernetes.clusters import Cluster
from tidegate.localclouds.kubernetes.errors import denied, denied_delete
from tidegate.localclouds.kubernetes.kinds import PRIORITY_CLASS, Kind

if TYPE_CHECKING:
    from tidegate.localclouds.kubernetes.objects import ApiServer

CLUSTER_QUEUES = "clusterqueues.kueue.x-k8s.io"
COHORTS = "cohorts.kueue.x-k8s.io"
FLAVORS = "resourceflavors.kueue.x-k8s.io"
SCALED_OBJECTS = "scaledobjects.keda.sh"


def admit(api: ApiServer, cluster: Cluster, kind: Kind, body: Body) -> None:
    """Refuse what stands against other objects.

    Raises:
        CloudError: In the words of the admission that refuses.
    """
    if kind.resource == SCALED_OBJECTS:
        _admit_scaled_object(api, cluster, body)
    if kind is PRIORITY_CLASS and body.get("globalDefault"):
        _admit_default_priority(api, cluster, body)


def _admit_scaled_object(api: ApiServer, cluster: Cluster, body: Body) -> None:
    own = body["metadata"]
    target = body["spec"]["scaleTargetRef"]
    for other in api.bodies(cluster, SCALED_OBJECTS):
        theirs = other["metadata"]
        is_other = theirs["namespace"] == own["namespace"] and theirs["name"] != own["name"]
        if is_other and _target(other["spec"]["scaleTargetRef"]) == _target(target):
            message = (
                f"the workload '{target['name']}' of type '{'.'.join(_target(target)[:2])}' is "
                f"already managed by the ScaledObject '{theirs['name']}'"
            )
            raise denied("vscaledobject.kb.io", message)


def _target(reference: Body) -> tuple[str, str, str]:
    api_version = reference.get("apiVersion", "apps/v1")
    return api_version, reference.get("kind", "Deployment"), reference["name"]


def _admit_default_priority(api: ApiServer, cluster: Cluster, body: Body) -> None:
    name = body["metadata"]["name"]
    for other in api.bodies(cluster, PRIORITY_CLASS.resource):
        if other.get("globalDefault") and other["metadata"]["name"] != name:
            theirs = other["metadata"]["name"]
            why = f"PriorityClass {theirs} is already marked as globalDefault"
            raise denied_delete(PRIORITY_CLASS, name, why)


def find_users(api: ApiServer, cluster: Cluster, kind: Kind, name: str) -> list[str]:
    """Return who keeps an object from being deleted.

    Kueue's finalizer `kueue.x-k8s.io/resource-in-use` holds a flavor while a queue or cohort
    names it.
    """
    if kind.resource != FLAVORS:
        return []
    holders = [*api.bodies(cluster, CLUSTER_QUEUES), *api.bodies(cluster, COHORTS)]
    return [
        f"{holder['kind']} {holder['metadata']['name']}"
        for holder in holders
        if name in flavors_of(holder)
    ]


def flavors_of(body: Body) -> Iterator[str]:
    """Yield the flavors that a ClusterQueue or Cohort names, in its order."""
    for group in look(body, "spec.resourceGroups") or []:
        for flavor in group["flavors"]:
            yield flavor["name"]
