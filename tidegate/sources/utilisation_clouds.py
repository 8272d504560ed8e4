"""Utilisation by the clouds' own metrics: CloudWatch, Cloud Monitoring, Azure Monitor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from tidegate.sources.queues import as_fault
from tidegate.sources.utilisation import (
    AzureMonitorUse,
    CloudWatchUse,
    Moment,
    MonitoringUse,
    merge_series,
)
from tidegate.vocabulary.reports import SourceFault
from tidegate.vocabulary.use import Shows

CALLS = {
    "get_metric_data": "cloudwatch:GetMetricData",
    "timeSeries.list": "monitoring.timeSeries.list",
    "query_resources": "Microsoft.Insights/metrics/read",
}
"""What is called here → the action that the controller's role must allow."""

MOST_PAGES = 100
RETRIES = 1
COMPLETE = "Complete"
Fetch = Callable[[datetime, datetime], list[Moment]]


def fetch_cloudwatch(settings: CloudWatchUse, cloudwatch: Any) -> Fetch:
    """Return what asks CloudWatch; `cloudwatch` is a boto3 client."""
    metric = {
        "Namespace": settings.namespace,
        "MetricName": settings.metric,
        "Dimensions": [
            {"Name": name, "Value": value} for name, value in settings.dimensions.items()
        ],
    }
    stat = {"Metric": metric, "Period": settings.step_seconds, "Stat": settings.statistic}

    def fetch(start: datetime, end: datetime) -> list[Moment]:
        asked: dict[str, Any] = {
            "MetricDataQueries": [{"Id": "use", "MetricStat": stat}],
            "StartTime": start,
            "EndTime": end,
            "ScanBy": "TimestampAscending",
        }
        found: list[Moment] = []
        for _ in range(MOST_PAGES):
            page = _ask(lambda: cloudwatch.get_metric_data(**asked), "botocore", settings.metric)
            found += _read_results(page, settings, end)
            if not page.get("NextToken"):
                return found
            asked["NextToken"] = page["NextToken"]
        raise SourceFault(f"CloudWatch has no end of {settings.metric}")

    return fetch


def _read_results(
    page: Mapping[str, Any], settings: CloudWatchUse, end: datetime
) -> Iterator[Moment]:
    step = timedelta(seconds=settings.step_seconds)
    for result in page["MetricDataResults"]:
        last = not page.get("NextToken")
        if last and result.get("StatusCode", COMPLETE) != COMPLETE:
            raise SourceFault(f"CloudWatch has {settings.metric} in part only")
        for at, value in zip(result["Timestamps"], result["Values"], strict=True):
            yield _stamp(at, step, end), Decimal(str(value))


def _stamp(start: datetime, step: timedelta, end: datetime) -> datetime:
    """Return until when a step speaks that its cloud stamps by its start.

    One that is under way speaks until now.
    """
    return min(start + step, max(start, end))


def fetch_monitoring(settings: MonitoringUse, monitoring: Any) -> Fetch:
    """Return what asks Cloud Monitoring; `monitoring` is a client of its discovery document."""
    series = monitoring.projects().timeSeries()

    def fetch(start: datetime, end: datetime) -> list[Moment]:
        asked = {
            "name": f"projects/{settings.project}",
            "filter": settings.filter,
            "interval_startTime": start.isoformat(),
            "interval_endTime": end.isoformat(),
            "aggregation_alignmentPeriod": f"{settings.step_seconds}s",
            "aggregation_perSeriesAligner": settings.aligner,
            "aggregation_crossSeriesReducer": settings.reducer,
        }
        found: list[Moment] = []
        token = ""
        for _ in range(MOST_PAGES):
            request = series.list(**asked, **({"pageToken": token} if token else {}))
            execute = partial(request.execute, num_retries=RETRIES)
            page = _ask(execute, ("googleapiclient", "google", "httplib2"), settings.filter)
            rows = (_read_points(each, settings) for each in page.get("timeSeries", ()))
            found += merge_series(rows, add=settings.reducer == "REDUCE_SUM")
            token = page.get("nextPageToken", "")
            if not token:
                return found
        raise SourceFault(f"Cloud Monitoring has no end of {settings.filter}")

    return fetch


def _read_points(series: Mapping[str, Any], settings: MonitoringUse) -> Iterator[Moment]:
    try:
        for point in series["points"]:
            value = point["value"]
            number = value["doubleValue"] if "doubleValue" in value else value["int64Value"]
            yield datetime.fromisoformat(point["interval"]["endTime"]), Decimal(str(number))
    except (KeyError, TypeError, ValueError, ArithmeticError) as error:
        text = f"Cloud Monitoring answers values of {settings.filter} that cannot be read"
        raise SourceFault(text) from error


def fetch_azure_monitor(settings: AzureMonitorUse, metrics: Any) -> Fetch:
    """Return what asks Azure Monitor; `metrics` is a MetricsClient of the resource's region."""
    member = settings.aggregation.lower()
    step = timedelta(seconds=settings.step_seconds)

    def fetch(start: datetime, end: datetime) -> list[Moment]:
        asked: dict[str, Any] = {
            "resource_ids": [settings.resource_id],
            "metric_namespace": settings.namespace,
            "metric_names": [settings.metric],
            "timespan": (start, end),
            "granularity": step,
            "aggregations": [settings.aggregation],
        }
        if settings.filter:
            asked["filter"] = settings.filter
        found = _ask(lambda: metrics.query_resources(**asked), "azure", settings.resource_id)
        rows = [
            [
                # Azure Monitor lists steps without a value, too.
                (_stamp(value.timestamp, step, end), Decimal(str(getattr(value, member))))
                for value in series.data
                if getattr(value, member) is not None
            ]
            for resource in found
            for metric in resource.metrics
            for series in metric.timeseries
        ]
        return merge_series(rows, add=settings.shows is Shows.ACTIVITY)

    return fetch


def _ask(call: Callable[[], Any], modules: str | tuple[str, ...], what: str) -> Any:
    try:
        return call()
    except OSError as error:
        raise SourceFault(f"{what} cannot be read: {type(error).__name__}: {error}") from error
    except Exception as error:
        raise as_fault(error, modules, what) from error
