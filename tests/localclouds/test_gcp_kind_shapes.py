"""Every property of Google's kinds stands where the API's discovery document has it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import pytest

from tidegate.localclouds.gcp.kind import Kind
from tidegate.localclouds.gcp.kinds import KINDS
from tidegate.localclouds.naming import find_rules
from tidegate.localclouds.rest_shape import SAME, build_properties, build_rest
from tidegate.localclouds.schema import Shape, load_schema

# Kind → its discovery document and the schema of its body.
SCHEMAS = {
    "aiplatform.googleapis.com/DeploymentResourcePool": (
        "aiplatform.v1",
        "GoogleCloudAiplatformV1DeploymentResourcePool",
    ),
    "aiplatform.googleapis.com/Endpoint": ("aiplatform.v1", "GoogleCloudAiplatformV1Endpoint"),
    "billingbudgets.googleapis.com/Budget": (
        "billingbudgets.v1",
        "GoogleCloudBillingBudgetsV1Budget",
    ),
    "compute.googleapis.com/Commitment": ("compute.v1", "Commitment"),
    "compute.googleapis.com/FutureReservation": ("compute.v1", "FutureReservation"),
    "compute.googleapis.com/InstanceGroupManager": ("compute.v1", "InstanceGroupManager"),
    "compute.googleapis.com/InstanceTemplate": ("compute.v1", "InstanceTemplate"),
    "compute.googleapis.com/ResourcePolicy": ("compute.v1", "ResourcePolicy"),
    "iam.googleapis.com/Role": ("iam.v1", "Role"),
    "iam.googleapis.com/ServiceAccount": ("iam.v1", "ServiceAccount"),
    "logging.googleapis.com/LogExclusion": ("logging.v2", "LogExclusion"),
    "logging.googleapis.com/LogMetric": ("logging.v2", "LogMetric"),
    "logging.googleapis.com/LogSink": ("logging.v2", "LogSink"),
    "monitoring.googleapis.com/NotificationChannel": ("monitoring.v3", "NotificationChannel"),
    "notebooks.googleapis.com/Instance": ("notebooks.v2", "Instance"),
    "pubsub.googleapis.com/Subscription": ("pubsub.v1", "Subscription"),
    "pubsub.googleapis.com/Topic": ("pubsub.v1", "Topic"),
}
# Parts of a body that v1 of the API does not know: the provider sends them to its beta.
TEMPLATE_BETA = {
    "properties.displayDevice",
    "properties.partnerMetadata",
    "properties.scheduling.maintenanceInterval",
}
BETA: dict[str, set[str]] = {
    "gcp:compute/futureReservation:FutureReservation": {
        "shareSettings.projects",
        "specificSkuProperties.instanceProperties.maintenanceFreezeDurationHours",
        "specificSkuProperties.instanceProperties.maintenanceInterval",
    },
    "gcp:compute/instanceGroupManager:InstanceGroupManager": {"updatePolicy.minReadySec"},
    "gcp:compute/instanceTemplate:InstanceTemplate": TEMPLATE_BETA,
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": {
        "updatePolicy.minReadySec"
    },
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate": TEMPLATE_BETA,
    "gcp:compute/resourcePolicy:ResourcePolicy": {
        "groupPlacementPolicy.maxDistance",
        "groupPlacementPolicy.tpuTopology",
    },
    "gcp:vertex/aiEndpoint:AiEndpoint": {
        "privateServiceConnectConfig.enableSecurePrivateServiceConnect"
    },
}


@cache
def load_schemas(document: str) -> dict[str, Any]:
    file = resources.files("googleapiclient") / "discovery_cache" / "documents"
    return json.loads((file / f"{document}.json").read_text(encoding="utf-8"))["schemas"]


def build_whole(shape: Shape, name: str = "", depth: int = 0) -> Any:
    """Return a value with every property that the SDK knows."""
    if name == "trafficSplit":
        return '{"1":100}'
    if shape.choices:
        return shape.choices[0]
    if shape.kind == "list" and shape.item is not None:
        return [build_whole(shape.item, depth=depth)]
    if shape.kind == "map" and shape.item is not None:
        return {"some-key": build_whole(shape.item, depth=depth)}
    if shape.kind == "object":
        return {
            key: build_whole(part, key, depth + 1)
            for key, part in shape.properties.items()
            if depth < 8
        }
    return {"boolean": True, "integer": 7, "number": 0.5}.get(shape.kind, "text")


def find_unknown(body: Any, schema: dict[str, Any], document: str, at: str = "") -> Iterator[str]:
    """Yield the places of a body that the schema does not know."""
    schemas = load_schemas(document)
    if "$ref" in schema:
        schema = schemas[schema["$ref"]]
    if isinstance(body, list):
        if schema.get("type") != "array":
            yield f"{at}: a list"
            return
        for item in body:
            yield from find_unknown(item, schema["items"], document, at)
    elif isinstance(body, dict):
        known, free = schema.get("properties", {}), schema.get("additionalProperties")
        for key, value in body.items():
            place = f"{at}.{key}".lstrip(".")
            if key in known:
                yield from find_unknown(value, known[key], document, place)
            elif free is not None:
                yield from find_unknown(value, free, document, place)
            else:
                yield place
    elif schema.get("type") in ("array", "object"):
        yield f"{at}: a scalar"


def build_inputs(kind: Kind) -> dict[str, Any]:
    unemulated = find_rules("gcp", kind.pulumi).unemulated
    never = {*kind.words, *unemulated, "deletionPolicy", "project", "metadataStartupScript"}
    known = load_schema(kind.pulumi).inputs.properties
    return {key: build_whole(part, key) for key, part in known.items() if key not in never}


def drop_provider_only(properties: Any, shape: Any) -> Any:
    """Return properties without those that never reach the cloud."""
    if isinstance(properties, list):
        return [drop_provider_only(item, shape) for item in properties]
    if not isinstance(properties, dict):
        return properties
    return {
        key: drop_provider_only(value, shape.fields[key].shape or SAME)
        if key in shape.fields
        else value
        for key, value in properties.items()
        if key not in shape.provider_only
    }


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.pulumi)
def test_every_property_is_read_back_as_it_was_written(kind: Kind) -> None:
    inputs = build_inputs(kind)
    read = build_properties(kind.shape, build_rest(kind.shape, inputs))
    assert {key: read[key] for key in inputs if key in read} == drop_provider_only(
        inputs, kind.shape
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.pulumi)
def test_every_property_is_known_to_the_api_where_it_stands(kind: Kind) -> None:
    document, schema = SCHEMAS[kind.name]
    body = kind.show(build_rest(kind.shape, build_inputs(kind)))
    assert set(find_unknown(body, {"$ref": schema}, document)) == BETA.get(kind.pulumi, set())
