"""Creations that were interrupted: does the thing exist, and what is it called?

Before the engine asks a provider to create something it records the intent. A run killed before
the answer leaves that intent: the thing exists or not, and its identifier is unknown. Where the
identifier follows from what was asked for, reading it tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PendingCreate:
    """A creation whose end is unknown.

    Attributes:
        urn: The resource.
        type: Its type token.
        inputs: What was asked for, after the provider's Check; secrets stay encrypted.
        provider_inputs: The configuration of its provider (region, project, subscriptionId).
    """

    urn: str
    type: str
    inputs: Mapping[str, Any]
    provider_inputs: Mapping[str, Any]


class CannotTell(RuntimeError):
    """Nobody here can say whether a pending creation happened; the message says why."""


FindExisting = Callable[[PendingCreate], str | None]
"""Answers the identifier the thing has or would have, None when it surely does not exist.

An identifier need not exist: it is read back, and what is not there is dropped. Raises
`CannotTell` when neither can be known.
"""

_AZURE = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers"

# How each type's identifier follows from its inputs, as the provider's own import documentation
# gives it (pulumi.com/registry, looked up 2026-11-30).
IDENTIFIERS: Mapping[str, str] = {
    "aws:autoscaling/tag:Tag": "{autoscalingGroupName},{tag[key]}",
    "aws:cloudwatch/logGroup:LogGroup": "{name}",
    "aws:eks/cluster:Cluster": "{name}",
    "aws:eks/nodeGroup:NodeGroup": "{clusterName}:{nodeGroupName}",
    "aws:iam/role:Role": "{name}",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": "{role}/{policyArn}",
    "aws:s3/bucket:Bucket": "{bucket}",
    "aws:s3/bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration": (
        "{bucket}:{name}"
    ),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": "{bucket}",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": "{bucket}",
    "aws:s3/bucketVersioning:BucketVersioning": "{bucket}",
    "gcp:compute/reservation:Reservation": "projects/{project}/zones/{zone}/reservations/{name}",
    "gcp:container/cluster:Cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "gcp:container/nodePool:NodePool": "{project}/{location}/{cluster}/{name}",
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": (
        "projects/{project}/locations/{location}/buckets/{bucketId}"
    ),
    "gcp:storage/bucket:Bucket": "{name}",
    "azure-native:compute:CapacityReservation": (
        _AZURE + "/Microsoft.Compute/capacityReservationGroups/{capacityReservationGroupName}"
        "/capacityReservations/{capacityReservationName}"
    ),
    "azure-native:compute:CapacityReservationGroup": (
        _AZURE + "/Microsoft.Compute/capacityReservationGroups/{capacityReservationGroupName}"
    ),
    "azure-native:containerservice:AgentPool": (
        _AZURE + "/Microsoft.ContainerService/managedClusters/{resourceName}"
        "/agentPools/{agentPoolName}"
    ),
    "azure-native:containerservice:ManagedCluster": (
        _AZURE + "/Microsoft.ContainerService/managedClusters/{resourceName}"
    ),
    "azure-native:operationalinsights:Table": (
        _AZURE + "/Microsoft.OperationalInsights/workspaces/{workspaceName}/tables/{tableName}"
    ),
    "azure-native:operationalinsights:Workspace": (
        _AZURE + "/Microsoft.OperationalInsights/workspaces/{workspaceName}"
    ),
    "azure-native:resources:ResourceGroup": (
        "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}"
    ),
    "azure-native:storage:BlobContainer": (
        _AZURE + "/Microsoft.Storage/storageAccounts/{accountName}"
        "/blobServices/default/containers/{containerName}"
    ),
    "azure-native:storage:BlobServiceProperties": (
        _AZURE + "/Microsoft.Storage/storageAccounts/{accountName}/blobServices/{blobServicesName}"
    ),
    "azure-native:storage:ManagementPolicy": (
        _AZURE + "/Microsoft.Storage/storageAccounts/{accountName}"
        "/managementPolicies/{managementPolicyName}"
    ),
    "azure-native:storage:StorageAccount": (
        _AZURE + "/Microsoft.Storage/storageAccounts/{accountName}"
    ),
}


def find_by_inputs(pending: PendingCreate) -> str | None:
    """Derive the identifier from what was asked for.

    Raises:
        CannotTell: The cloud chooses this type's identifiers, or an input is missing.
    """
    template = IDENTIFIERS.get(pending.type)
    if template is None:
        raise CannotTell(f"the cloud chooses the identifiers of {pending.type}")
    try:
        return template.format_map(_Known(pending))
    except KeyError as error:
        raise CannotTell(f"{pending.type} needs {error} for its identifier") from error


class _Known(dict[str, Any]):
    """Inputs first, then what the provider's configuration would fill in."""

    def __init__(self, pending: PendingCreate) -> None:
        super().__init__(pending.provider_inputs)
        self.update({name: value for name, value in pending.inputs.items() if _is_plain(value)})


# The engine's mark of a secret in a state file: what it hides cannot be part of an identifier.
_HIDDEN = "4dabf18193072939515e22adb298388d"


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return _HIDDEN not in value
    return isinstance(value, str | int) and value != ""
