"""Log buckets as Google's provider treats them: taken over, marked for deletion, kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.localclouds.refusals import CloudError

LOG_BUCKET = "gcp:logging/projectBucketConfig:ProjectBucketConfig"
INPUTS: dict[str, Any] = {
    "project": "tidegate-tests",
    "location": "us-central1",
    "bucketId": "runs",
    "retentionDays": 90,
}


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_gcp_cloud(world), world, {"project": "tidegate-tests"})


@pytest.fixture
def bucket_url(engine: Any, serve: Callable[[Cloud], str]) -> str:
    place = "projects/tidegate-tests/locations/us-central1/buckets"
    return f"{serve(engine.cloud)}/v2/{place}"


def test_declaring_a_bucket_that_exists_takes_it_over(engine: Any, bucket_url: str) -> None:
    body = {"retentionDays": 10, "description": "by hand", "analyticsEnabled": True}
    httpx.post(bucket_url, params={"bucketId": "runs"}, json=body)
    made = engine.up(LOG_BUCKET, {**INPUTS, "enableAnalytics": True})
    live = httpx.get(f"{bucket_url}/runs").json()
    assert (live["retentionDays"], live["description"]) == (90, "by hand")
    assert engine.refresh(LOG_BUCKET, made) == made.inputs


def test_one_that_its_program_forgot_is_taken_over_again(engine: Any) -> None:
    first = engine.up(LOG_BUCKET, INPUTS, "first")
    again = engine.up(LOG_BUCKET, {**INPUTS, "retentionDays": 30}, "second")
    assert again.id == first.id
    assert engine.refresh(LOG_BUCKET, again, "second") == again.inputs


def test_a_deleted_bucket_holds_its_name_until_it_is_taken_back(
    engine: Any, bucket_url: str
) -> None:
    made = engine.up(LOG_BUCKET, INPUTS)
    engine.destroy(LOG_BUCKET, made)
    assert engine.refresh(LOG_BUCKET, made) is None
    with pytest.raises(CloudError, match="is in state DELETE_REQUESTED"):
        engine.up(LOG_BUCKET, INPUTS)
    taken = httpx.post(bucket_url, params={"bucketId": "runs"}, json={})
    assert taken.json()["error"]["status"] == "ALREADY_EXISTS"
    changed = httpx.patch(f"{bucket_url}/runs", json={"retentionDays": 1})
    assert changed.json()["error"]["status"] == "FAILED_PRECONDITION"
    httpx.post(f"{bucket_url}/runs:undelete")
    assert engine.up(LOG_BUCKET, INPUTS).outputs["lifecycleState"] == "ACTIVE"
