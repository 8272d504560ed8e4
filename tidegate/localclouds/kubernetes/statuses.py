"""What controllers say in an object's status, computed from the cluster as it is now.

No workload controller makes pods: a Deployment counts as rolled out at once, and queues are empty.
There is no scheduler and no kubelet: a pod that somebody makes waits until it names a node, and a
node that somebody makes says that it is ready.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.kubernetes.admission import (
    CLUSTER_QUEUES,
    FLAVORS,
    SCALED_OBJECTS,
    flavors_of,
)
from tidegate.localclouds.kubernetes.clusters import Cluster
from tidegate.localclouds.kubernetes.kinds import DEPLOYMENT, NAMESPACE, RESOURCE_QUOTA, Kind

if TYPE_CHECKING:
    from tidegate.localclouds.kubernetes.objects import ApiServer

CHECKS = "admissionchecks.kueue.x-k8s.io"
Builder = Callable[["ApiServer", Cluster, Body], dict[str, Any]]


def build_status(api: ApiServer, cluster: Cluster, kind: Kind, body: Body) -> Body | None:
    """Return the status of an object; None for kinds that have none here."""
    builder = STATUSES.get(kind.resource)
    return None if builder is None else builder(api, cluster, body)


def _condition(body: Body, type: str, is_true: bool, reason: str, message: str) -> Body:
    return {
        "type": type,
        "status": "True" if is_true else "False",
        "reason": reason,
        "message": message,
        "observedGeneration": body["metadata"].get("generation", 1),
        "lastTransitionTime": body["metadata"]["creationTimestamp"],
    }


def _namespace(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    del api, cluster, body
    return {"phase": "Active"}


def _quota(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    del api, cluster
    hard = look(body, "spec.hard") or {}
    return {"hard": hard, "used": dict.fromkeys(hard, "0")}


def _pod(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    del api, cluster
    bound = bool(look(body, "spec.nodeName"))
    message = "" if bound else "0/0 nodes are available."
    scheduled = _condition(body, "PodScheduled", bound, "" if bound else "Unschedulable", message)
    return {"phase": "Running" if bound else "Pending", "conditions": [scheduled]}


def _node(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    del api, cluster
    return {"conditions": [_condition(body, "Ready", True, "KubeletReady", "")]}


def _deployment(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    del api, cluster
    replicas = body["spec"]["replicas"]
    ready = {"replicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas}
    return {
        "observedGeneration": body["metadata"]["generation"],
        "conditions": [
            _condition(body, "Available", True, "MinimumReplicasAvailable", "rolled out"),
            _condition(body, "Progressing", True, "NewReplicaSetAvailable", "rolled out"),
        ],
        "updatedReplicas": replicas,
        **ready,
    }


def _cluster_queue(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    reasons, messages = _break_queue(api, cluster, body)
    message = f"Can't admit new workloads: {', '.join(messages)}."
    active = _condition(
        body,
        "Active",
        not reasons,
        reasons[0] if reasons else "Ready",
        message if reasons else "Can admit new workloads",
    )
    return {
        "conditions": [active],
        "admittedWorkloads": 0,
        "pendingWorkloads": 0,
        "reservingWorkloads": 0,
    }


def _break_queue(api: ApiServer, cluster: Cluster, body: Body) -> tuple[list[str], list[str]]:
    """Say why a ClusterQueue admits nothing: absent flavors and checks are accepted, not used."""
    flavors, checks = {*api.names(cluster, FLAVORS)}, {*api.names(cluster, CHECKS)}
    asked = look(body, "spec.admissionChecksStrategy.admissionChecks") or []
    found = [
        ("Stopped", "is stopped", look(body, "spec.stopPolicy") not in (None, "None")),
        *_absent("FlavorNotFound", "ResourceFlavor", [*flavors_of(body)], flavors),
        *_absent(
            "AdmissionCheckNotFound", "AdmissionCheck", [each["name"] for each in asked], checks
        ),
    ]
    true = [(reason, words) for reason, words, holds in found if holds]
    return [reason for reason, _ in true], [words for _, words in true]


def _absent(
    reason: str, kind: str, named: list[str], known: set[str]
) -> list[tuple[str, str, bool]]:
    missing = [name for name in named if name not in known]
    return [(reason, f"references missing {kind}(s): {','.join(missing)}", bool(missing))]


def _local_queue(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    name = look(body, "spec.clusterQueue")
    queues = {each["metadata"]["name"]: each for each in api.bodies(cluster, CLUSTER_QUEUES)}
    if name not in queues:
        broken = ("ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue")
    elif _break_queue(api, cluster, queues[name])[0]:
        broken = ("ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue")
    elif look(body, "spec.stopPolicy") not in (None, "None"):
        broken = ("Stopped", "LocalQueue is stopped")
    else:
        broken = ("", "")
    reason, message = broken if broken[0] else ("Ready", "Can submit new workloads to clusterQueue")
    return {
        "conditions": [_condition(body, "Active", not broken[0], reason, message)],
        "admittedWorkloads": 0,
        "pendingWorkloads": 0,
        "reservingWorkloads": 0,
    }


def _node_pool(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    reference = body["spec"]["template"]["spec"]["nodeClassRef"]
    resource = f"{reference['kind'].lower()}es.{reference['group']}"
    is_there = reference["name"] in {*api.names(cluster, resource)}
    ready = (
        ("NodeClassReady", "")
        if is_there
        else ("NodeClassNotFound", "NodeClass not found on cluster")
    )
    return {
        "conditions": [
            _condition(body, "ValidationSucceeded", True, "ValidationSucceeded", ""),
            _condition(body, "NodeClassReady", is_there, *ready),
            _condition(body, "Ready", is_there, "Ready" if is_there else "UnhealthyDependents", ""),
        ],
        "resources": {"nodes": "0"},
    }


def _scaled_object(api: ApiServer, cluster: Cluster, body: Body) -> Body:
    target = body["spec"]["scaleTargetRef"]
    is_deployment = target.get("kind", "Deployment") == "Deployment"
    there = {
        each["metadata"]["name"]
        for each in api.bodies(cluster, DEPLOYMENT.resource)
        if each["metadata"]["namespace"] == body["metadata"]["namespace"]
    }
    if is_deployment and target["name"] not in there:
        reason = "ScaledObjectCheckFailed"
        message = "ScaledObject doesn't have correct scaleTargetRef specification"
        return {"conditions": [_condition(body, "Ready", False, reason, message)]}
    message = "ScaledObject is defined correctly and is ready for scaling"
    ready = _condition(body, "Ready", True, "ScaledObjectReady", message)
    return {"conditions": [ready], "scaleTargetKind": "apps/v1.Deployment"}


STATUSES: Mapping[str, Builder] = {
    NAMESPACE.resource: _namespace,
    "nodes": _node,
    "pods": _pod,
    RESOURCE_QUOTA.resource: _quota,
    DEPLOYMENT.resource: _deployment,
    CLUSTER_QUEUES: _cluster_queue,
    "localqueues.kueue.x-k8s.io": _local_queue,
    "nodepools.karpenter.sh": _node_pool,
    SCALED_OBJECTS: _scaled_object,
}
