"""What the component binds is what the controller looks for."""

from __future__ import annotations

import pytest
from support.controller import declare as declare_manifest
from support.spot_groups import CLOUDS

from tidegate.cli.controller_notices import LateNotices, build_notices
from tidegate.manifest.model import Fragment
from tidegate.sources.notices import PubSubNotices, SqsNotices, StorageQueueNotices

KINDS = {"aws": SqsNotices, "gcp": PubSubNotices, "azure": StorageQueueNotices}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_controller_finds_the_queue_of_a_group(declare, monkeypatch, cloud):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tests")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
    outputs = declare(cloud).outputs["sweep"]
    (pool,) = Fragment.model_validate(outputs["capacity"]).pools
    bound = {key: str(value) for key, value in outputs["bindings"]["sweep"].items()}
    nowhere = {"gcp": "http://127.0.0.1:9", "azure": "http://127.0.0.1:9"}

    (queue,) = build_notices(declare_manifest(pool), {"sweep": bound}, [], nowhere)

    assert queue.name == "sweep/interruptions"
    assert isinstance(queue, LateNotices)
    assert isinstance(queue.open(), KINDS[cloud])
