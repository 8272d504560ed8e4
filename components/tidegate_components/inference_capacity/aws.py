"""A SageMaker endpoint as scaling target: endpoint, target, and policies up from nothing."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.inference_capacity.spec import EndpointSpec, SageMakerTarget
from tidegate_components.names import SAGEMAKER_NAME, derive_name

with narrow_imports("pulumi_aws.appautoscaling", "pulumi_aws.cloudwatch", "pulumi_aws.sagemaker"):
    from pulumi_aws.appautoscaling.policy import Policy
    from pulumi_aws.appautoscaling.target import Target
    from pulumi_aws.cloudwatch.metric_alarm import MetricAlarm
    from pulumi_aws.sagemaker.endpoint import Endpoint
    from pulumi_aws.sagemaker.endpoint_configuration import EndpointConfiguration

SCALE_IN_SECONDS = 300
SCALE_OUT_SECONDS = 60


def declare(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the endpoint, where it is made, and what scales it; return the identifiers."""
    target = spec.target
    assert isinstance(target, SageMakerTarget)
    bound: dict[str, pulumi.Input[str]] = {"region": spec.region}
    if target.makes_endpoint:
        endpoint, configuration = _declare_endpoint(parent, spec, target, inputs, opts)
        bound |= {"endpoint": endpoint.name, "endpointArn": endpoint.arn}
        bound["endpointConfiguration"] = configuration.name
    else:
        bound["endpoint"] = inputs["endpoint_name"]
    component = inputs.get("inference_component_name")
    if component is None and target.hosts_components:
        # Managed instance scaling follows the components; there is none to scale yet.
        return bound
    resource = (
        pulumi.Output.concat("inference-component/", component)
        if component is not None
        else pulumi.Output.concat("endpoint/", bound["endpoint"], "/variant/", target.variant_name)
    )
    dimension = (
        "sagemaker:inference-component:DesiredCopyCount"
        if component is not None
        else "sagemaker:variant:DesiredInstanceCount"
    )
    scaled = Target(
        spec.id,
        region=spec.region,
        service_namespace="sagemaker",
        resource_id=resource,
        scalable_dimension=dimension,
        min_capacity=spec.min_replicas,
        max_capacity=spec.max_replicas,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Target),
    )
    _declare_policies(parent, spec, target, scaled, bound["endpoint"], component, opts)
    return {**bound, "scalableTarget": scaled.resource_id}


def _declare_endpoint(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    target: SageMakerTarget,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[Endpoint, EndpointConfiguration]:
    name = derive_name(spec.id, SAGEMAKER_NAME)
    # A configuration never changes: the endpoint moves to a new one, then the old one goes.
    configuration = EndpointConfiguration(
        name,
        region=spec.region,
        execution_role_arn=inputs.get("execution_role_arn"),
        production_variants=[_build_variant(spec, target, inputs)],
        async_inference_config=(
            {"output_config": {"s3_output_path": inputs["async_output_s3_uri"]}}
            if target.is_async
            else None
        ),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, EndpointConfiguration, named=SAGEMAKER_NAME),
    )
    endpoint = Endpoint(
        name,
        region=spec.region,
        endpoint_config_name=configuration.name,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Endpoint, named=SAGEMAKER_NAME),
    )
    return endpoint, configuration


def _build_variant(spec: EndpointSpec, target: SageMakerTarget, inputs: dict[str, Any]) -> Any:
    variant: dict[str, Any] = {
        "variant_name": target.variant_name,
        "instance_type": target.instance_type,
        # SageMaker starts with one at least, and takes it away afterwards.
        "initial_instance_count": max(1, spec.min_replicas),
    }
    if not target.hosts_components:
        return {**variant, "model_name": inputs["model_name"], "initial_variant_weight": 1}
    return {
        **variant,
        "managed_instance_scaling": {
            "status": "ENABLED",
            "min_instance_count": spec.min_replicas,
            "max_instance_count": spec.max_replicas,
        },
        "routing_configs": [{"routing_strategy": "LEAST_OUTSTANDING_REQUESTS"}],
    }


def _declare_policies(
    parent: pulumi.ComponentResource,
    spec: EndpointSpec,
    target: SageMakerTarget,
    scaled: Target,
    endpoint: pulumi.Input[str],
    component: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Declare what follows the load and, from nothing, what notices the first request."""
    shared: dict[str, Any] = {
        "region": spec.region,
        "service_namespace": scaled.service_namespace,
        "resource_id": scaled.resource_id,
        "scalable_dimension": scaled.scalable_dimension,
    }
    tracked: Any = {
        "target_value": target.invocations_per_minute,
        **_build_metric(target, endpoint, component),
        "scale_in_cooldown": SCALE_IN_SECONDS,
        "scale_out_cooldown": SCALE_OUT_SECONDS,
    }
    Policy(
        f"{spec.id}-load",
        **shared,
        policy_type="TargetTrackingScaling",
        target_tracking_scaling_policy_configuration=tracked,
        opts=child_options(parent, opts, Policy),
    )
    if spec.min_replicas:
        return
    # Load an instance sees cannot wake an endpoint that has none: a step policy and an alarm do.
    first = Policy(
        f"{spec.id}-first",
        **shared,
        policy_type="StepScaling",
        step_scaling_policy_configuration={
            "adjustment_type": "ChangeInCapacity",
            "metric_aggregation_type": "Maximum",
            "cooldown": SCALE_OUT_SECONDS,
            "step_adjustments": [{"metric_interval_lower_bound": "0", "scaling_adjustment": 1}],
        },
        opts=child_options(parent, opts, Policy),
    )
    MetricAlarm(
        f"{spec.id}-first",
        region=spec.region,
        namespace="AWS/SageMaker",
        metric_name="NoCapacityInvocationFailures" if component else "HasBacklogWithoutCapacity",
        dimensions={"InferenceComponentName": component}
        if component
        else {"EndpointName": endpoint},
        statistic="Maximum",
        period=60,
        evaluation_periods=1,
        datapoints_to_alarm=1,
        threshold=1,
        comparison_operator="GreaterThanOrEqualToThreshold",
        treat_missing_data="missing",
        alarm_actions=[first.arn],
        tags=spec.cost_labels,
        opts=child_options(parent, opts, MetricAlarm),
    )


def _build_metric(
    target: SageMakerTarget, endpoint: pulumi.Input[str], component: pulumi.Input[str] | None
) -> Any:
    if target.is_async:
        return {
            "customized_metric_specification": {
                "metric_name": "ApproximateBacklogSizePerInstance",
                "namespace": "AWS/SageMaker",
                "statistic": "Average",
                "dimensions": [{"name": "EndpointName", "value": endpoint}],
            }
        }
    metric = (
        "SageMakerInferenceComponentInvocationsPerCopy"
        if component is not None
        else "SageMakerVariantInvocationsPerInstance"
    )
    return {"predefined_metric_specification": {"predefined_metric_type": metric}}
