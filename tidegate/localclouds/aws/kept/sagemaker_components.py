"""SageMaker inference components: models that share the instances of an endpoint, by copies.

Source: SageMaker API reference, CreateInferenceComponent and UpdateInferenceComponentRuntimeConfig
(read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.localclouds.aws.kept.calls import Asked, now
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID
from tidegate.localclouds.aws.kept.sagemaker import ENDPOINT, MODEL, build_list, find_variant
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError


def _check_component(asked: Asked, body: Body) -> None:
    ENDPOINT.find(asked, body)
    variant = find_variant(asked, body["EndpointName"], body.get("VariantName", ""))
    # A variant with a model of its own hosts no components.
    if not variant.get("ManagedInstanceScaling") and not variant.get("RoutingConfig"):
        words = f"Variant {variant['VariantName']} has a model of its own and hosts no components"
        raise CloudError(INVALID, words)
    model = (body.get("Specification") or {}).get("ModelName")
    if model:
        MODEL.find(asked, {"ModelName": model})


def _start_component(asked: Asked, body: Body) -> Body:
    endpoint = ENDPOINT.find(asked, body)
    return {
        "InferenceComponentStatus": "InService",
        "EndpointArn": endpoint["EndpointArn"],
        "RuntimeConfig": _count((body.get("RuntimeConfig") or {}).get("CopyCount", 1)),
    }


COMPONENT = Kind(
    name="inference component",
    key=("InferenceComponentName",),
    arn_member="InferenceComponentArn",
    arn="inference-component/{InferenceComponentName}",
    check=_check_component,
    complete=_start_component,
)


def _count(copies: int) -> Body:
    return {"DesiredCopyCount": copies, "CurrentCopyCount": copies}


def _update_copies(asked: Asked) -> Body:
    body = COMPONENT.find(asked)
    copies = asked.parameters["DesiredRuntimeConfig"]["CopyCount"]
    if copies < 0:
        raise CloudError(INVALID, f"CopyCount {copies} is less than 0")
    body |= {"RuntimeConfig": _count(copies), "LastModifiedTime": now()}
    return body


COMPONENTS: Mapping[str, Handler] = {
    "CreateInferenceComponent": COMPONENT.create_as_asked,
    "DescribeInferenceComponent": COMPONENT.find,
    "UpdateInferenceComponentRuntimeConfig": _update_copies,
    "DeleteInferenceComponent": COMPONENT.delete,
    "ListInferenceComponents": build_list(COMPONENT, "InferenceComponents"),
}
