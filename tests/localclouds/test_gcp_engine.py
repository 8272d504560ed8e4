"""Google types as the engine meets them: no change twice, replacements, drift, one-way doors."""

from __future__ import annotations

from typing import Any

import pytest

from tidegate.localclouds.contracts import UNKNOWN, World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.localclouds.refusals import CloudError

SETTINGS = {"project": "tidegate-tests", "region": "us-central1", "zone": "us-central1-a"}
CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
BUCKET = "gcp:storage/bucket:Bucket"
LOG_BUCKET = "gcp:logging/projectBucketConfig:ProjectBucketConfig"
EXCLUSION = "gcp:logging/projectExclusion:ProjectExclusion"
RESERVATION = "gcp:compute/reservation:Reservation"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ACCOUNT = "gcp:serviceaccount/account:Account"

CLUSTER_INPUTS = {
    "name": "train",
    "location": "us-central1-a",
    "initialNodeCount": 1,
    "deletionProtection": False,
}
GPU_CONFIG: dict[str, Any] = {
    "machineType": "g2-standard-8",
    "guestAccelerators": [
        {
            "type": "nvidia-l4",
            "count": 1,
            "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
        }
    ],
    "labels": {"pool": "l4"},
}
POOL_INPUTS: dict[str, Any] = {
    "name": "l4",
    "cluster": "train",
    "location": "us-central1-a",
    "autoscaling": {"minNodeCount": 0, "maxNodeCount": 3},
    "nodeConfig": GPU_CONFIG,
}
RESERVATION_INPUTS: dict[str, Any] = {
    "name": "held",
    "zone": "us-central1-a",
    "specificReservationRequired": True,
    "specificReservation": {
        "count": 2,
        "instanceProperties": {
            "machineType": "a2-highgpu-1g",
            "guestAccelerators": [{"acceleratorType": "nvidia-tesla-a100", "acceleratorCount": 1}],
        },
    },
    "shareSettings": {
        "shareType": "SPECIFIC_PROJECTS",
        "projectMaps": [{"id": "other", "projectId": "other"}],
    },
}
BUCKET_INPUTS: dict[str, Any] = {
    "name": "tg-datasets",
    "location": "us-central1",
    "labels": {"cost-center": "cc-42"},
    "uniformBucketLevelAccess": True,
    "publicAccessPrevention": "enforced",
    "versioning": {"enabled": True},
    "softDeletePolicy": {"retentionDurationSeconds": 604800},
    "retentionPolicy": {"retentionPeriod": "3600"},
    "lifecycleRules": [
        {
            "action": {"type": "SetStorageClass", "storageClass": "NEARLINE"},
            "condition": {"age": 30, "matchesPrefixes": ["raw/"], "withState": "LIVE"},
        },
        {"action": {"type": "Delete"}, "condition": {"numNewerVersions": 3}},
    ],
}
LOG_INPUTS = {
    "project": "tidegate-tests",
    "location": "global",
    "bucketId": "runs",
    "retentionDays": 90,
    "indexConfigs": [{"fieldPath": "jsonPayload.run", "type": "INDEX_TYPE_STRING"}],
}

UNCHANGED: list[tuple[str, dict[str, Any]]] = [
    (CLUSTER, CLUSTER_INPUTS),
    (CLUSTER, {**CLUSTER_INPUTS, "removeDefaultNodePool": True,
               "networkingMode": "VPC_NATIVE", "network": "default",
               "ipAllocationPolicy": {"clusterIpv4CidrBlock": "/16"},
               "releaseChannel": {"channel": "STABLE"},
               "workloadIdentityConfig": {"workloadPool": "tidegate-tests.svc.id.goog"},
               "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS"]},
               "monitoringConfig": {"managedPrometheus": {"enabled": True}},
               "costManagementConfig": {"enabled": True}}),
    (RESERVATION, RESERVATION_INPUTS),
    (BUCKET, BUCKET_INPUTS),
    (BUCKET, {"name": "tg-hot", "location": "EU", "autoclass": {"enabled": True}}),
    (LOG_BUCKET, LOG_INPUTS),
    (EXCLUSION, {"name": "noise", "filter": "severity < WARNING", "description": "too much"}),
    (NETWORK, {"name": "vpc", "autoCreateSubnetworks": False, "routingMode": "REGIONAL"}),
    (ACCOUNT, {"accountId": "gke-nodes", "displayName": "Nodes"}),
]  # fmt: skip


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_gcp_cloud(world), world, SETTINGS)


@pytest.fixture
def cluster(engine: Any) -> Any:
    return engine.up(CLUSTER, CLUSTER_INPUTS, "cluster")


@pytest.mark.parametrize(("token", "inputs"), UNCHANGED)
def test_second_up_and_refresh_show_no_change(
    engine: Any, token: str, inputs: dict[str, Any]
) -> None:
    made = engine.up(token, inputs)
    assert engine.refresh(token, made) == made.inputs
    assert engine.diff(token, made, inputs).changes == []
    engine.destroy(token, made)
    assert engine.refresh(token, made) is None


def test_pool_shows_no_change_though_gke_taints_it(engine: Any, cluster: Any) -> None:
    made = engine.up(POOL, POOL_INPUTS)
    assert engine.refresh(POOL, made) == made.inputs
    assert engine.diff(POOL, made, POOL_INPUTS).changes == []
    shown = made.outputs["nodeConfig"]
    assert shown["taints"] == []
    assert shown["effectiveTaints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    ]
    assert made.outputs["nodeCount"] == 0
    assert made.outputs["managedInstanceGroupUrls"][0].endswith("-grp")


def test_gke_leaves_its_taint_out_when_every_pool_has_gpus(engine: Any) -> None:
    bare = {**CLUSTER_INPUTS, "removeDefaultNodePool": True}
    engine.up(CLUSTER, bare, "cluster")
    made = engine.up(POOL, POOL_INPUTS)
    assert made.outputs["nodeConfig"]["effectiveTaints"] == []


def test_own_copy_of_gkes_taint_is_no_duplicate(engine: Any, cluster: Any) -> None:
    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    inputs = {**POOL_INPUTS, "nodeConfig": {**GPU_CONFIG, "taints": [taint]}}
    made = engine.up(POOL, inputs)
    assert made.outputs["nodeConfig"]["effectiveTaints"] == [taint]
    assert engine.refresh(POOL, made) == made.inputs


REPLACING = {
    "name": "other",
    "cluster": "elsewhere",
    "location": "us-central1-b",
    "initialNodeCount": 2,
    "maxPodsPerNode": 64,
    "placementPolicy": {"type": "COMPACT"},
    "nodeConfig": {**GPU_CONFIG, "spot": True},
}
IN_PLACE = {
    "autoscaling": {"minNodeCount": 0, "maxNodeCount": 9},
    "nodeConfig": {**GPU_CONFIG, "machineType": "g2-standard-12"},
    "management": {"autoRepair": False},
    "nodeLocations": ["us-central1-a", "us-central1-b"],
}


@pytest.mark.parametrize("name", sorted(REPLACING))
def test_pool_is_replaced_where_gke_cannot_change_it(engine: Any, cluster: Any, name: str) -> None:
    made = engine.up(POOL, POOL_INPUTS)
    difference = engine.diff(POOL, made, {**POOL_INPUTS, name: REPLACING[name]})
    assert difference.replaces == {name}


@pytest.mark.parametrize("name", sorted(IN_PLACE))
def test_pool_changes_in_place_where_gke_can(engine: Any, cluster: Any, name: str) -> None:
    made = engine.up(POOL, POOL_INPUTS)
    wanted = {**POOL_INPUTS, name: IN_PLACE[name]}
    assert engine.diff(POOL, made, wanted).replaces == frozenset()
    changed = engine.change(POOL, made, wanted)
    assert engine.refresh(POOL, changed) == changed.inputs


def test_gpu_or_its_driver_replaces_the_pool(engine: Any, cluster: Any) -> None:
    made = engine.up(POOL, POOL_INPUTS)
    for part in ({"count": 2, "type": "nvidia-l4"}, {"count": 1, "type": "nvidia-l4"}):
        config = {**GPU_CONFIG, "machineType": "g2-standard-24" if part["count"] == 2
                  else "g2-standard-8", "guestAccelerators": [part]}  # fmt: skip
        difference = engine.diff(POOL, made, {**POOL_INPUTS, "nodeConfig": config})
        assert difference.replaces == {"nodeConfig"}


def test_changed_node_count_resizes_and_other_changes_leave_the_size(
    engine: Any, cluster: Any
) -> None:
    inputs = {key: part for key, part in POOL_INPUTS.items() if key != "autoscaling"}
    made = engine.up(POOL, {**inputs, "nodeCount": 2})
    assert made.outputs["nodeCount"] == 2
    scaled = engine.change(POOL, made, {**inputs, "nodeCount": 0})
    assert scaled.outputs["nodeCount"] == 0
    labelled = {**GPU_CONFIG, "labels": {"pool": "new"}}
    changed = engine.change(POOL, scaled, {**inputs, "nodeCount": 0, "nodeConfig": labelled})
    assert changed.outputs["nodeCount"] == 0
    assert engine.refresh(POOL, changed) == changed.inputs


def test_pool_of_a_cluster_that_does_not_exist_is_refused(engine: Any) -> None:
    with pytest.raises(CloudError, match=r"Not found: .*/clusters/train"):
        engine.up(POOL, POOL_INPUTS)


def test_pool_names_its_cluster_by_id_too(engine: Any, cluster: Any) -> None:
    made = engine.up(POOL, {**POOL_INPUTS, "cluster": cluster.id})
    assert made.id == f"{cluster.id}/nodePools/l4"
    assert engine.refresh(POOL, made) == made.inputs


def test_reserved_pool_needs_a_reservation_of_its_machine(engine: Any, cluster: Any) -> None:
    affinity = {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["held"],
    }
    inputs = {**POOL_INPUTS, "nodeConfig": {**GPU_CONFIG, "reservationAffinity": affinity}}
    with pytest.raises(CloudError, match="Reservation 'held' does not exist in us-central1-a"):
        engine.up(POOL, inputs)
    engine.up(RESERVATION, RESERVATION_INPUTS, "reservation")
    with pytest.raises(CloudError, match=r"holds machines of type 'a2-highgpu-1g'.*g2-standard-8"):
        engine.up(POOL, inputs)
    fitting = {
        "machineType": "a2-highgpu-1g",
        "reservationAffinity": affinity,
    }
    made = engine.up(POOL, {**POOL_INPUTS, "nodeConfig": fitting})
    assert made.outputs["nodeConfig"]["guestAccelerators"][0]["type"] == "nvidia-tesla-a100"


def test_protected_cluster_is_not_destroyed(engine: Any) -> None:
    inputs = {key: part for key, part in CLUSTER_INPUTS.items() if key != "deletionProtection"}
    made = engine.up(CLUSTER, inputs)
    with pytest.raises(CloudError, match="deletionProtection is set to true"):
        engine.destroy(CLUSTER, made)
    opened = engine.change(CLUSTER, made, {**inputs, "deletionProtection": False})
    engine.destroy(CLUSTER, opened)
    assert engine.refresh(CLUSTER, opened) is None


def test_cluster_in_a_network_that_does_not_exist_is_refused(engine: Any) -> None:
    with pytest.raises(CloudError, match='Network "vpc" does not exist'):
        engine.up(CLUSTER, {**CLUSTER_INPUTS, "network": "vpc"})
    engine.up(NETWORK, {"name": "vpc", "autoCreateSubnetworks": False}, "net")
    engine.up(SUBNETWORK, {"name": "nodes", "network": "vpc", "region": "us-central1",
                           "ipCidrRange": "10.0.0.0/20"}, "sub")  # fmt: skip
    made = engine.up(CLUSTER, {**CLUSTER_INPUTS, "network": "vpc", "subnetwork": "nodes"})
    assert engine.refresh(CLUSTER, made) == made.inputs


def test_network_in_use_is_not_deleted(engine: Any) -> None:
    network = engine.up(NETWORK, {"name": "vpc", "autoCreateSubnetworks": False}, "net")
    inputs = {"name": "nodes", "network": network.outputs["selfLink"], "ipCidrRange": "10.0.0.0/20"}
    subnetwork = engine.up(SUBNETWORK, inputs, "sub")
    assert engine.refresh(SUBNETWORK, subnetwork, "sub") == subnetwork.inputs
    with pytest.raises(CloudError, match="already being used by"):
        engine.destroy(NETWORK, network, "net")
    engine.destroy(SUBNETWORK, subnetwork, "sub")
    engine.destroy(NETWORK, network, "net")


def test_subnetwork_of_a_network_that_does_not_exist_is_refused(engine: Any) -> None:
    inputs = {"name": "nodes", "network": "gone", "ipCidrRange": "10.0.0.0/20"}
    with pytest.raises(CloudError, match="global/networks/gone' was not found"):
        engine.up(SUBNETWORK, inputs)


@pytest.mark.parametrize("name", ["locked", "enableAnalytics"])
def test_one_way_doors_of_a_log_bucket_do_not_open_again(engine: Any, name: str) -> None:
    made = engine.up(LOG_BUCKET, {**LOG_INPUTS, name: True})
    with pytest.raises(CloudError, match="cannot be undone"):
        engine.change(LOG_BUCKET, made, {**LOG_INPUTS, name: False})


def test_locked_log_bucket_keeps_its_retention_and_stays(engine: Any) -> None:
    made = engine.up(LOG_BUCKET, {**LOG_INPUTS, "locked": True})
    with pytest.raises(CloudError, match="is locked and cannot be modified"):
        engine.change(LOG_BUCKET, made, {**LOG_INPUTS, "locked": True, "retentionDays": 10})
    with pytest.raises(CloudError, match="is locked and cannot be deleted"):
        engine.destroy(LOG_BUCKET, made)


def test_default_log_bucket_is_taken_over_and_survives_destroy(engine: Any, world: World) -> None:
    made = engine.up(LOG_BUCKET, {**LOG_INPUTS, "bucketId": "_Default", "retentionDays": 7})
    assert engine.refresh(LOG_BUCKET, made) == made.inputs
    engine.destroy(LOG_BUCKET, made)
    kept = world.store.get("gcp", "logging.googleapis.com/LogBucket", made.id)
    assert kept is not None
    assert kept.state["retentionDays"] == 7


@pytest.mark.parametrize(
    ("token", "inputs", "change", "replaces"),
    [
        (BUCKET, BUCKET_INPUTS, {"location": "EU"}, {"location"}),
        (BUCKET, BUCKET_INPUTS, {"name": "tg-other"}, {"name"}),
        (BUCKET, BUCKET_INPUTS, {"labels": {"a": "b"}}, set()),
        (LOG_BUCKET, LOG_INPUTS, {"bucketId": "other"}, {"bucketId"}),
        (LOG_BUCKET, LOG_INPUTS, {"retentionDays": 1}, set()),
        (RESERVATION, RESERVATION_INPUTS, {"zone": "us-central1-b"}, {"zone"}),
        (RESERVATION, RESERVATION_INPUTS, {"specificReservationRequired": False},
         {"specificReservationRequired"}),
        (ACCOUNT, {"accountId": "gke-nodes"}, {"accountId": "gke-other"}, {"accountId"}),
        (NETWORK, {"name": "vpc"}, {"mtu": 8896}, set()),
        (NETWORK, {"name": "vpc"}, {"description": "other"}, {"description"}),
        (CLUSTER, CLUSTER_INPUTS, {"enableMultiNetworking": True}, set()),
        (CLUSTER, {**CLUSTER_INPUTS, "nodeConfig": {"spot": False}},
         {"nodeConfig": {"spot": False, "machineType": "e2-standard-8"}}, set()),
        (CLUSTER, {**CLUSTER_INPUTS, "nodeConfig": {"spot": False}},
         {"nodeConfig": {"spot": True}}, {"nodeConfig"}),
    ],
)  # fmt: skip
def test_replacements_of_other_types(
    engine: Any, token: str, inputs: dict[str, Any], change: dict[str, Any], replaces: set[str]
) -> None:
    made = engine.up(token, inputs)
    assert engine.diff(token, made, {**inputs, **change}).replaces == replaces


def test_reservation_is_resized_in_place(engine: Any) -> None:
    made = engine.up(RESERVATION, RESERVATION_INPUTS)
    wider = {**RESERVATION_INPUTS["specificReservation"], "count": 5}
    wanted = {**RESERVATION_INPUTS, "specificReservation": wider}
    assert engine.diff(RESERVATION, made, wanted).replaces == frozenset()
    changed = engine.change(RESERVATION, made, wanted)
    assert changed.outputs["specificReservation"]["assuredCount"] == 5


def test_deletion_policies_prevent_and_abandon(engine: Any, world: World) -> None:
    made = engine.up(BUCKET, {**BUCKET_INPUTS, "deletionPolicy": "PREVENT"})
    with pytest.raises(CloudError, match="PREVENT"):
        engine.destroy(BUCKET, made)
    left = engine.change(BUCKET, made, {**BUCKET_INPUTS, "deletionPolicy": "ABANDON"})
    engine.destroy(BUCKET, left)
    assert world.store.get("gcp", "storage.googleapis.com/Bucket", made.id) is not None


def test_preview_with_unknown_values_refuses_nothing(engine: Any) -> None:
    unknown: dict[str, Any] = {
        "name": "l4",
        "cluster": UNKNOWN,
        "initialNodeCount": UNKNOWN,
        "autoscaling": {"minNodeCount": UNKNOWN, "maxNodeCount": UNKNOWN},
        "placementPolicy": {"type": UNKNOWN},
        "queuedProvisioning": {"enabled": UNKNOWN},
        "management": UNKNOWN,
        "nodeLocations": UNKNOWN,
        "nodeConfig": {
            "machineType": UNKNOWN,
            "spot": UNKNOWN,
            "flexStart": UNKNOWN,
            "labels": {"a": UNKNOWN},
            "resourceLabels": UNKNOWN,
            "sandboxConfig": {"sandboxType": UNKNOWN},
            "taints": [{"key": UNKNOWN, "value": UNKNOWN, "effect": UNKNOWN}],
            "guestAccelerators": [{"type": UNKNOWN, "count": UNKNOWN}],
            "reservationAffinity": {"consumeReservationType": UNKNOWN, "values": UNKNOWN},
        },
    }
    assert engine.refusals(POOL, unknown) == {}
    assert engine.refusals(POOL, {"cluster": UNKNOWN, "nodeConfig": UNKNOWN}) == {}
    elsewhere = {"nodeLocations": ["europe-west4-a"]}
    assert engine.refusals(POOL, {**elsewhere, "cluster": UNKNOWN}) == {}
    assert engine.refusals(POOL, {**elsewhere, "cluster": "c", "location": UNKNOWN}) == {}
    assert engine.refusals(BUCKET, {"location": UNKNOWN, "lifecycleRules": [
        {"action": {"type": "Delete"}, "condition": {"age": UNKNOWN}}]}) == {}  # fmt: skip
    assert engine.refusals(CLUSTER, {"location": UNKNOWN, "initialNodeCount": UNKNOWN,
                                     "ipAllocationPolicy": UNKNOWN,
                                     "networkingMode": UNKNOWN}) == {}  # fmt: skip


def test_default_labels_of_the_provider_are_effective(world: World, make_engine: Any) -> None:
    settings = {**SETTINGS, "defaultLabels": {"managed-by": "tidegate"}}
    engine = make_engine(build_gcp_cloud(world), world, settings)
    made = engine.up(BUCKET, BUCKET_INPUTS)
    assert made.outputs["effectiveLabels"] == {"managed-by": "tidegate", "cost-center": "cc-42"}
    assert engine.refresh(BUCKET, made) == made.inputs


def test_import_finds_what_no_program_made(engine: Any, world: World, cluster: Any) -> None:
    made = engine.up(POOL, POOL_INPUTS, "first")
    world.store.delete("gcp", POOL, made.id)
    found = engine.adopt(POOL, made.id, "imported")
    assert {name: found[name] for name in ("name", "location", "cluster", "maxPodsPerNode")} == {
        "name": "l4",
        "location": "us-central1-a",
        "cluster": "train",
        "maxPodsPerNode": 110,
    }
    assert found["nodeConfig"]["machineType"] == "g2-standard-8"
    assert engine.adopt(POOL, f"{made.id}x", "absent") is None


def test_older_word_for_the_sandbox_is_read_by_the_sdk(engine: Any, cluster: Any) -> None:
    inputs = {**POOL_INPUTS, "nodeConfig": {"sandboxConfig": {"sandboxType": "gvisor"}}}
    made = engine.up(POOL, inputs)
    assert made.outputs["nodeConfig"]["sandboxConfig"] == {
        "sandboxType": "gvisor",
        "type": "GVISOR",
    }
    assert engine.refresh(POOL, made) == made.inputs
