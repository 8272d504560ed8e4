"""What Google Cloud refuses beyond node pools: one case a rule, at the property that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

SETTINGS = {"project": "tidegate-tests", "region": "us-central1"}
CLUSTER = "gcp:container/cluster:Cluster"
BUCKET = "gcp:storage/bucket:Bucket"
LOG_BUCKET = "gcp:logging/projectBucketConfig:ProjectBucketConfig"
EXCLUSION = "gcp:logging/projectExclusion:ProjectExclusion"
RESERVATION = "gcp:compute/reservation:Reservation"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ACCOUNT = "gcp:serviceaccount/account:Account"


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_gcp_cloud(world), world, SETTINGS)


def rule(action: dict[str, Any], **condition: Any) -> dict[str, Any]:
    rules = [{"action": action, "condition": condition}]
    return {"name": "tg-data", "location": "EU", "lifecycleRules": rules}


RESERVED: dict[str, Any] = {
    "name": "held",
    "zone": "us-central1-a",
    "specificReservation": {"count": 1, "instanceProperties": {"machineType": "a2-highgpu-1g"}},
}
LOGS = {"project": "p", "location": "global", "bucketId": "runs"}
DELETE = {"type": "Delete"}

OTHER_CASES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "cluster-name": (
        CLUSTER,
        {"name": "x" * 41, "initialNodeCount": 1},
        "name",
        "at most 40",
    ),
    "cluster-without-nodes": (
        CLUSTER,
        {"name": "c"},
        "initialNodeCount",
        "must be greater than zero",
    ),
    "cluster-default-pool-removed-before-made": (
        CLUSTER,
        {"name": "c", "removeDefaultNodePool": True, "nodePools": [{"name": "p"}]},
        "initialNodeCount",
        "creates the default pool",
    ),
    "cluster-location": (
        CLUSTER,
        {"name": "c", "initialNodeCount": 1, "location": "frankfurt"},
        "location",
        "does not exist",
    ),
    "cluster-labels": (
        CLUSTER,
        {"name": "c", "initialNodeCount": 1, "resourceLabels": {"Team": "ml"}},
        "resourceLabels.Team",
        "Invalid label key",
    ),
    "cluster-channel": (
        CLUSTER,
        {"name": "c", "initialNodeCount": 1, "releaseChannel": {"channel": "FAST"}},
        "releaseChannel.channel",
        "RAPID",
    ),
    "cluster-inline-pool": (
        CLUSTER,
        {"name": "c", "nodePools": [{"name": "P"}]},
        "nodePools[0].name",
        "Invalid name",
    ),
    "bucket-name": (BUCKET, {"name": "Data", "location": "EU"}, "name", "Invalid bucket name"),
    "bucket-reserved-name": (
        BUCKET,
        {"name": "my-google-data", "location": "EU"},
        "name",
        "Invalid bucket name",
    ),
    "bucket-location": (
        BUCKET,
        {"name": "tg-data", "location": "MARS"},
        "location",
        "location constraint is not valid",
    ),
    "bucket-class": (
        BUCKET,
        {"name": "tg-data", "location": "EU", "storageClass": "COLD"},
        "storageClass",
        "NEARLINE",
    ),
    "bucket-soft-delete": (
        BUCKET,
        {
            "name": "tg-data",
            "location": "EU",
            "softDeletePolicy": {"retentionDurationSeconds": 60},
        },
        "softDeletePolicy.retentionDurationSeconds",
        "7 days",
    ),
    "delete-without-age": (
        BUCKET,
        rule(DELETE, matchesPrefixes=["tmp/"]),
        "lifecycleRules[0].condition.age",
        "positive age",
    ),
    "delete-at-age-zero": (
        BUCKET,
        rule(DELETE, age=0),
        "lifecycleRules[0].condition.age",
        "positive age",
    ),
    "negative-age": (
        BUCKET,
        rule(DELETE, age=-1),
        "lifecycleRules[0].condition.age",
        "negative",
    ),
    "class-change-without-class": (
        BUCKET,
        rule({"type": "SetStorageClass"}, age=30),
        "lifecycleRules[0].action.storageClass",
        "needs a storage class",
    ),
    "lifecycle-action": (
        BUCKET,
        rule({"type": "Archive"}, age=30),
        "lifecycleRules[0].action.type",
        "SetStorageClass",
    ),
    "autoclass-with-class-change": (
        BUCKET,
        {
            **rule({"type": "SetStorageClass", "storageClass": "NEARLINE"}, age=30),
            "autoclass": {"enabled": True},
        },
        "lifecycleRules[0].action.type",
        "exclude each other",
    ),
    "log-retention": (
        LOG_BUCKET,
        {**LOGS, "retentionDays": 3651},
        "retentionDays",
        "1 to 3650",
    ),
    "log-retention-zero": (LOG_BUCKET, {**LOGS, "retentionDays": 0}, "retentionDays", "1 to 3650"),
    "log-bucket-id": (LOG_BUCKET, {**LOGS, "bucketId": "a b"}, "bucketId", "Invalid bucket id"),
    "log-index": (
        LOG_BUCKET,
        {**LOGS, "indexConfigs": [{"fieldPath": "a", "type": "STRING"}]},
        "indexConfigs[0].type",
        "INDEX_TYPE_STRING",
    ),
    "exclusion-name": (
        EXCLUSION,
        {"name": "-x", "filter": "a"},
        "name",
        "Invalid exclusion name",
    ),
    "reservation-count": (
        RESERVATION,
        {**RESERVED, "specificReservation": {**RESERVED["specificReservation"], "count": 0}},
        "specificReservation.count",
        "between 1 and 1000",
    ),
    "reservation-machine": (
        RESERVATION,
        {
            **RESERVED,
            "specificReservation": {
                "count": 1,
                "instanceProperties": {"machineType": "a2-highgpu-1gg"},
            },
        },
        "specificReservation.instanceProperties.machineType",
        "does not exist",
    ),
    "reservation-accelerator": (
        RESERVATION,
        {
            **RESERVED,
            "specificReservation": {
                "count": 1,
                "instanceProperties": {
                    "machineType": "a2-highgpu-1g",
                    "guestAccelerators": [
                        {"acceleratorType": "nvidia-tesla-a100", "acceleratorCount": 2}
                    ],
                },
            },
        },
        "specificReservation.instanceProperties.guestAccelerators[0]",
        "comes with 1",
    ),
    "reservation-zone": (RESERVATION, {**RESERVED, "zone": "us-central1"}, "zone", "Unknown zone"),
    "network-name": (NETWORK, {"name": "VPC"}, "name", "Must be a match of regex"),
    "network-mtu": (NETWORK, {"name": "vpc", "mtu": 100}, "mtu", "1300 to 8896"),
    "subnetwork-range": (
        SUBNETWORK,
        {"name": "s", "network": "vpc", "ipCidrRange": "10.0.0.1/20"},
        "ipCidrRange",
        "has host bits set",
    ),
    "account-id": (ACCOUNT, {"accountId": "abc"}, "accountId", "6 to 30"),
}


@pytest.mark.parametrize("case", sorted(OTHER_CASES))
def test_other_type_is_refused(engine: Any, case: str) -> None:
    token, inputs, place, words = OTHER_CASES[case]
    refusals = engine.refusals(token, inputs)
    assert list(refusals) == [place]
    assert words in refusals[place]


def test_delete_rule_bounded_by_versions_is_accepted(engine: Any) -> None:
    assert engine.refusals(BUCKET, rule(DELETE, numNewerVersions=2)) == {}
    assert engine.refusals(BUCKET, rule(DELETE, age=1)) == {}
