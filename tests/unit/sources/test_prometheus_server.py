"""The source of Prometheus queries, against a real server that scrapes a small exporter."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry, Gauge, start_http_server
from support.programs import free_port
from support.prometheus import Target, run_prometheus

from tidegate.sources.config import PrometheusSource
from tidegate.sources.counted import Count
from tidegate.sources.prometheus import count_query
from tidegate.vocabulary.reports import SourceFault

WORK = {"vcpus": "4"}


@pytest.fixture
def exporter():
    registry = CollectorRegistry()
    queued = Gauge("queued_jobs", "Jobs that wait.", ["queue"], registry=registry)
    queued.labels("night").set(3)
    queued.labels("day").set(4)
    server, thread = start_http_server(free_port(), "127.0.0.1", registry)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def prometheus(tmp_path: Path, exporter):
    target = Target(f"127.0.0.1:{exporter.server_address[1]}")
    with run_prometheus(tmp_path, {"exporter": target}) as server:
        server.wait_for("queued_jobs")
        yield server


def ask(url, query, **changes):
    settings = PrometheusSource(
        kind="prometheus", name="m", url=url, query=query, work=WORK, **changes
    )
    with httpx.Client(trust_env=False) as http:
        return count_query(settings, http)()


def test_what_the_exporter_tells_is_counted(prometheus):
    assert ask(prometheus.url, "queued_jobs") == Count(7)
    assert ask(prometheus.url, 'queued_jobs{queue="day"} / 3') == Count(2)
    assert ask(prometheus.url, "scalar(sum(queued_jobs))") == Count(7)
    assert ask(prometheus.url, "sum(no_such_metric)", empty_is_zero=True) == Count(0)
    for query, says in [
        ("sum(no_such_metric)", "not the same as 0"),
        ("queued_jobs[5m]", "answers a matrix"),
        ("sum(queued_jobs", "refuses the query: .*unclosed left parenthesis"),
        ("queued_jobs / 0 * 0", "no count"),
        ("-queued_jobs", "no count"),
    ]:
        with pytest.raises(SourceFault, match=says):
            ask(prometheus.url, query)


def test_an_exporter_that_is_gone_is_not_a_queue_that_is_empty(prometheus, exporter):
    exporter.shutdown()
    exporter.server_close()
    prometheus.wait_for('up{job="exporter"} == 0')

    with pytest.raises(SourceFault, match="not the same as 0"):
        ask(prometheus.url, "sum(queued_jobs)")
