"""Creations that were interrupted: does the thing exist, and what is it called?

Before the engine asks a provider to create something it records the intent. A run killed before
the answer leaves that intent: the thing exists or not, and its identifier is unknown. Where the
identifier follows from what was asked for, reading it tells.
"""

from __future__ import annotations

import re
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

_KUBERNETES_WIDE = (
    "kubernetes:core/v1:Namespace",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    "kubernetes:karpenter.sh/v1:NodePool",
    "kubernetes:kueue.x-k8s.io/v1beta2:AdmissionCheck",
    "kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue",
    "kubernetes:kueue.x-k8s.io/v1beta2:Cohort",
    "kubernetes:kueue.x-k8s.io/v1beta2:ProvisioningRequestConfig",
    "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor",
    "kubernetes:kueue.x-k8s.io/v1beta2:WorkloadPriorityClass",
    "kubernetes:scheduling.k8s.io/v1:PriorityClass",
)
_KUBERNETES_NAMESPACED = (
    "kubernetes:apps/v1:Deployment",
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:LimitRange",
    "kubernetes:core/v1:ResourceQuota",
    "kubernetes:core/v1:Service",
    "kubernetes:keda.sh/v1alpha1:ScaledObject",
    "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue",
)

# How each type's identifier follows from its inputs. Sources, read on 2026-11-30:
# - aws: the "Import" section of each resource in pulumi-aws 7.51.1.
# - gcp: the same in pulumi-gcp 10.2.0, of several forms the one that the provider records itself
#   (node pools, buckets: hashicorp/terraform-provider-google, container and storage services).
# - azure-native: the resource's address in Azure's own SDKs (azure-mgmt-compute 39.0.0,
#   -containerservice 41.8.0, -loganalytics 14.0.0, -storage 25.3.0). That of a resource group is
#   the beginning of each; of identities: the description of ManagedCluster.identityProfile in
#   pulumi-azure-native 3.29.0; of role assignments: pulumi/pulumi-azure-nextgen#51.
# - kubernetes: "Import" of the objects' pages in pulumi-kubernetes 4.34.2; its provider states name
#   and namespace in its Check.
IDENTIFIERS: Mapping[str, str] = {
    "aws:autoscaling/group:Group": "{name}",
    "aws:autoscaling/tag:Tag": "{autoscalingGroupName},{tag[key]}",
    "aws:budgets/budget:Budget": "{accountId}:{name}",
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
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": (
        "{bucket}"
    ),
    "aws:s3/bucketVersioning:BucketVersioning": "{bucket}",
    "gcp:compute/network:Network": "projects/{project}/global/networks/{name}",
    "gcp:compute/reservation:Reservation": "projects/{project}/zones/{zone}/reservations/{name}",
    "gcp:compute/subnetwork:Subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "gcp:container/cluster:Cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "gcp:container/nodePool:NodePool": (
        "projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}"
    ),
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": (
        "projects/{project}/locations/{location}/buckets/{bucketId}"
    ),
    "gcp:logging/projectExclusion:ProjectExclusion": "projects/{project}/exclusions/{name}",
    "gcp:storage/bucket:Bucket": "{name}",
    "azure-native:authorization:RoleAssignment": (
        "{scope}/providers/Microsoft.Authorization/roleAssignments/{roleAssignmentName}"
    ),
    "azure-native:compute:CapacityReservation": (
        _AZURE + "/Microsoft.Compute/capacityReservationGroups/{capacityReservationGroupName}"
        "/capacityReservations/{capacityReservationName}"
    ),
    "azure-native:compute:CapacityReservationGroup": (
        _AZURE + "/Microsoft.Compute/capacityReservationGroups/{capacityReservationGroupName}"
    ),
    "azure-native:compute:VirtualMachineScaleSet": (
        _AZURE + "/Microsoft.Compute/virtualMachineScaleSets/{vmScaleSetName}"
    ),
    "azure-native:containerservice:AgentPool": (
        _AZURE + "/Microsoft.ContainerService/managedClusters/{resourceName}"
        "/agentPools/{agentPoolName}"
    ),
    "azure-native:containerservice:ManagedCluster": (
        _AZURE + "/Microsoft.ContainerService/managedClusters/{resourceName}"
    ),
    "azure-native:managedidentity:UserAssignedIdentity": (
        _AZURE + "/Microsoft.ManagedIdentity/userAssignedIdentities/{resourceName}"
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
    **dict.fromkeys(_KUBERNETES_WIDE, "{metadata[name]}"),
    **dict.fromkeys(_KUBERNETES_NAMESPACED, "{metadata[namespace]}/{metadata[name]}"),
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
        identifier = template.format_map(_Known(pending))
    except KeyError as error:
        raise CannotTell(f"{pending.type} needs {error} for its identifier") from error
    owner = pending.inputs.get("expectedBucketOwner")
    return f"{identifier},{owner}" if owner else identifier


class _Known(dict[str, Any]):
    """Inputs first, then what the provider's configuration would fill in."""

    def __init__(self, pending: PendingCreate) -> None:
        super().__init__(pending.provider_inputs)
        self.update({name: value for name, value in pending.inputs.items() if _is_plain(value)})
        if pending.type.startswith("gcp:"):
            self._shorten_references()

    def _shorten_references(self) -> None:
        """Google's inputs may be names or whole addresses; a pool's cluster says where it is."""
        cluster = _GKE_CLUSTER.search(str(self.get("cluster", "")))
        self.update(cluster.groupdict() if cluster else {})
        for name, value in self.items():
            if isinstance(value, str):
                self[name] = value.rsplit("/", 1)[-1]


_GKE_CLUSTER = re.compile(
    r"projects/(?P<project>[^/]+)/locations/(?P<location>[^/]+)/clusters/(?P<cluster>[^/]+)"
)

# The engine's mark of a secret in a state file: what it hides cannot be part of an identifier.
_HIDDEN = "4dabf18193072939515e22adb298388d"


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return _HIDDEN not in value
    return isinstance(value, str | int) and value != ""
