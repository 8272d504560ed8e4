"""Whether an endpoint may go to zero: what its cloud can do, and what was promised."""

from __future__ import annotations

from tidegate_components.arguments import Arguments
from tidegate_components.inference_capacity.spec import (
    AzureMlTarget,
    EndpointSpec,
    SageMakerTarget,
    VertexTarget,
)

ON_KUBERNETES = "a Kubernetes Deployment (`kubernetes`) goes to zero"


def check_zero(read: Arguments, spec: EndpointSpec) -> None:
    """Refuse a minimum of zero where the cloud keeps a replica or the service level forbids it."""
    if spec.min_replicas:
        return
    reason, expected = explain_floor(spec)
    if reason:
        read.refuse("min_replicas", 0, reason, expected)
        return
    _check_budget(read, spec)


def explain_floor(spec: EndpointSpec) -> tuple[str, str]:
    """Return why the target keeps a replica, and what would do; ("", "") where it does not."""
    target = spec.target
    if isinstance(target, VertexTarget):
        reason = (
            "is not possible on Vertex: dedicatedResources.minReplicaCount is at least 1 (Vertex "
            "AI API reference, v1)"
        )
        return reason, f"at least 1; {ON_KUBERNETES}"
    if isinstance(target, AzureMlTarget):
        reason = (
            "is not possible on Azure Machine Learning: a managed online deployment keeps at "
            "least one instance"
        )
        return reason, f"at least 1; {ON_KUBERNETES}"
    if isinstance(target, SageMakerTarget):
        component = target.hosts_components or target.names_component
        if not component and not target.is_async:
            reason = (
                "is not possible for a variant with a model of its own: SageMaker scales to zero "
                "only with inference components or asynchronous inference (SageMaker developer "
                "guide, scale an endpoint to zero instances)"
            )
            expected = (
                "at least 1; or no `model_name` and an inference component, or "
                "`async_output_s3_uri`"
            )
            return reason, expected
    return "", ""


def _check_budget(read: Arguments, spec: EndpointSpec) -> None:
    budget = read.optional_whole("cold_start_budget_seconds", minimum=1)
    if budget is None:
        return
    if spec.load_seconds is None:
        reason = "is needed: whether the cold start keeps to its budget cannot be told without it"
        read.refuse("load_seconds", None, reason, "seconds from a ready machine to a loaded model")
        return
    total = spec.boot_seconds + spec.load_seconds
    if total > budget:
        level = f" {spec.service_level}" if spec.service_level else ""
        reason = (
            f"takes {spec.boot_seconds} s to boot and {spec.load_seconds} s to load, {total} s in "
            f"all, and the service level{level} allows {budget} s from nothing"
        )
        expected = f"at least 1, or a cold_start_budget_seconds of {total}"
        read.refuse("min_replicas", 0, reason, expected)
