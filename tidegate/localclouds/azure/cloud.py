"""Azure as the server runs it: behaviours by type, and the REST face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tidegate.localclouds.azure.aks import AgentPoolLogic, ManagedClusterLogic
from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.azure_type import AzureType
from tidegate.localclouds.azure.compute_logic import ReservationGroupLogic, ReservationLogic
from tidegate.localclouds.azure.credentials import build_lookups
from tidegate.localclouds.azure.events import EventSubscriptionLogic, SystemTopicLogic
from tidegate.localclouds.azure.face import ArmFace
from tidegate.localclouds.azure.fleets import FleetLogic
from tidegate.localclouds.azure.identity_logic import IdentityLogic, RoleAssignmentLogic
from tidegate.localclouds.azure.kind import Kind
from tidegate.localclouds.azure.kinds import (
    AGENT_POOL,
    BLOB_CONTAINER,
    BLOB_SERVICE,
    IDENTITY,
    KINDS,
    MANAGED_CLUSTER,
    MANAGEMENT_POLICY,
    RESERVATION,
    RESERVATION_GROUP,
    ROLE_ASSIGNMENT,
    SCALE_SET,
    STORAGE_ACCOUNT,
    TABLE,
    WORKSPACE,
)
from tidegate.localclouds.azure.log_logic import TableLogic, WorkspaceLogic
from tidegate.localclouds.azure.ml_logic import (
    ComputeLogic,
    DeploymentLogic,
    EndpointLogic,
)
from tidegate.localclouds.azure.ml_logic import (
    WorkspaceLogic as MachineLearningLogic,
)
from tidegate.localclouds.azure.network_logic import NetworkLogic, SubnetLogic
from tidegate.localclouds.azure.plain_logic import (
    AutoscaleLogic,
    BudgetLogic,
    InsightsLogic,
    VaultLogic,
)
from tidegate.localclouds.azure.queue_face import QueueFace, knows
from tidegate.localclouds.azure.queues import QueueLogic, QueueServiceLogic
from tidegate.localclouds.azure.role_logic import RoleDefinitionLogic
from tidegate.localclouds.azure.scale_sets import ScaleSetLogic
from tidegate.localclouds.azure.storage_logic import (
    BlobContainerLogic,
    BlobServiceLogic,
    ManagementPolicyLogic,
    StorageAccountLogic,
)
from tidegate.localclouds.contracts import Cloud, World

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

BY_DATA: Mapping[str, Logic] = {
    "Microsoft.AzureFleet/fleets": FleetLogic(),
    "Microsoft.Authorization/roleDefinitions": RoleDefinitionLogic(),
    "Microsoft.Consumption/budgets": BudgetLogic(),
    "Microsoft.CostManagement/budgets": BudgetLogic(),
    "Microsoft.EventGrid/systemTopics": SystemTopicLogic(),
    "Microsoft.EventGrid/systemTopics/eventSubscriptions": EventSubscriptionLogic(),
    "Microsoft.Insights/autoscaleSettings": AutoscaleLogic(),
    "Microsoft.Insights/components": InsightsLogic(),
    "Microsoft.KeyVault/vaults": VaultLogic(),
    "Microsoft.MachineLearningServices/workspaces": MachineLearningLogic(),
    "Microsoft.MachineLearningServices/workspaces/computes": ComputeLogic(),
    "Microsoft.MachineLearningServices/workspaces/onlineEndpoints": EndpointLogic(),
    "Microsoft.MachineLearningServices/workspaces/onlineEndpoints/deployments": DeploymentLogic(),
    "Microsoft.Network/virtualNetworks": NetworkLogic(),
    "Microsoft.Network/virtualNetworks/subnets": SubnetLogic(),
    "Microsoft.Storage/storageAccounts/queueServices": QueueServiceLogic(),
    "Microsoft.Storage/storageAccounts/queueServices/queues": QueueLogic(),
}


def build_azure_cloud(world: World) -> Cloud:
    """Build Azure over one world."""
    logic: list[tuple[Kind, Logic]] = [
        (AGENT_POOL, AgentPoolLogic()),
        (BLOB_CONTAINER, BlobContainerLogic()),
        (BLOB_SERVICE, BlobServiceLogic()),
        (IDENTITY, IdentityLogic()),
        (MANAGED_CLUSTER, ManagedClusterLogic()),
        (MANAGEMENT_POLICY, ManagementPolicyLogic()),
        (RESERVATION, ReservationLogic()),
        (RESERVATION_GROUP, ReservationGroupLogic()),
        (ROLE_ASSIGNMENT, RoleAssignmentLogic()),
        (SCALE_SET, ScaleSetLogic()),
        (STORAGE_ACCOUNT, StorageAccountLogic()),
        (TABLE, TableLogic()),
        (WORKSPACE, WorkspaceLogic()),
    ]
    by_type = {**BY_DATA, **{kind.type: part for kind, part in logic}}
    arm = Arm(world, {kind.lower(): part for kind, part in by_type.items()})
    return Cloud(
        package="azure-native",
        behaviours={kind.token: AzureType(arm, kind) for kind in KINDS},
        face=build_front(arm),
        invokes=build_lookups(arm),
    )


def build_front(arm: Arm) -> WSGIApplication:
    """Build the application of the one port: ARM's paths, and those of storage queues."""
    management, queues = ArmFace(arm).application(), QueueFace(arm)

    def front(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = str(environ.get("PATH_INFO"))
        is_arm = path.lower().startswith(("/subscriptions/", "/providers/"))
        chosen = queues if knows(path) and not is_arm else management
        return chosen(environ, start)

    return front
