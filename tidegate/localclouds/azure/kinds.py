"""The resource types of Azure that an API backs here: where they are, what they carry.

Read from pulumi-azure-native 3.29.0 and the azure-mgmt SDKs (containerservice 41.8, compute 39,
storage 25.3, loganalytics 14), 2026-11-30. Azure's Pulumi properties are REST's own, taken out of
`properties`, apart from the few names below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tidegate.localclouds.azure import (
    aks_rules,
    compute_rules,
    identity_rules,
    log_rules,
    storage_rules,
)
from tidegate.localclouds.azure.ids import GROUP_TYPE
from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.rest_shape import SAME, Field, Shape

Rule = Callable[[Any, Mapping[str, Any]], Iterator[CheckFailure]]

TRACKED = frozenset({"location", "tags"})
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kind:
    """One resource type.

    Attributes:
        token: Pulumi's type token.
        type: Azure's resource type.
        names: For each step of the type, the Pulumi input with its name, or "=x" for a fixed x.
        envelope: Properties that stand beside `properties` in REST.
        check: Says what Azure refuses in a body, given the name and the whole body.
        shape: Where properties stand in `properties`, where the names differ.
        waits: Whether a change answers with an operation to poll.
        is_extension: Whether it hangs on a resource of another type, its input `scope`.
    """

    token: str
    type: str
    names: tuple[str, ...]
    envelope: frozenset[str]
    check: Rule
    shape: Shape = SAME
    waits: bool = False
    is_extension: bool = False

    @property
    def own_name(self) -> str:
        """The Pulumi input that names the resource itself."""
        return self.names[-1].removeprefix("=")

    @property
    def path_inputs(self) -> frozenset[str]:
        """The Pulumi inputs that are in the path and in no body."""
        if self.is_extension:
            return frozenset({"scope", *self.names})
        return frozenset({"resourceGroupName", *self.names})


def _to_kebab(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the autoscaler profile with the flag names that AKS's REST uses."""
    return {
        re.sub(r"[A-Z]", lambda match: f"-{match[0].lower()}", name): value
        for name, value in profile.items()
    }


def _to_camel(profile: Mapping[str, Any]) -> dict[str, Any]:
    return {
        re.sub(r"-([a-z])", lambda match: match[1].upper(), name): value
        for name, value in profile.items()
    }


_CLUSTER = Shape(
    fields={"autoScalerProfile": Field(to_rest=_to_kebab, to_pulumi=_to_camel)},
)
_KEY_VAULT = Shape(
    fields={
        "keyName": Field("keyname"),
        "keyVaultUri": Field("keyvaulturi"),
        "keyVersion": Field("keyversion"),
    }
)
_ENCRYPTION = Shape(
    fields={
        "encryptionIdentity": Field(
            "identity",
            shape=Shape(
                fields={
                    "encryptionFederatedIdentityClientId": Field("federatedIdentityClientId"),
                    "encryptionUserAssignedIdentity": Field("userAssignedIdentity"),
                }
            ),
        ),
        "keyVaultProperties": Field("keyvaultproperties", shape=_KEY_VAULT),
    }
)
_NETWORK_RULES = Shape(
    fields={
        "ipRules": Field(shape=Shape(fields={"iPAddressOrRange": Field("value")})),
        "virtualNetworkRules": Field(shape=Shape(fields={"virtualNetworkResourceId": Field("id")})),
    }
)
_ACCOUNT = Shape(
    fields={
        "enableHttpsTrafficOnly": Field("supportsHttpsTrafficOnly"),
        "enableNfsV3": Field("isNfsV3Enabled"),
        "encryption": Field(shape=_ENCRYPTION),
        "networkRuleSet": Field("networkAcls", shape=_NETWORK_RULES),
    }
)


def _inside(*names: str, **shapes: Shape) -> dict[str, Field]:
    """Return places in an object's own `properties`, which Pulumi leaves out."""
    return {
        **{name: Field(f"properties.{name}") for name in names},
        **{name: Field(f"properties.{name}", shape=shape) for name, shape in shapes.items()},
    }


_PUBLIC_ADDRESS = Shape(
    fields=_inside(
        "deleteOption",
        "dnsSettings",
        "idleTimeoutInMinutes",
        "ipTags",
        "publicIPAddressVersion",
        "publicIPPrefix",
    )
)
_ADDRESS = Shape(
    fields=_inside(
        "applicationGatewayBackendAddressPools",
        "applicationSecurityGroups",
        "loadBalancerBackendAddressPools",
        "loadBalancerInboundNatPools",
        "primary",
        "privateIPAddressVersion",
        "subnet",
        publicIPAddressConfiguration=_PUBLIC_ADDRESS,
    )
)
_INTERFACE = Shape(
    fields=_inside(
        "auxiliaryMode",
        "auxiliarySku",
        "deleteOption",
        "disableTcpStateTracking",
        "dnsSettings",
        "enableAcceleratedNetworking",
        "enableFpga",
        "enableIPForwarding",
        "networkSecurityGroup",
        "primary",
        ipConfigurations=_ADDRESS,
    )
)
_EXTENSION = Shape(
    fields=_inside(
        "autoUpgradeMinorVersion",
        "enableAutomaticUpgrade",
        "forceUpdateTag",
        "protectedSettings",
        "protectedSettingsFromKeyVault",
        "provisionAfterExtensions",
        "publisher",
        "settings",
        "suppressFailures",
        "type",
        "typeHandlerVersion",
    )
)
_VM_PROFILE = Shape(
    fields={
        "extensionProfile": Field(shape=Shape(fields={"extensions": Field(shape=_EXTENSION)})),
        "networkProfile": Field(
            shape=Shape(fields={"networkInterfaceConfigurations": Field(shape=_INTERFACE)})
        ),
    }
)
_SCALE_SET = Shape(fields={"virtualMachineProfile": Field(shape=_VM_PROFILE)})


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
    shape=_CLUSTER,
    waits=True,
)
AGENT_POOL = Kind(
    "azure-native:containerservice:AgentPool",
    "Microsoft.ContainerService/managedClusters/agentPools",
    ("resourceName", "agentPoolName"),
    NONE,
    _check_agent_pool,
    waits=True,
)
STORAGE_ACCOUNT = Kind(
    "azure-native:storage:StorageAccount",
    "Microsoft.Storage/storageAccounts",
    ("accountName",),
    TRACKED | {"extendedLocation", "identity", "kind", "sku"},
    storage_rules.check_account,
    shape=_ACCOUNT,
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
    shape=_SCALE_SET,
    waits=True,
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
)

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
)
BY_TYPE: Mapping[str, Kind] = {kind.type.lower(): kind for kind in KINDS}
