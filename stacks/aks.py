"""An AKS cluster in a resource group of its own, and what it may use there."""

from __future__ import annotations

import base64
from typing import Any

import pulumi
from azure_workspace import declare_workspace
from config import AzureCluster
from joined import Joined
from kubernetes_access import declare_provider_of
from networks import declare_azure_subnet

from tidegate.sdks.imports import narrow_imports

# The built-in role Contributor, as public Bicep templates have it (compared on 2026-11-30); the
# same in every subscription.
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"


def declare_aks(
    name: str, cluster: AzureCluster, labels: dict[str, str], *, is_reserving: bool
) -> Joined:
    """Declare resource group, identity and cluster; `is_reserving` when a pool needs the right."""
    with narrow_imports(
        "pulumi_azure_native.containerservice",
        "pulumi_azure_native.managedidentity",
        "pulumi_azure_native.resources",
    ):
        from pulumi_azure_native.containerservice.managed_cluster import ManagedCluster
        from pulumi_azure_native.managedidentity.user_assigned_identity import UserAssignedIdentity
        from pulumi_azure_native.resources.resource_group import ResourceGroup
    group = ResourceGroup(name, resource_group_name=name, location=cluster.region, tags=labels)
    # A system-assigned identity cannot use capacity reservations.
    identity = UserAssignedIdentity(
        name,
        resource_name_=name,
        resource_group_name=group.name,
        location=cluster.region,
        tags=labels,
    )
    rights = _permit_reservations(name, group, identity) if is_reserving else []
    aks = ManagedCluster(
        name,
        resource_name_=name,
        resource_group_name=group.name,
        location=cluster.region,
        kubernetes_version=cluster.version,
        dns_prefix=name,
        enable_rbac=True,
        identity={"type": "UserAssigned", "user_assigned_identities": [identity.id]},
        # AKS makes no cluster without a system pool; the pools that join are resources of their
        # own, and the inline list must not undo them (pulumi-azure-native#1686).
        agent_pool_profiles=[
            {
                "name": "system",
                "mode": "System",
                "count": 1,
                "vm_size": cluster.system_vm_size,
                "os_type": "Linux",
                "type": "VirtualMachineScaleSets",
                "tags": labels,
            }
        ],
        tags=labels,
        opts=pulumi.ResourceOptions(ignore_changes=["agentPoolProfiles"], depends_on=rights),
    )

    def offer_workspace() -> dict[str, Any]:
        return {"workspace_name": declare_workspace(name, group, identity, labels).name}

    def offer_controller() -> dict[str, Any]:
        """Make an identity for the controller, to be federated with its service account."""
        controller = UserAssignedIdentity(
            f"{name}-controller",
            resource_name_=f"{name}-controller",
            resource_group_name=group.name,
            location=cluster.region,
            tags=labels,
        )
        return {
            "principal_id": controller.principal_id,
            "client_id": controller.client_id,
            "tenant_id": controller.tenant_id,
        }

    def offer_kubernetes() -> dict[str, Any]:
        kubeconfig = find_kubeconfig(group.name, aks.name)
        return {"kubernetes": declare_provider_of(f"{name}-azure", kubeconfig)}

    def offer_subnet() -> dict[str, Any]:
        return {"subnet_id": declare_azure_subnet(name, group, labels).id}

    return Joined(
        aks,
        {
            "resource_group_name": group.name,
            "subscription": f"/subscriptions/{cluster.subscription}",
            "scope": f"/subscriptions/{cluster.subscription}",
        },
        {
            "workspace_name": offer_workspace,
            "subnet_id": offer_subnet,
            "principal_id": offer_controller,
            "client_id": offer_controller,
            "tenant_id": offer_controller,
            "kubernetes": offer_kubernetes,
        },
    )


def _permit_reservations(name: str, group: Any, identity: Any) -> list[pulumi.Resource]:
    """Let the cluster use the capacity reservations of its resource group.

    AKS wants Contributor on the group that holds them, before a pool names one. Azure takes up to
    an hour to spread it: a pool that it refuses meanwhile is made by the next `up`. (General vendor
    documentation, not verified.)
    """
    with narrow_imports("pulumi_azure_native.authorization"):
        from pulumi_azure_native.authorization.role_assignment import RoleAssignment
    return [
        RoleAssignment(
            f"{name}-reservations",
            principal_id=identity.principal_id,
            # Without it a principal so young that Azure does not know it everywhere is refused.
            principal_type="ServicePrincipal",
            role_definition_id=group.id.apply(build_contributor_id),
            scope=group.id,
        )
    ]


def find_kubeconfig(
    resource_group: pulumi.Input[str], cluster: pulumi.Input[str]
) -> pulumi.Output[str]:
    """Return the kubeconfig that AKS gives whoever runs `pulumi`."""
    with narrow_imports("pulumi_azure_native.containerservice"):
        from pulumi_azure_native.containerservice.list_managed_cluster_user_credentials import (
            list_managed_cluster_user_credentials_output,
        )
    found = list_managed_cluster_user_credentials_output(
        resource_group_name=resource_group, resource_name=cluster
    )
    encoded = found.kubeconfigs[0].value
    return pulumi.Output.secret(encoded.apply(lambda text: base64.b64decode(text).decode()))


def build_contributor_id(group_id: str) -> str:
    """Return the id of the built-in role Contributor in the subscription of a resource group."""
    subscription = "/".join(group_id.split("/")[:3])
    return f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{CONTRIBUTOR}"
