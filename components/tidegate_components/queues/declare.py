"""The queues as Kubernetes objects, through the provider that the caller gives."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate_components.children import child_options
from tidegate_components.kubernetes_object import KubernetesObject, PriorityObject
from tidegate_components.queues import objects
from tidegate_components.queues.spec import NamespaceSpec, Priority, QueueSpec, QueuesSpec


class Declaration:
    """Declares the objects of one specification below a component."""

    def __init__(
        self,
        parent: pulumi.ComponentResource,
        spec: QueuesSpec,
        opts: pulumi.ResourceOptions | None,
    ) -> None:
        self._parent = parent
        self._spec = spec
        self._given = opts

    def declare(self) -> dict[str, dict[str, pulumi.Input[str]]]:
        """Declare everything; return queue id → identifiers."""
        spec = self._spec
        shared: list[pulumi.Resource] = [
            self._kueue(
                api_version="kueue.x-k8s.io/v1beta2",
                kind="ResourceFlavor",
                name=pool.id,
                spec=objects.build_flavor(pool),
                labels=pool.labels,
            )
            for pool in spec.pools
        ]
        shared.append(
            self._kueue(api_version="kueue.x-k8s.io/v1beta2", kind="Cohort", name=spec.id, spec={})
        )
        for priority in spec.priorities:
            self._declare_priority(priority)
        if spec.provisioning_class:
            shared += self._declare_check()
        queues = {
            queue.id: self._kueue(
                api_version="kueue.x-k8s.io/v1beta2",
                kind="ClusterQueue",
                name=queue.id,
                spec=objects.build_cluster_queue(spec, queue),
                depends_on=shared,
            )
            for queue in spec.queues
        }
        for namespace in spec.namespaces:
            self._declare_namespace(namespace, queues)
        return {queue.id: self._identify(queue) for queue in spec.queues}

    def _identify(self, queue: QueueSpec) -> dict[str, pulumi.Input[str]]:
        return {
            "cloud": self._spec.cloud.value,
            "cluster": self._spec.cluster,
            "clusterQueue": queue.id,
            "cohort": self._spec.id,
        }

    def _declare_priority(self, priority: Priority) -> None:
        name = self._spec.name_priority(priority)
        metadata = self._metadata(name)
        # The scheduler would throw pods out behind Kueue's back: Kueue alone preempts.
        PriorityObject(
            name,
            api_version="scheduling.k8s.io/v1",
            kind="PriorityClass",
            metadata=metadata,
            value=priority.value,
            description=priority.description,
            preemption_policy="Never",
            opts=self._options(PriorityObject),
        )
        PriorityObject(
            f"{name}-workload",
            api_version="kueue.x-k8s.io/v1beta2",
            kind="WorkloadPriorityClass",
            metadata=metadata,
            value=priority.value,
            description=priority.description,
            opts=self._options(PriorityObject),
        )

    def _declare_check(self) -> list[pulumi.Resource]:
        name = objects.name_check(self._spec)
        settings = objects.build_provisioning(self._spec)
        config = self._kueue(
            api_version="kueue.x-k8s.io/v1beta2",
            kind="ProvisioningRequestConfig",
            name=name,
            spec=settings,
        )
        check = objects.build_check(self._spec)
        return [
            config,
            self._kueue(
                api_version="kueue.x-k8s.io/v1beta2",
                kind="AdmissionCheck",
                name=name,
                spec=check,
                depends_on=[config],
            ),
        ]

    def _declare_namespace(
        self, namespace: NamespaceSpec, queues: dict[str, KubernetesObject]
    ) -> None:
        labels = namespace.labels.to_mapping()
        # A project has a namespace in several clusters, and the stack one object of a name.
        own = f"{self._spec.id}-{namespace.name}"
        before: list[pulumi.Resource] = []
        if not namespace.exists:
            made = KubernetesObject(
                own,
                api_version="core/v1",
                kind="Namespace",
                metadata=self._metadata(namespace.name, labels),
                opts=self._options(KubernetesObject),
            )
            before.append(made)
        if namespace.hard:
            KubernetesObject(
                own,
                api_version="core/v1",
                kind="ResourceQuota",
                metadata=self._metadata(f"{self._spec.id}-quota", labels, namespace.name),
                spec=objects.build_quota(namespace),
                opts=self._options(KubernetesObject, before),
            )
        for queue_id in namespace.queues:
            self._kueue(
                api_version="kueue.x-k8s.io/v1beta2",
                kind="LocalQueue",
                name=queue_id,
                spec={"clusterQueue": queue_id},
                labels=labels,
                namespace=namespace.name,
                depends_on=[*before, queues[queue_id]],
            )

    def _kueue(
        self,
        *,
        api_version: str,
        kind: str,
        name: str,
        spec: dict[str, Any],
        labels: dict[str, str] | None = None,
        namespace: str = "",
        depends_on: list[pulumi.Resource] | None = None,
    ) -> KubernetesObject:
        place = f"{namespace}-{name}" if namespace else name
        metadata = self._metadata(name, labels, namespace)
        return KubernetesObject(
            f"{place}-{kind.lower()}",
            api_version=api_version,
            kind=kind,
            metadata=metadata,
            spec=spec,
            opts=self._options(KubernetesObject, depends_on),
        )

    def _metadata(
        self, name: str, labels: dict[str, str] | None = None, namespace: str = ""
    ) -> dict[str, Any]:
        inside = {"namespace": namespace} if namespace else {}
        return {"name": name, **inside, "labels": labels or self._spec.cost_labels}

    def _options(
        self,
        kind: type[pulumi.CustomResource],
        depends_on: list[pulumi.Resource] | None = None,
    ) -> pulumi.ResourceOptions:
        # Names are fixed, because runs and other objects carry them: the old object goes first.
        return child_options(
            self._parent, self._given, kind, delete_before_replace=True, depends_on=depends_on or ()
        )
