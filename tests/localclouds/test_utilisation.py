"""Utilisation of three clouds, written by their own APIs and read by their own SDKs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import httpx
import pytest
from support.azure_types import DEPLOYMENT, GROUP, INPUTS, SETTINGS, build_on
from support.gcp_inputs import PROJECT

from tidegate.clouds.azure.clients import build_metrics_client
from tidegate.clouds.gcp.services import build_service
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.sources.utilisation import (
    AzureMonitorUse,
    CloudWatchUse,
    MeteredUse,
    MonitoringUse,
)
from tidegate.sources.utilisation_clouds import (
    fetch_azure_monitor,
    fetch_cloudwatch,
    fetch_monitoring,
)
from tidegate.vocabulary.reports import SourceFault
from tidegate.vocabulary.use import Shows

STEP = 300
ABOUT = {"name": "busy", "about": "endpoint/chat"}
NAMESPACE = "Microsoft.MachineLearningServices/workspaces/onlineEndpoints/deployments"


@pytest.fixture
def now():
    """The present, at a whole step: what is read then does not hang on the second of the test."""
    seconds = datetime.now(UTC).timestamp() // STEP * STEP
    return datetime.fromtimestamp(seconds, UTC)


def fetch(settings, fetch_points, now):
    return MeteredUse(settings, fetch_points, lambda: now).fetch()


def values(report, now):
    """Return the points as minutes ago and value."""
    return [((now - each.at).total_seconds() / 60, each.value) for each in report.points]


def put_cloudwatch(cloudwatch, metric, points, now, name="reaped"):
    cloudwatch.put_metric_data(
        Namespace="AWS/SageMaker",
        MetricData=[
            {
                "MetricName": metric,
                "Dimensions": [{"Name": "EndpointName", "Value": name}],
                "Timestamp": now - timedelta(minutes=minutes),
                "Value": value,
            }
            for minutes, value in points
        ],
    )


def of_cloudwatch(metric, **more):
    return CloudWatchUse(
        kind="cloudwatch",
        region="us-east-1",
        namespace="AWS/SageMaker",
        metric=metric,
        dimensions={"EndpointName": "reaped"},
        window_seconds=3600,
        **{**ABOUT, **more},
    )


def test_cloudwatch_tells_the_highest_of_each_step_as_a_share(boto, now):
    cloudwatch = boto("cloudwatch")
    put_cloudwatch(cloudwatch, "GPUUtilization", [(28, 5), (27, 40), (3, 2.5)], now)
    put_cloudwatch(cloudwatch, "GPUUtilization", [(3, 90)], now, "another")
    settings = of_cloudwatch("GPUUtilization")

    report = fetch(settings, fetch_cloudwatch(settings, cloudwatch), now)

    assert values(report, now) == [(25, Decimal("0.4")), (0, Decimal("0.025"))]
    assert (report.about, report.shows, report.step_seconds) == ("endpoint/chat", Shows.LOAD, 300)
    assert (report.from_at, report.until_at) == (now - timedelta(hours=1), now)
    assert report.idle_below == Decimal("0.05")


def test_silence_of_a_counter_is_none_and_of_a_gauge_a_fault(boto, now):
    cloudwatch = boto("cloudwatch")
    counted = of_cloudwatch(
        "NeverInvoked", shows="activity", statistic="Sum", silent_means_none=True
    )
    gauge = of_cloudwatch("NeverMeasured")

    report = fetch(counted, fetch_cloudwatch(counted, cloudwatch), now)

    assert (report.points, report.silent_means_none) == ((), True)
    with pytest.raises(SourceFault, match="busy has no point in 3600 s"):
        fetch(gauge, fetch_cloudwatch(gauge, cloudwatch), now)


def test_an_old_point_is_a_fault(boto, now):
    cloudwatch = boto("cloudwatch")
    put_cloudwatch(cloudwatch, "Stale", [(40, 1)], now)
    settings = of_cloudwatch("Stale")

    with pytest.raises(SourceFault, match="newest point of busy is 2400 s old"):
        fetch(settings, fetch_cloudwatch(settings, cloudwatch), now + timedelta(minutes=5))


def test_a_throttled_cloudwatch_is_a_fault(aws, boto, now):
    aws.world.faults.add(Fault(FaultKind.THROTTLING, "aws", "*GetMetricData"))
    settings = of_cloudwatch("GPUUtilization")

    with pytest.raises(SourceFault, match=r"cannot be read: .*Throttling"):
        fetch(settings, fetch_cloudwatch(settings, boto("cloudwatch")), now)
    aws.world.faults.clear()


@pytest.fixture
def monitoring(world, serve):
    return build_service("monitoring", "v3", serve(build_gcp_cloud(world)), local=True)


DUTY = "aiplatform.googleapis.com/prediction/online/accelerator/duty_cycle"


def put_monitoring(monitoring, points, now, endpoint="11", metric=DUTY):
    resource = {"type": "aiplatform.googleapis.com/Endpoint", "labels": {"endpoint_id": endpoint}}
    for minutes, value in points:
        at = (now - timedelta(minutes=minutes)).isoformat()
        point = {"interval": {"endTime": at}, "value": {"doubleValue": value}}
        series = {"metric": {"type": metric}, "resource": resource, "points": [point]}
        body = {"timeSeries": [series]}
        monitoring.projects().timeSeries().create(name=f"projects/{PROJECT}", body=body).execute()


def of_monitoring(**more):
    chosen = f'metric.type="{DUTY}" AND resource.labels.endpoint_id="11"'
    settings = {"full": 1, "window_seconds": 3600, "filter": chosen, **ABOUT, **more}
    return MonitoringUse(kind="cloud-monitoring", project=PROJECT, **settings)


def test_cloud_monitoring_aligns_and_reduces(monitoring, now):
    put_monitoring(monitoring, [(28, 0.05), (26, 0.4), (3, 0.02)], now)
    put_monitoring(monitoring, [(3, 0.9)], now, endpoint="12")
    settings = of_monitoring()
    every = of_monitoring(filter=f'metric.type="{DUTY}"')
    summed = of_monitoring(filter=f'metric.type="{DUTY}"', reducer="REDUCE_SUM", shows="activity")

    found = [
        values(fetch(each, fetch_monitoring(each, monitoring), now), now)
        for each in (settings, every, summed)
    ]

    early = (25, Decimal("0.4"))
    assert found == [
        [early, (0, Decimal("0.02"))],
        [early, (0, Decimal("0.9"))],
        [early, (0, Decimal("0.92"))],
    ]


def test_cloud_monitoring_that_refuses_or_is_away_is_a_fault(monitoring, world, now):
    settings = of_monitoring()
    world.faults.add(Fault(FaultKind.THROTTLING, "gcp", "monitoring:*", count=None))
    away = build_service("monitoring", "v3", "http://127.0.0.1:9", local=True)
    odd = of_monitoring(filter='metric.type="')

    with pytest.raises(SourceFault, match="Rate limit exceeded"):
        fetch(settings, fetch_monitoring(settings, monitoring), now)
    world.faults.clear()
    with pytest.raises(SourceFault, match="ConnectionRefusedError"):
        fetch(settings, fetch_monitoring(settings, away), now)
    with pytest.raises(SourceFault, match="Could not parse the filter"):
        fetch(odd, fetch_monitoring(odd, monitoring), now)


@pytest.fixture
def azure(world, serve, make_engine):
    """Return the URL of an Azure that has a deployment, and the deployment's id."""
    cloud = build_azure_cloud(world)
    engine = make_engine(cloud, world, SETTINGS)
    engine.up(GROUP, {"resourceGroupName": "ml"}, "group")
    build_on(engine, DEPLOYMENT)
    return serve(cloud), engine.up(DEPLOYMENT, INPUTS[DEPLOYMENT], "blue").id


def put_azure(url, id, points, now, metric="GpuUtilizationPercentage", pod="a"):
    for minutes, value in points:
        series = {"dimValues": [pod], "min": value, "max": value, "sum": value, "count": 1}
        data = {"metric": metric, "namespace": NAMESPACE, "dimNames": ["pod"], "series": [series]}
        at = (now - timedelta(minutes=minutes)).isoformat()
        body = {"time": at, "data": {"baseData": data}}
        assert httpx.post(f"{url}{id}/metrics", json=body, trust_env=False).status_code == 200


def of_azure(id, **more):
    settings = {"window_seconds": 3600, "resource_id": id, **ABOUT, **more}
    return AzureMonitorUse(
        kind="azure-monitor",
        region="westeurope",
        namespace=NAMESPACE,
        metric="GpuUtilizationPercentage",
        **settings,
    )


def test_azure_monitor_tells_steps_and_passes_over_those_without_a_value(azure, now):
    url, blue = azure
    put_azure(url, blue, [(28, 5), (27, 40), (3, 2.5)], now)
    put_azure(url, blue, [(3, 90)], now, pod="b")
    metrics = build_metrics_client("westeurope", url)
    every, one = of_azure(blue), of_azure(blue, filter="pod eq 'a'")

    found = [
        values(fetch(each, fetch_azure_monitor(each, metrics), now), now) for each in (every, one)
    ]

    early = (25, Decimal("0.4"))
    assert found == [[early, (0, Decimal("0.9"))], [early, (0, Decimal("0.025"))]]


def test_a_step_that_is_under_way_speaks_until_now(azure, boto, now):
    url, blue = azure
    cloudwatch, later = boto("cloudwatch"), now + timedelta(seconds=90)
    put_azure(url, blue, [(-1, 7)], now)
    put_cloudwatch(cloudwatch, "UnderWay", [(-1, 7)], now)
    on_azure, on_aws = of_azure(blue), of_cloudwatch("UnderWay")
    metrics = build_metrics_client("westeurope", url)

    found = [
        fetch(on_azure, fetch_azure_monitor(on_azure, metrics), later).points,
        fetch(on_aws, fetch_cloudwatch(on_aws, cloudwatch), later).points,
    ]

    assert [[(each.at, each.value) for each in points] for points in found] == [
        [(later, Decimal("0.07"))]
    ] * 2


def test_azure_monitor_refuses_what_is_not_there(azure, now, world):
    url, blue = azure
    metrics = build_metrics_client("westeurope", url)
    gone, odd = of_azure(f"{blue}x"), of_azure(blue, filter="pod ne 'a'")

    for settings, says in ((gone, "ResourceNotFound"), (odd, "BadRequest")):
        with pytest.raises(SourceFault, match=says):
            fetch(settings, fetch_azure_monitor(settings, metrics), now)
    silent = of_azure(blue)
    with pytest.raises(SourceFault, match="has no point"):
        fetch(silent, fetch_azure_monitor(silent, metrics), now)
