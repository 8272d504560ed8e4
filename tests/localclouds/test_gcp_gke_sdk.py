"""GKE and Compute driven by Google's own SDKs over loopback, and read back by the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1, container_v1

from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

PROJECT = "tidegate-tests"
PARENT = f"projects/{PROJECT}/locations/us-central1"
CLUSTER = f"{PARENT}/clusters/train"
POOL = f"{CLUSTER}/nodePools/a100"
SETTINGS = {"project": PROJECT, "region": "us-central1"}
CLUSTER_TYPE = "gcp:container/cluster:Cluster"
POOL_TYPE = "gcp:container/nodePool:NodePool"

POOL_INPUTS: dict[str, Any] = {
    "name": "a100",
    "cluster": "train",
    "location": "us-central1",
    "nodeLocations": ["us-central1-a", "us-central1-c"],
    "initialNodeCount": 0,
    "autoscaling": {"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"},
    "management": {"autoRepair": True, "autoUpgrade": False},
    "maxPodsPerNode": 32,
    "upgradeSettings": {"maxSurge": 0, "maxUnavailable": 1},
    "nodeConfig": {
        "machineType": "a2-highgpu-2g",
        "spot": True,
        "diskSizeGb": 200,
        "diskType": "pd-ssd",
        "guestAccelerators": [
            {
                "type": "nvidia-tesla-a100",
                "count": 2,
                "gpuDriverInstallationConfig": {"gpuDriverVersion": "LATEST"},
                "gpuSharingConfig": {
                    "gpuSharingStrategy": "TIME_SHARING",
                    "maxSharedClientsPerGpu": 4,
                },
            }
        ],
        "labels": {"tidegate.dev/capacity-pool": "a100"},
        "resourceLabels": {"cost-center": "cc-42", "capacity-pool": "a100"},
        "taints": [{"key": "workload", "value": "training", "effect": "NO_SCHEDULE"}],
        "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
        "loggingVariant": "MAX_THROUGHPUT",
        "gvnic": {"enabled": True},
        "workloadMetadataConfig": {"mode": "GKE_METADATA"},
    },
}


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_gcp_cloud(world)


@pytest.fixture
def options(cloud: Cloud, serve: Callable[[Cloud], str]) -> dict[str, Any]:
    return {
        "credentials": AnonymousCredentials(),
        "client_options": {"api_endpoint": serve(cloud)},
    }


@pytest.fixture
def gke(options: dict[str, Any]) -> container_v1.ClusterManagerClient:
    return container_v1.ClusterManagerClient(transport="rest", **options)


@pytest.fixture
def groups(options: dict[str, Any]) -> compute_v1.InstanceGroupManagersClient:
    return compute_v1.InstanceGroupManagersClient(**options)


@pytest.fixture
def engine(cloud: Cloud, world: World, make_engine: Any) -> Any:
    return make_engine(cloud, world, SETTINGS)


@pytest.fixture
def pool(engine: Any) -> Any:
    engine.up(
        CLUSTER_TYPE,
        {"name": "train", "location": "us-central1", "initialNodeCount": 1,
         "resourceLabels": {"cost-center": "cc-42"}, "deletionProtection": False},
        "cluster",
    )  # fmt: skip
    return engine.up(POOL_TYPE, POOL_INPUTS)


def sizes(groups: compute_v1.InstanceGroupManagersClient) -> dict[str, int]:
    found: dict[str, int] = {}
    for scope, page in groups.aggregated_list(project=PROJECT):
        for group in page.instance_group_managers:
            if "a100" in group.name:
                found[scope.removeprefix("zones/")] = group.target_size
    return found


def test_sdk_reads_back_every_declared_field_of_a_pool(
    gke: container_v1.ClusterManagerClient, pool: Any
) -> None:
    read = gke.get_node_pool(name=POOL)
    config = read.config
    accelerator = config.accelerators[0]
    assert pool.id == POOL
    assert list(read.locations) == POOL_INPUTS["nodeLocations"]
    assert (read.autoscaling.enabled, read.autoscaling.min_node_count) == (True, 0)
    assert read.autoscaling.max_node_count == 4
    assert read.autoscaling.location_policy == container_v1.NodePoolAutoscaling.LocationPolicy.ANY
    assert (read.management.auto_repair, read.management.auto_upgrade) == (True, False)
    assert read.max_pods_constraint.max_pods_per_node == 32
    assert (read.upgrade_settings.max_surge, read.upgrade_settings.max_unavailable) == (0, 1)
    assert (config.machine_type, config.spot) == ("a2-highgpu-2g", True)
    assert (config.disk_size_gb, config.disk_type) == (200, "pd-ssd")
    assert (accelerator.accelerator_type, accelerator.accelerator_count) == ("nvidia-tesla-a100", 2)
    assert accelerator.gpu_driver_installation_config.gpu_driver_version.name == "LATEST"
    assert accelerator.gpu_sharing_config.gpu_sharing_strategy.name == "TIME_SHARING"
    assert accelerator.gpu_sharing_config.max_shared_clients_per_gpu == 4
    assert dict(config.labels) == POOL_INPUTS["nodeConfig"]["labels"]
    assert dict(config.resource_labels) == POOL_INPUTS["nodeConfig"]["resourceLabels"]
    assert [(t.key, t.value, t.effect.name) for t in config.taints] == [
        ("workload", "training", "NO_SCHEDULE"),
        ("nvidia.com/gpu", "present", "NO_SCHEDULE"),
    ]
    affinity = config.reservation_affinity.consume_reservation_type
    assert affinity.name == "NO_RESERVATION"
    assert config.logging_config.variant_config.variant.name == "MAX_THROUGHPUT"
    assert config.gvnic.enabled
    assert config.workload_metadata_config.mode.name == "GKE_METADATA"


def test_cluster_lists_its_pools_and_nodes(
    gke: container_v1.ClusterManagerClient, pool: Any
) -> None:
    cluster = gke.get_cluster(name=CLUSTER)
    assert dict(cluster.resource_labels) == {"cost-center": "cc-42"}
    assert [p.name for p in cluster.node_pools] == ["a100", "default-pool"]
    assert cluster.current_node_count == 3
    assert [c.name for c in gke.list_clusters(parent=PARENT).clusters] == ["train"]
    everywhere = gke.list_clusters(parent=f"projects/{PROJECT}/locations/-")
    assert [c.name for c in everywhere.clusters] == ["train"]


def test_set_size_to_two_and_back_to_zero_moves_every_zone(
    gke: container_v1.ClusterManagerClient,
    groups: compute_v1.InstanceGroupManagersClient,
    pool: Any,
) -> None:
    assert sizes(groups) == {"us-central1-a": 0, "us-central1-c": 0}
    operation = gke.set_node_pool_size(request={"name": POOL, "node_count": 2})
    assert operation.status.name == "DONE"
    assert sizes(groups) == {"us-central1-a": 2, "us-central1-c": 2}
    done = gke.get_operation(name=f"{PARENT}/operations/{operation.name}")
    assert done.operation_type.name == "SET_NODE_POOL_SIZE"
    gke.set_node_pool_size(request={"name": POOL, "node_count": 0})
    assert sizes(groups) == {"us-central1-a": 0, "us-central1-c": 0}


def test_instance_group_resize_and_instances_by_name(
    groups: compute_v1.InstanceGroupManagersClient, options: dict[str, Any], pool: Any, engine: Any
) -> None:
    group = pool.outputs["instanceGroupUrls"][0].rsplit("/", 1)[-1]
    where = {"project": PROJECT, "zone": "us-central1-a", "instance_group_manager": group}
    operation = groups.resize_unary(**where, size=3)
    operations = compute_v1.ZoneOperationsClient(**options)
    waited = operations.wait(project=PROJECT, zone="us-central1-a", operation=operation.name)
    assert waited.status == compute_v1.Operation.Status.DONE
    instances = list(groups.list_managed_instances(**where))
    assert len({instance.name for instance in instances}) == 3
    one = compute_v1.InstancesClient(**options).get(
        project=PROJECT, zone="us-central1-a", instance=instances[0].name
    )
    assert one.labels["capacity-pool"] == "a100"
    assert one.scheduling.provisioning_model == "SPOT"
    groups.delete_instances_unary(
        **where,
        instance_group_managers_delete_instances_request_resource={
            "instances": [instances[0].instance]
        },
    )
    left = {instance.name for instance in groups.list_managed_instances(**where)}
    assert left == {instance.name for instance in instances[1:]}
    assert groups.get(**where).target_size == 2
    assert engine.refresh(POOL_TYPE, pool) is not None
    assert sizes(groups) == {"us-central1-a": 2, "us-central1-c": 0}


def test_refresh_shows_what_the_sdk_changed_and_nothing_else(
    gke: container_v1.ClusterManagerClient, engine: Any, pool: Any
) -> None:
    assert engine.refresh(POOL_TYPE, pool) == pool.inputs
    gke.set_node_pool_autoscaling(
        request={"name": POOL, "autoscaling": {"enabled": True, "max_node_count": 8}}
    )
    gke.update_node_pool(
        request={"name": POOL, "labels": {"labels": {"by": "hand"}}, "taints": {"taints": []}}
    )
    gke.set_node_pool_management(request={"name": POOL, "management": {}})
    drifted = engine.refresh(POOL_TYPE, pool)
    expected = {**pool.inputs, "nodeConfig": dict(pool.inputs["nodeConfig"])}
    expected["autoscaling"] = {"minNodeCount": 0, "maxNodeCount": 8, "locationPolicy": "ANY"}
    expected["nodeConfig"]["labels"] = {"by": "hand"}
    expected["nodeConfig"]["taints"] = []
    expected["management"] = {"autoRepair": False, "autoUpgrade": False}
    assert drifted == expected


def test_sdk_created_pool_is_found_and_deleted_by_the_sdk(
    gke: container_v1.ClusterManagerClient, pool: Any
) -> None:
    gke.create_node_pool(parent=CLUSTER, node_pool={"name": "cpu", "initial_node_count": 1})
    assert {p.name for p in gke.list_node_pools(parent=CLUSTER).node_pools} == {
        "a100",
        "cpu",
        "default-pool",
    }
    gke.delete_node_pool(name=f"{CLUSTER}/nodePools/cpu")
    with pytest.raises(exceptions.NotFound, match=r"Not found: .*/nodePools/cpu"):
        gke.get_node_pool(name=f"{CLUSTER}/nodePools/cpu")


def test_gpu_count_cannot_change_in_place(
    gke: container_v1.ClusterManagerClient, pool: Any
) -> None:
    accelerators = [{"accelerator_type": "nvidia-tesla-a100", "accelerator_count": 1}]
    with pytest.raises(exceptions.BadRequest, match="should not be updated"):
        gke.update_node_pool(
            request={"name": POOL, "node_version": "-", "accelerators": accelerators}
        )


def test_labels_of_a_cluster_need_its_fingerprint(
    gke: container_v1.ClusterManagerClient, pool: Any
) -> None:
    fingerprint = gke.get_cluster(name=CLUSTER).label_fingerprint
    request = {"name": CLUSTER, "resource_labels": {"team": "ml"}}
    with pytest.raises(exceptions.BadRequest, match="fingerprint"):
        gke.set_labels(request={**request, "label_fingerprint": "old"})
    gke.set_labels(request={**request, "label_fingerprint": fingerprint})
    assert dict(gke.get_cluster(name=CLUSTER).resource_labels) == {"team": "ml"}


def test_unknown_enum_and_unknown_field_are_refused_by_the_message(
    options: dict[str, Any], pool: Any
) -> None:
    import httpx

    url = f"{options['client_options']['api_endpoint']}/v1/{CLUSTER}/nodePools"
    for body in ({"nodePool": {"name": "x", "sizes": 3}}, {"nodePool": {"name": 7}}):
        answer = httpx.post(url, json=body)
        assert answer.status_code == 400
        assert answer.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_stock_out_fails_the_operation_and_leaves_the_size(
    world: World,
    gke: container_v1.ClusterManagerClient,
    groups: compute_v1.InstanceGroupManagersClient,
    pool: Any,
) -> None:
    world.faults.add(Fault(FaultKind.STOCK_OUT, cloud="gcp", target="container:*"))
    gke.set_node_pool_size(request={"name": POOL, "node_count": 0})
    operation = gke.set_node_pool_size(request={"name": POOL, "node_count": 2})
    assert "ZONE_RESOURCE_POOL_EXHAUSTED" in operation.error.message
    assert [c.code.name for c in operation.nodepool_conditions] == ["GCE_STOCKOUT"]
    assert sizes(groups) == {"us-central1-a": 0, "us-central1-c": 0}
    gke.set_node_pool_size(request={"name": POOL, "node_count": 2})
    assert sizes(groups) == {"us-central1-a": 2, "us-central1-c": 2}


def test_quota_fails_the_resize_of_a_group(
    world: World, groups: compute_v1.InstanceGroupManagersClient, pool: Any
) -> None:
    world.faults.add(Fault(FaultKind.QUOTA, cloud="gcp", target="compute:*Resize"))
    group = pool.outputs["instanceGroupUrls"][0].rsplit("/", 1)[-1]
    operation = groups.resize_unary(
        project=PROJECT, zone="us-central1-a", instance_group_manager=group, size=1
    )
    assert [error.code for error in operation.error.errors] == ["QUOTA_EXCEEDED"]
    assert sizes(groups) == {"us-central1-a": 0, "us-central1-c": 0}


def test_throttling_answers_429(
    world: World, gke: container_v1.ClusterManagerClient, pool: Any
) -> None:
    world.faults.add(Fault(FaultKind.THROTTLING, cloud="gcp", target="container:SetNodePoolSize"))
    with pytest.raises(exceptions.TooManyRequests, match="Rate limit"):
        gke.set_node_pool_size(request={"name": POOL, "node_count": 1})
    gke.set_node_pool_size(request={"name": POOL, "node_count": 1})
    assert gke.get_node_pool(name=POOL).initial_node_count == 1


def test_what_was_answered_survives_a_killed_process(
    world: World, gke: container_v1.ClusterManagerClient, pool: Any, make_engine: Any
) -> None:
    gke.set_node_pool_size(request={"name": POOL, "node_count": 2})
    # A second store on the same file sees what a restarted process would.
    from tidegate.localclouds.server import build_world

    again = build_world(world.state_dir)
    restarted = make_engine(build_gcp_cloud(again), again, SETTINGS)
    live = restarted.refresh(POOL_TYPE, pool)
    assert live["initialNodeCount"] == 2
    assert live["nodeConfig"] == pool.inputs["nodeConfig"]
    again.store.close()


def test_machine_and_accelerator_types_are_listed(options: dict[str, Any]) -> None:
    machines = compute_v1.MachineTypesClient(**options)
    one = machines.get(project=PROJECT, zone="us-central1-a", machine_type="a2-highgpu-4g")
    assert one.accelerators[0].guest_accelerator_type == "nvidia-tesla-a100"
    assert one.accelerators[0].guest_accelerator_count == 4
    names = [m.name for m in machines.list(project=PROJECT, zone="us-central1-a")]
    assert {"e2-standard-4", "a3-highgpu-8g"} <= set(names)
    with pytest.raises(exceptions.NotFound):
        machines.get(project=PROJECT, zone="us-central1-a", machine_type="a2-highgpu-3g")
    accelerators = compute_v1.AcceleratorTypesClient(**options)
    found = [a.name for a in accelerators.list(project=PROJECT, zone="us-central1-a")]
    assert {"nvidia-tesla-a100", "nvidia-l4"} <= set(found)


def test_reservations_are_created_resized_and_deleted(options: dict[str, Any]) -> None:
    reservations = compute_v1.ReservationsClient(**options)
    where = {"project": PROJECT, "zone": "us-central1-a"}
    reservations.insert_unary(
        **where,
        reservation_resource={
            "name": "held",
            "specific_reservation": {
                "count": 2,
                "instance_properties": {"machine_type": "a2-highgpu-1g"},
            },
        },
    )
    reservations.resize_unary(
        **where,
        reservation="held",
        reservations_resize_request_resource={"specific_sku_count": 4},
    )
    assert reservations.get(**where, reservation="held").specific_reservation.count == 4
    assert [r.name for r in reservations.list(**where)] == ["held"]
    reservations.delete_unary(**where, reservation="held")
    with pytest.raises(exceptions.NotFound):
        reservations.get(**where, reservation="held")
