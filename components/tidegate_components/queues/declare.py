"""The queues as Kubernetes objects, through the provider that the caller gives."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pulumi

from tidegate_components.children import child_options
from tidegate_components.queues import objects
from tidegate_components.queues.spec import NamespaceSpec, Priority, QueueSpec, QueuesSpec
from tidegate_components.sdk_imports import narrow_imports

with narrow_imports(
    "pulumi_kubernetes.apiextensions",
    "pulumi_kubernetes.core.v1",
    "pulumi_kubernetes.scheduling.v1",
):
    from pulumi_kubernetes.apiextensions.CustomResource import CustomResource
    from pulumi_kubernetes.core.v1.Namespace import Namespace
    from pulumi_kubernetes.core.v1.ResourceQuota import ResourceQuota
    from pulumi_kubernetes.scheduling.v1.PriorityClass import PriorityClass


class WorkloadPriorityClass(pulumi.CustomResource):
    """Kueue's WorkloadPriorityClass, whose fields stand beside its metadata.

    The SDK's own class for custom resources takes none but a `spec`.
    """

    def __init__(
        self,
        resource_name: str,
        *,
        api_version: str,
        kind: str,
        metadata: dict[str, Any],
        value: int,
        description: str,
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Declare it."""
        properties = {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": metadata,
            "value": value,
            "description": description,
        }
        opts.version = version("pulumi_kubernetes")
        super().__init__(f"kubernetes:{api_version}:{kind}", resource_name, properties, opts)


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
        metadata: Any = self._metadata(name)
        # The scheduler would throw pods out behind Kueue's back: Kueue alone preempts.
        PriorityClass(
            name,
            metadata=metadata,
            value=priority.value,
            description=priority.description,
            preemption_policy="Never",
            global_default=False,
            opts=self._options(PriorityClass),
        )
        WorkloadPriorityClass(
            f"{name}-workload",
            api_version="kueue.x-k8s.io/v1beta2",
            kind="WorkloadPriorityClass",
            metadata=metadata,
            value=priority.value,
            description=priority.description,
            opts=self._options(WorkloadPriorityClass),
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
        self, namespace: NamespaceSpec, queues: dict[str, CustomResource]
    ) -> None:
        labels = namespace.labels.to_mapping()
        # A project has a namespace in several clusters, and the stack one object of a name.
        own = f"{self._spec.id}-{namespace.name}"
        before: list[pulumi.Resource] = []
        if not namespace.exists:
            metadata: Any = self._metadata(namespace.name, labels)
            options = self._options(Namespace)
            before.append(Namespace(own, metadata=metadata, opts=options))
        if namespace.hard:
            hard: Any = objects.build_quota(namespace)
            inside: Any = self._metadata(f"{self._spec.id}-quota", labels, namespace.name)
            ResourceQuota(
                own,
                metadata=inside,
                spec=hard,
                opts=self._options(ResourceQuota, before),
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
    ) -> CustomResource:
        place = f"{namespace}-{name}" if namespace else name
        metadata: Any = self._metadata(name, labels, namespace)
        return CustomResource(
            f"{place}-{kind.lower()}",
            api_version=api_version,
            kind=kind,
            metadata=metadata,
            spec=spec,
            opts=self._options(CustomResource, depends_on),
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
