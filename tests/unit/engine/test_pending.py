"""The identifier of an interrupted creation, where it follows from what was asked for."""

from __future__ import annotations

import pytest

from tidegate.engine.pending import CannotTell, PendingCreate, find_by_inputs

AZURE = {"subscriptionId": "s-1"}
AKS = "/subscriptions/s-1/resourceGroups/rg/providers/Microsoft.ContainerService"
GCP = {"project": "ml", "region": "europe-west4"}


@pytest.mark.parametrize(
    ("type_", "inputs", "provider", "identifier"),
    [
        ("aws:s3/bucket:Bucket", {"bucket": "logs-1"}, {}, "logs-1"),
        (
            "kubernetes:kueue.x-k8s.io/v1beta2:LocalQueue",
            {"metadata": {"name": "a100", "namespace": "vision"}, "spec": {}},
            {"kubeconfig": "…"},
            "vision/a100",
        ),
        (
            "kubernetes:core/v1:Namespace",
            {"metadata": {"name": "vision-1a2b3c4d"}},
            {},
            "vision-1a2b3c4d",
        ),
        (
            "aws:eks/nodeGroup:NodeGroup",
            {"clusterName": "c", "nodeGroupName": "train"},
            {"region": "eu-west-1"},
            "c:train",
        ),
        (
            "aws:autoscaling/tag:Tag",
            {"autoscalingGroupName": "asg", "tag": {"key": "owner", "value": "ml"}},
            {},
            "asg,owner",
        ),
        (
            "gcp:container/cluster:Cluster",
            {"name": "c", "location": "europe-west4"},
            GCP,
            "projects/ml/locations/europe-west4/clusters/c",
        ),
        (
            "gcp:container/cluster:Cluster",
            {"name": "c", "location": "europe-west4", "project": "other"},
            GCP,
            "projects/other/locations/europe-west4/clusters/c",
        ),
        (
            "gcp:container/nodePool:NodePool",
            {"name": "train", "cluster": "c", "location": "europe-west4"},
            GCP,
            "projects/ml/locations/europe-west4/clusters/c/nodePools/train",
        ),
        (
            "gcp:container/nodePool:NodePool",
            {"name": "train", "cluster": "projects/other/locations/us-east4/clusters/c"},
            GCP,
            "projects/other/locations/us-east4/clusters/c/nodePools/train",
        ),
        (
            "gcp:compute/reservation:Reservation",
            {"name": "held", "zone": "https://example.invalid/projects/ml/zones/us-east4-b"},
            GCP,
            "projects/ml/zones/us-east4-b/reservations/held",
        ),
        (
            "aws:s3/bucketVersioning:BucketVersioning",
            {"bucket": "logs-1", "expectedBucketOwner": "111122223333"},
            {},
            "logs-1,111122223333",
        ),
        (
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            {"role": "nodes", "policyArn": "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"},
            {},
            "nodes/arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
        ),
        (
            "azure-native:authorization:RoleAssignment",
            {"scope": "/subscriptions/s-1", "roleAssignmentName": "8c1f"},
            AZURE,
            "/subscriptions/s-1/providers/Microsoft.Authorization/roleAssignments/8c1f",
        ),
        (
            "azure-native:containerservice:AgentPool",
            {"resourceGroupName": "rg", "resourceName": "aks", "agentPoolName": "train"},
            AZURE,
            AKS + "/managedClusters/aks/agentPools/train",
        ),
    ],
)
def test_follows_from_the_inputs(type_, inputs, provider, identifier) -> None:
    assert find_by_inputs(PendingCreate("urn", type_, inputs, provider)) == identifier


def test_cannot_tell_a_budget_of_an_account_that_is_not_given() -> None:
    with pytest.raises(CannotTell, match="'accountId'"):
        find_by_inputs(PendingCreate("urn", "aws:budgets/budget:Budget", {"name": "gpus"}, {}))


def test_cannot_tell_where_the_cloud_chooses() -> None:
    with pytest.raises(CannotTell, match="chooses the identifiers of aws:ec2/vpc:Vpc"):
        find_by_inputs(PendingCreate("urn", "aws:ec2/vpc:Vpc", {}, {}))


@pytest.mark.parametrize(
    "inputs",
    [
        {},
        {"bucket": ""},
        {"bucket": {"4dabf18193072939515e22adb298388d": "1b47", "ciphertext": "v1:…"}},
    ],
    ids=["absent", "empty", "secret"],
)
def test_cannot_tell_without_the_input_it_follows_from(inputs: dict) -> None:
    with pytest.raises(CannotTell, match="'bucket'"):
        find_by_inputs(PendingCreate("urn", "aws:s3/bucket:Bucket", inputs, {}))
