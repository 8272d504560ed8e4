"""The arguments of a telemetry stream, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class ExclusionArgs(TypedDict):
    """Entries that the stream does not take; all that is stated must hold of an entry."""

    name: str
    """What messages, sinks and rules call it."""
    severity_below: NotRequired[str]
    """Only entries less severe than this: DEBUG, INFO, WARN, ERROR or FATAL. Entries without a
    severity are kept."""
    attributes: NotRequired[dict[str, str]]
    """Only entries with these attributes (on Google Cloud: labels) at these values."""
    expected_share: NotRequired[float]
    """The share of the stream's volume that it removes beyond those before it, 0 to 1."""


class SamplingArgs(TypedDict):
    """How much of the stream is kept."""

    percent: float
    """The percentage of entries that is kept, above 0."""
    keep_severity: NotRequired[str]
    """Entries at least this severe are kept whole; ERROR unless stated."""


class MetricBudgetArgs(TypedDict):
    """How many time series the stream's metrics may have."""

    max_active_series: int
    """The most series that may be active at once."""
    targets: NotRequired[int]
    """Scrape targets that share the budget; 1 unless stated. Each may have its equal part."""
    metric_names: NotRequired[int]
    """How many metrics there are; with label_values the basis of the expected series."""
    label_values: NotRequired[dict[str, int]]
    """The labels that metrics may carry, and how many values each takes at most."""
    labels_dropped: NotRequired[list[str]]
    """Labels that are taken off before anything is stored."""
    max_labels: NotRequired[int]
    """The most labels of one series; 30 unless stated."""


class TelemetryAwsArgs(TypedDict):
    """What only CloudWatch takes."""

    alarm_actions: NotRequired[list[pulumi.Input[str]]]
    """With a daily quota: what the alarm calls, as ARNs of SNS topics or other actions."""


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
    filter: NotRequired[str]
    """Which of the project's entries the stream takes, in Cloud Logging's query language. A sink
    then routes them into the log bucket; nothing does without it."""
    exclude_from_default: NotRequired[bool]
    """Whether entries of the stream are kept out of the bucket _Default, where they would be
    paid for a second time; true unless stated."""
    counter_labels: NotRequired[dict[str, str]]
    """Labels of a metric that counts the stream's entries: label → extractor, at most 10."""
    notification_channels: NotRequired[list[pulumi.Input[str]]]
    """With a daily quota: whom the alert tells."""


class TelemetryAzureArgs(TypedDict):
    """What only a Log Analytics workspace takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group of the workspace. Required on Azure."""
    table_name: NotRequired[str]
    """The custom table, ending in _CL; derived from the stream's id unless stated."""
    interactive_days: NotRequired[int]
    """Days for which data can be queried at once; the rest of the retention is an archive."""
    ingestion_rule: NotRequired[bool]
    """Whether a data collection rule for the Logs Ingestion API is declared; with exclusions it
    always is, because it is what drops entries."""


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
    """What the stream takes a day at most. Log Analytics takes no more; CloudWatch and Cloud
    Logging have no cap, and an alarm says that it was passed."""
    exclusions: NotRequired[list[ExclusionArgs]]
    """Entries that the stream does not take."""
    sampling: NotRequired[SamplingArgs]
    """How much of the stream is kept; everything unless stated."""
    metrics: NotRequired[MetricBudgetArgs]
    """How many time series the stream's metrics may have."""
    expected_gib_per_month: NotRequired[float]
    """Data expected in a month before exclusions and sampling; the basis of the estimate."""
    keep_on_delete: NotRequired[bool]
    """Whether data outlives the declaration, until its retention ends; true unless stated. On
    Google Cloud it always does."""
    labels: dict[str, str]
    """The cost labels."""
    aws: NotRequired[TelemetryAwsArgs]
    """What only CloudWatch takes."""
    gcp: NotRequired[TelemetryGcpArgs]
    """What only Cloud Logging takes."""
    azure: NotRequired[TelemetryAzureArgs]
    """What only Log Analytics takes."""
