"""SageMaker inference: models, endpoint configurations, endpoints and their variants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.aws.kept.calls import Asked, now
from tidegate.localclouds.aws.kept.kinds import Handler, Kind
from tidegate.localclouds.aws.kept.references import INVALID, require_network, require_role
from tidegate.localclouds.aws.kept.shelves import Body
from tidegate.localclouds.refusals import CloudError

# What an endpoint shows of a variant of its configuration.
SHOWN = ("ManagedInstanceScaling", "RoutingConfig", "CapacityReservationConfig")


def _check_model(asked: Asked, body: Body) -> None:
    require_role(asked, body.get("ExecutionRoleArn"))
    network = body.get("VpcConfig") or {}
    require_network(asked, network.get("Subnets", ()), network.get("SecurityGroupIds", ()))
    if not body.get("PrimaryContainer") and not body.get("Containers"):
        raise CloudError(INVALID, "You must specify a PrimaryContainer or Containers")


MODEL = Kind(
    name="model",
    key=("ModelName",),
    arn_member="ModelArn",
    arn="model/{ModelName}",
    times=("CreationTime",),
    defaults={"EnableNetworkIsolation": False},
    check=_check_model,
)


def _check_configuration(asked: Asked, body: Body) -> None:
    variants = [*body["ProductionVariants"], *(body.get("ShadowProductionVariants") or ())]
    for variant in variants:
        if "ModelName" in variant:
            MODEL.find(asked, variant)
        elif not body.get("ExecutionRoleArn"):
            words = "A variant without a model needs an ExecutionRoleArn of the configuration"
            raise CloudError(INVALID, words)
    require_role(asked, body.get("ExecutionRoleArn"))
    names = [variant["VariantName"] for variant in variants]
    if len(set(names)) < len(names):
        raise CloudError(INVALID, f"Variant names must be unique: {', '.join(names)}")


CONFIGURATION = Kind(
    name="endpoint configuration",
    key=("EndpointConfigName",),
    arn_member="EndpointConfigArn",
    arn="endpoint-config/{EndpointConfigName}",
    times=("CreationTime",),
    check=_check_configuration,
)


def _check_endpoint(asked: Asked, body: Body) -> None:
    CONFIGURATION.find(asked, body)


def _start_endpoint(asked: Asked, body: Body) -> Body:
    return {"EndpointStatus": "InService", **_deploy(CONFIGURATION.find(asked, body))}


ENDPOINT = Kind(
    name="endpoint",
    key=("EndpointName",),
    arn_member="EndpointArn",
    arn="endpoint/{EndpointName}",
    renamed={"DeploymentConfig": "LastDeploymentConfig"},
    check=_check_endpoint,
    complete=_start_endpoint,
)


def _deploy(configuration: Body) -> Body:
    """Return what an endpoint shows of its configuration."""
    shown = {
        name: configuration[name] for name in ("AsyncInferenceConfig",) if name in configuration
    }
    for member in ("ProductionVariants", "ShadowProductionVariants"):
        if configuration.get(member):
            shown[member] = [_deploy_variant(variant) for variant in configuration[member]]
    return shown


def _deploy_variant(variant: Body) -> Body:
    weight = variant.get("InitialVariantWeight", 1.0)
    shown = {
        "VariantName": variant["VariantName"],
        "CurrentWeight": weight,
        "DesiredWeight": weight,
        **{name: variant[name] for name in SHOWN if name in variant},
    }
    if "ServerlessConfig" in variant:
        return {**shown, "CurrentServerlessConfig": variant["ServerlessConfig"]}
    count = variant.get("InitialInstanceCount", 0)
    return {**shown, "CurrentInstanceCount": count, "DesiredInstanceCount": count}


def _update_endpoint(asked: Asked) -> Body:
    """Put another configuration in service; sizes stay when they are to be retained."""
    before = {part["VariantName"]: part for part in ENDPOINT.find(asked)["ProductionVariants"]}
    given: dict[str, Any] = {
        name: asked.parameters[name]
        for name in ("EndpointConfigName", "DeploymentConfig")
        if name in asked.parameters
    }
    body = ENDPOINT.update(asked, given)
    body |= _deploy(CONFIGURATION.find(asked, body))
    if asked.parameters.get("RetainAllVariantProperties"):
        sizes = ("CurrentInstanceCount", "DesiredInstanceCount", "CurrentWeight", "DesiredWeight")
        for variant in body["ProductionVariants"]:
            old = before.get(variant["VariantName"], {})
            variant |= {name: old[name] for name in sizes if name in old}
    return body


def _update_capacities(asked: Asked) -> Body:
    body = ENDPOINT.find(asked)
    variants = {variant["VariantName"]: variant for variant in body["ProductionVariants"]}
    changes = asked.parameters["DesiredWeightsAndCapacities"]
    for change in changes:
        if change["VariantName"] not in variants:
            name = f"{body['EndpointName']}/{change['VariantName']}"
            raise CloudError(INVALID, f'Could not find variant "{name}".')
        _check_count(body, variants[change["VariantName"]], change)
    for change in changes:
        variant = variants[change["VariantName"]]
        if "DesiredInstanceCount" in change:
            variant["DesiredInstanceCount"] = change["DesiredInstanceCount"]
            variant["CurrentInstanceCount"] = change["DesiredInstanceCount"]
        if "DesiredWeight" in change:
            variant["DesiredWeight"] = variant["CurrentWeight"] = change["DesiredWeight"]
    body["LastModifiedTime"] = now()
    return body


def _check_count(endpoint: Body, variant: Body, change: Body) -> None:
    """Refuse no instance where nothing would bring a first one back.

    SageMaker developer guide, "Scale an endpoint to zero instances": with inference components, or
    with asynchronous inference. The words are this program's own.
    """
    if change.get("DesiredInstanceCount", 1):
        return
    managed = variant.get("ManagedInstanceScaling") or {}
    if "AsyncInferenceConfig" not in endpoint and managed.get("MinInstanceCount", 1):
        words = f"Variant {variant['VariantName']} of a real-time endpoint needs an instance"
        raise CloudError(INVALID, words)


def find_variant(asked: Asked, endpoint: str, variant: str) -> Body:
    """Return a variant of an endpoint of the request's region, or refuse."""
    body = asked.shelves.of("sagemaker/endpoint", asked.region).get((endpoint,))
    found = [v for v in (body or {}).get("ProductionVariants", ()) if v["VariantName"] == variant]
    if not found:
        words = f"The endpoint variant does not exist: endpoint/{endpoint}/variant/{variant}"
        raise CloudError(INVALID, words)
    variant_body: Body = found[0]
    return variant_body


def build_list(kind: Kind, member: str) -> Handler:
    """Return the handler that lists a kind, filtered by a part of its name."""

    def answer(asked: Asked) -> Body:
        part = asked.parameters.get("NameContains", "")
        return {member: [b for b in kind.list(asked) if part in b[kind.key[-1]]]}

    return answer


INFERENCE: Mapping[str, Handler] = {
    "CreateModel": MODEL.create_as_asked,
    "DescribeModel": MODEL.find,
    "DeleteModel": MODEL.delete,
    "ListModels": build_list(MODEL, "Models"),
    "CreateEndpointConfig": CONFIGURATION.create_as_asked,
    "DescribeEndpointConfig": CONFIGURATION.find,
    "DeleteEndpointConfig": CONFIGURATION.delete,
    "ListEndpointConfigs": build_list(CONFIGURATION, "EndpointConfigs"),
    "CreateEndpoint": ENDPOINT.create_as_asked,
    "DescribeEndpoint": ENDPOINT.find,
    "UpdateEndpoint": _update_endpoint,
    "UpdateEndpointWeightsAndCapacities": _update_capacities,
    "DeleteEndpoint": ENDPOINT.delete,
    "ListEndpoints": build_list(ENDPOINT, "Endpoints"),
}
