"""From the arguments of a stream to its specification, with every fault reported at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import RetentionSteps
from tidegate.vocabulary.capacity import Cloud, TelemetryClass
from tidegate_components.arguments import Arguments
from tidegate_components.names import check_identifier
from tidegate_components.telemetry import args as shapes
from tidegate_components.telemetry.metric_budget import MetricBudget, parse_metric_budget
from tidegate_components.telemetry.spec import StreamSpec
from tidegate_components.telemetry.thinning import SAMPLING, parse_exclusions, parse_sampling

LOG_CLASSES = {
    Cloud.AWS: ("STANDARD", "INFREQUENT_ACCESS", "DELIVERY"),
    Cloud.GCP: (),
    Cloud.AZURE: ("Analytics", "Basic"),
}
DELIVERY_DAYS = 2
"""CloudWatch keeps a group of class DELIVERY for two days, whatever is asked."""

BASIC_DAYS = 30
"""Log Analytics keeps a Basic table queryable for 30 days, whatever is asked."""

ARCHIVE_AFTER_DAYS = 90
"""Where data is kept longer than Log Analytics can query at once, how long it can be queried."""

COUNTER_LABELS = 10
"""Cloud Logging's limit of labels on a metric that users define (Logging quotas and limits)."""

_TABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}_CL")


def parse_stream(name: str, raw: Mapping[str, Any], catalog: Catalog) -> StreamSpec:
    """Return the stream that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"telemetry {name}", raw, shapes.TelemetryArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    log_class = _log_class(read, cloud)
    days = _retention(read, cloud, log_class, catalog.retention_steps(cloud))
    for other in Cloud:
        if other is not cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the stream is in {cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
    gcp = read.nested("gcp", shapes.TelemetryGcpArgs)
    azure = read.nested("azure", shapes.TelemetryAzureArgs)
    read.nested("aws", shapes.TelemetryAwsArgs)
    locked, analytics = _one_way(gcp)
    exclusions = parse_exclusions(read)
    metrics = parse_metric_budget(read)
    sampling = parse_sampling(read)
    if sampling and any(each.name == SAMPLING for each in exclusions):
        reason = "is the name of the sink's own exclusion for the sample"
        read.refuse("exclusions", SAMPLING, reason, "another name")
    spec = StreamSpec(
        id=name,
        cloud=cloud,
        region=read.text("region"),
        account=read.text("account", ""),
        telemetry_class=read.choice("telemetry_class", TelemetryClass),
        retention_days=days,
        interactive_days=_interactive(azure, cloud, log_class, days, catalog),
        log_class=log_class,
        daily_quota_gib=read.decimal("daily_quota_gib"),
        expected_gib_per_month=read.decimal("expected_gib_per_month"),
        keep_on_delete=read.flag("keep_on_delete", True),
        labels=read.cost_labels(),
        locked=locked,
        analytics=analytics,
        table_name=_table_name(azure, name),
        exclusions=exclusions,
        sampling=sampling,
        metrics=metrics,
        ingestion_rule=bool(azure and (exclusions or azure.flag("ingestion_rule", False))),
        gcp_filter=gcp.text("filter", "") if gcp else "",
        exclude_from_default=gcp.flag("exclude_from_default", True) if gcp else True,
        counter_labels=_counter_labels(gcp, metrics),
    )
    _check_quota(read, spec)
    read.finish()
    return spec.with_estimate(catalog)


def _log_class(read: Arguments, cloud: Cloud) -> str:
    known = LOG_CLASSES[cloud]
    log_class = read.text("log_class", known[0] if known else "")
    if log_class and log_class not in known:
        expected = f"one of {', '.join(known)}" if known else "leave it out"
        read.refuse("log_class", log_class, f"is no log class of {cloud.value}", expected)
    return log_class


def _retention(read: Arguments, cloud: Cloud, log_class: str, steps: RetentionSteps) -> int:
    days = read.whole("retention_days", minimum=0)
    if not read.has("retention_days"):
        return days
    if cloud is Cloud.AWS and log_class == "DELIVERY":
        if days != DELIVERY_DAYS:
            reason = "is not what CloudWatch does with class DELIVERY"
            read.refuse("retention_days", days, reason, str(DELIVERY_DAYS))
        return days
    if steps.allows(days) or days in steps.total_steps:
        return days
    allowed = f"{steps.minimum} to {steps.maximum}"
    if steps.steps:
        allowed = f"one of {', '.join(map(str, steps.steps))}"
    if steps.total_steps:
        allowed += f", or one of {', '.join(map(str, steps.total_steps))}"
    better = steps.nearest_at_least(days)
    hint = f" ({better} is the next that keeps data as long)" if better else ""
    read.refuse("retention_days", days, f"is no retention of a {steps.applies_to}{hint}", allowed)
    return days


def _interactive(
    azure: Arguments | None, cloud: Cloud, log_class: str, days: int, catalog: Catalog
) -> int:
    """Return how long data can be queried at once."""
    if cloud is not Cloud.AZURE:
        return days
    if log_class == "Basic":
        return BASIC_DAYS
    steps = catalog.retention_steps(cloud)
    default = days if days <= steps.maximum else ARCHIVE_AFTER_DAYS
    if azure is None:
        return default
    chosen = azure.whole("interactive_days", default)
    if not steps.allows(chosen) or chosen > days:
        most = min(days, steps.maximum)
        reason = "is no time for which Log Analytics keeps data queryable"
        azure.refuse("interactive_days", chosen, reason, f"{steps.minimum} to {most}")
    return chosen


def _one_way(gcp: Arguments | None) -> tuple[bool, bool]:
    if gcp is None:
        return False, False
    locked, analytics = gcp.flag("locked", False), gcp.flag("enable_analytics", False)
    if (locked or analytics) and not gcp.flag("acknowledge_one_way", False):
        reason = "is needed: `locked` and `enable_analytics` can never be switched off again"
        gcp.refuse("acknowledge_one_way", None, reason, "true")
    return locked, analytics


def _check_quota(read: Arguments, spec: StreamSpec) -> None:
    """Refuse a quota of nothing, and whom to tell of a quota that is not there."""
    if spec.daily_quota_gib is not None and not spec.daily_quota_gib:
        read.refuse("daily_quota_gib", spec.daily_quota_gib, "takes nothing", "more than 0")
    for cloud, key in ((Cloud.AWS, "alarm_actions"), (Cloud.GCP, "notification_channels")):
        own = read.input(cloud.value) if cloud is spec.cloud else None
        told = isinstance(own, Mapping) and own.get(key)
        if told and spec.daily_quota_gib is None:
            reason, expected = "tells of a daily quota, and none is stated", "daily_quota_gib too"
            read.refuse(f"{cloud.value}.{key}", None, reason, expected)


def _counter_labels(
    gcp: Arguments | None, metrics: MetricBudget | None
) -> tuple[tuple[str, str], ...]:
    """Return the labels of the metric that counts entries, within Cloud Logging's limits."""
    if gcp is None:
        return ()
    key = "counter_labels"
    labels = gcp.text_map(key)
    if labels and not gcp.has("filter"):
        gcp.refuse(key, None, "count the entries of a filter, and none is stated", "gcp.filter too")
    if len(labels) > COUNTER_LABELS:
        reason = "are more labels than a metric of Cloud Logging takes"
        gcp.refuse(key, len(labels), reason, f"at most {COUNTER_LABELS}")
    allowed = [label for label, _ in metrics.label_values] if metrics else []
    for label, extractor in labels.items():
        if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9_]{0,99}", label):
            expected = "a letter, then letters, digits and '_'"
            gcp.refuse(f"{key}.{label}", None, "is no label of a metric", expected)
        elif allowed and label not in allowed:
            reason = "is not among metrics.label_values, which bound the series"
            gcp.refuse(f"{key}.{label}", None, reason, f"one of {', '.join(allowed)}")
        if not re.match(r"(REGEXP_)?EXTRACT\(", extractor):
            expected = "EXTRACT(field) or REGEXP_EXTRACT(field, expression)"
            gcp.refuse(f"{key}.{label}", extractor, "is no extractor", expected)
    return tuple(sorted(labels.items()))


def _table_name(azure: Arguments | None, identifier: str) -> str:
    """Return the custom table; "run-logs" becomes RunLogs_CL."""
    derived = "".join(part.capitalize() for part in identifier.split("-"))
    derived = derived if derived[:1].isalpha() else f"T{derived}"
    default = f"{derived[:60]}_CL"
    if azure is None:
        return default
    name = azure.text("table_name", default)
    if not _TABLE.fullmatch(name):
        expected = "a letter, then letters, digits and '_', ending in _CL; at most 63 characters"
        azure.refuse("table_name", name, "is no name of a custom table", expected)
    return name
