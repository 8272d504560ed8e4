"""Azure driven by its own SDKs over loopback, and read back by the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.core.policies import ARMChallengeAuthenticationPolicy
from azure.mgmt.loganalytics import LogAnalyticsManagementClient
from azure.mgmt.storage import StorageManagementClient

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.faults import Fault, FaultKind

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
SETTINGS = {"subscriptionId": SUBSCRIPTION, "location": "westeurope"}
GROUP = "azure-native:resources:ResourceGroup"
CLUSTER = "azure-native:containerservice:ManagedCluster"
POOL = "azure-native:containerservice:AgentPool"
ACCOUNT = "azure-native:storage:StorageAccount"
CONTAINER = "azure-native:storage:BlobContainer"
BLOB_SERVICE = "azure-native:storage:BlobServiceProperties"
POLICY = "azure-native:storage:ManagementPolicy"
WORKSPACE = "azure-native:operationalinsights:Workspace"
TABLE = "azure-native:operationalinsights:Table"
HELD_GROUP = "azure-native:compute:CapacityReservationGroup"
HELD = "azure-native:compute:CapacityReservation"

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


class Anyone:
    """A credential that the local cloud never looks at."""

    def get_token(self, *scopes: str, **kwargs: Any) -> AccessToken:
        return AccessToken("local", 9_999_999_999)


class LoopbackAuthentication(ARMChallengeAuthenticationPolicy):
    """Lets the token pass over plain HTTP, as only loopback may."""

    def on_request(self, request: Any) -> None:
        request.context.options["enforce_https"] = False
        super().on_request(request)


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_azure_cloud(world)


@pytest.fixture
def url(cloud: Cloud, serve: Callable[[Cloud], str]) -> str:
    return serve(cloud)


@pytest.fixture
def options(url: str) -> dict[str, Any]:
    return {
        "credential": Anyone(),
        "subscription_id": SUBSCRIPTION,
        "base_url": url,
        "authentication_policy": LoopbackAuthentication(Anyone(), "local"),
        "polling_interval": 0,
    }


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


def test_capacity_reservations_by_the_sdk(options: dict[str, Any], engine: Any) -> None:
    group = {"resourceGroupName": "ml", "capacityReservationGroupName": "held", "zones": ["1"]}
    engine.up(HELD_GROUP, group, "held")
    sku = {"name": "Standard_NC24ads_A100_v4", "capacity": 2}
    made = engine.up(
        HELD, {**group, "capacityReservationName": "a100", "sku": sku, "tags": {"team": "ml"}}
    )
    compute = ComputeManagementClient(**options)
    read = compute.capacity_reservations.get("ml", "held", "a100")
    assert (read.sku.name, read.sku.capacity, list(read.zones)) == (sku["name"], 2, ["1"])
    inside = compute.capacity_reservation_groups.get("ml", "held").capacity_reservations
    assert [item.id for item in inside] == [made.id]
    for capacity in (0, 3):
        update = {"sku": {**sku, "capacity": capacity}}
        done = compute.capacity_reservations.begin_update("ml", "held", "a100", update).result()
        assert done.sku.capacity == capacity
    assert engine.refresh(HELD, made)["sku"] == {**sku, "capacity": 3}
    with pytest.raises(HttpResponseError, match="it has capacity reservations"):
        compute.capacity_reservation_groups.begin_delete("ml", "held").result()
    compute.capacity_reservations.begin_delete("ml", "held", "a100").result()
    compute.capacity_reservation_groups.begin_delete("ml", "held").result()


def test_storage_by_the_sdk(options: dict[str, Any], engine: Any) -> None:
    where = {"resourceGroupName": "ml", "accountName": "tgcheckpoints"}
    engine.up(
        ACCOUNT,
        {**where, "kind": "StorageV2", "sku": {"name": "Standard_ZRS"}, "accessTier": "Hot",
         "enableHttpsTrafficOnly": True, "minimumTlsVersion": "TLS1_2",
         "networkRuleSet": {"defaultAction": "Deny", "ipRules": [
             {"iPAddressOrRange": "10.0.0.0/8"}]}},
        "account",
    )  # fmt: skip
    engine.up(
        BLOB_SERVICE,
        {**where, "isVersioningEnabled": True,
         "deleteRetentionPolicy": {"enabled": True, "days": 7},
         "lastAccessTimeTrackingPolicy": {"enable": True, "name": "AccessTimeTracking"}},
        "service",
    )  # fmt: skip
    engine.up(CONTAINER, {**where, "containerName": "runs", "metadata": {"class": "checkpoint"}})
    policy = engine.up(POLICY, {**where, "policy": {"rules": [TIERS]}}, "policy")
    storage = StorageManagementClient(**options)
    account = storage.storage_accounts.get_properties("ml", "tgcheckpoints")
    assert (account.kind, account.sku.name, account.access_tier) == (
        "StorageV2",
        "Standard_ZRS",
        "Hot",
    )
    assert account.network_rule_set.ip_rules[0].ip_address_or_range == "10.0.0.0/8"
    assert account.enable_https_traffic_only is True
    service = storage.blob_services.get_service_properties("ml", "tgcheckpoints")
    assert service.is_versioning_enabled is True
    assert service.delete_retention_policy.days == 7
    assert dict(storage.blob_containers.get("ml", "tgcheckpoints", "runs").metadata) == {
        "class": "checkpoint"
    }
    read = storage.management_policies.get("ml", "tgcheckpoints", "default").policy.rules[0]
    base = read.definition.actions.base_blob
    assert base.tier_to_cool.days_after_modification_greater_than == 30
    assert base.tier_to_archive.days_after_last_access_time_greater_than == 180
    assert base.delete.days_after_modification_greater_than == 365
    changed = {**TIERS, "definition": {**TIERS["definition"]}}
    changed["definition"]["actions"] = {
        "baseBlob": {"delete": {"daysAfterModificationGreaterThan": 90}}
    }
    storage.management_policies.create_or_update(
        "ml", "tgcheckpoints", "default", {"properties": {"policy": {"rules": [changed]}}}
    )
    drifted = engine.refresh(POLICY, policy, "policy")
    assert "tierToCool" not in str(
        storage.management_policies.get("ml", "tgcheckpoints", "default").as_dict()
    )
    delete = drifted["policy"]["rules"][0]["definition"]["actions"]["baseBlob"]["delete"]
    assert delete == {"daysAfterModificationGreaterThan": 90}
    with pytest.raises(ResourceNotFoundError):
        storage.management_policies.get("ml", "tgcheckpoints", "other")


TIERS: dict[str, Any] = {
    "name": "tiers",
    "enabled": True,
    "type": "Lifecycle",
    "definition": {
        "filters": {"blobTypes": ["blockBlob"], "prefixMatch": ["runs/"]},
        "actions": {
            "baseBlob": {
                "tierToCool": {"daysAfterModificationGreaterThan": 30},
                "tierToArchive": {"daysAfterLastAccessTimeGreaterThan": 180},
                "delete": {"daysAfterModificationGreaterThan": 365},
            }
        },
    },
}


def test_log_analytics_by_the_sdk(options: dict[str, Any], engine: Any) -> None:
    where = {"resourceGroupName": "ml", "workspaceName": "runs"}
    workspace = engine.up(
        WORKSPACE,
        {**where, "retentionInDays": 90, "sku": {"name": "PerGB2018"},
         "workspaceCapping": {"dailyQuotaGb": 5}},
        "workspace",
    )  # fmt: skip
    table = engine.up(
        TABLE,
        {**where, "tableName": "ContainerLogV2", "plan": "Analytics", "retentionInDays": 30,
         "totalRetentionInDays": 1095},
    )  # fmt: skip
    logs = LogAnalyticsManagementClient(**options)
    read = logs.workspaces.get("ml", "runs")
    assert (read.retention_in_days, read.workspace_capping.daily_quota_gb) == (90, 5)
    live = logs.tables.get("ml", "runs", "ContainerLogV2")
    assert (live.retention_in_days, live.total_retention_in_days) == (30, 1095)
    assert live.archive_retention_in_days == 1065
    assert logs.tables.get("ml", "runs", "Heartbeat").retention_in_days == 90
    logs.workspaces.update("ml", "runs", {"properties": {"retentionInDays": 120}})
    assert engine.refresh(WORKSPACE, workspace, "workspace")["retentionInDays"] == 120
    assert logs.tables.get("ml", "runs", "Heartbeat").retention_in_days == 120
    assert engine.refresh(TABLE, table) == table.inputs


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


SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
SCALE_SET_INPUTS: dict[str, Any] = {
    "resourceGroupName": "ml",
    "vmScaleSetName": "spot",
    "orchestrationMode": "Flexible",
    "sku": {"name": "Standard_NC24ads_A100_v4", "capacity": 0},
    "zones": ["1"],
    "priorityMixPolicy": {
        "baseRegularPriorityCount": 1,
        "regularPriorityPercentageAboveBase": 0,
    },
    "virtualMachineProfile": {
        "priority": "Spot",
        "evictionPolicy": "Delete",
        "billingProfile": {"maxPrice": -1},
        "networkProfile": {
            "networkInterfaceConfigurations": [
                {
                    "name": "nic",
                    "primary": True,
                    "ipConfigurations": [{"name": "ip", "subnet": {"id": "/subnets/a"}}],
                }
            ]
        },
    },
    "tags": {"cost-center": "cc-42"},
}


def test_scale_set_is_read_back_and_scaled_by_the_sdk(options: dict[str, Any], engine: Any) -> None:
    made = engine.up(SCALE_SET, SCALE_SET_INPUTS)
    assert engine.refresh(SCALE_SET, made) == made.inputs
    compute = ComputeManagementClient(**options)
    sets, machines = compute.virtual_machine_scale_sets, compute.virtual_machine_scale_set_vms
    read = sets.get("ml", "spot")
    profile = read.virtual_machine_profile
    assert (read.sku.name, read.sku.capacity, list(read.zones)) == (
        "Standard_NC24ads_A100_v4",
        0,
        ["1"],
    )
    assert (profile.priority, profile.eviction_policy) == ("Spot", "Delete")
    assert profile.billing_profile.max_price == -1
    nic = profile.network_profile.network_interface_configurations[0]
    assert (nic.primary, nic.ip_configurations[0].subnet.id) == (True, "/subnets/a")
    assert read.priority_mix_policy.base_regular_priority_count == 1
    for capacity in (3, 0, 2):
        update = {"sku": {"capacity": capacity}}
        assert sets.begin_update("ml", "spot", update).result().sku.capacity == capacity
        assert len(list(machines.list("ml", "spot"))) == capacity
    first, second = list(machines.list("ml", "spot"))
    sets.begin_delete_instances("ml", "spot", {"instanceIds": [first.instance_id]}).result()
    assert [m.instance_id for m in machines.list("ml", "spot")] == [second.instance_id]
    assert engine.refresh(SCALE_SET, made)["sku"]["capacity"] == 1
