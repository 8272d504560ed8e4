"""Pools of every kind, sized and emptied through the clouds' own SDKs as the controller does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.azure_types import INPUTS, SCALE_SET, build_on
from support.azure_types import SETTINGS as AZURE_SETTINGS
from support.azure_types import SUBSCRIPTION as COMPUTE_SUBSCRIPTION
from support.controller import declare_pool

from tidegate.clouds.azure.clients import build_compute_client
from tidegate.clouds.azure.clients import build_container_client as build_aks_client
from tidegate.clouds.azure.pools import AgentPool, ScaleSet
from tidegate.clouds.bound_pools import BoundPools
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.vocabulary.fleet_state import CloudRefused, MachinePhase, RefusalKind

PROJECT = "acme-ml"
SUBSCRIPTION = "00000000-0000-0000-0000-0000000000aa"
AKS = "azure-native:containerservice:ManagedCluster"
AGENT_POOL = "azure-native:containerservice:AgentPool"


@pytest.fixture
def eks_pools(aws, boto, node_group, base, monkeypatch):
    made = aws.up("aws:eks/nodeGroup:NodeGroup", node_group(nodeGroupName="sized"), "sized")
    group = made.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    monkeypatch.setattr(
        "tidegate.clouds.aws.clients.build_client", lambda service, _region: boto(service)
    )
    managed = declare_pool("managed", kind="eks-node-group", cluster=base.cluster)
    bindings = {
        "managed": {"cluster": base.cluster, "nodeGroup": "sized", "autoScalingGroup": group},
        "group": {"autoScalingGroup": group},
        "gone": {"autoScalingGroup": "nowhere"},
    }
    yield BoundPools([managed, declare_pool("group"), declare_pool("gone")], bindings)
    aws.world.faults.clear()


@pytest.mark.parametrize("pool", ["managed", "group"])
def test_aws_grows_and_deletes_the_machine_that_is_named(eks_pools, pool):
    before = eks_pools.fetch_state(pool)
    assert (before.target_nodes, before.machines) == (0, ())

    eks_pools.apply_size(pool, 0, 3)
    grown = eks_pools.fetch_state(pool)
    gone = grown.machines[1].id
    eks_pools.apply_removal(pool, [gone])
    eks_pools.apply_removal(pool, [gone])

    left = eks_pools.fetch_state(pool)
    assert left.target_nodes == 2
    assert {each.id for each in left.machines} == {each.id for each in grown.machines} - {gone}
    assert {each.phase for each in left.machines} == {MachinePhase.RUNNING}
    eks_pools.apply_size(pool, 2, 0)
    assert eks_pools.fetch_state(pool).machines == ()


def test_a_size_is_set_only_over_the_one_that_was_seen(eks_pools):
    eks_pools.apply_size("group", 0, 1)

    with pytest.raises(CloudRefused) as refused:
        eks_pools.apply_size("group", 0, 2)

    assert refused.value.kind is RefusalKind.CONFLICT
    eks_pools.apply_size("group", 0, 1)  # what is so already is done
    eks_pools.apply_size("group", 1, 0)


def test_a_group_that_is_gone_is_not_found(eks_pools):
    with pytest.raises(CloudRefused) as refused:
        eks_pools.fetch_state("gone")

    assert refused.value.kind is RefusalKind.NOT_FOUND


def test_beyond_the_groups_own_bounds_is_invalid(eks_pools):
    with pytest.raises(CloudRefused) as refused:
        eks_pools.apply_size("group", 0, 40)

    assert refused.value.kind is RefusalKind.INVALID


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(FaultKind.THROTTLING, RefusalKind.THROTTLED), (FaultKind.QUOTA, RefusalKind.QUOTA)],
)
def test_aws_says_how_it_refuses(eks_pools, aws, fault, kind):
    aws.world.faults.add(Fault(fault, "aws", "autoscaling:SetDesiredCapacity"))

    with pytest.raises(CloudRefused) as refused:
        eks_pools.apply_size("group", 0, 1)

    assert refused.value.kind is kind


@pytest.fixture
def gcp(world: World) -> Cloud:
    return build_gcp_cloud(world)


@pytest.fixture
def gke_pools(gcp, world, serve, make_engine):
    engine = make_engine(gcp, world, {"project": PROJECT, "region": "us-central1"})
    engine.up(
        "gcp:container/cluster:Cluster",
        {"name": "main", "location": "us-central1", "initialNodeCount": 1},
        "main",
    )
    inputs = {
        "name": "train",
        "cluster": "main",
        "location": "us-central1",
        "nodeLocations": ["us-central1-a", "us-central1-c"],
        "initialNodeCount": 0,
        "nodeConfig": {"machineType": "n2-standard-4"},
    }
    engine.up("gcp:container/nodePool:NodePool", inputs)
    place = {"cluster": "main", "location": "us-central1", "project": PROJECT}
    kind = {"cloud": "gcp", "kind": "gke-node-pool", "region": "us-central1"}
    pool = declare_pool("train", **kind, cluster="main", max_nodes=5)
    gone = declare_pool("gone", **kind)
    bindings = {"train": {**place, "nodePool": "train"}, "gone": {**place, "nodePool": "gone"}}
    return BoundPools([pool, gone], bindings, {"gcp": serve(gcp)})


def test_gke_sizes_its_zones_alike_and_never_beyond_the_maximum(gke_pools):
    sizes = []
    for wanted in (1, 3, 5, 0):
        gke_pools.apply_size("train", gke_pools.fetch_state("train").target_nodes, wanted)
        state = gke_pools.fetch_state("train")
        assert len(state.machines) == state.target_nodes
        sizes.append(state.target_nodes)

    assert sizes == [2, 4, 4, 0]
    assert gke_pools.can_choose("train") is False


def test_gke_deletes_no_machine_by_name(gke_pools):
    with pytest.raises(CloudRefused) as refused:
        gke_pools.apply_removal("train", ["some"])

    assert refused.value.kind is RefusalKind.INVALID


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (FaultKind.THROTTLING, RefusalKind.THROTTLED),
        (FaultKind.QUOTA, RefusalKind.QUOTA),
        (FaultKind.STOCK_OUT, RefusalKind.STOCK_OUT),
    ],
)
def test_gke_says_how_it_refuses(gke_pools, world, fault, kind):
    gke_pools.fetch_state("train")
    world.faults.add(Fault(fault, "gcp", "*NodePool*", count=None))

    with pytest.raises(CloudRefused) as refused:
        gke_pools.apply_size("train", 0, 2)

    assert refused.value.kind is kind


def test_a_node_pool_that_is_gone_is_not_found(gke_pools):
    with pytest.raises(CloudRefused) as refused:
        gke_pools.fetch_state("gone")

    assert refused.value.kind is RefusalKind.NOT_FOUND


@pytest.fixture
def azure(world: World) -> Cloud:
    return build_azure_cloud(world)


def test_aks_grows_and_deletes_the_machine_that_is_named(azure, world, serve, make_engine):
    settings = {"subscriptionId": SUBSCRIPTION, "location": "westeurope"}
    engine = make_engine(azure, world, settings)
    engine.up("azure-native:resources:ResourceGroup", {"resourceGroupName": "ml"}, "ml")
    system = {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
    engine.up(
        AKS,
        {
            "resourceGroupName": "ml",
            "resourceName": "main",
            "dnsPrefix": "main",
            "identity": {"type": "SystemAssigned"},
            "agentPoolProfiles": [system],
        },
        "main",
    )
    inputs = {
        "resourceGroupName": "ml",
        "resourceName": "main",
        "agentPoolName": "work",
        "count": 0,
        "mode": "User",
        "vmSize": "Standard_D4s_v5",
        "nodeLabels": {"capacity-pool": "work"},
    }
    engine.up(AGENT_POOL, inputs, "work")
    client = build_aks_client(SUBSCRIPTION, serve(azure))
    names = {"resourceGroup": "ml", "cluster": "main", "agentPool": "work"}
    pool = AgentPool("work", names, client)

    pool.apply_size(3)
    grown = pool.fetch_state()
    pool.apply_removal([grown.machines[0].id, "long-gone"])
    left = pool.fetch_state()

    assert grown.target_nodes == 3
    assert left.target_nodes == 2
    assert {each.id for each in left.machines} == {each.id for each in grown.machines[1:]}
    kept = client.agent_pools.get("ml", "main", "work")
    assert dict(kept.node_labels) == {"capacity-pool": "work"}
    for fault, kind in (
        (FaultKind.STOCK_OUT, RefusalKind.STOCK_OUT),
        (FaultKind.QUOTA, RefusalKind.QUOTA),
    ):
        world.faults.add(Fault(fault, "azure-native", "*"))
        with pytest.raises(CloudRefused) as refused:
            pool.apply_size(4)
        assert refused.value.kind is kind


def test_a_scale_set_grows_and_deletes_the_machine_that_is_named(
    azure: Cloud, world: World, serve: Callable[[Cloud], str], make_engine: Any
) -> None:
    engine = make_engine(azure, world, AZURE_SETTINGS)
    engine.up("azure-native:resources:ResourceGroup", {"resourceGroupName": "ml"}, "group")
    build_on(engine, SCALE_SET)
    engine.up(SCALE_SET, INPUTS[SCALE_SET])
    client = build_compute_client(COMPUTE_SUBSCRIPTION, serve(azure))
    pool = ScaleSet("sweep", {"resourceGroup": "ml", "scaleSet": "spot"}, client)

    pool.apply_size(3)
    grown = pool.fetch_state()
    pool.apply_removal([grown.machines[2].id, "long-gone"])
    left = pool.fetch_state()

    assert (grown.target_nodes, left.target_nodes) == (3, 2)
    assert {each.id for each in left.machines} == {each.id for each in grown.machines[:2]}
    assert {each.phase for each in left.machines} == {MachinePhase.RUNNING}
    pool.apply_size(0)
    assert pool.fetch_state().machines == ()
