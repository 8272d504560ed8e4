"""A telemetry stream on Cloud Logging: a log bucket."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.telemetry.gcp_routing import declare_quota_alert, declare_routing
from tidegate_components.telemetry.spec import StreamSpec

with narrow_imports("pulumi_gcp.logging"):
    from pulumi_gcp.logging.project_bucket_config import ProjectBucketConfig


def declare(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the log bucket and what routes into it; return its cloud identifiers."""
    bucket = ProjectBucketConfig(
        spec.id,
        bucket_id=spec.id,
        project=inputs["project"],
        location=spec.region,
        retention_days=spec.retention_days,
        locked=True if spec.locked else None,
        enable_analytics=True if spec.analytics else None,
        description=spec.description,  # a log bucket takes no labels
        opts=child_options(
            parent,
            opts,
            ProjectBucketConfig,
            # A locked bucket cannot be deleted before its data is gone. A deleted one holds its
            # name for seven days, in which it cannot be declared again; one that is kept is taken
            # over by the provider (GoogleCloudPlatform/magic-modules#5949).
            protect=True if spec.locked else None,
            retain_on_delete=True if spec.keep_on_delete else None,
        ),
    )
    identifiers: dict[str, pulumi.Input[str]] = {
        "logBucket": bucket.bucket_id,
        "name": bucket.name,
        "region": spec.region,
    }
    project = inputs["project"]
    if spec.gcp_filter:
        identifiers["sink"] = declare_routing(parent, spec, bucket, project, opts)
    if spec.daily_quota_gib is not None:
        channels = inputs["notification_channels"]
        declare_quota_alert(parent, spec, project, channels, opts)
    return identifiers
