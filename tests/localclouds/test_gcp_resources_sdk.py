"""Storage by Google's own SDK, Logging and IAM by their REST, over loopback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage

from tidegate.localclouds.contracts import World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

PROJECT = "tidegate-tests"
BUCKET = "gcp:storage/bucket:Bucket"
LOG_BUCKET = "gcp:logging/projectBucketConfig:ProjectBucketConfig"


@pytest.fixture
def url(world: World, serve: Callable[..., str]) -> str:
    return serve(build_gcp_cloud(world))


@pytest.fixture
def client(url: str) -> storage.Client:
    return storage.Client(
        project=PROJECT,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": url},
    )


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_gcp_cloud(world), world, {"project": PROJECT})


def test_sdk_reads_back_every_declared_field_of_a_bucket(
    engine: Any, client: storage.Client
) -> None:
    made = engine.up(
        BUCKET,
        {
            "name": "tg-checkpoints",
            "location": "us-central1",
            "storageClass": "STANDARD",
            "labels": {"cost-center": "cc-42"},
            "uniformBucketLevelAccess": True,
            "publicAccessPrevention": "enforced",
            "versioning": {"enabled": True},
            "softDeletePolicy": {"retentionDurationSeconds": 864000},
            "lifecycleRules": [
                {
                    "action": {"type": "SetStorageClass", "storageClass": "NEARLINE"},
                    "condition": {"age": 30, "matchesPrefixes": ["runs/"], "withState": "LIVE"},
                },
                {"action": {"type": "Delete"}, "condition": {"age": 365}},
            ],
        },
    )
    bucket = client.get_bucket("tg-checkpoints")
    assert bucket.location == "US-CENTRAL1"
    assert bucket.labels == {"cost-center": "cc-42"}
    assert bucket.versioning_enabled is True
    assert bucket.iam_configuration.uniform_bucket_level_access_enabled is True
    assert bucket.iam_configuration.public_access_prevention == "enforced"
    assert bucket.soft_delete_policy.retention_duration_seconds == 864000
    assert list(bucket.lifecycle_rules) == [
        {
            "action": {"type": "SetStorageClass", "storageClass": "NEARLINE"},
            "condition": {"age": 30, "matchesPrefix": ["runs/"], "isLive": True},
        },
        {"action": {"type": "Delete"}, "condition": {"age": 365}},
    ]
    assert engine.refresh(BUCKET, made) == made.inputs


def test_sdk_patch_of_a_bucket_shows_in_refresh(engine: Any, client: storage.Client) -> None:
    made = engine.up(BUCKET, {"name": "tg-data", "location": "EU", "labels": {"a": "b"}})
    bucket = client.get_bucket("tg-data")
    bucket.labels = {"a": "c"}
    bucket.add_lifecycle_delete_rule(age=30)
    bucket.patch()
    drifted = engine.refresh(BUCKET, made)
    assert drifted == {**made.inputs, "labels": {"a": "c"}}
    live = client.get_bucket("tg-data")
    assert list(live.lifecycle_rules) == [{"action": {"type": "Delete"}, "condition": {"age": 30}}]


def test_sdk_creates_lists_and_deletes_buckets(client: storage.Client) -> None:
    client.create_bucket("tg-by-hand", location="EU")
    with pytest.raises(exceptions.Conflict, match="already own it"):
        client.create_bucket("tg-by-hand", location="EU")
    assert [bucket.name for bucket in client.list_buckets()] == ["tg-by-hand"]
    client.get_bucket("tg-by-hand").delete()
    with pytest.raises(exceptions.NotFound, match="bucket does not exist"):
        client.get_bucket("tg-by-hand")


def test_sdk_is_refused_a_delete_rule_without_age(client: storage.Client) -> None:
    bucket = client.create_bucket("tg-by-hand", location="EU")
    bucket.lifecycle_rules = [{"action": {"type": "Delete"}, "condition": {"age": 0}}]
    with pytest.raises(exceptions.BadRequest, match="positive age"):
        bucket.patch()


def test_throttled_bucket_creation_answers_429(world: World, url: str) -> None:
    world.faults.add(Fault(FaultKind.THROTTLING, cloud="gcp", target="storage:*"))
    answer = httpx.post(f"{url}/storage/v1/b", params={"project": PROJECT}, json={"name": "tg-x"})
    assert answer.status_code == 429
    assert answer.json()["error"]["status"] == "RESOURCE_EXHAUSTED"
    assert answer.headers["Retry-After"] == "1"


def test_log_buckets_over_rest(url: str, engine: Any) -> None:
    made = engine.up(
        LOG_BUCKET,
        {"project": PROJECT, "location": "global", "bucketId": "runs", "retentionDays": 90},
    )
    parent = f"{url}/v2/projects/{PROJECT}/locations/global/buckets"
    listed = httpx.get(parent).json()["buckets"]
    assert {bucket["name"].rsplit("/", 1)[1]: bucket["retentionDays"] for bucket in listed} == {
        "_Default": 30,
        "_Required": 400,
        "runs": 90,
    }
    changed = httpx.patch(
        f"{parent}/runs", params={"updateMask": "retention_days"}, json={"retentionDays": 7}
    )
    assert changed.json()["retentionDays"] == 7
    assert engine.refresh(LOG_BUCKET, made) == {**made.inputs, "retentionDays": 7}
    refused = httpx.patch(f"{parent}/runs", json={"retentionDays": 4000})
    assert refused.json()["error"]["status"] == "INVALID_ARGUMENT"
    required = httpx.delete(f"{parent}/_Required")
    assert "cannot be deleted" in required.json()["error"]["message"]
    httpx.delete(f"{parent}/runs")
    assert httpx.get(f"{parent}/runs").json()["lifecycleState"] == "DELETE_REQUESTED"
    httpx.post(f"{parent}/runs:undelete")
    assert httpx.get(f"{parent}/runs").json()["lifecycleState"] == "ACTIVE"


def test_unknown_path_says_so(url: str) -> None:
    answer = httpx.get(f"{url}/v1/projects/p/snapshots")
    assert answer.status_code == 404
    assert "is not answered by the local Google Cloud" in answer.json()["error"]["message"]


def test_body_that_is_no_json_is_refused(url: str) -> None:
    answer = httpx.post(
        f"{url}/storage/v1/b", content=b"{", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400
    assert "Invalid JSON payload" in answer.json()["error"]["message"]
