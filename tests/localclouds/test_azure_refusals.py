"""What Azure refuses: one case for each rule, at the property that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import World

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
GPU_SIZE = "Standard_NC24ads_A100_v4"
SPOT = {"scaleSetPriority": "Spot"}


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    settings = {"subscriptionId": "11111111-2222-3333-4444-555555555555"}
    return make_engine(build_azure_cloud(world), world, settings)


def pool(**changes: Any) -> dict[str, Any]:
    where = {**IN_GROUP, "resourceName": "train", "agentPoolName": "a100"}
    return {**where, "vmSize": GPU_SIZE, "mode": "User", **changes}


POOL_CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "name-with-hyphen": (pool(agentPoolName="a-100"), "agentPoolName", "1 to 12 lowercase"),
    "name-too-long": (pool(agentPoolName="a" * 13), "agentPoolName", "1 to 12 lowercase"),
    "windows-name": (
        pool(agentPoolName="windows", osType="Windows"),
        "agentPoolName",
        "1 to 6 lowercase",
    ),
    "unknown-property": (pool(vmSiz="x"), "vmSiz", "did you mean 'vmSize'"),
    "bad-enum": (pool(gpuProfile={"driver": "Latest"}), "gpuProfile.driver", "Install"),
    "missing-group": (
        {"resourceName": "c", "agentPoolName": "a"},
        "resourceGroupName",
        "missing required property",
    ),
    "negative-count": (pool(count=-1), "count", "not in 0 to 1000"),
    "system-at-zero": (
        pool(mode="System", count=0, vmSize="Standard_D4s_v5"),
        "count",
        "at least 1",
    ),
    "system-minimum": (
        pool(mode="System", count=1, enableAutoScaling=True, minCount=0, maxCount=2),
        "minCount",
        "at least 1",
    ),
    "min-above-max": (
        pool(enableAutoScaling=True, minCount=3, maxCount=2),
        "minCount",
        "greater than maxCount",
    ),
    "max-zero": (
        pool(enableAutoScaling=True, minCount=0, maxCount=0),
        "maxCount",
        "not in 1 to 1000",
    ),
    "limits-without-scaling": (pool(maxCount=2), "maxCount", "only when enableAutoScaling"),
    "count-outside-limits": (
        pool(enableAutoScaling=True, count=5, minCount=0, maxCount=2),
        "count",
        "not in minCount",
    ),
    "scaling-without-maximum": (
        pool(enableAutoScaling=True, minCount=0),
        "maxCount",
        "must be given",
    ),
    "spot-with-surge": (
        pool(**SPOT, upgradeSettings={"maxSurge": "10%"}),
        "upgradeSettings.maxSurge",
        "cannot be set for a spot",
    ),
    "spot-with-reservation": (
        pool(**SPOT, capacityReservationGroupID="/subscriptions/s/resourceGroups/ml"),
        "capacityReservationGroupID",
        "cannot use a capacity reservation",
    ),
    "spot-system": (pool(**SPOT, mode="System", count=1), "mode", "cannot be a System pool"),
    "spot-price-zero": (pool(**SPOT, spotMaxPrice=0), "spotMaxPrice", "-1 or greater"),
    "price-without-spot": (pool(spotMaxPrice=-1), "spotMaxPrice", "only when scaleSetPriority"),
    "eviction-without-spot": (
        pool(scaleSetEvictionPolicy="Delete"),
        "scaleSetEvictionPolicy",
        "only when scaleSetPriority",
    ),
    "taint-grammar": (
        pool(nodeTaints=["nvidia.com/gpu=present:NO_SCHEDULE"]),
        "nodeTaints[0]",
        ":NoSchedule",
    ),
    "taint-twice": (pool(nodeTaints=["a=b:NoSchedule", "a=c:NoSchedule"]), "nodeTaints", "2 times"),
    "label-value": (pool(nodeLabels={"team": "ml team"}), "nodeLabels.team", "not valid"),
    "label-reserved": (
        pool(nodeLabels={"kubernetes.azure.com/mode": "user"}),
        "nodeLabels.kubernetes.azure.com/mode",
        "AKS's own",
    ),
    "size-unknown": (pool(vmSize="Standard_NC25ads_A100_v4"), "vmSize", f"'{GPU_SIZE}'"),
    "size-of-another-cloud": (pool(vmSize="p5.48xlarge"), "vmSize", "not known"),
    "mig-on-t4": (
        pool(vmSize="Standard_NC4as_T4_v3", gpuInstanceProfile="MIG1g"),
        "gpuInstanceProfile",
        "no GPU that can be split",
    ),
    "driver-without-gpu": (
        pool(vmSize="Standard_D2s_v5", gpuProfile={"driver": "Install"}),
        "gpuProfile.driver",
        "no GPU to drive",
    ),
    "max-pods": (pool(maxPods=5), "maxPods", "10 to 250"),
    "disk": (pool(osDiskSizeGB=4000), "osDiskSizeGB", "30 to 2048"),
    "no-upgrades": (
        pool(upgradeSettings={"maxSurge": "0", "maxUnavailable": "0"}),
        "upgradeSettings",
        "cannot both be 0",
    ),
    "tag-name": (pool(tags={"cost/center": "1"}), "tags.cost/center", "cannot contain"),
}


@pytest.mark.parametrize("case", sorted(POOL_CASES))
def test_agent_pool_is_refused(engine: Any, case: str) -> None:
    inputs, place, words = POOL_CASES[case]
    refusals = engine.refusals(POOL, inputs)
    assert list(refusals) == [place]
    assert words in refusals[place]


def cluster(**changes: Any) -> dict[str, Any]:
    system = {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
    inputs = {
        **IN_GROUP,
        "resourceName": "train",
        "dnsPrefix": "train",
        "identity": {"type": "SystemAssigned"},
        "agentPoolProfiles": [system],
        **changes,
    }
    return {key: value for key, value in inputs.items() if value is not None}


def policy(actions: dict[str, Any], **filters: Any) -> dict[str, Any]:
    rule = {
        "name": "tiers",
        "type": "Lifecycle",
        "definition": {"filters": {"blobTypes": ["blockBlob"], **filters}, "actions": actions},
    }
    return {**IN_GROUP, "accountName": "tgdata", "policy": {"rules": [rule]}}


def account(**changes: Any) -> dict[str, Any]:
    inputs = {**IN_GROUP, "accountName": "tgdata", "kind": "StorageV2"}
    return {**inputs, "sku": {"name": "Standard_LRS"}, **changes}


def table(**changes: Any) -> dict[str, Any]:
    return {**IN_GROUP, "workspaceName": "runs", "tableName": "ContainerLogV2", **changes}


def held(**changes: Any) -> dict[str, Any]:
    names = {"capacityReservationGroupName": "held", "capacityReservationName": "a100"}
    return {**IN_GROUP, **names, "sku": {"name": GPU_SIZE, "capacity": 1}, **changes}


def scale_set(**changes: Any) -> dict[str, Any]:
    inputs = {**IN_GROUP, "vmScaleSetName": "spot", "sku": {"name": GPU_SIZE, "capacity": 0}}
    return {**inputs, **changes}


SCALE_SET = "azure-native:compute:VirtualMachineScaleSet"
MIX = {"regularPriorityPercentageAboveBase": 0}
RULE = "policy.rules[0].definition"
IN_ACCOUNT = {**IN_GROUP, "accountName": "tgdata"}
OTHER_CASES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "group-name": (
        GROUP,
        {"resourceGroupName": "ml.", "location": "westeurope"},
        "resourceGroupName",
        "not ending with a period",
    ),
    "group-without-location": (GROUP, {"resourceGroupName": "ml"}, "location", "required"),
    "region": (
        GROUP,
        {"resourceGroupName": "ml", "location": "westeurop"},
        "location",
        "Did you mean 'westeurope'",
    ),
    "tags-differing-in-case": (
        GROUP,
        {"resourceGroupName": "ml", "location": "eastus", "tags": {"Team": "a", "team": "b"}},
        "tags.team",
        "differ in case alone",
    ),
    "too-many-tags": (
        GROUP,
        {
            "resourceGroupName": "ml",
            "location": "eastus",
            "tags": {f"t{n}": "" for n in range(51)},
        },
        "tags",
        "at most 50",
    ),
    "cluster-name": (CLUSTER, cluster(resourceName="train!"), "resourceName", "not valid"),
    "cluster-without-prefix": (CLUSTER, cluster(dnsPrefix=None), "dnsPrefix", "missing"),
    "cluster-prefix": (CLUSTER, cluster(dnsPrefix="-x"), "dnsPrefix", "not valid"),
    "cluster-without-identity": (CLUSTER, cluster(identity=None), "identity", "needs an identity"),
    "cluster-without-pools": (
        CLUSTER,
        cluster(agentPoolProfiles=None),
        "agentPoolProfiles",
        "missing",
    ),
    "cluster-without-system-pool": (
        CLUSTER,
        cluster(agentPoolProfiles=[{"name": "cpu", "mode": "User", "count": 1}]),
        "agentPoolProfiles",
        "at least one System",
    ),
    "cluster-inline-pool": (
        CLUSTER,
        cluster(agentPoolProfiles=[{"name": "system-1", "mode": "System", "count": 1}]),
        "agentPoolProfiles[0].name",
        "1 to 12 lowercase",
    ),
    "account-name": (ACCOUNT, account(accountName="tg-data"), "accountName", "3 and 24"),
    "account-tier-missing": (ACCOUNT, account(kind="BlobStorage"), "accessTier", "required"),
    "account-premium-kind": (ACCOUNT, account(kind="BlockBlobStorage"), "sku.name", "Premium"),
    "account-kind": (ACCOUNT, account(kind="StorageV3"), "kind", "StorageV2"),
    "account-without-sku": (
        ACCOUNT,
        {**IN_ACCOUNT, "kind": "StorageV2"},
        "sku",
        "missing required property",
    ),
    "container-name": (
        CONTAINER,
        {**IN_ACCOUNT, "containerName": "a--b"},
        "containerName",
        "single dashes",
    ),
    "blob-service-name": (
        BLOB_SERVICE,
        {**IN_ACCOUNT, "blobServicesName": "blobs"},
        "blobServicesName",
        "is 'default'",
    ),
    "delete-retention": (
        BLOB_SERVICE,
        {**IN_ACCOUNT, "deleteRetentionPolicy": {"enabled": True, "days": 366}},
        "deleteRetentionPolicy.days",
        "1 to 365",
    ),
    "delete-retention-without-days": (
        BLOB_SERVICE,
        {**IN_ACCOUNT, "deleteRetentionPolicy": {"enabled": True}},
        "deleteRetentionPolicy.days",
        "needs days",
    ),
    "restore-longer-than-kept": (
        BLOB_SERVICE,
        {
            **IN_ACCOUNT,
            "isVersioningEnabled": True,
            "changeFeed": {"enabled": True},
            "deleteRetentionPolicy": {"enabled": True, "days": 7},
            "restorePolicy": {"enabled": True, "days": 7},
        },
        "restorePolicy.days",
        "fewer than",
    ),
    "restore-without-versions": (
        BLOB_SERVICE,
        {
            **IN_ACCOUNT,
            "changeFeed": {"enabled": True},
            "deleteRetentionPolicy": {"enabled": True, "days": 7},
            "restorePolicy": {"enabled": True, "days": 6},
        },
        "restorePolicy",
        "isVersioningEnabled",
    ),
    "delete-without-days": (
        POLICY,
        policy({"baseBlob": {"delete": {}}}),
        f"{RULE}.actions.baseBlob.delete",
        "all at once",
    ),
    "rule-without-action": (POLICY, policy({}), f"{RULE}.actions", "needs an action"),
    "negative-days": (
        POLICY,
        policy({"baseBlob": {"delete": {"daysAfterModificationGreaterThan": -1}}}),
        f"{RULE}.actions.baseBlob.delete.daysAfterModificationGreaterThan",
        "not in 0 to",
    ),
    "append-blob-tier": (
        POLICY,
        policy(
            {"baseBlob": {"tierToCool": {"daysAfterModificationGreaterThan": 30}}},
            blobTypes=["appendBlob"],
        ),
        f"{RULE}.actions.baseBlob.tierToCool",
        "not possible for appendBlob",
    ),
    "blob-type": (
        POLICY,
        policy(
            {"baseBlob": {"delete": {"daysAfterModificationGreaterThan": 30}}},
            blobTypes=["pageBlob"],
        ),
        f"{RULE}.filters.blobTypes[0]",
        "blockBlob",
    ),
    "tier-change-on-delete": (
        POLICY,
        policy(
            {
                "baseBlob": {
                    "delete": {
                        "daysAfterModificationGreaterThan": 30,
                        "daysAfterLastTierChangeGreaterThan": 7,
                    }
                }
            }
        ),
        f"{RULE}.actions.baseBlob.delete.daysAfterLastTierChangeGreaterThan",
        "Only tierToArchive",
    ),
    "workspace-name": (
        WORKSPACE,
        {**IN_GROUP, "workspaceName": "a_b"},
        "workspaceName",
        "4 to 63",
    ),
    "workspace-retention-short": (
        WORKSPACE,
        {**IN_GROUP, "workspaceName": "runs", "retentionInDays": 29},
        "retentionInDays",
        "30 to 730",
    ),
    "workspace-retention-long": (
        WORKSPACE,
        {**IN_GROUP, "workspaceName": "runs", "retentionInDays": 731},
        "retentionInDays",
        "30 to 730",
    ),
    "workspace-cap": (
        WORKSPACE,
        {**IN_GROUP, "workspaceName": "runs", "workspaceCapping": {"dailyQuotaGb": 0.01}},
        "workspaceCapping.dailyQuotaGb",
        "at least 0.023",
    ),
    "table-retention": (TABLE, table(retentionInDays=3), "retentionInDays", "4 to 730"),
    "table-total-between-steps": (
        TABLE,
        table(totalRetentionInDays=1000),
        "totalRetentionInDays",
        "1095",
    ),
    "table-total-shorter": (
        TABLE,
        table(retentionInDays=90, totalRetentionInDays=30),
        "totalRetentionInDays",
        "shorter than",
    ),
    "table-name": (TABLE, table(tableName="Runs"), "tableName", "ends with _CL"),
    "custom-table-without-schema": (TABLE, table(tableName="Runs_CL"), "schema", "needs a schema"),
    "custom-table-without-time": (
        TABLE,
        table(tableName="Runs_CL", schema={"name": "Runs_CL", "columns": [{"name": "A"}]}),
        "schema.columns",
        "TimeGenerated",
    ),
    "reservation-group-zone": (
        HELD_GROUP,
        {**IN_GROUP, "capacityReservationGroupName": "held", "zones": ["4"]},
        "zones[0]",
        "1, 2, 3",
    ),
    "reservation-group-name": (
        HELD_GROUP,
        {**IN_GROUP, "capacityReservationGroupName": "held."},
        "capacityReservationGroupName",
        "invalid",
    ),
    "reservation-in-two-zones": (HELD, held(zones=["1", "2"]), "zones", "one zone"),
    "reservation-size": (
        HELD,
        held(sku={"name": "Standard_NC1_A100", "capacity": 1}),
        "sku.name",
        "not known",
    ),
    "reservation-count": (
        HELD,
        held(sku={"name": GPU_SIZE, "capacity": -1}),
        "sku.capacity",
        "0 to 1000",
    ),
    "scale-set-size": (
        SCALE_SET,
        scale_set(sku={"name": "Standard_NC1_A100", "capacity": 1}),
        "sku.name",
        "not known",
    ),
    "scale-set-capacity": (
        SCALE_SET,
        scale_set(sku={"name": GPU_SIZE, "capacity": 1001}),
        "sku.capacity",
        "0 to 1000",
    ),
    "scale-set-eviction-without-spot": (
        SCALE_SET,
        scale_set(virtualMachineProfile={"evictionPolicy": "Delete"}),
        "virtualMachineProfile.evictionPolicy",
        "only when priority is Spot",
    ),
    "scale-set-mix-without-spot": (
        SCALE_SET,
        scale_set(orchestrationMode="Flexible", priorityMixPolicy=MIX),
        "priorityMixPolicy",
        "priority Spot",
    ),
    "scale-set-mix-uniform": (
        SCALE_SET,
        scale_set(
            orchestrationMode="Uniform",
            priorityMixPolicy=MIX,
            virtualMachineProfile={"priority": "Spot"},
        ),
        "priorityMixPolicy",
        "orchestrationMode Flexible",
    ),
    "scale-set-mix-share": (
        SCALE_SET,
        scale_set(
            orchestrationMode="Flexible",
            priorityMixPolicy={"regularPriorityPercentageAboveBase": 101},
            virtualMachineProfile={"priority": "Spot"},
        ),
        "priorityMixPolicy.regularPriorityPercentageAboveBase",
        "0 to 100",
    ),
    "scale-set-spot-reservation": (
        SCALE_SET,
        scale_set(
            virtualMachineProfile={
                "priority": "Spot",
                "capacityReservation": {"capacityReservationGroup": {"id": "/x"}},
            }
        ),
        "virtualMachineProfile.capacityReservation",
        "cannot use a capacity reservation",
    ),
    "reservation-without-size": (HELD, held(sku={"capacity": 1}), "sku.name", "missing"),
}


@pytest.mark.parametrize("case", sorted(OTHER_CASES))
def test_other_type_is_refused(engine: Any, case: str) -> None:
    token, inputs, place, words = OTHER_CASES[case]
    refusals = engine.refusals(token, inputs)
    assert list(refusals) == [place]
    assert words in refusals[place]
