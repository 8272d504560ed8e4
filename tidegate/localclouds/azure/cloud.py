"""Azure as the server runs it: behaviours by type, and the REST face."""

from __future__ import annotations

from tidegate.localclouds.azure.aks import AgentPoolLogic, ManagedClusterLogic
from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.azure_type import AzureType
from tidegate.localclouds.azure.compute_logic import (
    ReservationGroupLogic,
    ReservationLogic,
    ScaleSetLogic,
)
from tidegate.localclouds.azure.face import ArmFace
from tidegate.localclouds.azure.identity_logic import IdentityLogic, RoleAssignmentLogic
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
    Kind,
)
from tidegate.localclouds.azure.log_logic import TableLogic, WorkspaceLogic
from tidegate.localclouds.azure.storage_logic import (
    BlobContainerLogic,
    BlobServiceLogic,
    ManagementPolicyLogic,
    StorageAccountLogic,
)
from tidegate.localclouds.contracts import Cloud, World


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
    arm = Arm(world, {kind.type.lower(): part for kind, part in logic})
    return Cloud(
        package="azure-native",
        behaviours={kind.token: AzureType(arm, kind) for kind in KINDS},
        face=ArmFace(arm).application(),
    )
