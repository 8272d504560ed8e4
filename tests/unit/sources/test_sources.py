"""Sources that answer numbers, rows and clusters, over real HTTP where they speak it."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import httpx
import pytest
import requests
from botocore.exceptions import EndpointConnectionError
from kubernetes import client
from support.controller import catalog

from tidegate.sources.config import (
    CsvSource,
    KubernetesSource,
    PrometheusSource,
    PubSubSource,
    SqsSource,
    StorageQueueSource,
    parse_sources,
)
from tidegate.sources.counted import Count, CountedWork
from tidegate.sources.csv_file import CsvWork
from tidegate.sources.kubernetes import Cluster, build_api, list_contexts
from tidegate.sources.pods import Chips
from tidegate.sources.prometheus import count_query
from tidegate.sources.queues import count_sqs, count_storage_queue, count_subscription
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.reports import SourceFault

WORK = {"accelerators": [{"accelerator": "h100-80gb", "perWorker": 1}]}
SQS = SqsSource(kind="sqs", name="jobs", region="us-east-1", queue_url="https://q", work=WORK)


class Pages:
    """A server whose answers a test states: path → (status, body)."""

    def __init__(self):
        self.answers = {}
        self.asked = []
        pages = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self._answer()

            def do_PATCH(self):
                length = int(self.headers.get("Content-Length", 0))
                pages.asked.append((self.path, json.loads(self.rfile.read(length))))
                self._answer()

            def _answer(self):
                pages.asked.append((self.path, dict(self.headers)))
                path = self.path.partition("?")[0]
                found = pages.answers.get(self.path) or pages.answers.get(path) or (404, {})
                status, body = found
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def pages():
    made = Pages()
    yield made
    made.server.shutdown()
    made.server.server_close()


def counted(count, **changes):
    settings = SQS.model_copy(update=changes)
    return CountedWork(settings, catalog(), lambda: count).fetch()


def test_pieces_become_workers_and_those_in_progress_keep_their_seat():
    report = counted(Count(waiting=5, in_progress=2), units_per_worker=3, pool="sweep")

    assert [item.id for item in report.items] == ["jobs#0", "jobs#1", "jobs#2"]
    assert {item.shape.accelerators[0].accelerator for item in report.items} == {"h100-80gb"}
    assert report.in_progress == {"sweep": 2}


def test_what_is_in_progress_and_not_told_may_be_all_of_it():
    assert counted(Count(waiting=4), pool="sweep").in_progress == {"sweep": 4}
    assert counted(Count(waiting=0), pool="sweep").in_progress == {"sweep": 0}
    assert counted(Count(waiting=4)).in_progress == {}


@pytest.mark.parametrize("count", [Count(-1), Count(1, -1), Count(1_000_001)])
def test_a_number_that_cannot_be_is_not_believed(count):
    with pytest.raises(SourceFault, match="not believed"):
        counted(count)


def test_sqs_tells_what_waits_and_what_is_worked_on():
    attributes = {
        "ApproximateNumberOfMessages": "7",
        "ApproximateNumberOfMessagesNotVisible": "2",
    }
    sqs = SimpleNamespace(get_queue_attributes=lambda **_: {"Attributes": attributes})

    assert count_sqs(SQS, sqs)() == Count(7, 2)


def test_sqs_without_its_counts_or_away_is_a_fault():
    empty = SimpleNamespace(get_queue_attributes=lambda **_: {"Attributes": {}})

    def away(**_):
        raise EndpointConnectionError(endpoint_url="https://q")

    for sqs in (empty, SimpleNamespace(get_queue_attributes=away)):
        with pytest.raises(SourceFault, match="https://q"):
            count_sqs(SQS, sqs)()


def test_a_storage_queue_tells_one_number():
    settings = StorageQueueSource(
        kind="storage-queue", name="q", account="store", queue="jobs", work=WORK
    )
    queue = SimpleNamespace(
        get_queue_properties=lambda **_: SimpleNamespace(approximate_message_count=3)
    )

    assert count_storage_queue(settings, queue)() == Count(3)


PUBSUB = PubSubSource(kind="pubsub", name="p", project="acme", subscription="jobs", work=WORK)
SERIES = "/v3/projects/acme/timeSeries"


def point(value, seconds_ago):
    at = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat()
    return {"interval": {"endTime": at}, "value": {"int64Value": value}}


def test_pubsub_tells_its_newest_point(pages):
    pages.answers[SERIES] = (200, {"timeSeries": [{"points": [point("9", 60), point("4", 200)]}]})

    with requests.Session() as session:
        assert count_subscription(PUBSUB, session, pages.url)() == Count(9)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((200, {}), "has no point"),
        ((200, {"timeSeries": [{"points": [point("9", 900)]}]}), "newest point"),
        ((200, {"timeSeries": [{"points": [{"value": 1}]}]}), "no time series"),
        ((200, {"timeSeries": [{"points": [point("-3", 1)]}]}), "no count"),
        ((503, {}), "503"),
        ((200, b"<html>"), "cannot be read"),
    ],
    ids=["empty", "stale", "no series", "negative", "down", "no JSON"],
)
def test_pubsub_is_not_believed(pages, answer, says):
    pages.answers[SERIES] = answer

    with requests.Session() as session, pytest.raises(SourceFault, match=says):
        count_subscription(PUBSUB, session, pages.url)()


def prometheus(pages, **changes):
    settings = PrometheusSource(
        kind="prometheus", name="m", url=pages.url, query="sum(q)", work=WORK, **changes
    )
    with httpx.Client(trust_env=False) as http:
        return count_query(settings, http)()


def answer_of(kind, result):
    return (200, {"status": "success", "data": {"resultType": kind, "result": result}})


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        (answer_of("vector", [{"value": [1, "2.2"]}, {"value": [1, "3"]}]), 6),
        (answer_of("scalar", [1, "4"]), 4),
        (answer_of("vector", [{"value": [1, "0"]}]), 0),
    ],
    ids=["series", "scalar", "zero"],
)
def test_prometheus_answers_a_number(pages, answer, count):
    pages.answers["/api/v1/query"] = answer

    assert prometheus(pages) == Count(count)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (answer_of("vector", []), "not the same as 0"),
        (answer_of("vector", [{"value": [1, "NaN"]}]), "no count"),
        (answer_of("vector", [{"value": [1, "-1"]}]), "no count"),
        (answer_of("vector", [{"value": [1, "many"]}]), "no number"),
        (answer_of("matrix", []), "and no number"),
        ((400, {"status": "error", "error": "parse error"}), "parse error"),
        ((502, b"<html>"), "502, and no JSON"),
    ],
    ids=["empty", "NaN", "negative", "words", "matrix", "refused", "no JSON"],
)
def test_prometheus_is_not_believed(pages, answer, says):
    pages.answers["/api/v1/query"] = answer

    with pytest.raises(SourceFault, match=says):
        prometheus(pages)


def test_prometheus_may_mean_none_by_an_empty_answer(pages):
    pages.answers["/api/v1/query"] = answer_of("vector", [])

    assert prometheus(pages, empty_is_zero=True) == Count(0)


def test_prometheus_is_given_a_token_from_the_environment(pages, monkeypatch):
    pages.answers["/api/v1/query"] = answer_of("scalar", [1, "1"])
    monkeypatch.setenv("PROMETHEUS_TOKEN", "some-token")

    prometheus(pages, token_environment="PROMETHEUS_TOKEN")

    assert pages.asked[0][1]["Authorization"] == "Bearer some-token"


def test_prometheus_without_its_token_is_not_asked(pages):
    with pytest.raises(SourceFault, match="holds no token"):
        prometheus(pages, token_environment="NO_SUCH_TOKEN")

    assert pages.asked == []


def csv_work(path, **changes):
    settings = CsvSource(kind="csv", name="file", path=str(path), work=WORK, **changes)
    return CsvWork(settings, catalog()).fetch()


def test_each_row_of_a_file_waits(tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("id,queuedAt\na,2026-11-30T12:00:00Z\nb,2026-11-30T13:00:00\n")

    report = csv_work(path, pool="sweep")

    assert [(item.id, item.queued_at.hour) for item in report.items] == [
        ("file/a", 12),
        ("file/b", 13),
    ]
    assert report.in_progress == {"sweep": 2}


def test_a_heading_alone_says_that_nothing_waits(tmp_path):
    path = tmp_path / "work.csv"
    path.write_text("id,queuedAt\n")

    assert csv_work(path).items == ()


@pytest.mark.parametrize(
    "text", ["", "a,2026-11-30T12:00:00Z\n", "id,queuedAt\na\n", "id,queuedAt\na,soon\n"]
)
def test_a_file_that_is_no_such_table_is_a_fault(tmp_path, text):
    path = tmp_path / "work.csv"
    path.write_text(text)

    with pytest.raises(SourceFault):
        csv_work(path)


def test_an_old_or_absent_file_is_a_fault(tmp_path):
    path = tmp_path / "work.csv"
    with pytest.raises(SourceFault, match="cannot be read"):
        csv_work(path)
    path.write_text("id,queuedAt\n")
    os.utime(path, (0, 0))

    with pytest.raises(SourceFault, match="was written"):
        csv_work(path, fresh_seconds=60)


@pytest.fixture
def cluster(pages):
    configuration = client.Configuration()
    configuration.host = pages.url
    configuration.retries = 0
    chips = Chips({"nvidia.com/gpu": ("h100-80gb",)}, ("train",))
    with client.ApiClient(configuration) as api:
        yield Cluster("k8s", api, chips)


POD = {
    "metadata": {"name": "p", "namespace": "ml", "creationTimestamp": "2026-11-30T12:00:00Z"},
    "spec": {"containers": [{"resources": {"requests": {"nvidia.com/gpu": "1"}}}]},
}
NODE = {"metadata": {"name": "n", "labels": {"capacity-pool": "train"}}, "spec": {}, "status": {}}
KUEUE = "/apis/kueue.x-k8s.io/v1beta2/workloads"


def test_a_cluster_is_read_page_by_page_without_kueue(pages, cluster):
    second = {**POD, "metadata": {**POD["metadata"], "name": "p2"}}
    pages.answers["/api/v1/nodes"] = (200, {"items": [NODE], "metadata": {}})
    pages.answers["/api/v1/pods?limit=2000"] = (
        200,
        {"items": [POD], "metadata": {"continue": "x"}},
    )
    pages.answers["/api/v1/pods"] = (200, {"items": [second], "metadata": {}})

    report = cluster.fetch()

    assert [item.id for item in report.items] == ["k8s/ml/p", "k8s/ml/p2"]
    assert [node.name for node in report.nodes] == ["n"]


def test_workloads_without_quota_are_told_and_not_counted(pages, cluster):
    waiting = {"metadata": {"name": "w", "namespace": "ml"}, "spec": {}, "status": {}}
    for path in ("/api/v1/nodes", "/api/v1/pods"):
        pages.answers[path] = (200, {"items": [], "metadata": {}})
    pages.answers[KUEUE] = (200, {"items": [waiting], "metadata": {}})

    report = cluster.fetch()

    assert report.items == ()
    assert report.notes == ("1 workloads of Kueue wait for quota, not for nodes",)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((403, {}), "answers 403"),
        ((200, b"<html>"), "no Kubernetes object"),
        ((200, {"kind": "Status"}), "no Kubernetes object"),
        ((200, {"items": [{"spec": {}}]}), "no Kubernetes object"),
    ],
    ids=["forbidden", "no JSON", "no list", "no pod"],
)
def test_a_cluster_is_not_believed(pages, cluster, answer, says):
    pages.answers["/api/v1/nodes"] = (200, {"items": [], "metadata": {}})
    pages.answers["/api/v1/pods"] = answer

    with pytest.raises(SourceFault, match=says):
        cluster.fetch()


def test_a_node_is_closed_with_a_mark_and_looked_at_again(pages, cluster):
    bound = {**POD, "spec": {**POD["spec"], "nodeName": "n"}}
    pages.answers["/api/v1/nodes/n"] = (200, NODE)
    pages.answers["/api/v1/pods"] = (200, {"items": [], "metadata": {}})
    assert cluster.close("n") is True

    pages.answers["/api/v1/pods"] = (200, {"items": [bound], "metadata": {}})
    assert cluster.close("n") is False
    cluster.reopen("n")

    bodies = [body for path, body in pages.asked if path == "/api/v1/nodes/n" and "spec" in body]
    mark = "tidegate.dev/closed"
    marks = (mark, "tidegate.dev/drain-since", "tidegate.dev/evicting")
    assert bodies == [
        {"metadata": {"annotations": {mark: "true"}}, "spec": {"unschedulable": True}},
        {"metadata": {"annotations": {mark: "true"}}, "spec": {"unschedulable": True}},
        {
            "metadata": {"annotations": dict.fromkeys(marks)},
            "spec": {"unschedulable": False},
        },
    ]


def test_a_context_that_is_not_there_is_a_fault(tmp_path):
    path = str(tmp_path / "kubeconfig")

    assert list_contexts(path) == []
    with pytest.raises(SourceFault, match="prod"):
        build_api("prod", path)


def test_sources_are_read_from_a_document():
    document = {
        "sources": [
            {"kind": "kubernetes", "cloud": "aws", "cluster": "ml", "context": "prod"},
            {"kind": "csv", "name": "file", "path": "work.csv", "work": WORK},
        ]
    }

    assert parse_sources("sources.yaml", document).sources == [
        KubernetesSource(kind="kubernetes", cloud="aws", cluster="ml", context="prod"),
        CsvSource(kind="csv", name="file", path="work.csv", work=WORK),
    ]


CSV = {"kind": "csv", "name": "file", "path": "x", "work": WORK}


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ([{**CSV, "kind": "kafka"}], "names no kind of source"),
        ([{**CSV, "pth": "x"}], "is not a key of a source"),
        ([{**CSV, "name": "a b"}], "name = 'a b': has another form; expected letters, digits"),
        ([3], r"sources\.0 = 3: is no mapping"),
        ([{"kind": "csv", "name": "file", "work": WORK}], "path: is required and is missing"),
        ([CSV, CSV], "is used twice"),
        ([{**CSV, "work": {"workers": 2}}], "asks for nothing"),
        ([{**CSV, "work": {**WORK, "vcpu": 2}}], "did you mean 'vcpus'"),
    ],
)
def test_a_wrong_source_is_told(sources, says):
    with pytest.raises(InvalidInput, match=says):
        parse_sources("sources.yaml", {"sources": sources})


def test_an_accelerator_that_nobody_knows_is_told():
    work = {"accelerators": [{"accelerator": "h999", "perWorker": 1}]}

    with pytest.raises(InvalidInput, match="h999"):
        CountedWork(SQS.model_copy(update={"work": work}), catalog(), lambda: Count(0))
