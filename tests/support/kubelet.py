"""What no part of the control plane does: nodes register, run pods and go, as kubelets have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from kubernetes import client
from kubernetes.client.exceptions import ApiException

NAMESPACE = "default"
GPU = "nvidia.com/gpu"
ROOM = {"cpu": "8", "memory": "64Gi", "pods": "110", "ephemeral-storage": "100Gi"}
NOT_FOUND = 404


class Kubelets:
    """The nodes of one cluster, and what runs on them."""

    def __init__(self, core: client.CoreV1Api) -> None:
        self.core = core

    def join(
        self,
        name: str,
        provider_id: str,
        labels: Mapping[str, str],
        taints: Sequence[Mapping[str, str]] = (),
        gpus: int | None = 1,
    ) -> None:
        """Register a node that is ready; without `gpus` its device plugin has not spoken yet."""
        spec: dict[str, Any] = {
            "providerID": provider_id,
            "taints": [dict(each) for each in taints],
        }
        self.core.create_node({"metadata": {"name": name, "labels": dict(labels)}, "spec": spec})
        self.report(name, gpus)

    def report(self, name: str, gpus: int | None, *, ready: bool = True) -> None:
        """Say what a node has room for, and whether it is ready."""
        room = {**ROOM, **({} if gpus is None else {GPU: str(gpus)})}
        now = datetime.now(UTC).isoformat()
        condition = {
            "type": "Ready",
            "status": str(ready),
            "reason": "Tests",
            "message": "told by a test",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        status = {"capacity": room, "allocatable": room, "conditions": [condition]}
        self.core.patch_node_status(name, {"status": status})

    def leave(self, name: str) -> None:
        """Remove a node whose machine is gone, and the pods that were on it."""
        for pod in self.pods():
            if pod.spec.node_name == name:
                self._delete(pod)
        self.core.delete_node(name)

    def ask(
        self,
        name: str,
        gpus: int = 1,
        tolerations: Sequence[Mapping[str, str]] = (),
        labels: Mapping[str, str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        cpu: str = "1",
        **spec: Any,
    ) -> None:
        """Create a pod that asks for accelerators, or for none."""
        wanted = {"cpu": cpu, "memory": "1Gi", **({GPU: str(gpus)} if gpus else {})}
        container = {"name": "main", "image": "none", "resources": {"limits": wanted}}
        self.core.create_namespaced_pod(
            NAMESPACE,
            {
                "metadata": {"name": name, "labels": dict(labels or {}), **(metadata or {})},
                "spec": {
                    "containers": [container],
                    "tolerations": [dict(each) for each in tolerations],
                    "restartPolicy": "Never",
                    **spec,
                },
            },
        )

    def pods(self) -> list[Any]:
        """Return every pod of the cluster."""
        return list(self.core.list_pod_for_all_namespaces().items)

    def nodes(self) -> dict[str, Any]:
        """Return every node of the cluster, by name."""
        return {node.metadata.name: node for node in self.core.list_node().items}

    def node_of(self, pod: str) -> str:
        """Return the node that the scheduler has bound a pod to; "" while there is none."""
        return self.core.read_namespaced_pod(pod, NAMESPACE).spec.node_name or ""

    def refusal_of(self, pod: str) -> str:
        """Return why the scheduler found no node for a pod; "" while it has not said so."""
        for each in self.core.read_namespaced_pod(pod, NAMESPACE).status.conditions or ():
            if each.type == "PodScheduled" and each.reason == "Unschedulable":
                return str(each.message)
        return ""

    def set_phase(self, pod: str, phase: str) -> None:
        """Say that a pod runs (and is ready: budgets ask for that), or that it has ended."""
        ready = {"type": "Ready", "status": str(phase == "Running")}
        status = {"phase": phase, "conditions": [ready]}
        self.core.patch_namespaced_pod_status(pod, NAMESPACE, {"status": status})

    def clear(self) -> None:
        """Remove every pod and every node."""
        for pod in self.pods():
            self._delete(pod)
        for name in self.nodes():
            self.core.delete_node(name)

    def _delete(self, pod: Any) -> None:
        try:
            self.core.delete_namespaced_pod(
                pod.metadata.name, pod.metadata.namespace, grace_period_seconds=0
            )
        except ApiException as error:
            if error.status != NOT_FOUND:
                raise
