"""What is taken for a source of utilisation, and what of its answers is believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry, Gauge, start_http_server
from pydantic import ValidationError
from support.programs import free_port
from support.prometheus import Target, run_prometheus

from tidegate.sources.config import parse_sources
from tidegate.sources.utilisation import (
    DAY_SECONDS,
    CloudWatchUse,
    DcgmUse,
    MeteredUse,
    PrometheusUse,
    merge_series,
)
from tidegate.sources.utilisation_prometheus import fetch_ranges
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.reports import SourceFault
from tidegate.vocabulary.use import Shows

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CLOUDWATCH = {
    "kind": "cloudwatch",
    "name": "gpu",
    "about": "endpoint/chat",
    "region": "us-east-1",
    "namespace": "/aws/sagemaker/Endpoints",
    "metric": "GPUUtilization",
}
DCGM = {
    "kind": "dcgm",
    "name": "dcgm",
    "about": "pool/train",
    "url": "http://prometheus:9090",
    "selector": 'Hostname=~"train-.*"',
}


def measure(points, **changes):
    settings = CloudWatchUse.model_validate({**CLOUDWATCH, **changes})
    return MeteredUse(settings, lambda _start, _end: points, lambda: NOW).fetch()


def ago(seconds, value):
    return NOW - timedelta(seconds=seconds), Decimal(value)


def test_points_come_in_order_as_shares_of_what_is_full():
    report = measure([ago(60, 10), ago(360, 400)], full=400)

    assert [(each.at, each.value) for each in report.points] == [
        (NOW - timedelta(seconds=360), Decimal(1)),
        (NOW - timedelta(seconds=60), Decimal("0.025")),
    ]


def test_amounts_of_activity_are_no_shares():
    report = measure([ago(60, 10)], shows="activity")

    assert (report.points[0].value, report.idle_below) == (Decimal(10), Decimal(1))


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([], "has no point in 10800 s"),
        ([ago(901, 1)], "the newest point of gpu is 901 s old"),
        ([ago(-61, 1)], "which is to come"),
        ([ago(60, -1)], "tells -1, which is no amount"),
        ([ago(60, "NaN")], "tells NaN, which is no amount"),
        ([ago(60, "Infinity")], "tells Infinity, which is no amount"),
    ],
)
def test_what_cannot_be_believed_is_a_fault(points, says):
    with pytest.raises(SourceFault, match=says):
        measure(points)


def test_an_old_counter_is_silent_and_no_fault():
    report = measure([ago(5000, 3)], shows="activity", silentMeansNone=True)

    assert (len(report.points), report.silent_means_none) == (1, True)


def test_a_pool_is_looked_at_for_more_than_a_day():
    assert DcgmUse.model_validate(DCGM).window() == DAY_SECONDS
    assert CloudWatchUse.model_validate(CLOUDWATCH).window() == 10_800


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({**CLOUDWATCH, "about": "chat"}, r"utilisation\.0\.cloudwatch\.about"),
        ({**CLOUDWATCH, "silentMeansNone": True}, "load without a point is unknown"),
        ({**CLOUDWATCH, "windowSeconds": 1_209_600, "stepSeconds": 60}, "11000 points"),
        ({**CLOUDWATCH, "statistik": "Sum"}, "did you mean 'statistic'"),
        ({**DCGM, "shows": "activity"}, "nobody's activity"),
        ({**DCGM, "kind": "nvml"}, "one of prometheus, dcgm, cloudwatch, cloud-monitoring"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(document, says):
    with pytest.raises(InvalidInput, match=says):
        parse_sources("sources.yaml", {"utilisation": [document]})


def test_names_are_unique_over_demand_and_utilisation():
    with pytest.raises(InvalidInput, match="is used twice"):
        parse_sources("sources.yaml", {"utilisation": [CLOUDWATCH, CLOUDWATCH]})


def test_a_file_of_utilisation_alone_is_one():
    found = parse_sources("sources.yaml", {"utilisation": [CLOUDWATCH, DCGM]})

    assert (found.sources, [each.name for each in found.utilisation]) == ([], ["gpu", "dcgm"])


def test_series_become_one_by_the_highest_or_the_sum():
    rows = ([ago(60, 1), ago(0, 2)], [ago(60, 3)])

    assert merge_series(rows, add=False) == [ago(60, 3), ago(0, 2)]
    assert merge_series(rows, add=True) == [ago(60, 4), ago(0, 2)]


def test_dcgm_takes_the_finer_metric_and_a_pool_its_mean():
    pool, pod = DcgmUse.model_validate(DCGM), {**DCGM, "about": "endpoint/chat"}
    own = '{Hostname=~"train-.*"}'

    assert pool.query == (
        f"avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE{own}) or avg(DCGM_FI_DEV_GPU_UTIL{own} / 100)"
    )
    assert DcgmUse.model_validate(pod).query.startswith("max(")
    with pytest.raises(ValidationError):
        DcgmUse.model_validate({**DCGM, "selector": ""})


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory):
    """A server that scrapes what NVIDIA's exporter of two nodes would tell."""
    registry = CollectorRegistry()
    labels = ["Hostname", "gpu"]
    busy = Gauge("DCGM_FI_DEV_GPU_UTIL", "Busy, per cent.", labels, registry=registry)
    used = Gauge("DCGM_FI_DEV_FB_USED", "MiB.", labels, registry=registry)
    free = Gauge("DCGM_FI_DEV_FB_FREE", "MiB.", labels, registry=registry)
    for node, gpu, share, taken in (
        ("train-1", 0, 90, 30),
        ("train-1", 1, 10, 10),
        ("x", 0, 100, 80),
    ):
        busy.labels(node, gpu).set(share)
        used.labels(node, gpu).set(taken)
        free.labels(node, gpu).set(80 - taken)
    server, thread = start_http_server(free_port(), "127.0.0.1", registry)
    target = Target(f"127.0.0.1:{server.server_address[1]}")
    folder: Path = tmp_path_factory.mktemp("prometheus")
    with run_prometheus(folder, {"exporter": target}) as found:
        found.wait_for("DCGM_FI_DEV_FB_FREE")
        yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("changes", "last"),
    [
        ({}, Decimal("0.5")),
        ({"about": "notebook/desk"}, Decimal("0.9")),
        ({"shows": "memory"}, Decimal("0.375")),
    ],
)
def test_a_real_prometheus_answers_dcgm(prometheus, changes, last):
    settings = DcgmUse.model_validate({**DCGM, "url": prometheus.url, **changes})
    until = datetime.now(UTC) + timedelta(minutes=5)  # the step under way ends there

    with httpx.Client(trust_env=False) as http:
        points = fetch_ranges(settings, http)(until - timedelta(hours=1), until)

    assert [value for _, value in points] == [last]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("sum(DCGM_FI_DEV_GPU_UTIL", "refuses the query"),
        ('"text"', "refuses the query"),
        ("DCGM_FI_DEV_GPU_UTIL / 0 * 0", "no amount of use"),
    ],
)
def test_a_query_that_tells_nothing_is_a_fault(prometheus, query, says):
    settings = PrometheusUse(
        kind="prometheus", name="q", about="notebook/desk", url=prometheus.url, query=query
    )
    later = datetime.now(UTC) + timedelta(minutes=5)

    with httpx.Client(trust_env=False) as http, pytest.raises(SourceFault, match=says):
        MeteredUse(settings, fetch_ranges(settings, http), lambda: later).fetch()


def test_a_prometheus_that_is_away_is_a_fault():
    settings = DcgmUse.model_validate({**DCGM, "url": "http://127.0.0.1:9"})

    with (
        httpx.Client(trust_env=False) as http,
        pytest.raises(SourceFault, match="does not answer"),
    ):
        MeteredUse(settings, fetch_ranges(settings, http)).fetch()


def test_what_is_shown_is_load_unless_said():
    assert DcgmUse.model_validate(DCGM).shows is Shows.LOAD
