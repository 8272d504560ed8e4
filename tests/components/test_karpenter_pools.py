"""Pools that Karpenter fills: a NodePool and an EC2NodeClass, by Karpenter's own field names."""

from __future__ import annotations

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components import GpuNodePool
from tidegate_components.node_pools.karpenter_budgets import (
    DAY,
    WEEK,
    build_budgets,
    find_closed_times,
    find_starts,
)

from tidegate.manifest.model import Window

OWN = {
    "node_role_arn": "arn:aws:iam::1:role/team/node",
    "subnet_ids": ["subnet-1", "subnet-2"],
    "security_group_ids": ["sg-1"],
}
COST = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1001",
    "managed-by": "tidegate",
    "capacity-pool": "train-h100",
}
POOL = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


@pytest.fixture
def declare(record, pool_args, catalog):
    """Declare one pool that Karpenter fills and return what was registered."""

    def run(own=None, opts=None, **changes):
        changes = {"scaler": "karpenter", "aws": {**OWN, **(own or {})}, **changes}
        args = pool_args("aws", **changes)
        return record(lambda: GpuNodePool("train-h100", args, opts, catalog))

    return run


def test_the_pool_says_which_nodes_may_be_made_and_how_many(declare):
    pool = declare(priority=10).one(POOL).inputs

    assert pool["metadata"] == {"name": "train-h100", "labels": COST}
    assert pool["spec"] == {
        "template": {
            "metadata": {
                "labels": {
                    "capacity-pool": "train-h100",
                    "k8s.amazonaws.com/accelerator": "h100-80gb",
                }
            },
            "spec": {
                "nodeClassRef": {
                    "group": "karpenter.k8s.aws",
                    "kind": "EC2NodeClass",
                    "name": "train-h100",
                },
                "requirements": [
                    {
                        "key": "node.kubernetes.io/instance-type",
                        "operator": "In",
                        "values": ["p5.48xlarge"],
                    },
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]},
                    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
                    {
                        "key": "topology.kubernetes.io/zone",
                        "operator": "In",
                        "values": ["us-east-2a", "us-east-2b"],
                    },
                ],
                "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
                "expireAfter": "720h",
            },
        },
        "limits": {"nvidia.com/gpu": "32", "cpu": "768"},
        "disruption": {
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": "300s",
            "budgets": [{"nodes": "1"}],
        },
        "weight": 10,
    }


def test_the_class_says_what_ec2_makes(declare):
    recording = declare(own={"subnet_ids": pulumi.Output.from_input(["subnet-9"])})

    made = recording.one(CLASS).inputs
    assert made["metadata"] == {"name": "train-h100", "labels": COST}
    assert made["spec"] == {
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "node",
        "subnetSelectorTerms": [{"id": "subnet-9"}],
        "securityGroupSelectorTerms": [{"id": "sg-1"}],
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "rootVolume": True,
                "ebs": {
                    "volumeSize": "200Gi",
                    "volumeType": "gp3",
                    "encrypted": True,
                    "deleteOnTermination": True,
                },
            }
        ],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 2,
        },
        "tags": {**COST, "Name": "train-h100"},
    }


def test_a_reserved_pool_selects_its_reservation_and_no_other_capacity(declare):
    recording = declare(
        capacity_type="reserved", reservation="serve-h100", reservation_target="cr-1"
    )

    made = recording.one(CLASS).inputs["spec"]
    assert made["capacityReservationSelectorTerms"] == [{"id": "cr-1"}]
    template = recording.one(POOL).inputs["spec"]["template"]
    wanted = {each["key"]: each["values"] for each in template["spec"]["requirements"]}
    assert wanted["karpenter.sh/capacity-type"] == ["reserved"]
    assert template["metadata"]["labels"]["commitment"] == "serve-h100"


def test_karpenters_own_choices_are_stated(declare):
    karpenter = {
        "ami_alias": "bottlerocket@1.47.0",
        "consolidation_policy": "WhenEmptyOrUnderutilized",
        "consolidate_after_seconds": 60,
        "expire_after_hours": 0,
        "termination_grace_seconds": 900,
    }

    recording = declare(own={"karpenter": karpenter})

    spec = recording.one(POOL).inputs["spec"]
    assert spec["disruption"]["consolidationPolicy"] == "WhenEmptyOrUnderutilized"
    assert spec["disruption"]["consolidateAfter"] == "60s"
    assert spec["template"]["spec"]["expireAfter"] == "Never"
    assert spec["template"]["spec"]["terminationGracePeriod"] == "900s"
    made = recording.one(CLASS).inputs["spec"]
    assert made["amiSelectorTerms"] == [{"alias": "bottlerocket@1.47.0"}]
    # Bottlerocket keeps images and pods on a disk apart from its system's.
    assert [each["deviceName"] for each in made["blockDeviceMappings"]] == ["/dev/xvdb"]


def test_the_manifest_knows_who_makes_the_nodes(declare):
    outputs = declare().outputs["train-h100"]

    (pool,) = outputs["capacity"]["pools"]
    assert (pool["kind"], pool["scaler"]) == ("karpenter-node-pool", "karpenter")
    assert outputs["bindings"]["train-h100"] == {
        "cloud": "aws",
        "cluster": "train",
        "nodePool": "train-h100",
        "nodeClass": "train-h100",
        "region": "us-east-2",
    }


def test_nothing_of_aws_is_declared_where_karpenter_makes_it(declare):
    recording = declare()

    kinds = {each.type for each in recording.all}
    assert kinds == {"tidegate:index:GpuNodePool", POOL, CLASS}
    assert any("EC2NodeClass" in urn for urn in recording.one(POOL).request.dependencies)


def test_the_kubernetes_provider_of_the_caller_reaches_both_objects(record, pool_args, catalog):
    def program():
        import pulumi_kubernetes as kubernetes

        provider = kubernetes.Provider("train-cluster", kubeconfig="{}")
        opts = pulumi.ResourceOptions(providers=[provider], protect=True)
        args = pool_args("aws", scaler="karpenter", aws=OWN)
        GpuNodePool("train-h100", args, opts, catalog)

    recording = record(program)

    for kind in (POOL, CLASS):
        request = recording.one(kind).request
        assert "train-cluster" in request.provider
        assert request.protect
        assert request.deleteBeforeReplace


def test_a_callers_ignored_spec_reaches_the_objects_and_nonsense_does_not(declare):
    opts = pulumi.ResourceOptions(ignore_changes=["spec.limits", "nonsense"])

    assert declare(opts=opts).one(POOL).ignored == ["spec.limits"]


def window(cron: str, hours: float) -> Window:
    return Window(cron=cron, time_zone="UTC", duration_seconds=int(hours * 3600))


@pytest.mark.parametrize(
    ("windows", "closed"),
    [
        # Each night from 22:00 to 4:00.
        ([window("0 22 * * *", 6)], [{"schedule": "0 4 * * *", "duration": "18h0m"}]),
        # The week-end, from Saturday 0:00 on.
        ([window("0 0 * * sat", 48)], [{"schedule": "0 0 * * 1", "duration": "120h0m"}]),
        # Two windows that follow each other leave one time that is closed.
        (
            [window("0 0 * * *", 1), window("0 1 * * *", 1)],
            [{"schedule": "0 2 * * *", "duration": "22h0m"}],
        ),
        (
            [window("30 1 * * 1-2", 1)],
            [
                {"schedule": "30 2 * * 1", "duration": "23h0m"},
                {"schedule": "30 2 * * 2", "duration": "143h0m"},
            ],
        ),
        ([window("0 0 * * *", 24)], []),
    ],
)
def test_outside_its_windows_no_node_is_disrupted(declare, windows, closed):
    given = [each.model_dump() for each in windows]

    recording = declare(windows=given, disruption_budget={"max_unavailable_nodes": 2})

    budgets = recording.one(POOL).inputs["spec"]["disruption"]["budgets"]
    assert budgets == [{"nodes": "2"}, *({"nodes": "0", **each} for each in closed)]


def test_a_budget_of_no_nodes_is_no_budget_of_one(declare):
    recording = declare(disruption_budget={"max_unavailable_nodes": 0})

    assert recording.one(POOL).inputs["spec"]["disruption"]["budgets"] == [{"nodes": "0"}]


crons = st.builds(
    "{} {} * * {}".format,
    st.one_of(st.integers(0, 59).map(str), st.just("*/20"), st.just("5,35")),
    st.one_of(st.integers(0, 23).map(str), st.just("8-17"), st.just("*")),
    st.one_of(st.integers(0, 7).map(str), st.just("*"), st.just("mon-fri"), st.just("0,6")),
)


@given(st.lists(st.tuples(crons, st.integers(1, 3 * DAY)), min_size=1, max_size=4))
def test_each_minute_of_a_week_is_either_open_or_closed(drawn):
    windows = [
        Window(cron=cron, time_zone="UTC", duration_seconds=minutes * 60) for cron, minutes in drawn
    ]

    is_open = {
        (start + offset) % WEEK
        for (cron, minutes) in drawn
        for start in find_starts(cron)
        for offset in range(minutes)
    }
    closed = [
        (start + offset) % WEEK
        for start, length in find_closed_times(windows)
        for offset in range(length)
    ]
    assert len(closed) == len(set(closed))
    assert set(closed) == set(range(WEEK)) - is_open


@given(st.lists(st.tuples(crons, st.integers(1, DAY)), min_size=1, max_size=3))
def test_budgets_close_what_the_windows_leave(drawn):
    windows = [
        Window(cron=cron, time_zone="UTC", duration_seconds=minutes * 60) for cron, minutes in drawn
    ]

    told: set[int] = set()
    for budget in build_budgets(1, windows)[1:]:
        hours, _, rest = budget["duration"].partition("h")
        length = int(hours) * 60 + int(rest.removesuffix("m"))
        for start in find_starts(budget["schedule"]):
            told |= {(start + offset) % WEEK for offset in range(length)}
    expected = {
        (start + offset) % WEEK
        for start, length in find_closed_times(windows)
        for offset in range(length)
    }
    assert told == expected
