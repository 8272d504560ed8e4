"""Azure's storage, logs, reservations and scale sets by its own SDKs over loopback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.loganalytics import LogAnalyticsManagementClient
from azure.mgmt.storage import StorageManagementClient

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
SETTINGS = {"subscriptionId": SUBSCRIPTION, "location": "westeurope"}
GROUP = "azure-native:resources:ResourceGroup"
ACCOUNT = "azure-native:storage:StorageAccount"
CONTAINER = "azure-native:storage:BlobContainer"
BLOB_SERVICE = "azure-native:storage:BlobServiceProperties"
POLICY = "azure-native:storage:ManagementPolicy"
WORKSPACE = "azure-native:operationalinsights:Workspace"
TABLE = "azure-native:operationalinsights:Table"
HELD_GROUP = "azure-native:compute:CapacityReservationGroup"
HELD = "azure-native:compute:CapacityReservation"


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_azure_cloud(world)


@pytest.fixture
def options(
    cloud: Cloud,
    serve: Callable[[Cloud], str],
    build_azure_options: Callable[..., dict[str, Any]],
) -> dict[str, Any]:
    return build_azure_options(serve(cloud), SUBSCRIPTION)


@pytest.fixture
def engine(cloud: Cloud, world: World, make_engine: Any) -> Any:
    made = make_engine(cloud, world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    return made


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


SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
NETWORK = "azure-native:network:VirtualNetwork"
NETWORK_INPUTS: dict[str, Any] = {
    "resourceGroupName": "ml",
    "virtualNetworkName": "net",
    "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
    "subnets": [{"name": "nodes", "addressPrefix": "10.0.0.0/24"}],
}
SUBNET_ID = (
    f"/subscriptions/{SUBSCRIPTION}/resourceGroups/ml/providers/Microsoft.Network"
    "/virtualNetworks/net/subnets/nodes"
)
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
                    "ipConfigurations": [{"name": "ip", "subnet": {"id": SUBNET_ID}}],
                }
            ]
        },
    },
    "tags": {"cost-center": "cc-42"},
}


def test_scale_set_is_read_back_and_scaled_by_the_sdk(options: dict[str, Any], engine: Any) -> None:
    engine.up(NETWORK, NETWORK_INPUTS, "network")
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
    assert (nic.primary, nic.ip_configurations[0].subnet.id) == (True, SUBNET_ID)
    assert read.priority_mix_policy.base_regular_priority_count == 1
    for capacity in (3, 0, 2):
        update = {"sku": {"capacity": capacity}}
        assert sets.begin_update("ml", "spot", update).result().sku.capacity == capacity
        assert len(list(machines.list("ml", "spot"))) == capacity
    first, second = list(machines.list("ml", "spot"))
    sets.begin_delete_instances("ml", "spot", {"instanceIds": [first.instance_id]}).result()
    assert [m.instance_id for m in machines.list("ml", "spot")] == [second.instance_id]
    assert engine.refresh(SCALE_SET, made)["sku"]["capacity"] == 1
