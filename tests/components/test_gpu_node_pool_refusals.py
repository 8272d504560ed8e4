from __future__ import annotations

from decimal import Decimal

import pytest
from tidegate_components import GpuNodePool
from tidegate_components.gpu_node_pool.parse import parse_pool

from tidegate.vocabulary.problems import InvalidInput

CLOUDS = ["aws", "gcp", "azure"]


@pytest.fixture
def refusal(pool_args, catalog):
    """Return the lines with which a pool is refused."""

    def run(cloud, name="train-h100", **changes):
        with pytest.raises(InvalidInput) as caught:
            parse_pool(name, pool_args(cloud, **changes), catalog)
        return [line.removeprefix(f"pool {name}: ") for line in str(caught.value).splitlines()]

    return run


QUEUED = {"capacity_type": "on-demand", "scaler": "provider"}


@pytest.mark.parametrize(
    ("cloud", "changes", "start"),
    [
        ("aws", {"min_nodes": 5}, "min_nodes = 5: is above max_nodes 4; expected at most 4"),
        (
            "aws",
            {"node_labels": {f"team-{number}": "a" for number in range(40)}},
            "node_labels: and taints make 53 tags on the Auto Scaling group, which has room for 45",
        ),
        (
            "aws",
            {"node_labels": {f"{'a' * 60}.example/{'b' * 30}": "x"}},
            f"node_labels = '{'a' * 60}.example/{'b' * 30}': is too long for an AWS tag",
        ),
        (
            "aws",
            {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoExecute"}]},
            "taints = 'nvidia.com/gpu': has two effects, and a tag can tell an autoscaler of one",
        ),
        ("aws", {"max_nodes": 0}, "max_nodes = 0: leaves the pool without any node, ever"),
        ("aws", {"declared_nodes": 9}, "declared_nodes = 9: lies outside min_nodes 0 and max_"),
        (
            "aws",
            {"reservation": "serve"},
            "reservation = 'serve': cannot be consumed by capacity_type spot",
        ),
        (
            "aws",
            {"capacity_type": "reserved"},
            "reservation: is needed by capacity_type reserved and is missing",
        ),
        (
            "aws",
            {"interruption_tolerance": "intolerant"},
            "interruption_tolerance = 'intolerant': spot nodes are taken away at short notice",
        ),
        (
            "gcp",
            {"scaler": "karpenter"},
            "scaler = 'karpenter': makes nodes on AWS only, and the pool is in gcp",
        ),
        ("aws", {"scaler": "provider"}, "scaler = 'provider': EKS scales no node group by itself"),
        ("aws", {"accelerator": "a100"}, "accelerator = 'a100': can mean more than one chip"),
        (
            "aws",
            {"accelerator": "a100-40gb"},
            "instance_types[0] = 'p5.48xlarge': has h100-80gb, not a100-40gb",
        ),
        (
            "aws",
            {"instance_types": ["p5.48xlarg"]},
            (
                "instance_types[0] = 'p5.48xlarg': is not in the catalog; expected an instance "
                "type of aws, such as 'p5.48xlarge'"
            ),
        ),
        ("aws", {"instance_types": []}, "instance_types: names no instance type"),
        (
            "aws",
            {"accelerators_per_node": 4},
            "accelerators_per_node = 4: is not what a p5.48xlarge has; expected 8",
        ),
        (
            "aws",
            {
                "accelerator": "l4",
                "region": "us-east-1",
                "zones": None,
                "instance_types": ["g6.xlarge", "g6.2xlarge"],
            },
            "instance_types = 'g6.xlarge, g6.2xlarge': differ in CPU, memory or architecture",
        ),
        (
            "aws",
            {"region": "eu-west-1", "zones": None},
            "instance_types[0] = 'p5.48xlarge': is not sold in eu-west-1",
        ),
        (
            "gcp",
            {"instance_types": ["a3-highgpu-8g", "a3-megagpu-8g"]},
            (
                "instance_types = 'a3-highgpu-8g, a3-megagpu-8g': are too many: a GKE node pool "
                "has one machine type"
            ),
        ),
        (
            "gcp",
            {"accelerator": "t4", "instance_types": ["n1-standard-8"]},
            "accelerators_per_node: cannot be attached to n1-standard-8; expected one of 1, 2, 4",
        ),
        (
            "gcp",
            {"taints": [{"key": "nvidia.com/gpu", "value": "yes", "effect": "NoSchedule"}]},
            "taints[0] = 'nvidia.com/gpu': is set already, with the value 'present'",
        ),
        (
            "gcp",
            {"taints": [{"key": "team", "effect": "NO_SCHEDULE"}]},
            "taints[0].effect = 'NO_SCHEDULE': should be 'NoSchedule', 'PreferNoSchedule' or",
        ),
        (
            "gcp",
            {"taints": [{"kee": "team", "effect": "NoSchedule"}]},
            "taints[0].kee: is not an argument (did you mean 'key'?)",
        ),
        (
            "gcp",
            {"zones": ["us-central1-a", "us-central1-b"], "min_nodes": 3},
            "min_nodes = 3: does not divide over 2 zones, and GKE counts nodes a zone",
        ),
        (
            "gcp",
            {"cloud_name": "a" * 41},
            f"cloud_name = '{'a' * 41}': has 41 characters, and a GKE node pool name may have 40",
        ),
        (
            "gcp",
            {**QUEUED, "min_nodes": 1, "gcp": {"queued_provisioning": True}},
            "gcp.queued_provisioning = True: needs min_nodes 0",
        ),
        (
            "gcp",
            {**QUEUED, "gcp": {"queued_provisioning": True, "compact_placement": True}},
            "gcp.queued_provisioning = True: excludes compact placement",
        ),
        (
            "gcp",
            {**QUEUED, "scaler": "tidegate", "gcp": {"queued_provisioning": True}},
            "gcp.queued_provisioning = True: has no static node count",
        ),
        (
            "gcp",
            {"scaler": "provider", "gcp": {"flex_start": True}},
            "gcp.flex_start = True: excludes capacity_type spot",
        ),
        (
            "gcp",
            {
                **QUEUED,
                "capacity_type": "reserved",
                "reservation": "serve",
                "gcp": {"flex_start": True},
            },
            "gcp.flex_start = True: cannot consume a reservation",
        ),
        (
            "gcp",
            {"zones": ["us-central1-a", "us-central1-b"], "gcp": {"compact_placement": True}},
            "gcp.compact_placement = True: needs nodes in one zone",
        ),
        (
            "gcp",
            {"gcp": {"max_run_duration_seconds": 3600}},
            "gcp.max_run_duration_seconds = 3600: bounds flex-start and queued nodes only",
        ),
        (
            "gcp",
            {"gcp": {"driver_version": "NEWEST"}},
            "gcp.driver_version = 'NEWEST': is not known to GKE",
        ),
        (
            "azure",
            {"cloud_name": "gpu-pool"},
            "cloud_name = 'gpu-pool': is not a valid AKS agent pool name",
        ),
        (
            "azure",
            {"azure": {"gpu_instance_profile": "MIG8g"}},
            "azure.gpu_instance_profile = 'MIG8g': is no MIG profile of AKS",
        ),
        (
            "azure",
            {"aws": {"ami_type": "CUSTOM"}},
            "aws: concerns aws, and the pool is in azure; expected leave it out",
        ),
        (
            "azure",
            {"node_labels": {"kubernetes.azure.com/mode": "user"}},
            "node_labels.kubernetes.azure.com/mode: is set by Tidegate or by Kubernetes",
        ),
        (
            "azure",
            {"node_labels": {"commitment": "mine"}},
            "node_labels.commitment: is set by Tidegate or by Kubernetes",
        ),
        (
            "azure",
            {"node_labels": {"team": "a b"}},
            "node_labels.team = 'a b': is no Kubernetes label value",
        ),
        (
            "azure",
            {"windows": [{"cron": "0 9 * *", "time_zone": "UTC", "duration_seconds": 60}]},
            "windows[0].cron = '0 9 * *': has 4 fields",
        ),
        (
            "azure",
            {
                "schedules": [
                    {"cron": "0 9 * * *", "time_zone": "CET", "min_nodes": 0, "max_nodes": 1}
                ]
            },
            "schedules[0].time_zone = 'CET': is an abbreviation or offset",
        ),
        (
            "azure",
            {"checkpoint": {"interval_seconds": 0, "write_seconds": 1, "restart_seconds": 1}},
            "checkpoint.interval_seconds = 0: should be greater than 0",
        ),
        ("azure", {"workload_classes": ["trainning"]}, "workload_classes[0] = 'trainning': is no"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(refusal, cloud, changes, start):
    lines = refusal(cloud, **changes)

    assert [line for line in lines if line.startswith(start)], lines
    assert len(lines) == 1


@pytest.mark.parametrize("name", ["Train", "train_h100", "-train", "a" * 64, ""])
def test_an_id_that_cannot_be_a_label_is_refused(refusal, name):
    assert any("is not an id that every cloud's labels" in line for line in refusal("gcp", name))


def test_everything_wrong_with_a_pool_is_said_at_once(refusal, labels):
    lines = refusal(
        "gcp",
        labels={**labels, "owner": "ML Platform"},
        min_nodes=9,
        cloud_name="A",
        scaler="me",
        gcp={"driver_version": "x"},
        nonsense=1,
    )

    assert [line.split(" ")[0].rstrip(":") for line in lines] == [
        "nonsense",
        "labels.owner",
        "cloud_name",
        "gcp.driver_version",
        "scaler",
        "min_nodes",
    ]


@pytest.mark.parametrize(
    ("cloud", "key", "missing"),
    [
        ("aws", "cluster", ["cluster"]),
        ("aws", "aws", ["aws.node_role_arn", "aws.subnet_ids"]),
        ("azure", "azure", ["azure.resource_group_name"]),
    ],
)
def test_missing_inputs_are_refused_before_anything_is_registered(
    record, pool_args, catalog, cloud, key, missing
):
    caught = []

    def program():
        with pytest.raises(InvalidInput) as error:
            GpuNodePool("train-h100", pool_args(cloud, **{key: None}), None, catalog)
        caught.extend(problem.property for problem in error.value.problems)

    assert record(program).all == []
    assert caught == missing


def test_a_reserved_pool_without_its_target_is_refused(record, pool_args, catalog):
    args = pool_args("gcp", capacity_type="reserved", reservation="serve")

    def program():
        with pytest.raises(InvalidInput, match="reservation_target: is required"):
            GpuNodePool("serve", args, None, catalog)

    assert record(program).all == []


def test_an_attached_accelerator_is_counted_as_given(pool_args, catalog):
    args = pool_args(
        "gcp", accelerator="t4", instance_types=["n1-standard-8"], accelerators_per_node=2
    )

    spec = parse_pool("t4", args, catalog)

    assert (spec.accelerator.name, spec.accelerators_per_node) == ("t4", 2)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_pool_starts_from_zero_unless_stated(pool_args, catalog, cloud):
    spec = parse_pool("train-h100", pool_args(cloud, declared_nodes=1.5), catalog)

    assert (spec.min_nodes, spec.declared_nodes) == (0, Decimal("1.5"))
