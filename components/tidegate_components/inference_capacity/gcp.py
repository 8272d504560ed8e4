"""A Vertex endpoint as scaling target, with the machines that its deployments share."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.inference_capacity.spec import EndpointSpec, VertexTarget
from tidegate_components.names import VERTEX_RESOURCE_POOL, derive_name, derive_number

with narrow_imports("pulumi_gcp.vertex"):
    from pulumi_gcp.vertex.ai_deployment_resource_pool import AiDeploymentResourcePool
    from pulumi_gcp.vertex.ai_endpoint import AiEndpoint

METRIC = "aiplatform.googleapis.com/prediction/online/"
ENDPOINT_DIGITS = 10


def declare(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare endpoint and resource pool, and return their identifiers."""
    target = spec.target
    assert isinstance(target, VertexTarget)
    endpoint = inputs.get("endpoint")
    if target.makes_endpoint:
        made = AiEndpoint(
            spec.id,
            # Vertex takes a number of at most ten digits, and makes up another one otherwise.
            name=derive_number(spec.id, ENDPOINT_DIGITS),
            display_name=spec.id,
            description=spec.model,
            project=inputs["project"],
            location=spec.region,
            region=spec.region,
            labels=spec.cost_labels,
            # Another id would be another endpoint, with another address.
            opts=child_options(parent, opts, AiEndpoint, ignore=["name"]),
        )
        endpoint = made.id
    machine: dict[str, Any] = {"machine_type": target.instance_type}
    metrics = ["cpu/utilization"]
    if target.chips:
        machine["accelerator_type"], machine["accelerator_count"] = target.chips
        metrics.append("accelerator/duty_cycle")
    resources: Any = {
        "machine_spec": machine,
        "min_replica_count": spec.min_replicas,
        "max_replica_count": spec.max_replicas,
        "autoscaling_metric_specs": [
            {"metric_name": f"{METRIC}{name}", "target": target.utilization_percent}
            for name in metrics
        ],
    }
    # It takes neither labels nor a description: what it costs is known by the endpoint's.
    pool = AiDeploymentResourcePool(
        derive_name(spec.id, VERTEX_RESOURCE_POOL),
        project=inputs["project"],
        region=spec.region,
        dedicated_resources=resources,
        opts=child_options(parent, opts, AiDeploymentResourcePool, named=VERTEX_RESOURCE_POOL),
    )
    return {"endpoint": endpoint or "", "resourcePool": pool.id, "region": spec.region}
