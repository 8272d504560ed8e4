"""Accelerators of node pools: partitioned and shared GPUs, TPU slices, read by Google's SDK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import container_v1
from support import gcp_inputs as given

from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import machines
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

PARENT = f"projects/{given.PROJECT}/locations/us-central1-a/clusters/train"


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_gcp_cloud(world), world, given.SETTINGS)
    cluster = {"name": "train", "location": "us-central1-a", "initialNodeCount": 1}
    made.up(given.CLUSTER, cluster, "cluster")
    return made


@pytest.fixture
def client(world: World, serve: Callable[..., str]) -> container_v1.ClusterManagerClient:
    return container_v1.ClusterManagerClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": serve(build_gcp_cloud(world))},
    )


def build_pool(config: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "name": "p",
        "cluster": "train",
        "location": "us-central1-a",
        "nodeConfig": config,
        **changes,
    }


def build_gpu(machine: str, kind: str, count: int, **changes: Any) -> dict[str, Any]:
    driver = {"gpuDriverVersion": "LATEST"}
    accelerator = {"type": kind, "count": count, "gpuDriverInstallationConfig": driver, **changes}
    return build_pool({"machineType": machine, "guestAccelerators": [accelerator]})


def build_slice(machine: str, topology: str, **changes: Any) -> dict[str, Any]:
    placement = {"type": "COMPACT", "tpuTopology": topology}
    return build_pool({"machineType": machine}, placementPolicy=placement, **changes)


def test_partitioned_and_shared_gpu_is_read_back_whole(
    engine: Any, client: container_v1.ClusterManagerClient
) -> None:
    inputs = build_gpu(
        "a2-highgpu-1g",
        "nvidia-tesla-a100",
        1,
        gpuPartitionSize="1g.5gb",
        gpuSharingConfig={"gpuSharingStrategy": "TIME_SHARING", "maxSharedClientsPerGpu": 4},
    )
    made = engine.up(given.NODE_POOL, inputs)
    (accelerator,) = client.get_node_pool(name=f"{PARENT}/nodePools/p").config.accelerators
    assert accelerator.accelerator_type == "nvidia-tesla-a100"
    assert accelerator.accelerator_count == 1
    assert accelerator.gpu_partition_size == "1g.5gb"
    sharing = accelerator.gpu_sharing_config
    assert sharing.max_shared_clients_per_gpu == 4
    assert sharing.gpu_sharing_strategy.name == "TIME_SHARING"
    assert accelerator.gpu_driver_installation_config.gpu_driver_version.name == "LATEST"
    assert engine.refresh(given.NODE_POOL, made) == made.inputs
    assert engine.diff(given.NODE_POOL, made, inputs).changes == []


def test_another_partition_replaces_the_pool(engine: Any) -> None:
    pool = {"gpuPartitionSize": "1g.5gb"}
    made = engine.up(given.NODE_POOL, build_gpu("a2-highgpu-1g", "nvidia-tesla-a100", 1, **pool))
    changed = build_gpu("a2-highgpu-1g", "nvidia-tesla-a100", 1, gpuPartitionSize="3g.20gb")
    assert engine.diff(given.NODE_POOL, made, changed).replaces == {"nodeConfig"}


def test_tpu_slice_over_hosts_is_read_back_whole_and_tainted(
    engine: Any, client: container_v1.ClusterManagerClient
) -> None:
    autoscaling = {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"}
    inputs = build_slice("ct6e-standard-4t", "4x4", autoscaling=autoscaling)
    made = engine.up(given.NODE_POOL, inputs)
    shown = client.get_node_pool(name=f"{PARENT}/nodePools/p")
    assert shown.config.machine_type == "ct6e-standard-4t"
    assert shown.placement_policy.tpu_topology == "4x4"
    assert shown.placement_policy.type_.name == "COMPACT"
    assert list(shown.config.accelerators) == []
    assert [(taint.key, taint.effect.name) for taint in shown.config.taints] == [
        ("google.com/tpu", "NO_SCHEDULE")
    ]
    assert made.outputs["nodeConfig"]["taints"] == []
    assert engine.refresh(given.NODE_POOL, made) == made.inputs
    client.set_node_pool_size(request={"name": f"{PARENT}/nodePools/p", "node_count": 4})
    assert engine.refresh(given.NODE_POOL, made) == made.inputs


def test_single_host_tpu_needs_no_placement(engine: Any) -> None:
    made = engine.up(given.NODE_POOL, build_pool({"machineType": "ct5lp-hightpu-1t"}))
    assert engine.refresh(given.NODE_POOL, made) == made.inputs


GPU = "nodeConfig.guestAccelerators[0]"
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "partition-of-another": (
        build_gpu("a2-highgpu-1g", "nvidia-tesla-a100", 1, gpuPartitionSize="1g.10gb"),
        f"{GPU}.gpuPartitionSize", "1g.5gb, 2g.10gb"),
    "partition-of-none": (
        build_gpu("g2-standard-8", "nvidia-l4", 1, gpuPartitionSize="1g.5gb"),
        f"{GPU}.gpuPartitionSize", "cannot be partitioned"),
    "shared-strategy": (
        build_gpu("g2-standard-8", "nvidia-l4", 1, gpuSharingConfig={
            "gpuSharingStrategy": "POLITENESS", "maxSharedClientsPerGpu": 2}),
        f"{GPU}.gpuSharingConfig.gpuSharingStrategy", "TIME_SHARING"),
    "shared-among-one": (
        build_gpu("g2-standard-8", "nvidia-l4", 1, gpuSharingConfig={
            "gpuSharingStrategy": "TIME_SHARING", "maxSharedClientsPerGpu": 1}),
        f"{GPU}.gpuSharingConfig.maxSharedClientsPerGpu", "2 to 48"),
    "topology-of-no-tpu": (build_slice("g2-standard-8", "2x2"), "placementPolicy.tpuTopology",
                           "carries no TPU chips"),
    "topology-form": (build_slice("ct6e-standard-4t", "4-4"), "placementPolicy.tpuTopology",
                      "2x2x4"),
    "topology-size": (build_slice("ct6e-standard-4t", "3x3"), "placementPolicy.tpuTopology",
                      "no multiple of the 4"),
    "slice-count": (build_slice("ct6e-standard-4t", "4x4", initialNodeCount=3),
                    "initialNodeCount", "exactly 4 nodes"),
    "slice-maximum": (
        build_slice("ct6e-standard-4t", "4x4", autoscaling={"totalMaxNodeCount": 8}),
        "autoscaling.totalMaxNodeCount", "exactly 4 nodes"),
    "slice-minimum": (
        build_slice("ct6e-standard-4t", "4x4", autoscaling={
            "totalMinNodeCount": 1, "totalMaxNodeCount": 4}),
        "autoscaling.totalMinNodeCount", "exactly 4 nodes"),
    "tpu-machine": (build_pool({"machineType": "ct6e-standard-2t"}), "nodeConfig.machineType",
                    "does not exist"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_accelerators_are_refused(engine: Any, case: str) -> None:
    inputs, place, words = REFUSED[case]
    refusals = engine.refusals(given.NODE_POOL, inputs)
    assert list(refusals) == [place]
    assert words in refusals[place]


def test_slice_without_compact_placement_is_refused(engine: Any) -> None:
    inputs = build_pool(
        {"machineType": "ct6e-standard-4t"}, placementPolicy={"type": "", "tpuTopology": "4x4"}
    )
    assert "COMPACT" in engine.refusals(given.NODE_POOL, inputs)["placementPolicy.type"]


def test_sdk_is_refused_a_partition_too(
    client: container_v1.ClusterManagerClient, engine: Any
) -> None:
    accelerator = {
        "accelerator_type": "nvidia-l4",
        "accelerator_count": 1,
        "gpu_partition_size": "1g.5gb",
    }
    config = {"machine_type": "g2-standard-8", "accelerators": [accelerator]}
    with pytest.raises(exceptions.BadRequest, match="cannot be partitioned"):
        client.create_node_pool(parent=PARENT, node_pool={"name": "x", "config": config})


@pytest.mark.parametrize(
    ("machine", "chips"),
    [("ct6e-standard-8t", 8), ("tpu7x-standard-4t", 4), ("g2-standard-8", 0), ("ct6e-odd", 0)],
)
def test_chips_of_a_machine_are_told_by_its_name(machine: str, chips: int) -> None:
    assert machines.chips_of(machine) == chips


def test_flex_start_and_queued_pools_are_read_back_whole(
    engine: Any, client: container_v1.ClusterManagerClient
) -> None:
    inputs = build_gpu("g2-standard-8", "nvidia-l4", 1)
    inputs["nodeConfig"] |= {
        "flexStart": True,
        "maxRunDuration": "3600s",
        "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
    }
    inputs |= {
        "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 8},
        "management": {"autoRepair": False, "autoUpgrade": True},
        "queuedProvisioning": {"enabled": True},
    }
    made = engine.up(given.NODE_POOL, inputs)
    shown = client.get_node_pool(name=f"{PARENT}/nodePools/p")
    assert shown.config.flex_start is True
    assert shown.config.max_run_duration.seconds == 3600
    assert shown.queued_provisioning.enabled is True
    assert shown.management.auto_repair is False
    assert shown.config.reservation_affinity.consume_reservation_type.name == "NO_RESERVATION"
    assert engine.refresh(given.NODE_POOL, made) == made.inputs
