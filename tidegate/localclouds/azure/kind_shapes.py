"""Where Pulumi's properties stand in Azure's REST bodies, where their places or names differ.

Read from pulumi-azure-native 3.29.0 and the azure-mgmt SDKs (containerservice 41.8, compute 39,
storage 25.3, eventgrid 10.4, authorization 4.0, applicationinsights 4.1), 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.rest_shape import SAME, Field, Shape


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

_DESTINATION = Shape(
    fields=_inside(
        "actionGroups",
        "azureActiveDirectoryApplicationIdOrUri",
        "azureActiveDirectoryTenantId",
        "deliveryAttributeMappings",
        "description",
        "endpointUrl",
        "maxEventsPerBatch",
        "minimumTlsVersionAllowed",
        "preferredBatchSizeInKilobytes",
        "queueMessageTimeToLiveInSeconds",
        "queueName",
        "resourceId",
        "severity",
    )
)
_DEAD_LETTER = Shape(fields=_inside("blobContainerName", "resourceId"))
_SUBSCRIPTION = Shape(
    fields={
        "deadLetterDestination": Field(shape=_DEAD_LETTER),
        "deadLetterWithResourceIdentity": Field(
            shape=Shape(fields={"deadLetterDestination": Field(shape=_DEAD_LETTER)})
        ),
        "deliveryWithResourceIdentity": Field(
            shape=Shape(fields={"destination": Field(shape=_DESTINATION)})
        ),
        "destination": Field(shape=_DESTINATION),
    }
)
_ROLE_DEFINITION = Shape(fields={"roleType": Field("type")})
_INSIGHTS = Shape(
    fields={
        "applicationType": Field("Application_Type"),
        "flowType": Field("Flow_Type"),
        "requestSource": Field("Request_Source"),
        **{
            name: Field(name[0].upper() + name[1:])
            for name in (
                "appId",
                "applicationId",
                "connectionString",
                "creationDate",
                "disableIpMasking",
                "disableLocalAuth",
                "forceCustomerStorageForProfiler",
                "hockeyAppId",
                "immediatePurgeDataOn30Days",
                "ingestionMode",
                "instrumentationKey",
                "retentionInDays",
                "samplingPercentage",
                "tenantId",
                "workspaceResourceId",
            )
        },
    },
    rest_only=frozenset({"Name"}),
)
_SUBNET = Shape(
    fields=_inside(
        "addressPrefix",
        "addressPrefixes",
        "applicationGatewayIPConfigurations",
        "defaultOutboundAccess",
        "delegations",
        "ipAllocations",
        "ipamPoolPrefixAllocations",
        "natGateway",
        "networkSecurityGroup",
        "privateEndpointNetworkPolicies",
        "privateLinkServiceNetworkPolicies",
        "provisioningState",
        "routeTable",
        "serviceEndpointPolicies",
        "serviceEndpoints",
        "serviceGateway",
        "sharingScope",
    )
)
_NETWORK = Shape(fields={"subnets": Field(shape=_SUBNET)})

SHAPES: Mapping[str, Shape] = {
    "": SAME,
    "cluster": _CLUSTER,
    "event-subscription": _SUBSCRIPTION,
    "insights": _INSIGHTS,
    "network": _NETWORK,
    "role-definition": _ROLE_DEFINITION,
    "scale-set": _SCALE_SET,
    "storage-account": _ACCOUNT,
}
