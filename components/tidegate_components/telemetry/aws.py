"""A telemetry stream on CloudWatch: a log group."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.telemetry.spec import StreamSpec

with narrow_imports("pulumi_aws.cloudwatch"):
    from pulumi_aws.cloudwatch.log_group import LogGroup
    from pulumi_aws.cloudwatch.metric_alarm import MetricAlarm

SECONDS_A_DAY = 86_400
BYTES_PER_GIB = 1024**3


def declare(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the log group, and the alarm of its quota; return its cloud identifiers."""
    group = LogGroup(
        spec.id,
        region=spec.region,
        log_group_class=spec.log_class,
        # CloudWatch fixes the retention of class DELIVERY; sending one is a permanent difference.
        retention_in_days=None if spec.log_class == "DELIVERY" else spec.retention_days,
        tags=spec.cost_labels,
        # A change of class makes a new group. Kept, the old one holds its logs until their
        # retention ends instead of losing them (hashicorp/terraform-provider-aws#35140); the
        # name is chosen by Pulumi, so that the two never collide.
        opts=child_options(
            parent,
            opts,
            LogGroup,
            retain_on_delete=True if spec.keep_on_delete else None,
        ),
    )
    if spec.daily_quota_gib is not None:
        _declare_alarm(parent, spec, group, inputs["alarm_actions"], opts)
    return {"logGroup": group.name, "arn": group.arn, "region": spec.region}


def _declare_alarm(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    group: LogGroup,
    actions: Any,
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Declare what says that a day took more than its quota; CloudWatch has no cap."""
    quota = spec.daily_quota_gib or 0
    MetricAlarm(
        f"{spec.id}-quota",
        region=spec.region,
        alarm_description=f"{spec.where} took more than {quota} GiB in a day",
        namespace="AWS/Logs",
        metric_name="IncomingBytes",
        dimensions={"LogGroupName": group.name},
        statistic="Sum",
        period=SECONDS_A_DAY,
        evaluation_periods=1,
        comparison_operator="GreaterThanThreshold",
        threshold=float(quota * BYTES_PER_GIB),
        treat_missing_data="notBreaching",
        alarm_actions=actions,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, MetricAlarm),
    )
