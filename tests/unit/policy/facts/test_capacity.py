from __future__ import annotations

import pytest

from tidegate.policy.facts.capacity import build_machines
from tidegate.policy.graph import Resource
from tidegate.policy.values import UNKNOWN

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
GROUP = "aws:autoscaling/group:Group"
NODE_POOL = "gcp:container/nodePool:NodePool"
AGENT_POOL = "azure-native:containerservice:AgentPool"
KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"


def machines_of(type_token, properties):
    return build_machines(Resource("urn:a", type_token, "a", properties))


def said(type_token, properties, *names):
    (machines,) = machines_of(type_token, properties)
    return tuple(machines[name]["value"] for name in names)


def spread(**distribution):
    return {"mixedInstancesPolicy": {"instancesDistribution": distribution}}


def karpenter(values, limits):
    requirement = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": values}
    return {"spec": {"limits": limits, "template": {"spec": {"requirements": [requirement]}}}}


@pytest.mark.parametrize(
    ("type_token", "properties", "capacity"),
    [
        (NODE_GROUP, {"capacityType": "SPOT"}, "spot"),
        (NODE_GROUP, {"capacityType": "ON_DEMAND"}, "on-demand"),
        (NODE_GROUP, {"capacityType": "CAPACITY_BLOCK"}, "reserved"),
        (NODE_GROUP, {}, "on-demand"),
        (NODE_GROUP, {"capacityType": UNKNOWN}, None),
        (GROUP, {}, None),
        (GROUP, spread(onDemandPercentageAboveBaseCapacity=0), "spot"),
        (GROUP, spread(onDemandPercentageAboveBaseCapacity=0, onDemandBaseCapacity=1), "mixed"),
        (GROUP, spread(onDemandPercentageAboveBaseCapacity=50), "mixed"),
        (GROUP, spread(onDemandPercentageAboveBaseCapacity=100), "on-demand"),
        (GROUP, spread(), "on-demand"),
        (NODE_POOL, {"nodeConfig": {"spot": True}}, "spot"),
        (NODE_POOL, {"nodeConfig": {"preemptible": True}}, "spot"),
        (NODE_POOL, {"nodeConfig": {"spot": UNKNOWN}}, None),
        (NODE_POOL, {}, "on-demand"),
        (
            NODE_POOL,
            {
                "nodeConfig": {
                    "reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION"}
                }
            },
            "reserved",
        ),
        ("gcp:compute/instance:Instance", {"scheduling": {"provisioningModel": "SPOT"}}, "spot"),
        ("aws:ec2/launchTemplate:LaunchTemplate", {}, None),
        (
            "aws:ec2/launchTemplate:LaunchTemplate",
            {"instanceMarketOptions": {"marketType": "spot"}},
            "spot",
        ),
        (AGENT_POOL, {"scaleSetPriority": "Spot"}, "spot"),
        (AGENT_POOL, {"capacityReservationGroupID": UNKNOWN}, "reserved"),
        (
            "azure-native:compute:VirtualMachineScaleSet",
            {
                "virtualMachineProfile": {"priority": "Spot"},
                "priorityMixPolicy": {"baseRegularPriorityCount": 1},
            },
            "mixed",
        ),
        (KARPENTER, karpenter(["spot"], {}), "spot"),
        (KARPENTER, karpenter(["spot", "on-demand"], {}), "mixed"),
        (KARPENTER, karpenter(["reserved"], {}), "reserved"),
    ],
)
def test_how_machines_are_bought_is_read_as_their_cloud_reads_it(type_token, properties, capacity):
    assert said(type_token, properties, "capacity") == (capacity,)


@pytest.mark.parametrize(
    ("type_token", "properties", "sizes"),
    [
        (NODE_GROUP, {"scalingConfig": {"minSize": 0, "maxSize": 4}}, (0, 4)),
        (GROUP, {"minSize": "0", "maxSize": "4"}, (0, 4)),
        (NODE_POOL, {"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}}, (0, 4)),
        (
            NODE_POOL,
            {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 4}, "nodeLocations": ["a", "b"]},
            (1, 8),
        ),
        (NODE_POOL, {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 4}}, (1, None)),
        (AGENT_POOL, {"enableAutoScaling": True, "minCount": 0, "maxCount": 4}, (0, 4)),
        (AGENT_POOL, {"maxCount": 4}, (None, None)),
        (
            "gcp:compute/autoscaler:Autoscaler",
            {"autoscalingPolicy": {"minReplicas": 0, "maxReplicas": 9}},
            (0, 9),
        ),
        (KARPENTER, karpenter(["spot"], {"nodes": "4"}), (0, 4)),
        (KARPENTER, karpenter(["spot"], {"cpu": "64"}), (0, None)),
        ("gcp:cloudrunv2/service:Service", {}, (0, None)),
        (
            "aws:appautoscaling/target:Target",
            {"serviceNamespace": "sagemaker", "minCapacity": 0, "maxCapacity": 4},
            (0, 4),
        ),
        ("kubernetes:keda.sh/v1alpha1:ScaledObject", {"spec": {}}, (0, 100)),
        ("kubernetes:autoscaling/v2:HorizontalPodAutoscaler", {"spec": {"maxReplicas": 4}}, (1, 4)),
        ("azure-native:machinelearningservices:OnlineDeployment", {}, (1, 1)),
        (
            "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool",
            {"dedicatedResources": {"minReplicaCount": 2}},
            (2, 2),
        ),
    ],
)
def test_sizes_are_read_as_their_cloud_reads_them(type_token, properties, sizes):
    assert said(type_token, properties, "minimum", "maximum") == sizes


@pytest.mark.parametrize(
    ("variant", "sizes"),
    [
        ({"initialInstanceCount": 2}, (2, 2)),
        ({}, (1, 1)),
        ({"serverlessConfig": {"maxConcurrency": 5}}, (0, 5)),
        ({"serverlessConfig": {"provisionedConcurrency": 1}}, (1, None)),
        (
            {
                "initialInstanceCount": 1,
                "managedInstanceScaling": {
                    "status": "ENABLED",
                    "minInstanceCount": 0,
                    "maxInstanceCount": 3,
                },
            },
            (0, 3),
        ),
        (UNKNOWN, (None, None)),
    ],
)
def test_each_kind_of_sagemaker_variant_is_read(variant, sizes):
    configuration = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
    assert said(configuration, {"productionVariants": [variant]}, "minimum", "maximum") == sizes


def test_each_pool_inside_a_cluster_is_one():
    cluster = "azure-native:containerservice:ManagedCluster"
    profiles = [
        {"name": "system", "vmSize": "Standard_D4s_v5"},
        {"name": "gpu", "enableAutoScaling": True, "maxCount": 4, "scaleSetPriority": "Spot"},
    ]
    found = machines_of(cluster, {"agentPoolProfiles": profiles})
    assert [(each["at"], each["capacity"]["value"]) for each in found] == [
        ("agentPoolProfiles[0].", "on-demand"),
        ("agentPoolProfiles[1].", "spot"),
    ]
    assert found[1]["maximum"]["property"] == "agentPoolProfiles[1].maxCount"
    assert machines_of(cluster, {"agentPoolProfiles": UNKNOWN}) == []


def test_types_of_machines_are_a_list_and_one_that_is_hidden_hides_them():
    assert said(NODE_GROUP, {"instanceTypes": ["a", "b"]}, "types") == (["a", "b"],)
    assert said(NODE_GROUP, {"instanceTypes": ["a", UNKNOWN]}, "types") == (None,)
    overrides = {"launchTemplate": {"overrides": [{"instanceType": "m5.large"}, {}]}}
    assert said(GROUP, {"mixedInstancesPolicy": overrides}, "types") == (None,)
