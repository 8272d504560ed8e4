"""Pools that others made, read through the clouds' own SDKs as `tidegate adopt` reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tidegate.clouds.aws.node_pools import fetch_node_pools as fetch_eks
from tidegate.clouds.azure.clients import build_container_client as build_aks_client
from tidegate.clouds.azure.node_pools import fetch_node_pools as fetch_aks
from tidegate.clouds.gcp.clients import build_container_client as build_gke_client
from tidegate.clouds.gcp.node_pools import fetch_node_pools as fetch_gke
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.vocabulary.capacity import CapacityType, PoolKind, Scaler
from tidegate.vocabulary.capacity import Cloud as CloudName
from tidegate.vocabulary.observed import ObservedPool, ObservedTaint

PROJECT = "acme-ml"
SUBSCRIPTION = "00000000-0000-0000-0000-0000000000aa"


@pytest.fixture
def read_eks(boto: Callable[[str], Any], base: Any) -> Callable[[], dict[str, ObservedPool]]:
    def read() -> dict[str, ObservedPool]:
        pools = fetch_eks(boto("eks"), boto("autoscaling"), boto("ec2"), base.cluster, "us-east-1")
        return {pool.name: pool for pool in pools}

    return read


def test_a_managed_node_group_is_read_whole(read_eks, node_group, aws, base):
    made = aws.up(
        "aws:eks/nodeGroup:NodeGroup",
        node_group(
            nodeGroupName="adopted",
            capacityType="SPOT",
            instanceTypes=["g5.xlarge", "g6.xlarge"],
            labels={"tier": "gold"},
            taints=[{"key": "gpu", "value": "yes", "effect": "NO_SCHEDULE"}],
            tags={"owner": "ml"},
        ),
        "adopted",
    )
    group = made.outputs["resources"][0]["autoscalingGroups"][0]["name"]

    pool = read_eks()["adopted"]

    assert pool == ObservedPool(
        cloud=CloudName.AWS,
        kind=PoolKind.EKS_NODE_GROUP,
        name="adopted",
        cluster=base.cluster,
        region="us-east-1",
        account="123456789012",
        zones=("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"),
        instance_types=("g5.xlarge", "g6.xlarge"),
        capacity_type=CapacityType.SPOT,
        min_nodes=0,
        max_nodes=4,
        desired_nodes=0,
        node_labels={"tier": "gold"},
        taints=(ObservedTaint("gpu", "yes", "NoSchedule"),),
        tags={"owner": "ml"},
        scaler=None,
        identifiers={
            "nodeGroup": "adopted",
            "cluster": base.cluster,
            "autoScalingGroup": group,
        },
    )


def test_the_tags_that_eks_itself_sets_name_no_scaler(read_eks, node_group, aws, boto):
    made = aws.up("aws:eks/nodeGroup:NodeGroup", node_group(nodeGroupName="invites"), "invites")
    group = made.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    (found,) = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[group])[
        "AutoScalingGroups"
    ]
    assert "k8s.io/cluster-autoscaler/enabled" in {tag["Key"] for tag in found["Tags"]}

    assert read_eks()["invites"].scaler is None


def test_a_self_managed_group_counts_when_its_nodes_join_the_cluster(read_eks, boto, base):
    boto("ec2").create_launch_template(
        LaunchTemplateName="own-nodes", LaunchTemplateData={"InstanceType": "g5.xlarge"}
    )
    tags = {
        f"kubernetes.io/cluster/{base.cluster}": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
        "k8s.io/cluster-autoscaler/node-template/label/tier": "gold",
        "k8s.io/cluster-autoscaler/node-template/taint/gpu": "yes:NoSchedule",
        "owner": "ml",
    }
    for name, own in (("own-nodes", tags), ("somebody-elses", {"owner": "ml"})):
        boto("autoscaling").create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=0,
            MaxSize=3,
            VPCZoneIdentifier=base.subnets[0],
            MixedInstancesPolicy={
                "InstancesDistribution": {"OnDemandPercentageAboveBaseCapacity": 0},
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": {"LaunchTemplateName": "own-nodes"},
                    "Overrides": [{"InstanceType": "g5.xlarge"}, {"InstanceType": "g6.xlarge"}],
                },
            },
            Tags=[{"Key": key, "Value": value} for key, value in own.items()],
        )

    found = read_eks()

    assert "somebody-elses" not in found
    pool = found["own-nodes"]
    assert (pool.kind, pool.capacity_type) == (PoolKind.AUTO_SCALING_GROUP, CapacityType.SPOT)
    assert pool.instance_types == ("g5.xlarge", "g6.xlarge")
    assert (pool.min_nodes, pool.max_nodes, pool.desired_nodes) == (0, 3, 0)
    assert pool.node_labels == {"tier": "gold"}
    assert pool.taints == (ObservedTaint("gpu", "yes", "NoSchedule"),)
    assert pool.tags == {f"kubernetes.io/cluster/{base.cluster}": "owned", "owner": "ml"}
    assert pool.scaler is Scaler.CLUSTER_AUTOSCALER


@pytest.fixture
def read_gke(world: World, make_engine: Any, serve: Callable[[Cloud], str]) -> Any:
    cloud = build_gcp_cloud(world)
    engine = make_engine(cloud, world, {"project": PROJECT, "region": "us-central1"})
    engine.up(
        "gcp:container/cluster:Cluster",
        {"name": "train", "location": "us-central1", "initialNodeCount": 1},
        "train",
    )

    def read(**inputs: Any) -> ObservedPool:
        zones = ["us-central1-a", "us-central1-c"]
        shared = {"name": "own", "cluster": "train", "location": "us-central1"}
        engine.up(
            "gcp:container/nodePool:NodePool", {**shared, "nodeLocations": zones, **inputs}, "own"
        )
        with build_gke_client(serve(cloud)) as client:
            pools = fetch_gke(client, PROJECT, "us-central1", "train")
        return {pool.name: pool for pool in pools}["own"]

    return read


def test_gke_bounds_are_told_over_all_zones(read_gke):
    pool = read_gke(
        autoscaling={"minNodeCount": 0, "maxNodeCount": 4, "locationPolicy": "ANY"},
        nodeConfig={
            "machineType": "n1-standard-8",
            "spot": True,
            "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 2}],
            "labels": {"tier": "gold"},
            "resourceLabels": {"owner": "ml"},
            "taints": [{"key": "own", "value": "yes", "effect": "NO_SCHEDULE"}],
            "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
        },
    )

    assert (pool.min_nodes, pool.max_nodes, pool.scaler) == (0, 8, Scaler.PROVIDER)
    assert (pool.accelerator, pool.accelerators_per_node) == ("nvidia-tesla-t4", 2)
    assert pool.capacity_type is CapacityType.SPOT
    assert pool.zones == ("us-central1-a", "us-central1-c")
    assert ObservedTaint("own", "yes", "NoSchedule") in pool.taints
    assert pool.tags["owner"] == "ml"
    assert (pool.region, pool.account) == ("us-central1", PROJECT)


def test_a_gke_pool_that_nobody_scales_has_no_known_bound(read_gke):
    pool = read_gke(initialNodeCount=1, nodeConfig={"machineType": "e2-standard-4"})

    assert (pool.max_nodes, pool.desired_nodes, pool.scaler) == (None, None, None)
    assert pool.capacity_type is CapacityType.ON_DEMAND


@pytest.fixture
def read_aks(world: World, make_engine: Any, serve: Callable[[Cloud], str]) -> Any:
    cloud = build_azure_cloud(world)
    engine = make_engine(cloud, world, {"subscriptionId": SUBSCRIPTION, "location": "eastus"})
    group = {"resourceGroupName": "ml"}
    engine.up("azure-native:resources:ResourceGroup", group | {"location": "eastus"}, "ml")
    engine.up(
        "azure-native:containerservice:ManagedCluster",
        {
            **group,
            "resourceName": "train",
            "location": "eastus",
            "dnsPrefix": "train",
            "identity": {"type": "SystemAssigned"},
            "agentPoolProfiles": [
                {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
            ],
        },
        "train",
    )

    def read(**inputs: Any) -> dict[str, ObservedPool]:
        shared = {**group, "resourceName": "train", "agentPoolName": "own", "mode": "User"}
        engine.up("azure-native:containerservice:AgentPool", {**shared, **inputs}, "own")
        with build_aks_client(SUBSCRIPTION, serve(cloud)) as client:
            return {pool.name: pool for pool in fetch_aks(client, SUBSCRIPTION, "ml", "train")}

    return read


def test_an_aks_pool_is_read_whole_and_system_pools_are_not_users_work(read_aks):
    found = read_aks(
        vmSize="Standard_NC4as_T4_v3",
        enableAutoScaling=True,
        count=0,
        minCount=0,
        maxCount=3,
        scaleSetPriority="Spot",
        nodeLabels={"tier": "gold", "kubernetes.azure.com/scalesetpriority": "spot"},
        nodeTaints=["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
        tags={"owner": "ml"},
    )

    assert set(found) == {"own"}
    pool = found["own"]
    assert (pool.min_nodes, pool.max_nodes, pool.desired_nodes) == (0, 3, 0)
    assert (pool.capacity_type, pool.scaler) == (CapacityType.SPOT, Scaler.PROVIDER)
    assert pool.instance_types == ("Standard_NC4as_T4_v3",)
    assert pool.taints == (
        ObservedTaint("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule"),
    )
    assert (pool.region, pool.account, pool.tags) == ("eastus", SUBSCRIPTION, {"owner": "ml"})


def test_an_aks_pool_that_nobody_scales_has_no_known_bound(read_aks):
    pool = read_aks(vmSize="Standard_NC4as_T4_v3", count=1)["own"]

    assert (pool.max_nodes, pool.desired_nodes, pool.scaler) == (None, 1, None)
