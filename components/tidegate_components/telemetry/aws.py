"""A telemetry stream on CloudWatch: a log group."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate_components.children import child_options
from tidegate_components.sdk_imports import narrow_imports
from tidegate_components.telemetry.spec import StreamSpec

with narrow_imports("pulumi_aws.cloudwatch"):
    from pulumi_aws.cloudwatch.log_group import LogGroup


def declare(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    inputs: dict[str, Any],  # noqa: ARG001 - the same signature on every cloud
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the log group and return its cloud identifiers."""
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
    return {"logGroup": group.name, "arn": group.arn, "region": spec.region}
