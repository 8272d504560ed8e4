"""The arguments of a telemetry stream, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class TelemetryGcpArgs(TypedDict):
    """What only a Cloud Logging log bucket takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project that owns the log bucket. Required on Google Cloud."""
    locked: NotRequired[bool]
    """Whether retention can never be shortened again. One-way."""
    enable_analytics: NotRequired[bool]
    """Whether the bucket can be queried with SQL. One-way."""
    acknowledge_one_way: NotRequired[bool]
    """Must be true before `locked` or `enable_analytics` is switched on."""


class TelemetryAzureArgs(TypedDict):
    """What only a Log Analytics workspace takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group of the workspace. Required on Azure."""
    table_name: NotRequired[str]
    """The custom table, ending in _CL; derived from the stream's id unless stated."""
    interactive_days: NotRequired[int]
    """Days for which data can be queried at once; the rest of the retention is an archive."""


class TelemetryArgs(TypedDict):
    """A telemetry stream that keeps what it takes for a stated time."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    telemetry_class: str
    """run-logs, serving-logs, platform-logs, audit-logs or debug-logs."""
    retention_days: int
    """How long data is kept; on AWS one of CloudWatch's steps."""
    log_class: NotRequired[str]
    """AWS: STANDARD, INFREQUENT_ACCESS or DELIVERY. Azure: Analytics or Basic."""
    daily_quota_gib: NotRequired[float]
    """What the stream takes a day at most; Azure only."""
    expected_gib_per_month: NotRequired[float]
    """Data expected in a month; the basis of the cost as declared."""
    keep_on_delete: NotRequired[bool]
    """Whether data outlives the declaration, until its retention ends; true unless stated. On
    Google Cloud it always does."""
    labels: dict[str, str]
    """The cost labels."""
    gcp: NotRequired[TelemetryGcpArgs]
    """What only Cloud Logging takes."""
    azure: NotRequired[TelemetryAzureArgs]
    """What only Log Analytics takes."""
