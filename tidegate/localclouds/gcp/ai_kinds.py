"""Vertex AI endpoints and deployment resource pools.

Sources: the property descriptions of pulumi-gcp 10.2.0, the discovery document aiplatform.v1, and
GoogleCloudPlatform/magic-modules, mmv1/products/vertexai/Endpoint.yaml (all 2026-11-30).
"""

# ruff: noqa: ARG001 - what completes a body has one signature for all kinds

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults, look
from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.collection_shelf import touch
from tidegate.localclouds.gcp.kind import Kind, Reference, Rest
from tidegate.localclouds.gcp.kind_rules import (
    exclusive_rule,
    length_rule,
    name_rule,
    range_rule,
)
from tidegate.localclouds.gcp.references import find_network
from tidegate.localclouds.rest_shape import Field, Shape
from tidegate.localclouds.shelf import Shelf

ENDPOINT = "aiplatform.googleapis.com/Endpoint"
RESOURCE_POOL = "aiplatform.googleapis.com/DeploymentResourcePool"
TIMES = frozenset({"createTime", "updateTime"})
ALL = ("POST", "PATCH", "DELETE")

METRICS = (
    "aiplatform.googleapis.com/prediction/online/accelerator/duty_cycle",
    "aiplatform.googleapis.com/prediction/online/cpu/utilization",
    "aiplatform.googleapis.com/prediction/online/request_count",
)


def google_type(word: str) -> str:
    """Return Compute's name of an accelerator that these APIs write in capitals."""
    return word.lower().replace("_", "-")


def check_pair(machine: Any, accelerator: Any, count: Any) -> Iterator[str]:
    """Say why an accelerator does not fit a machine type, as far as both are known."""
    if isinstance(machine, str) and isinstance(accelerator, str) and isinstance(count, int):
        yield from machines.check_accelerator(machine, google_type(accelerator), count)


# Endpoints


def _fill_endpoint(name: str, body: Body) -> None:
    touch(name, body)
    _, project, _, location, _, short = name.split("/")
    if body.get("dedicatedEndpointEnabled"):
        number = names.project_number(project)
        body["dedicatedEndpointDns"] = f"{short}.{location}-{number}.prediction.vertexai.goog"
    fill_defaults(body, {"labels": {}})
    body["etag"] = names.fingerprint_of({k: v for k, v in body.items() if k != "etag"})


def _serves(shelf: Shelf, name: str) -> str:
    models = (shelf.get(ENDPOINT, name) or {}).get("deployedModels") or []
    return f"deployed model {models[0]['id']}" if models else ""


def check_split(body: Body) -> Iterator[CheckFailure]:
    """Refuse a traffic split that does not share out all traffic."""
    split = body.get("trafficSplit")
    if isinstance(split, dict) and split and sum(split.values()) != 100:
        yield CheckFailure(
            "trafficSplit", f"Traffic split adds up to {sum(split.values())}, not to 100."
        )


ENDPOINT_KIND = Kind(
    pulumi="gcp:vertex/aiEndpoint:AiEndpoint",
    name=ENDPOINT,
    path="projects/{project}/locations/{location}/endpoints/{name}",
    shape=Shape(
        fields={
            "trafficSplit": Field(
                to_rest=json.loads,
                to_pulumi=lambda split: json.dumps(split, separators=(",", ":")),
            ),
            "privateServiceConnectConfig": Field(
                shape=Shape(fields={"projectAllowlists": Field("projectAllowlist")})
            ),
        },
        provider_only=frozenset({"region"}),
    ),
    rest=Rest("v1", "endpoints", id_at="?endpointId", waits=("POST", "DELETE")),
    rules=(
        name_rule(
            r"[1-9][0-9]{0,9}|[a-z]([-a-z0-9]{0,61}[a-z0-9])?",
            "at most 10 digits, or 63 lowercase letters, digits and dashes starting with a letter",
        ),
        length_rule("displayName", 128),
        range_rule("predictRequestResponseLoggingConfig.samplingRate", 0, 1),
        exclusive_rule("network", "privateServiceConnectConfig"),
        check_split,
    ),
    references=(Reference("network", find_network),),
    fill=_fill_endpoint,
    in_use=_serves,
    labels=("labels",),
    make_id=names.number_of,
    freely=("network",),
)


# Deployment resource pools


def check_replicas(body: Body, at: str = "dedicatedResources") -> Iterator[CheckFailure]:
    """Say what is wrong with the replicas and machines of a pool or a deployed model."""
    low, high = look(body, f"{at}.minReplicaCount"), look(body, f"{at}.maxReplicaCount")
    if isinstance(low, int) and low < 1:
        yield CheckFailure(f"{at}.minReplicaCount", f"At least 1 replica is needed, got {low}.")
    if isinstance(low, int) and isinstance(high, int) and high < low:
        yield CheckFailure(
            f"{at}.maxReplicaCount", f"Maximum {high} is less than the minimum {low}."
        )
    place = f"{at}.machineSpec"
    machine = look(body, f"{place}.machineType")
    if isinstance(machine, str):
        for reason in machines.check_machine(machine, []):
            yield CheckFailure(f"{place}.machineType", reason)
    accelerator = look(body, f"{place}.acceleratorType")
    for reason in check_pair(machine, accelerator, look(body, f"{place}.acceleratorCount")):
        yield CheckFailure(f"{place}.acceleratorType", reason)
    yield from _check_scaling(body, f"{at}.autoscalingMetricSpecs")


def _check_scaling(body: Body, at: str) -> Iterator[CheckFailure]:
    specs = look(body, at)
    for index, spec in enumerate(specs if isinstance(specs, list) else []):
        metric, target = look(spec, "metricName"), look(spec, "target")
        if isinstance(metric, str) and metric not in METRICS:
            yield CheckFailure(
                f"{at}[{index}].metricName",
                f"Unknown metric '{metric}': one of {', '.join(METRICS)}.",
            )
        if isinstance(target, int) and not 1 <= target <= 100:
            yield CheckFailure(f"{at}[{index}].target", f"Target {target} is not in 1 to 100.")


def _fill_pool(name: str, body: Body) -> None:
    body.setdefault("createTime", names.now())
    resources = body.get("dedicatedResources")
    if isinstance(resources, dict):
        fill_defaults(resources, {"maxReplicaCount": resources.get("minReplicaCount")})


def _find_deployments(shelf: Shelf, name: str) -> str:
    for endpoint, body in shelf.items(ENDPOINT, name.partition("/deploymentResourcePools/")[0]):
        if any(model.get("sharedResources") == name for model in body.get("deployedModels", [])):
            return endpoint
    return ""


POOL_KIND = Kind(
    pulumi="gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool",
    name=RESOURCE_POOL,
    path="projects/{project}/locations/{region}/deploymentResourcePools/{name}",
    rest=Rest(
        "v1",
        "deploymentResourcePools",
        id_at="deploymentResourcePoolId",
        wrapper="deploymentResourcePool",
        waits=ALL,
    ),
    rules=(
        name_rule(
            r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?",
            "at most 63 lowercase letters, digits and dashes, starting with a letter",
        ),
        check_replicas,
    ),
    fill=_fill_pool,
    in_use=_find_deployments,
)


KINDS = (ENDPOINT_KIND, POOL_KIND)
