from __future__ import annotations

import pytest
from support.controller import declare, declare_pool

from tidegate.cli.controller_notices import build_notices
from tidegate.sources.config import parse_sources
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.reports import SourceFault

BOUND = {"spot": {"interruptionSubscription": "projects/p/subscriptions/s"}}


def test_a_queue_without_credentials_says_so_at_every_turn(monkeypatch, tmp_path):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    pool = declare_pool("spot", cloud="gcp", kind="instance-group")

    (queue,) = build_notices(declare(pool), BOUND, [], {})

    with pytest.raises(SourceFault, match="credentials"):
        queue.fetch()
    queue.settle([])


def test_a_pool_without_a_queue_has_none():
    assert build_notices(declare(declare_pool()), {"train": {}}, [], {}) == []


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"kind": "sqs", "name": "a", "region": "us-east-1"}, "queueUrl: is required"),
        ({"kind": "kafka", "name": "a"}, "expected one of sqs, pubsub, storage-queue"),
        ({"kind": "storage-queue", "name": "a", "account": "A_B", "queue": "q"}, "account"),
        ({"kind": "pubsub", "name": "a", "project": "p", "subscription": "s", "topic": "t"},
         "topic: is not a key"),
    ],
)  # fmt: skip
def test_a_queue_that_makes_no_sense_is_refused(entry, says):
    with pytest.raises(InvalidInput, match=says):
        parse_sources("sources.yaml", {"notices": [entry]})


def test_a_name_that_a_source_has_is_taken():
    csv = {"kind": "csv", "name": "a", "path": "w.csv", "work": {"vcpus": "4"}}
    queue = {"kind": "pubsub", "name": "a", "project": "p", "subscription": "s"}

    with pytest.raises(InvalidInput, match="is used twice"):
        parse_sources("sources.yaml", {"sources": [csv], "notices": [queue]})
