"""What AWS and Karpenter do not allow is refused before anything is registered."""

from __future__ import annotations

import pytest
from tidegate_components import GpuNodePool
from tidegate_components.gpu_node_pool.parse import parse_pool

from tidegate.vocabulary.problems import InvalidInput

BLOCK = {"capacity_type": "reserved", "reservation": "block", "zones": ["us-east-2a"]}
OWN_NODES = {"node_kind": "auto-scaling-group", "kubernetes_version": "1.34"}
KARPENTER = {"scaler": "karpenter"}
L40S = {"accelerator": "l40s", "region": "us-east-1", "zones": None}


@pytest.mark.parametrize(
    ("own", "changes", "start"),
    [
        (
            {"node_kind": "asg"},
            {},
            "aws.node_kind = 'asg': is not known; expected one of eks-node-group, auto-scaling-",
        ),
        (
            {"node_kind": "eks-node-group"},
            KARPENTER,
            "aws.node_kind = 'eks-node-group': is not what Karpenter resizes",
        ),
        (
            {"node_kind": "auto-scaling-group"},
            {},
            "aws.kubernetes_version: decides the image of an Auto Scaling group's nodes; expected",
        ),
        (
            {"node_kind": "auto-scaling-group", "kubernetes_version": "v1.34"},
            {},
            "aws.kubernetes_version = 'v1.34': decides the image",
        ),
        (
            {**OWN_NODES, "ami_type": "AL2023_x86_64_NVIDIA"},
            {},
            "aws.ami_type = 'AL2023_x86_64_NVIDIA': names an image for managed node groups only",
        ),
        (
            {"node_kind": "auto-scaling-group"},
            {**L40S, "accelerator": "v520", "instance_types": ["g4ad.xlarge"]},
            "aws.image_id: is needed: no EKS image carries the driver of v520",
        ),
        (
            OWN_NODES,
            {"scaler": "provider"},
            "scaler = 'provider': would size nodes by metrics that know nothing of pods",
        ),
        (
            OWN_NODES,
            {"cloud_name": "a b"},
            "cloud_name = 'a b': is not a valid EC2 Auto Scaling group name",
        ),
        ({"image_id": "ami-1"}, {}, "aws.image_id = 'ami-1': is EKS's choice for a managed node"),
        (
            {"kubernetes_version": "1.34"},
            {},
            "aws.kubernetes_version = '1.34': is EKS's choice for a managed node group",
        ),
        (
            {"karpenter": {}},
            {},
            "aws.karpenter: concerns Karpenter, and the scaler is tidegate",
        ),
        (
            {"cluster_placement": True},
            {},
            "aws.cluster_placement = True: needs nodes in one zone",
        ),
        (
            {"efa": True},
            {**L40S, "instance_types": ["g6e.xlarge"]},
            "aws.efa = True: is an adapter that g6e.xlarge is not known to have",
        ),
        (
            {"efa": True},
            {
                **L40S,
                "accelerator": "trainium1",
                "instance_types": ["trn1.32xlarge", "trn1n.32xlarge"],
            },
            "aws.efa = True: is not the same for all types (trn1.32xlarge 8, trn1n.32xlarge 16)",
        ),
        (
            {"capacity_block": True},
            {"zones": ["us-east-2a"]},
            "aws.capacity_block = True: cannot be consumed by capacity_type spot",
        ),
        (
            {"capacity_block": True, "cluster_placement": True},
            BLOCK,
            "aws.cluster_placement = True: is not for a Capacity Block, whose machines stand",
        ),
        (
            {"capacity_block": True},
            {**BLOCK, "zones": None},
            "aws.capacity_block = True: stands in one zone",
        ),
        (
            {"capacity_block": True},
            {**BLOCK, "min_nodes": 1},
            "aws.capacity_block = True: begins and ends: outside its time no node of a minimum",
        ),
        (
            {"capacity_block": True},
            {**BLOCK, **L40S, "zones": ["us-east-1a"], "instance_types": ["g6e.12xlarge"]},
            "aws.capacity_block = True: is not sold for g6e.12xlarge",
        ),
        ({}, {**KARPENTER, "min_nodes": 1}, "min_nodes = 1: is kept by nobody: Karpenter makes"),
        (
            {},
            {
                **KARPENTER,
                "schedules": [
                    {"cron": "0 8 * * *", "time_zone": "UTC", "min_nodes": 0, "max_nodes": 1}
                ],
            },
            "schedules: are bounds that Karpenter cannot keep by the hour",
        ),
        ({}, {**KARPENTER, "priority": 101}, "priority = 101: is above the largest weight of a"),
        (
            {"efa": True},
            KARPENTER,
            "aws.efa: is nothing that Karpenter takes; expected nothing: pods that request",
        ),
        (
            {"ami_type": "CUSTOM"},
            KARPENTER,
            "aws.ami_type = 'CUSTOM': is nothing that Karpenter takes; expected karpenter.ami_",
        ),
        (
            {"karpenter": {"ami_alias": "al2@latest"}},
            KARPENTER,
            "aws.karpenter.ami_alias = 'al2@latest': is no alias of an image that is still made",
        ),
        (
            {"karpenter": {"consolidation_policy": "WhenUnderutilized"}},
            KARPENTER,
            "aws.karpenter.consolidation_policy = 'WhenUnderutilized': is not known to Karpenter",
        ),
        (
            {},
            {
                **KARPENTER,
                "windows": [
                    {"cron": "0 2 * * *", "time_zone": "Europe/Berlin", "duration_seconds": 3600}
                ],
            },
            (
                "windows[0] = '0 2 * * * Europe/Berlin': is in no zone that Karpenter knows: its "
                "schedules are in UTC"
            ),
        ),
        (
            {},
            {
                **KARPENTER,
                "windows": [{"cron": "0 2 1 * *", "time_zone": "UTC", "duration_seconds": 3600}],
            },
            "windows[0] = '0 2 1 * * UTC': does not come back each week",
        ),
        (
            {},
            {
                **KARPENTER,
                "windows": [{"cron": "0 2 * * *", "time_zone": "UTC", "duration_seconds": 90}],
            },
            "windows[0] = '0 2 * * * UTC': lasts no whole minutes",
        ),
        (
            {},
            {
                **KARPENTER,
                "windows": [{"cron": "0 2 * *", "time_zone": "UTC", "duration_seconds": 60}],
            },
            "windows[0].cron = '0 2 * *': has 4 fields",
        ),
        (
            {},
            {
                **KARPENTER,
                "windows": [{"cron": "*/7 * * * *", "time_zone": "UTC", "duration_seconds": 60}],
            },
            "windows: make 217 disruption budgets, and a NodePool takes 50",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(
    pool_args, catalog, own, changes, start
):
    with pytest.raises(InvalidInput) as caught:
        parse_pool("train-h100", pool_args("aws", **{"aws": own, **changes}), catalog)

    lines = [line.removeprefix("pool train-h100: ") for line in str(caught.value).splitlines()]
    assert [line for line in lines if line.startswith(start)], lines
    assert len(lines) == 1


def test_a_node_group_takes_fifty_taints_the_accelerators_own_among_them(pool_args, catalog):
    taints = [{"key": f"team-{number}", "effect": "NoSchedule"} for number in range(50)]
    args = pool_args("aws", taints=taints)

    with pytest.raises(InvalidInput) as caught:
        parse_pool("train-h100", args, catalog)

    line = "taints = 51: are more than an EKS node group takes; expected at most 50"
    assert f"pool train-h100: {line}" in str(caught.value).splitlines()
    # Karpenter has no such limit, and its nodes no tags of a group.
    assert len(parse_pool("train-h100", {**args, "scaler": "karpenter"}, catalog).taints) == 51


@pytest.mark.parametrize(
    ("own", "changes", "missing"),
    [
        (
            {"node_kind": "auto-scaling-group", "kubernetes_version": "1.34"},
            {},
            [
                "node_role_arn",
                "subnet_ids",
                "security_group_ids",
                "cluster_endpoint",
                "cluster_certificate",
                "service_cidr",
            ],
        ),
        ({}, KARPENTER, ["node_role_arn", "subnet_ids", "security_group_ids"]),
        ({"efa": True}, {}, ["node_role_arn", "subnet_ids", "security_group_ids"]),
    ],
)
def test_missing_inputs_are_refused_before_anything_is_registered(
    record, pool_args, catalog, own, changes, missing
):
    caught = []

    args = pool_args("aws", **{"aws": own, **changes})

    def program():
        with pytest.raises(InvalidInput) as error:
            GpuNodePool("train-h100", args, None, catalog)
        caught.extend(problem.property for problem in error.value.problems)

    assert record(program).all == []
    assert caught == [f"aws.{key}" for key in missing]
