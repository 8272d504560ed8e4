"""Azure driven by its own SDKs over loopback, and read back by the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
import yaml
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.containerservice import ContainerServiceClient

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.faults import Fault, FaultKind

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
SETTINGS = {"subscriptionId": SUBSCRIPTION, "location": "westeurope"}
GROUP = "azure-native:resources:ResourceGroup"
CLUSTER = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"

POOL_INPUTS: dict[str, Any] = {
    "resourceGroupName": "ml",
    "resourceName": "train",
    "agentPoolName": "a100",
    "count": 0,
    "enableAutoScaling": True,
    "minCount": 0,
    "maxCount": 4,
    "mode": "User",
    "vmSize": "Standard_NC24ads_A100_v4",
    "osDiskSizeGB": 256,
    "maxPods": 50,
    "scaleSetPriority": "Spot",
    "scaleSetEvictionPolicy": "Delete",
    "spotMaxPrice": -1,
    "gpuProfile": {"driver": "Install"},
    "nodeLabels": {"tidegate.dev/capacity-pool": "a100"},
    "nodeTaints": ["nvidia.com/gpu=present:NoSchedule"],
    "availabilityZones": ["1", "2"],
    "scaleDownMode": "Delete",
    "tags": {"cost-center": "cc-42"},
}


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_azure_cloud(world)


@pytest.fixture
def url(cloud: Cloud, serve: Callable[[Cloud], str]) -> str:
    return serve(cloud)


@pytest.fixture
def options(url: str, build_azure_options: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return build_azure_options(url, SUBSCRIPTION)


@pytest.fixture
def aks(options: dict[str, Any]) -> ContainerServiceClient:
    return ContainerServiceClient(**options)


@pytest.fixture
def engine(cloud: Cloud, world: World, make_engine: Any) -> Any:
    made = make_engine(cloud, world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml", "tags": {"team": "ml"}}, "group")
    return made


@pytest.fixture
def cluster(engine: Any) -> Any:
    return engine.up(
        CLUSTER,
        {
            "resourceGroupName": "ml",
            "resourceName": "train",
            "dnsPrefix": "train",
            "identity": {"type": "SystemAssigned"},
            "agentPoolProfiles": [
                {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
            ],
            "autoScalerProfile": {"scaleDownUnneededTime": "5m", "expander": "least-waste"},
            "tags": {"cost-center": "cc-42"},
        },
        "cluster",
    )


@pytest.fixture
def pool(engine: Any, cluster: Any) -> Any:
    return engine.up(POOL, POOL_INPUTS)


def test_sdk_reads_back_every_declared_field_of_a_pool(
    aks: ContainerServiceClient, pool: Any
) -> None:
    read = aks.agent_pools.get("ml", "train", "a100")
    assert read.id == pool.id
    assert (read.count, read.min_count, read.max_count) == (0, 0, 4)
    assert read.enable_auto_scaling is True
    assert (read.mode, read.vm_size) == ("User", "Standard_NC24ads_A100_v4")
    assert (read.os_disk_size_gb, read.max_pods) == (256, 50)
    assert (read.scale_set_priority, read.scale_set_eviction_policy) == ("Spot", "Delete")
    assert read.spot_max_price == -1
    assert read.gpu_profile.driver == "Install"
    assert dict(read.node_labels) == {
        "kubernetes.azure.com/scalesetpriority": "spot",
        "tidegate.dev/capacity-pool": "a100",
    }
    assert list(read.node_taints) == [
        "nvidia.com/gpu=present:NoSchedule",
        "kubernetes.azure.com/scalesetpriority=spot:NoSchedule",
    ]
    assert list(read.availability_zones) == ["1", "2"]
    assert read.scale_down_mode == "Delete"
    assert dict(read.tags) == {"cost-center": "cc-42"}
    assert read.provisioning_state == "Succeeded"


def test_sdk_reads_back_the_cluster_with_every_pool(
    aks: ContainerServiceClient, pool: Any, url: str
) -> None:
    read = aks.managed_clusters.get("ml", "train")
    assert read.location == "westeurope"
    assert dict(read.tags) == {"cost-center": "cc-42"}
    assert read.dns_prefix == "train"
    assert read.identity.type == "SystemAssigned"
    assert sorted(profile.name for profile in read.agent_pool_profiles) == ["a100", "system"]
    assert read.auto_scaler_profile.scale_down_unneeded_time == "5m"
    assert [c.name for c in aks.managed_clusters.list_by_resource_group("ml")] == ["train"]
    assert [c.name for c in aks.managed_clusters.list()] == ["train"]


def test_scaling_to_two_and_back_to_zero(aks: ContainerServiceClient, pool: Any) -> None:
    for count in (2, 0, 1):
        asked = aks.agent_pools.get("ml", "train", "a100")
        asked.count = count
        done = aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
        assert done.count == count
        machines = [m.name for m in aks.machines.list("ml", "train", "a100")]
        assert len(machines) == count
    one = aks.machines.get("ml", "train", "a100", machines[0])
    assert one.name == machines[0]


def test_named_machines_are_deleted_and_the_count_follows(
    aks: ContainerServiceClient, pool: Any
) -> None:
    asked = aks.agent_pools.get("ml", "train", "a100")
    asked.count = 3
    aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    machines = [m.name for m in aks.machines.list("ml", "train", "a100")]
    aks.agent_pools.begin_delete_machines(
        "ml", "train", "a100", {"machineNames": [machines[1]]}
    ).result()
    assert aks.agent_pools.get("ml", "train", "a100").count == 2
    assert [m.name for m in aks.machines.list("ml", "train", "a100")] == [machines[0], machines[2]]


def test_refresh_shows_what_the_sdk_changed_and_nothing_else(
    aks: ContainerServiceClient, engine: Any, pool: Any, cluster: Any
) -> None:
    assert engine.refresh(POOL, pool) == pool.inputs
    assert engine.refresh(CLUSTER, cluster, "cluster") == cluster.inputs
    asked = aks.agent_pools.get("ml", "train", "a100")
    asked.count, asked.max_count, asked.node_labels = 3, 8, {"by": "hand"}
    aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    assert engine.refresh(POOL, pool) == {
        **pool.inputs,
        "count": 3,
        "maxCount": 8,
        "nodeLabels": {"by": "hand"},
    }


def test_update_by_the_engine_keeps_the_size_that_the_sdk_gave(
    aks: ContainerServiceClient, engine: Any, pool: Any
) -> None:
    asked = aks.agent_pools.get("ml", "train", "a100")
    asked.count = 3
    aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    engine.change(POOL, pool, {**POOL_INPUTS, "tags": {"cost-center": "cc-43"}})
    read = aks.agent_pools.get("ml", "train", "a100")
    assert (read.count, dict(read.tags)) == (3, {"cost-center": "cc-43"})


def test_pool_made_and_deleted_by_the_sdk(aks: ContainerServiceClient, pool: Any) -> None:
    asked = {"properties": {"count": 1, "vmSize": "Standard_D4s_v5", "mode": "User"}}
    aks.agent_pools.begin_create_or_update("ml", "train", "cpu", asked).result()
    assert {p.name for p in aks.agent_pools.list("ml", "train")} == {"a100", "cpu", "system"}
    aks.agent_pools.begin_delete("ml", "train", "cpu").result()
    with pytest.raises(ResourceNotFoundError, match="ResourceNotFound"):
        aks.agent_pools.get("ml", "train", "cpu")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"vmSize": "Standard_NC48ads_A100_v4"}, "PropertyChangeNotAllowed", "properties.vmSize"),
        ({"gpuProfile": {"driver": "None"}}, "PropertyChangeNotAllowed", "properties.gpuProfile"),
        ({"minCount": 9}, "InvalidParameter", "greater than maxCount"),
        ({"count": 9}, "InvalidParameter", "not in minCount"),
    ],
)
def test_sdk_is_refused_what_aks_refuses(
    aks: ContainerServiceClient, pool: Any, change: dict[str, Any], code: str, words: str
) -> None:
    asked = aks.agent_pools.get("ml", "train", "a100").as_dict()
    asked["properties"].update(change)
    with pytest.raises(HttpResponseError, match=words) as raised:
        aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    assert raised.value.error.code == code


def test_last_system_pool_stays(aks: ContainerServiceClient, pool: Any) -> None:
    with pytest.raises(HttpResponseError, match="at least one system agent pool"):
        aks.agent_pools.begin_delete("ml", "train", "system").result()


def test_parents_that_do_not_exist_are_named(aks: ContainerServiceClient, engine: Any) -> None:
    with pytest.raises(ResourceNotFoundError, match="ResourceGroupNotFound"):
        aks.agent_pools.get("nowhere", "train", "a100")
    asked = {"properties": {"count": 1, "vmSize": "Standard_D4s_v5"}}
    with pytest.raises(HttpResponseError, match="Parent resource 'train'"):
        aks.agent_pools.begin_create_or_update("ml", "train", "cpu", asked).result()


def test_stock_out_fails_the_operation_and_leaves_the_size(
    world: World, aks: ContainerServiceClient, pool: Any
) -> None:
    world.faults.add(Fault(FaultKind.STOCK_OUT, target="Microsoft.ContainerService/*"))
    asked = aks.agent_pools.get("ml", "train", "a100")
    asked.count = 2
    with pytest.raises(HttpResponseError, match="AllocationFailed"):
        aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    assert aks.agent_pools.get("ml", "train", "a100").count == 0
    aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    assert aks.agent_pools.get("ml", "train", "a100").count == 2


def test_quota_refuses_growth_and_spares_the_rest(
    world: World, aks: ContainerServiceClient, pool: Any
) -> None:
    world.faults.add(Fault(FaultKind.QUOTA, target="*agentPools/write", count=None))
    asked = aks.agent_pools.get("ml", "train", "a100")
    aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    asked.count = 1
    with pytest.raises(HttpResponseError, match="approved cores quota") as raised:
        aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    assert (raised.value.error.code, raised.value.status_code) == ("OperationNotAllowed", 409)


def test_throttling_answers_429_and_the_sdk_tries_again(
    world: World, aks: ContainerServiceClient, pool: Any, url: str
) -> None:
    world.faults.add(Fault(FaultKind.THROTTLING, target="*agentPools/delete"))
    answer = httpx.delete(f"{url}{pool.id}", params={"api-version": "2025-01-01"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.json()["error"]["code"] == "TooManyRequests"
    aks.agent_pools.begin_delete("ml", "train", "a100").result()


def test_what_was_answered_survives_a_killed_process(
    world: World, aks: ContainerServiceClient, pool: Any, make_engine: Any
) -> None:
    asked = aks.agent_pools.get("ml", "train", "a100")
    asked.count = 2
    aks.agent_pools.begin_create_or_update("ml", "train", "a100", asked).result()
    from tidegate.localclouds.server import build_world

    again = build_world(world.state_dir)
    restarted = make_engine(build_azure_cloud(again), again, SETTINGS)
    assert restarted.refresh(POOL, pool) == {**pool.inputs, "count": 2}
    again.store.close()


def test_resource_groups_over_rest(url: str, engine: Any, pool: Any) -> None:
    groups = f"{url}/subscriptions/{SUBSCRIPTION}/resourcegroups"
    version = {"api-version": "2024-03-01"}
    assert [g["name"] for g in httpx.get(groups, params=version).json()["value"]] == ["ml"]
    one = httpx.get(f"{groups}/ML", params=version).json()
    assert (one["location"], one["tags"]) == ("westeurope", {"team": "ml"})
    missing = httpx.get(f"{groups}/other", params=version)
    assert missing.json()["error"]["code"] == "ResourceGroupNotFound"
    unversioned = httpx.get(f"{groups}/ml")
    assert unversioned.json()["error"]["code"] == "MissingApiVersionParameter"
    deleted = httpx.delete(f"{groups}/ml", params=version)
    assert httpx.get(deleted.headers["Azure-AsyncOperation"]).json()["status"] == "Succeeded"
    assert engine.refresh(POOL, pool) is None


def test_the_sdk_gets_the_kubeconfig_of_a_cluster(
    aks: ContainerServiceClient, cluster: Any
) -> None:
    (found,) = aks.managed_clusters.list_cluster_user_credentials("ml", "train").kubeconfigs

    document = yaml.safe_load(found.value)
    assert document["clusters"][0]["cluster"] == {
        "server": f"https://{cluster.outputs['fqdn']}:443"
    }
    assert document["current-context"] == "train"
    with pytest.raises(ResourceNotFoundError):
        aks.managed_clusters.list_cluster_admin_credentials("ml", "other")
