"""Azure types as the engine meets them: no change twice, replacements, references, one owner."""

from __future__ import annotations

from typing import Any

import pytest

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import UNKNOWN, World
from tidegate.localclouds.refusals import CloudError

SETTINGS = {"subscriptionId": "11111111-2222-3333-4444-555555555555"}
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

IN_GROUP = {"resourceGroupName": "ml"}
SUBNET_ID = (
    f"/subscriptions/{SETTINGS['subscriptionId']}/resourceGroups/ml/providers/Microsoft.Network"
    "/virtualNetworks/net/subnets/nodes"
)
GPU_SIZE = "Standard_NC24ads_A100_v4"
CLUSTER_INPUTS: dict[str, Any] = {
    **IN_GROUP,
    "resourceName": "train",
    "dnsPrefix": "train",
    "identity": {"type": "SystemAssigned"},
    "agentPoolProfiles": [
        {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
    ],
}
POOL_INPUTS: dict[str, Any] = {
    **IN_GROUP,
    "resourceName": "train",
    "agentPoolName": "a100",
    "count": 0,
    "mode": "User",
    "type": "VirtualMachineScaleSets",
    "vmSize": GPU_SIZE,
    "gpuProfile": {"driver": "Install"},
}
ACCOUNT_INPUTS: dict[str, Any] = {
    **IN_GROUP,
    "accountName": "tgdata",
    "kind": "StorageV2",
    "sku": {"name": "Standard_LRS"},
    "location": "West Europe",
    "tags": {"Cost Center": "cc-42"},
}
IN_ACCOUNT = {**IN_GROUP, "accountName": "tgdata"}
WORKSPACE_INPUTS: dict[str, Any] = {**IN_GROUP, "workspaceName": "runs", "retentionInDays": 30}
HELD_GROUP_INPUTS: dict[str, Any] = {
    **IN_GROUP,
    "capacityReservationGroupName": "held",
    "zones": ["1", "2"],
}
HELD_INPUTS: dict[str, Any] = {
    **IN_GROUP,
    "capacityReservationGroupName": "held",
    "capacityReservationName": "a100",
    "zones": ["1"],
    "sku": {"name": GPU_SIZE, "capacity": 1},
}


def build_policy(**base: Any) -> dict[str, Any]:
    rule = {
        "name": "tiers",
        "type": "Lifecycle",
        "definition": {
            "filters": {"blobTypes": ["blockBlob"]},
            "actions": {"baseBlob": base},
        },
    }
    return {**IN_ACCOUNT, "policy": {"rules": [rule]}}


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_azure_cloud(world), world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml", "location": "westeurope"}, "group")
    return made


def build_surroundings(engine: Any, token: str) -> None:
    """Make what a type stands in."""
    if token == POOL:
        engine.up(CLUSTER, CLUSTER_INPUTS, "cluster")
    if token in (CONTAINER, BLOB_SERVICE, POLICY):
        engine.up(ACCOUNT, ACCOUNT_INPUTS, "account")
    if token == TABLE:
        engine.up(WORKSPACE, WORKSPACE_INPUTS, "workspace")
    if token == HELD:
        engine.up(HELD_GROUP, HELD_GROUP_INPUTS, "held-group")


UNCHANGED: list[tuple[str, dict[str, Any]]] = [
    (CLUSTER, CLUSTER_INPUTS),
    (CLUSTER, {**CLUSTER_INPUTS, "autoScalerProfile": {"scaleDownUnneededTime": "5m"},
               "oidcIssuerProfile": {"enabled": True}, "sku": {"name": "Base", "tier": "Standard"},
               "networkProfile": {"networkPlugin": "azure"}, "tags": {"team": "ml"}}),
    (POOL, POOL_INPUTS),
    (POOL, {**POOL_INPUTS, "scaleSetPriority": "Spot", "enableAutoScaling": True,
            "minCount": 0, "maxCount": 3}),
    (ACCOUNT, ACCOUNT_INPUTS),
    (CONTAINER, {**IN_ACCOUNT, "containerName": "runs", "metadata": {"class": "checkpoint"}}),
    (BLOB_SERVICE, {**IN_ACCOUNT, "isVersioningEnabled": True}),
    (POLICY, build_policy(tierToCool={"daysAfterModificationGreaterThan": 30})),
    (WORKSPACE, WORKSPACE_INPUTS),
    (TABLE, {**IN_GROUP, "workspaceName": "runs", "tableName": "ContainerLogV2",
             "plan": "Analytics", "retentionInDays": 90, "totalRetentionInDays": 180}),
    (TABLE, {**IN_GROUP, "workspaceName": "runs", "tableName": "Runs_CL",
             "schema": {"name": "Runs_CL", "columns": [
                 {"name": "TimeGenerated", "type": "dateTime"}]}}),
    (HELD_GROUP, HELD_GROUP_INPUTS),
    (HELD, HELD_INPUTS),
]  # fmt: skip


@pytest.mark.parametrize(("token", "inputs"), UNCHANGED)
def test_second_up_and_refresh_show_no_change(
    engine: Any, token: str, inputs: dict[str, Any]
) -> None:
    build_surroundings(engine, token)
    made = engine.up(token, inputs)
    assert engine.refresh(token, made) == made.inputs
    assert engine.diff(token, made, inputs).changes == []
    engine.destroy(token, made)
    gone = engine.refresh(token, made)
    # An account's blob service and Azure's own tables are there whatever happens.
    implied = token == BLOB_SERVICE or inputs.get("tableName") == "ContainerLogV2"
    assert (gone is not None) is implied


def test_resource_group_shows_no_change(engine: Any) -> None:
    inputs = {"resourceGroupName": "other", "location": "North Europe", "tags": {"team": "ml"}}
    made = engine.up(GROUP, inputs, "other")
    assert made.outputs["location"] == "North Europe"
    assert engine.refresh(GROUP, made, "other") == made.inputs


@pytest.mark.parametrize(
    ("token", "inputs", "change", "replaces"),
    [
        (POOL, POOL_INPUTS, {"vmSize": "Standard_NC48ads_A100_v4"}, {"vmSize"}),
        (POOL, POOL_INPUTS, {"gpuInstanceProfile": "MIG1g"}, {"gpuInstanceProfile"}),
        (POOL, POOL_INPUTS, {"count": 2}, set()),
        (POOL, POOL_INPUTS, {"nodeLabels": {"a": "b"}}, set()),
        (ACCOUNT, ACCOUNT_INPUTS, {"accountName": "tgother"}, {"accountName"}),
        (ACCOUNT, ACCOUNT_INPUTS, {"isHnsEnabled": True}, {"isHnsEnabled"}),
        (ACCOUNT, ACCOUNT_INPUTS, {"sku": {"name": "Standard_ZRS"}}, set()),
        (WORKSPACE, WORKSPACE_INPUTS, {"workspaceName": "other"}, {"workspaceName"}),
        (WORKSPACE, WORKSPACE_INPUTS, {"retentionInDays": 60}, set()),
        (HELD, HELD_INPUTS, {"sku": {"name": GPU_SIZE, "capacity": 4}}, set()),
        (HELD_GROUP, HELD_GROUP_INPUTS, {"location": "northeurope"}, {"location"}),
        (CLUSTER, CLUSTER_INPUTS, {"dnsPrefix": "other"}, {"dnsPrefix"}),
        (CLUSTER, CLUSTER_INPUTS, {"tags": {"team": "ml"}}, set()),
    ],
)
def test_replaced_where_the_provider_replaces_and_changed_where_azure_can(
    engine: Any, token: str, inputs: dict[str, Any], change: dict[str, Any], replaces: set[str]
) -> None:
    build_surroundings(engine, token)
    made = engine.up(token, inputs)
    wanted = {**inputs, **change}
    assert engine.diff(token, made, wanted).replaces == replaces
    if not replaces:
        changed = engine.change(token, made, wanted)
        assert engine.refresh(token, changed) == changed.inputs


@pytest.mark.parametrize(
    ("token", "inputs", "change", "words"),
    [
        (POOL, POOL_INPUTS, {"gpuProfile": {"driver": "None"}}, "properties.gpuProfile"),
        (POOL, POOL_INPUTS, {"maxPods": 42}, "properties.maxPods"),
        (POOL, POOL_INPUTS, {"osDiskSizeGB": 64}, "properties.osDiskSizeGB"),
        (POOL, POOL_INPUTS, {"enableNodePublicIP": True}, "properties.enableNodePublicIP"),
        (ACCOUNT, ACCOUNT_INPUTS, {"kind": "Storage"}, "'kind' cannot be changed"),
        (ACCOUNT, ACCOUNT_INPUTS, {"enableNfsV3": True}, "properties.isNfsV3Enabled"),
        (ACCOUNT, ACCOUNT_INPUTS, {"encryption": {"requireInfrastructureEncryption": True}},
         "properties.encryption.requireInfrastructureEncryption"),
        (HELD, HELD_INPUTS, {"zones": ["2"]}, "zones"),
        (HELD, HELD_INPUTS, {"sku": {"name": "Standard_NC48ads_A100_v4", "capacity": 1}},
         "'sku.name' is not allowed"),
        (HELD_GROUP, HELD_GROUP_INPUTS, {"zones": ["1"]}, "'zones' is not allowed"),
        (CLUSTER, CLUSTER_INPUTS, {"enableRBAC": False}, "properties.enableRBAC"),
    ],
)  # fmt: skip
def test_what_azure_never_changes_fails_the_update_and_is_no_replacement(
    engine: Any, token: str, inputs: dict[str, Any], change: dict[str, Any], words: str
) -> None:
    build_surroundings(engine, token)
    made = engine.up(token, inputs)
    wanted = {**inputs, **change}
    assert engine.diff(token, made, wanted).replaces == set()
    with pytest.raises(CloudError, match=words):
        engine.change(token, made, wanted)
    assert engine.refresh(token, made) == made.inputs


@pytest.mark.parametrize(
    ("token", "inputs", "words"),
    [
        (ACCOUNT, {**ACCOUNT_INPUTS, "resourceGroupName": "gone"}, "Resource group 'gone'"),
        (POOL, POOL_INPUTS, "Parent resource 'train'"),
        (CONTAINER, {**IN_ACCOUNT, "containerName": "runs"}, "Parent resource 'tgdata'"),
        (BLOB_SERVICE, IN_ACCOUNT, "Parent resource 'tgdata'"),
        (POLICY, build_policy(delete={"daysAfterModificationGreaterThan": 1}),
         "Parent resource 'tgdata'"),
        (CLUSTER, {**CLUSTER_INPUTS, "agentPoolProfiles": [
            {**CLUSTER_INPUTS["agentPoolProfiles"][0], "vnetSubnetID": SUBNET_ID}]},
         "subnets/nodes referenced by"),
        (TABLE, {**IN_GROUP, "workspaceName": "runs", "tableName": "Perf"},
         "Parent resource 'runs'"),
        (HELD, HELD_INPUTS, "Parent resource 'held'"),
    ],
)  # fmt: skip
def test_references_to_what_does_not_exist_are_refused(
    engine: Any, token: str, inputs: dict[str, Any], words: str
) -> None:
    with pytest.raises(CloudError, match=words):
        engine.up(token, inputs)


def test_pool_stands_in_a_subnet_that_exists(engine: Any) -> None:
    build_surroundings(engine, POOL)
    with pytest.raises(CloudError, match="subnets/nodes referenced by"):
        engine.up(POOL, {**POOL_INPUTS, "vnetSubnetID": SUBNET_ID})
    network = {**IN_GROUP, "virtualNetworkName": "net",
               "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
               "subnets": [{"name": "nodes", "addressPrefix": "10.0.0.0/24"}]}  # fmt: skip
    made = engine.up("azure-native:network:VirtualNetwork", network, "network")
    assert engine.refresh("azure-native:network:VirtualNetwork", made, "network") == made.inputs
    engine.up(POOL, {**POOL_INPUTS, "vnetSubnetID": SUBNET_ID})


def test_pool_needs_a_reservation_group_that_holds_its_size(engine: Any) -> None:
    build_surroundings(engine, POOL)
    group = engine.up(HELD_GROUP, HELD_GROUP_INPUTS, "held-group")
    inputs = {**POOL_INPUTS, "capacityReservationGroupID": group.id}
    absent = {**inputs, "capacityReservationGroupID": f"{group.id}x"}
    with pytest.raises(CloudError, match=r"Capacity reservation group '.*' was not found"):
        engine.up(POOL, absent)
    with pytest.raises(CloudError, match=f"no reservation of size {GPU_SIZE}"):
        engine.up(POOL, inputs)


def test_reservation_stands_in_the_zones_of_its_group(engine: Any) -> None:
    build_surroundings(engine, HELD)
    with pytest.raises(CloudError, match=r"zones \['3'\] are not among the zones of the group"):
        engine.up(HELD, {**HELD_INPUTS, "zones": ["3"]})


def test_lifecycle_policy_of_another_name_is_not_found(engine: Any) -> None:
    build_surroundings(engine, POLICY)
    inputs = build_policy(delete={"daysAfterModificationGreaterThan": 1})
    with pytest.raises(CloudError, match="the only name there is is 'default'") as raised:
        engine.up(POLICY, {**inputs, "managementPolicyName": "tiers"})
    assert raised.value.status == 404


def test_last_access_rules_need_tracking_first(engine: Any) -> None:
    build_surroundings(engine, POLICY)
    inputs = build_policy(tierToCool={"daysAfterLastAccessTimeGreaterThan": 30})
    with pytest.raises(CloudError, match="tracking is not enabled"):
        engine.up(POLICY, inputs)
    tracking = {**IN_ACCOUNT, "lastAccessTimeTrackingPolicy": {"enable": True}}
    service = engine.up(BLOB_SERVICE, tracking, "service")
    engine.up(POLICY, inputs)
    with pytest.raises(CloudError, match="cannot be turned off"):
        engine.change(
            BLOB_SERVICE,
            service,
            {**IN_ACCOUNT, "lastAccessTimeTrackingPolicy": {"enable": False}},
            "service",
        )


def test_account_names_are_taken_once_in_all_groups(engine: Any) -> None:
    engine.up(ACCOUNT, ACCOUNT_INPUTS)
    engine.up(GROUP, {"resourceGroupName": "other", "location": "westeurope"}, "other")
    with pytest.raises(CloudError, match="tgdata is already taken"):
        engine.up(ACCOUNT, {**ACCOUNT_INPUTS, "resourceGroupName": "other"}, "second")


def test_public_container_needs_an_account_that_permits_it(engine: Any) -> None:
    build_surroundings(engine, CONTAINER)
    with pytest.raises(CloudError, match="Public access is not permitted"):
        engine.up(CONTAINER, {**IN_ACCOUNT, "containerName": "runs", "publicAccess": "Blob"})


def test_second_resource_of_the_same_id_is_refused(engine: Any) -> None:
    engine.up(WORKSPACE, WORKSPACE_INPUTS, "first")
    with pytest.raises(CloudError, match="cannot create already existing resource"):
        engine.up(WORKSPACE, WORKSPACE_INPUTS, "second")


def test_cluster_leaves_pools_that_are_resources_of_their_own(engine: Any) -> None:
    cluster = engine.up(CLUSTER, CLUSTER_INPUTS, "cluster")
    pool = engine.up(POOL, POOL_INPUTS)
    assert engine.refresh(CLUSTER, cluster, "cluster") == cluster.inputs
    changed = engine.change(CLUSTER, cluster, {**CLUSTER_INPUTS, "tags": {"a": "b"}}, "cluster")
    assert engine.refresh(POOL, pool) == pool.inputs
    assert engine.refresh(CLUSTER, changed, "cluster") == changed.inputs


def test_names_left_out_fit_azures_grammar(engine: Any) -> None:
    build_surroundings(engine, POOL)
    inputs = {key: part for key, part in POOL_INPUTS.items() if key != "agentPoolName"}
    made = engine.up(POOL, inputs, "train-a100-spot")
    assert made.inputs["agentPoolName"].isalnum()
    assert len(made.inputs["agentPoolName"]) <= 12
    bare = {key: part for key, part in ACCOUNT_INPUTS.items() if key != "accountName"}
    account = engine.up(ACCOUNT, bare, "my-checkpoints")
    assert account.inputs["accountName"].startswith("mycheckpoints")


def test_preview_with_unknown_values_refuses_nothing(engine: Any) -> None:
    pool = {
        "resourceGroupName": UNKNOWN, "resourceName": UNKNOWN, "agentPoolName": "a100",
        "count": UNKNOWN, "enableAutoScaling": UNKNOWN, "minCount": UNKNOWN, "maxCount": 3,
        "mode": UNKNOWN, "vmSize": UNKNOWN, "scaleSetPriority": UNKNOWN, "spotMaxPrice": -1,
        "nodeLabels": {"a": UNKNOWN}, "nodeTaints": [UNKNOWN], "gpuProfile": UNKNOWN,
        "upgradeSettings": {"maxSurge": UNKNOWN}, "tags": {"a": UNKNOWN},
    }  # fmt: skip
    assert engine.refusals(POOL, pool) == {}
    cluster = {**CLUSTER_INPUTS, "agentPoolProfiles": UNKNOWN, "identity": UNKNOWN,
               "dnsPrefix": UNKNOWN, "location": UNKNOWN}  # fmt: skip
    assert engine.refusals(CLUSTER, cluster) == {}
    held = {**HELD_INPUTS, "sku": UNKNOWN, "zones": UNKNOWN}
    assert engine.refusals(HELD, held) == {}
    table = {**IN_GROUP, "workspaceName": UNKNOWN, "tableName": "Runs_CL", "schema": UNKNOWN,
             "retentionInDays": UNKNOWN}  # fmt: skip
    assert engine.refusals(TABLE, table) == {}


def test_import_finds_what_no_program_made(engine: Any, world: World) -> None:
    build_surroundings(engine, POOL)
    made = engine.up(POOL, POOL_INPUTS, "first")
    world.store.delete("azure-native", POOL, made.id)
    found = engine.adopt(POOL, made.id, "imported")
    assert {name: found[name] for name in POOL_INPUTS} == POOL_INPUTS
    assert engine.adopt(POOL, f"{made.id}x", "absent") is None
