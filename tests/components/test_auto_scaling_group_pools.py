"""GPU pools of self-managed nodes on EKS: what EKS does for managed ones has to be declared."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components import GpuNodePool
from tidegate_components.gpu_node_pool.parse import parse_pool
from tidegate_components.node_pools.nodeadm import build_kubelet_flags
from tidegate_components.node_pools.spec import PoolSpec

OWN = {
    "node_kind": "auto-scaling-group",
    "node_role_arn": "arn:aws:iam::1:role/team/node",
    "subnet_ids": ["subnet-1"],
    "security_group_ids": ["sg-1"],
    "cluster_endpoint": "https://train.example",
    "cluster_certificate": "Q0E=",
    "service_cidr": "172.20.0.0/16",
    "kubernetes_version": "1.34",
}
GROUP = "autoscaling/group:Group"
TEMPLATE = "launchTemplate:LaunchTemplate"


@pytest.fixture
def declare(record, pool_args, catalog):
    """Declare one pool of own nodes and return what was registered."""

    def run(name: str = "train-h100", own: Any = None, opts: Any = None, **changes: Any):
        args = pool_args("aws", **{"aws": {**OWN, **(own or {})}, **changes})
        return record(lambda: GpuNodePool(name, args, opts, catalog))

    return run


def tags_of(recording):
    tags = recording.one(GROUP).inputs["tags"]
    return {tag["key"]: (tag["value"], tag["propagateAtLaunch"]) for tag in tags}


def test_nodes_join_through_nodeadm_with_labels_and_taints(declare):
    template = declare(taints=[{"key": "team", "value": "a", "effect": "NoExecute"}]).one(TEMPLATE)

    text = base64.b64decode(template.inputs["userData"]).decode()
    labels = "capacity-pool=train-h100,k8s.amazonaws.com/accelerator=h100-80gb"
    head, body = text.split("Content-Type: application/node.eks.aws\n")
    assert head.startswith("MIME-Version: 1.0\nContent-Type: multipart/mixed")
    assert json.loads(body.partition("--NODECONFIG")[0]) == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "cluster": {
                "name": "train",
                "apiServerEndpoint": "https://train.example",
                "certificateAuthority": "Q0E=",
                "cidr": "172.20.0.0/16",
            },
            "kubelet": {
                "flags": [
                    f"--node-labels={labels}",
                    "--register-with-taints=nvidia.com/gpu=present:NoSchedule,team=a:NoExecute",
                ]
            },
        },
    }


@pytest.mark.parametrize(
    ("changes", "image"),
    [
        ({}, "x86_64/nvidia"),
        ({"accelerator": "trainium1", "instance_types": ["trn1.32xlarge"]}, "x86_64/neuron"),
        ({"accelerator": "t4g", "instance_types": ["g5g.xlarge"]}, "arm64/nvidia"),
    ],
)
def test_nodes_boot_the_recommended_image_of_the_day(declare, changes, image):
    place = {"region": "us-east-1", "zones": None} if changes else {}

    template = declare(**changes, **place).one(TEMPLATE).inputs

    path = f"/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/{image}/recommended/image_id"
    assert template["imageId"] == f"resolve:ssm:{path}"


def test_an_image_of_ones_own_goes_first(declare):
    template = declare(own={"image_id": "ami-1", "kubernetes_version": None}).one(TEMPLATE)

    assert template.inputs["imageId"] == "ami-1"


def test_the_role_may_join_the_cluster_and_boot_machines(declare):
    recording = declare()

    entry = recording.one("eks/accessEntry:AccessEntry").inputs
    assert (entry["clusterName"], entry["principalArn"], entry["type"]) == (
        "train",
        "arn:aws:iam::1:role/team/node",
        "EC2_LINUX",
    )
    profile = recording.one("iam/instanceProfile:InstanceProfile")
    assert profile.inputs["role"] == "node"
    assert recording.one(TEMPLATE).inputs["iamInstanceProfile"] == {"name": profile.name}


def test_a_role_that_the_cluster_knows_and_a_given_profile_are_not_declared_again(declare):
    recording = declare(own={"role_has_access": True, "instance_profile": "nodes"})

    assert recording.of("AccessEntry") == recording.of("InstanceProfile") == []
    assert recording.one(TEMPLATE).inputs["iamInstanceProfile"] == {"name": "nodes"}


def test_no_node_starts_before_its_role_may_join(declare):
    recording = declare()

    waits_for = recording.one(GROUP).request.dependencies
    assert any("accessEntry" in urn for urn in waits_for)


def test_an_empty_group_is_known_and_belongs_to_its_cluster(declare):
    found = tags_of(declare())

    template = "k8s.io/cluster-autoscaler/node-template"
    assert found["kubernetes.io/cluster/train"] == ("owned", True)
    assert found[f"{template}/resources/nvidia.com/gpu"] == ("8", False)
    assert found[f"{template}/resources/ephemeral-storage"] == ("200Gi", False)
    assert found[f"{template}/taint/nvidia.com/gpu"] == ("present:NoSchedule", False)
    assert found["owner"] == ("ml-platform", True)


@pytest.mark.parametrize(("scaler", "found"), [("cluster-autoscaler", True), ("tidegate", False)])
def test_cluster_autoscaler_finds_the_groups_that_it_is_to_scale_and_no_other(
    declare, scaler, found
):
    tags = tags_of(declare(scaler=scaler))

    own = {
        key for key in tags if key.startswith("k8s.io/cluster-autoscaler/") and "node-t" not in key
    }
    both = {"k8s.io/cluster-autoscaler/enabled", "k8s.io/cluster-autoscaler/train"}
    assert own == (both if found else set())


def test_a_spot_group_has_no_on_demand_share_and_no_lowest_price(declare):
    policy = declare().one(GROUP).inputs["mixedInstancesPolicy"]

    assert policy["instancesDistribution"] == {
        "onDemandBaseCapacity": 0,
        "onDemandPercentageAboveBaseCapacity": 0,
        "onDemandAllocationStrategy": "prioritized",
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    assert policy["launchTemplate"]["overrides"] == [{"instanceType": "p5.48xlarge"}]
    specification = policy["launchTemplate"]["launchTemplateSpecification"]
    assert specification["version"] == "3"


def test_an_on_demand_group_buys_no_spot(declare):
    policy = declare(capacity_type="on-demand").one(GROUP).inputs["mixedInstancesPolicy"]

    assert policy["instancesDistribution"]["onDemandPercentageAboveBaseCapacity"] == 100
    assert "spotAllocationStrategy" not in policy["instancesDistribution"]


def test_the_size_that_a_scaler_chose_is_never_undone_nor_balanced_away(declare):
    group = declare(min_nodes=1).one(GROUP)

    assert group.ignored == ["desiredCapacity"]
    assert (group.inputs["minSize"], group.inputs["maxSize"]) == (1, 4)
    assert group.inputs["suspendedProcesses"] == ["AZRebalance"]
    assert group.inputs["waitForCapacityTimeout"] == "0"
    assert not group.request.deleteBeforeReplace


def test_a_reserved_group_targets_its_reservation(declare):
    recording = declare(
        capacity_type="reserved", reservation="serve-h100", reservation_target="cr-1"
    )

    specification = recording.one(TEMPLATE).inputs["capacityReservationSpecification"]
    assert specification == {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    (pool,) = recording.outputs["train-h100"]["capacity"]["pools"]
    assert (pool["kind"], pool["reservation"]) == ("auto-scaling-group", "serve-h100")


def test_cost_labels_are_stamped_on_every_resource_of_the_pool(declare, labels):
    recording = declare()

    cost = {**labels, "managed-by": "tidegate", "capacity-pool": "train-h100"}
    for suffix in (TEMPLATE, "AccessEntry", "InstanceProfile"):
        assert recording.one(suffix).inputs["tags"] == cost, suffix
    stamped = recording.one(TEMPLATE).inputs["tagSpecifications"]
    assert {each["resourceType"] for each in stamped} == {"instance", "volume", "network-interface"}
    assert {key: (value, True) for key, value in cost.items()}.items() <= tags_of(recording).items()


def test_the_callers_options_reach_the_group(declare):
    opts = pulumi.ResourceOptions(protect=True, ignore_changes=["maxSize", "nonsense"])

    recording = declare(opts=opts)

    assert recording.one(GROUP).request.protect
    assert recording.one(GROUP).ignored == ["desiredCapacity", "maxSize"]
    assert recording.one(TEMPLATE).ignored == []


def test_bindings_name_the_group(declare):
    recording = declare(cluster=pulumi.Output.from_input("late"))

    assert recording.outputs["train-h100"]["bindings"] == {
        "train-h100": {
            "cloud": "aws",
            "cluster": "late",
            "autoScalingGroup": "train-h100",
            "launchTemplate": "train-h100-id",
            "region": "us-east-2",
        }
    }
    assert tags_of(recording)["kubernetes.io/cluster/late"] == ("owned", True)


@pytest.fixture(scope="module")
def spec(catalog) -> PoolSpec:
    args = {
        "cloud": "aws",
        "region": "us-east-2",
        "accelerator": "h100-80gb",
        "instance_types": ["p5.48xlarge"],
        "capacity_type": "spot",
        "max_nodes": 1,
        "scaler": "tidegate",
        "labels": {
            "environment": "prod",
            "owner": "ml-platform",
            "business-unit": "research",
            "platform-project": "vision",
            "workload-class": "training",
            "cost-center": "cc-1001",
        },
        "aws": OWN,
    }
    return parse_pool("train-h100", args, catalog)


keys = st.from_regex(r"([a-z]{1,8}(\.[a-z]{1,5})?/)?[a-z]{1,10}", fullmatch=True)
values = st.from_regex(r"([A-Za-z0-9]([-_.A-Za-z0-9]{0,8}[A-Za-z0-9])?)?", fullmatch=True)


@given(labels=st.dictionaries(keys, values, min_size=1, max_size=5))
def test_the_kubelet_is_told_every_label_whole(spec, labels):
    flag, *_ = build_kubelet_flags(replace(spec, node_labels=labels))

    pairs = flag.removeprefix("--node-labels=").split(",")
    assert dict(pair.split("=", 1) for pair in pairs) == labels
