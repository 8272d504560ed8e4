"""Served models: the fewest and most replicas that a scaling target keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tidegate.policy.facts.reading import (
    entries,
    hidden,
    is_hidden,
    read,
    read_number,
    with_default,
)


def _endpoint(at: str, minimum: Any, maximum: Any) -> dict[str, Any]:
    return {"kind": "endpoint", "at": at, "minimum": minimum, "maximum": maximum}


def _sagemaker_variants(properties: Any) -> Iterator[dict[str, Any]]:
    for at, variant in entries(properties, "productionVariants"):
        if is_hidden(variant):
            yield _endpoint(at, hidden(at), hidden(at))
        else:
            yield _sagemaker_variant(at, variant)


def _sagemaker_variant(at: str, variant: Any) -> dict[str, Any]:
    if read(variant, "serverlessConfig")["state"] == "known":
        # A serverless variant costs nothing between requests, but for what is kept warm.
        warm = read_number(variant, "serverlessConfig.provisionedConcurrency", at=at)
        most = read_number(variant, "serverlessConfig.maxConcurrency", at=at)
        return _endpoint(at, with_default(warm, 0), most)
    if read(variant, "managedInstanceScaling.status")["value"] == "ENABLED":
        scaling = "managedInstanceScaling."
        return _endpoint(
            at,
            read_number(variant, f"{scaling}minInstanceCount", at=at),
            read_number(variant, f"{scaling}maxInstanceCount", at=at),
        )
    count = with_default(read_number(variant, "initialInstanceCount", at=at), 1)
    return _endpoint(at, count, count)


def _scaling_target(properties: Any) -> Iterator[dict[str, Any]]:
    if read(properties, "serviceNamespace")["value"] in ("sagemaker", "ecs"):
        minimum = read_number(properties, "minCapacity")
        yield _endpoint("", minimum, read_number(properties, "maxCapacity"))


def _vertex(prefix: str) -> Callable[[Any], Iterator[dict[str, Any]]]:
    def build(properties: Any) -> Iterator[dict[str, Any]]:
        minimum = read_number(properties, f"{prefix}minReplicaCount")
        # Vertex sets the maximum to the minimum where it is left out.
        maximum = read_number(properties, f"{prefix}maxReplicaCount", f"{prefix}minReplicaCount")
        yield _endpoint("", minimum, maximum)

    return build


def _cloud_run(properties: Any) -> Iterator[dict[str, Any]]:
    places = ("template.scaling.minInstanceCount", "scaling.minInstanceCount")
    minimum = with_default(read_number(properties, *places), 0)
    yield _endpoint("", minimum, read_number(properties, "template.scaling.maxInstanceCount"))


def _azure_deployment(properties: Any) -> Iterator[dict[str, Any]]:
    count = with_default(read_number(properties, "sku.capacity"), 1)
    yield _endpoint("", count, count)


def _keda(properties: Any) -> Iterator[dict[str, Any]]:
    minimum = with_default(read_number(properties, "spec.minReplicaCount"), 0)
    # 100 is KEDA's own default.
    maximum = with_default(read_number(properties, "spec.maxReplicaCount"), 100)
    yield _endpoint("", minimum, maximum)


def _horizontal(properties: Any) -> Iterator[dict[str, Any]]:
    minimum = with_default(read_number(properties, "spec.minReplicas"), 1)
    yield _endpoint("", minimum, read_number(properties, "spec.maxReplicas"))


BUILDERS: dict[str, Callable[[Any], Iterator[dict[str, Any]]]] = {
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration": _sagemaker_variants,
    "aws:appautoscaling/target:Target": _scaling_target,
    "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool": _vertex("dedicatedResources."),
    "gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment": _vertex(
        "deployConfig.dedicatedResources."
    ),
    "gcp:cloudrunv2/service:Service": _cloud_run,
    "azure-native:machinelearningservices:OnlineDeployment": _azure_deployment,
    "kubernetes:keda.sh/v1alpha1:ScaledObject": _keda,
    "kubernetes:autoscaling/v2:HorizontalPodAutoscaler": _horizontal,
}
