"""What takes entries into a log bucket of Cloud Logging, counts them, and tells of a quota."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.telemetry.spec import StreamSpec
from tidegate_components.telemetry.thinning import (
    SAMPLING,
    render_gcp_filter,
    render_gcp_sampling,
)

with narrow_imports("pulumi_gcp.logging", "pulumi_gcp.monitoring"):
    from pulumi_gcp.logging.metric import Metric
    from pulumi_gcp.logging.project_exclusion import ProjectExclusion
    from pulumi_gcp.logging.project_sink import ProjectSink
    from pulumi_gcp.monitoring.alert_policy import AlertPolicy

if TYPE_CHECKING:
    from pulumi_gcp.logging.project_bucket_config import ProjectBucketConfig

BYTES_PER_GIB = 1024**3


def declare_routing(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    bucket: ProjectBucketConfig,
    project: pulumi.Input[str],
    opts: pulumi.ResourceOptions | None,
) -> pulumi.Output[str]:
    """Declare the sink into the bucket and what goes with it; return the sink's name."""
    sink = ProjectSink(
        spec.id,
        name=spec.id,
        project=project,
        destination=pulumi.Output.concat("logging.googleapis.com/", bucket.id),
        filter=spec.gcp_filter,
        exclusions=build_exclusions(spec),
        unique_writer_identity=True,
        description=spec.description,  # a sink takes no labels
        opts=child_options(parent, opts, ProjectSink),
    )
    if spec.exclude_from_default:
        # A project's exclusion is one of its sink _Default, which takes every entry else.
        ProjectExclusion(
            f"{spec.id}-elsewhere",
            name=f"{spec.id}-elsewhere",
            project=project,
            filter=spec.gcp_filter,
            description=spec.description,
            # Nothing is left out of _Default before the stream takes it.
            opts=child_options(parent, opts, ProjectExclusion, depends_on=[sink]),
        )
    if spec.counter_labels:
        _declare_counter(parent, spec, bucket, project, opts)
    return sink.name


def build_exclusions(spec: StreamSpec) -> list[Any]:
    """Return what the sink leaves out; the sample is what an exclusion leaves."""
    found: list[Any] = [
        {"name": each.name, "filter": render_gcp_filter(each)} for each in spec.exclusions
    ]
    if spec.sampling is not None:
        found.append({"name": SAMPLING, "filter": render_gcp_sampling(spec.sampling)})
    return found


def declare_quota_alert(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    project: pulumi.Input[str],
    channels: Any,
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Declare what says that a day took more than its quota; Cloud Logging has no cap."""
    quota = spec.daily_quota_gib or 0
    text = f"{spec.where} took more than {quota} GiB in a day"
    threshold: Any = {
        "filter": (
            'metric.type = "logging.googleapis.com/billing/log_bucket_bytes_ingested" AND '
            f'resource.type = "global" AND metric.labels.log_bucket_id = "{spec.id}"'
        ),
        "aggregations": [
            {
                "alignment_period": "86400s",
                "per_series_aligner": "ALIGN_SUM",
                "cross_series_reducer": "REDUCE_SUM",
            }
        ],
        "comparison": "COMPARISON_GT",
        "threshold_value": float(quota * BYTES_PER_GIB),
        "duration": "0s",
    }
    AlertPolicy(
        f"{spec.id}-quota",
        project=project,
        display_name=f"{spec.id} daily quota",
        combiner="OR",
        conditions=[{"display_name": text, "condition_threshold": threshold}],
        notification_channels=channels,
        user_labels=spec.cost_labels,
        opts=child_options(parent, opts, AlertPolicy),
    )


def _declare_counter(
    parent: pulumi.ComponentResource,
    spec: StreamSpec,
    bucket: ProjectBucketConfig,
    project: pulumi.Input[str],
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Declare a metric that counts the bucket's entries by a few labels."""
    labels: list[Any] = [{"key": key, "value_type": "STRING"} for key, _ in spec.counter_labels]
    Metric(
        spec.id,
        name=spec.id,
        project=project,
        bucket_name=bucket.id,
        filter=spec.gcp_filter,
        description=spec.description,
        label_extractors=dict(spec.counter_labels),
        metric_descriptor={"metric_kind": "DELTA", "value_type": "INT64", "labels": labels},
        opts=child_options(parent, opts, Metric),
    )
