"""The resource types of Azure that an API backs here: those with code of their own, and data's.

Azure's Pulumi properties are REST's own, taken out of `properties`, apart from the few names in
`kind_shapes.py`. Read from pulumi-azure-native 3.29.0 and the azure-mgmt SDKs (containerservice
41.8, compute 39, storage 25.3, loganalytics 14), 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.azure import (
    aks_rules,
    compute_rules,
    identity_rules,
    log_rules,
    storage_rules,
)
from tidegate.localclouds.azure.ids import GROUP_TYPE
from tidegate.localclouds.azure.kind import Kind, Reference
from tidegate.localclouds.azure.kind_data import TRACKED, load_kinds
from tidegate.localclouds.azure.kind_shapes import SHAPES
from tidegate.localclouds.contracts import CheckFailure

NONE: frozenset[str] = frozenset()

# What is kept within a resource and is no type of Pulumi's here.
FLEET_VM = "Microsoft.AzureFleet/fleets/virtualMachines"
MACHINE = "Microsoft.ContainerService/managedClusters/agentPools/machines"
QUEUE_MESSAGE = "Microsoft.Storage/storageAccounts/queueServices/queues/messages"
SCALE_SET_VM = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines"
SUBNETS = ("Microsoft.Network/virtualNetworks/subnets",)
SCALE_SET_SUBNET = (
    "properties.virtualMachineProfile.networkProfile.networkInterfaceConfigurations[].properties"
    ".ipConfigurations[].properties.subnet.id"
)
INNER_TYPES = (FLEET_VM, MACHINE, QUEUE_MESSAGE, SCALE_SET_VM)


def _check_agent_pool(name: Any, body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    for failure in aks_rules.check_pool(name, body.get("properties") or {}):
        place = failure.property if failure.property == "name" else f"properties.{failure.property}"
        yield CheckFailure(place, failure.reason)


RESOURCE_GROUP = Kind(
    "azure-native:resources:ResourceGroup",
    GROUP_TYPE,
    ("resourceGroupName",),
    TRACKED | {"managedBy"},
    compute_rules.check_resource_group,
)
MANAGED_CLUSTER = Kind(
    "azure-native:containerservice:ManagedCluster",
    "Microsoft.ContainerService/managedClusters",
    ("resourceName",),
    TRACKED | {"extendedLocation", "identity", "kind", "sku"},
    aks_rules.check_cluster,
    shape=SHAPES["cluster"],
    waits=True,
    references=(Reference("properties.agentPoolProfiles[].vnetSubnetID", SUBNETS),),
)
AGENT_POOL = Kind(
    "azure-native:containerservice:AgentPool",
    "Microsoft.ContainerService/managedClusters/agentPools",
    ("resourceName", "agentPoolName"),
    NONE,
    _check_agent_pool,
    waits=True,
    references=(
        Reference("properties.podSubnetID", SUBNETS),
        Reference("properties.vnetSubnetID", SUBNETS),
    ),
)
STORAGE_ACCOUNT = Kind(
    "azure-native:storage:StorageAccount",
    "Microsoft.Storage/storageAccounts",
    ("accountName",),
    TRACKED | {"extendedLocation", "identity", "kind", "sku"},
    storage_rules.check_account,
    shape=SHAPES["storage-account"],
)
BLOB_SERVICE = Kind(
    "azure-native:storage:BlobServiceProperties",
    "Microsoft.Storage/storageAccounts/blobServices",
    ("accountName", "blobServicesName"),
    NONE,
    storage_rules.check_blob_service,
)
BLOB_CONTAINER = Kind(
    "azure-native:storage:BlobContainer",
    "Microsoft.Storage/storageAccounts/blobServices/containers",
    ("accountName", "=default", "containerName"),
    NONE,
    storage_rules.check_container,
)
MANAGEMENT_POLICY = Kind(
    "azure-native:storage:ManagementPolicy",
    "Microsoft.Storage/storageAccounts/managementPolicies",
    ("accountName", "managementPolicyName"),
    NONE,
    storage_rules.check_management_policy,
)
WORKSPACE = Kind(
    "azure-native:operationalinsights:Workspace",
    "Microsoft.OperationalInsights/workspaces",
    ("workspaceName",),
    TRACKED | {"identity"},
    log_rules.check_workspace,
    waits=True,
)
TABLE = Kind(
    "azure-native:operationalinsights:Table",
    "Microsoft.OperationalInsights/workspaces/tables",
    ("workspaceName", "tableName"),
    NONE,
    log_rules.check_table,
    waits=True,
)
RESERVATION_GROUP = Kind(
    "azure-native:compute:CapacityReservationGroup",
    "Microsoft.Compute/capacityReservationGroups",
    ("capacityReservationGroupName",),
    TRACKED | {"zones"},
    compute_rules.check_reservation_group,
)
RESERVATION = Kind(
    "azure-native:compute:CapacityReservation",
    "Microsoft.Compute/capacityReservationGroups/capacityReservations",
    ("capacityReservationGroupName", "capacityReservationName"),
    TRACKED | {"sku", "zones"},
    compute_rules.check_reservation,
    waits=True,
)

SCALE_SET = Kind(
    "azure-native:compute:VirtualMachineScaleSet",
    "Microsoft.Compute/virtualMachineScaleSets",
    ("vmScaleSetName",),
    TRACKED | {"extendedLocation", "identity", "plan", "sku", "zones"},
    compute_rules.check_scale_set,
    shape=SHAPES["scale-set"],
    waits=True,
    references=(Reference(SCALE_SET_SUBNET, SUBNETS),),
)

IDENTITY = Kind(
    "azure-native:managedidentity:UserAssignedIdentity",
    "Microsoft.ManagedIdentity/userAssignedIdentities",
    ("resourceName",),
    TRACKED,
    identity_rules.check_identity,
)
ROLE_ASSIGNMENT = Kind(
    "azure-native:authorization:RoleAssignment",
    "Microsoft.Authorization/roleAssignments",
    ("roleAssignmentName",),
    NONE,
    identity_rules.check_role_assignment,
    is_extension=True,
    has_state=False,
)

_DATA = load_kinds()

AUTOSCALE_SETTING = _DATA["azure-native:monitor:AutoscaleSetting"]
EVENT_SUBSCRIPTION = _DATA["azure-native:eventgrid:SystemTopicEventSubscription"]
QUEUE_SERVICE = _DATA["azure-native:storage:QueueServiceProperties"]
ROLE_DEFINITION = _DATA["azure-native:authorization:RoleDefinition"]
SUBNET = _DATA["azure-native:network:Subnet"]
SYSTEM_TOPIC = _DATA["azure-native:eventgrid:SystemTopic"]

KINDS: tuple[Kind, ...] = (
    RESOURCE_GROUP,
    MANAGED_CLUSTER,
    AGENT_POOL,
    STORAGE_ACCOUNT,
    BLOB_SERVICE,
    BLOB_CONTAINER,
    MANAGEMENT_POLICY,
    WORKSPACE,
    TABLE,
    RESERVATION_GROUP,
    RESERVATION,
    SCALE_SET,
    IDENTITY,
    ROLE_ASSIGNMENT,
    *_DATA.values(),
)
# The first of two Pulumi types over one of Azure's stands for it.
BY_TYPE: Mapping[str, Kind] = {kind.type.lower(): kind for kind in reversed(KINDS)}
