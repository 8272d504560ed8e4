"""An online endpoint of Azure Machine Learning, its managed deployment, and what scales it."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.inference_capacity.spec import AzureMlTarget, EndpointSpec
from tidegate_components.names import AZURE_ML_ENDPOINT, derive_name

with narrow_imports("pulumi_azure_native.machinelearningservices", "pulumi_azure_native.monitor"):
    from pulumi_azure_native.machinelearningservices.online_deployment import OnlineDeployment
    from pulumi_azure_native.machinelearningservices.online_endpoint import OnlineEndpoint
    from pulumi_azure_native.monitor.autoscale_setting import AutoscaleSetting

DEPLOYMENT = "main"
NEARLY_IDLE = 0.4
"""The share of the aim below which an instance goes, well apart from where one comes."""
FIXED_AT_CREATION = ("location", "kind", "endpointName", "workspaceName")


def declare(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare endpoint, deployment and autoscaling, and return their identifiers."""
    target = spec.target
    assert isinstance(target, AzureMlTarget)
    place = {key: inputs[key] for key in ("resource_group_name", "workspace_name")}
    endpoint: pulumi.Input[str] = inputs.get("endpoint_name") or ""
    if target.makes_endpoint:
        made = OnlineEndpoint(
            spec.id,
            endpoint_name=derive_name(spec.id, AZURE_ML_ENDPOINT),
            **place,
            location=spec.region,
            kind="Managed",
            identity={"type": "SystemAssigned"},
            properties={
                "auth_mode": target.auth_mode,
                "public_network_access": "Enabled" if target.public_network_access else "Disabled",
            },
            tags=spec.cost_labels,
            # Traffic goes to deployments that exist: whoever rolls a model out moves it. Another
            # id would be another endpoint, with another address.
            opts=child_options(
                parent, opts, OnlineEndpoint, ignore=["properties.traffic", "endpointName"]
            ),
        )
        endpoint = made.name
    deployment = _declare_deployment(parent, spec, target, {**place, **inputs}, endpoint, opts)
    _declare_autoscale(parent, spec, target, inputs["resource_group_name"], deployment, opts)
    return {
        "workspace": inputs["workspace_name"],
        "endpoint": endpoint,
        "deployment": deployment.id,
        "region": spec.region,
    }


def _declare_deployment(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    target: AzureMlTarget,
    inputs: dict[str, Any],
    endpoint: pulumi.Input[str],
    opts: pulumi.ResourceOptions | None,
) -> OnlineDeployment:
    # The property is one of several types, so the SDK does not respell its keys.
    properties: Any = {
        "endpointComputeType": "Managed",
        "model": inputs["model_id"],
        "instanceType": target.instance_type,
        "scaleSettings": {"scaleType": "Default"},
    }
    if inputs.get("environment_id") is not None:
        properties["environmentId"] = inputs["environment_id"]
    return OnlineDeployment(
        spec.id,
        deployment_name=DEPLOYMENT,
        endpoint_name=endpoint,
        resource_group_name=inputs["resource_group_name"],
        workspace_name=inputs["workspace_name"],
        location=spec.region,
        kind="Managed",
        properties=properties,
        sku={"name": "Default", "capacity": spec.min_replicas},
        tags=spec.cost_labels,
        opts=child_options(
            parent,
            opts,
            OnlineDeployment,
            ignore=["sku.capacity"],  # autoscaling's
            replace=FIXED_AT_CREATION,
            delete_before_replace=True,
        ),
    )


def _declare_autoscale(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    target: AzureMlTarget,
    resource_group: pulumi.Input[str],
    deployment: OnlineDeployment,
    opts: pulumi.ResourceOptions | None,
) -> None:
    aim = target.utilization_percent
    AutoscaleSetting(
        spec.id,
        autoscale_setting_name=spec.id,
        resource_group_name=resource_group,
        location=spec.region,
        enabled=True,
        target_resource_uri=deployment.id,
        profiles=[
            {
                "name": "load",
                "capacity": {
                    "minimum": str(spec.min_replicas),
                    "maximum": str(spec.max_replicas),
                    "default": str(spec.min_replicas),
                },
                "rules": [
                    build_rule(target, deployment.id, "Increase", aim),
                    build_rule(target, deployment.id, "Decrease", aim * NEARLY_IDLE),
                ],
            }
        ],
        tags=spec.cost_labels,
        opts=child_options(parent, opts, AutoscaleSetting, ignore=["autoscaleSettingName"]),
    )


def build_rule(
    target: AzureMlTarget, deployment: pulumi.Input[str], direction: str, threshold: float
) -> Any:
    """Return one rule: a machine more above the aim, a machine less when nearly idle."""
    metric = "GpuUtilizationPercentage" if target.has_accelerators else "CpuUtilizationPercentage"
    return {
        "metric_trigger": {
            "metric_name": metric,
            "metric_resource_uri": deployment,
            "operator": "GreaterThan" if direction == "Increase" else "LessThan",
            "statistic": "Average",
            "threshold": threshold,
            "time_aggregation": "Average",
            "time_grain": "PT1M",
            "time_window": "PT5M",
        },
        "scale_action": {
            "direction": direction,
            "type": "ChangeCount",
            "value": "1",
            "cooldown": "PT5M",
        },
    }
