"""A Kubernetes Deployment as scaling target, and the KEDA object that scales it."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.inference_capacity.spec import EndpointSpec, KubernetesTarget

with narrow_imports("pulumi_kubernetes.apiextensions", "pulumi_kubernetes.apps.v1"):
    from pulumi_kubernetes.apiextensions.CustomResource import CustomResource
    from pulumi_kubernetes.apps.v1.Deployment import Deployment

NAME = "app.kubernetes.io/name"
POOL = "capacity-pool"


def declare(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare Deployment and ScaledObject, and return their identifiers."""
    target = spec.target
    assert isinstance(target, KubernetesTarget)
    namespace = inputs.get("namespace") or "default"
    metadata: Any = {"name": spec.id, "namespace": namespace, "labels": spec.cost_labels}
    deployment = Deployment(
        spec.id,
        metadata=metadata,
        spec={
            "replicas": spec.min_replicas,
            "selector": {"match_labels": {NAME: spec.id}},
            "template": {
                "metadata": {"labels": {**spec.cost_labels, NAME: spec.id}},
                "spec": build_pod(spec, target, inputs["image"]),
            },
        },
        opts=child_options(parent, opts, Deployment, ignore=["spec.replicas"]),  # KEDA's
    )
    CustomResource(
        f"{spec.id}-scaled",
        api_version="keda.sh/v1alpha1",
        kind="ScaledObject",
        metadata=metadata,
        spec={
            "scaleTargetRef": {"name": spec.id},
            "minReplicaCount": spec.min_replicas,
            "maxReplicaCount": spec.max_replicas,
            "cooldownPeriod": target.cooldown_seconds,
            "triggers": [_build_trigger(target, inputs["trigger"])],
        },
        opts=child_options(parent, opts, CustomResource, depends_on=[deployment]),
    )
    return {"namespace": namespace, "deployment": spec.id, "region": spec.region}


def build_pod(spec: EndpointSpec, target: KubernetesTarget, image: pulumi.Input[str]) -> Any:
    """Return the pod: one container, on the pool's nodes and no others."""
    requests = {"cpu": target.cpu, "memory": target.memory}
    limits = {"memory": target.memory}
    if target.accelerator:
        chips = {target.accelerator.kubernetes_resource: str(target.accelerators_per_replica)}
        requests, limits = {**requests, **chips}, {**limits, **chips}
    container: dict[str, Any] = {
        "name": "serve",
        "image": image,
        "ports": [{"container_port": target.port}],
        "resources": {"requests": requests, "limits": limits},
    }
    if target.command:
        container["command"] = [*target.command]
    if target.args:
        container["args"] = [*target.args]
    pod: dict[str, Any] = {
        "containers": [container],
        "tolerations": [dict(each) for each in target.tolerations],
    }
    if not spec.elastic_pool:
        return {**pod, "node_selector": {POOL: spec.pool}}
    return {**pod, "affinity": {"node_affinity": _build_affinity(spec)}}


def _build_affinity(spec: EndpointSpec) -> Any:
    """Return where replicas may run: on what is paid for already, before anything elastic."""

    def on(*pools: str) -> Any:
        return {"match_expressions": [{"key": POOL, "operator": "In", "values": [*pools]}]}

    return {
        "required_during_scheduling_ignored_during_execution": {
            "node_selector_terms": [on(spec.pool, spec.elastic_pool)]
        },
        "preferred_during_scheduling_ignored_during_execution": [
            {"weight": 100, "preference": on(spec.pool)}
        ],
    }


def _build_trigger(target: KubernetesTarget, given: dict[str, Any]) -> dict[str, Any]:
    trigger: dict[str, Any] = {"type": target.trigger, "metadata": given.get("metadata") or {}}
    if given.get("authentication") is not None:
        trigger["authenticationRef"] = {"name": given["authentication"]}
    return trigger
