"""Pools of plain machines: the same labels, purchase and scalers, and no accelerator anywhere."""

from __future__ import annotations

import pulumi
import pytest
from tidegate_components import CpuNodePool, GpuNodePool
from tidegate_components.cpu_node_pool.parse import parse_cpu_pool

from tidegate.manifest.model import Fragment
from tidegate.vocabulary.problems import InvalidInput

CLOUDS = ["aws", "gcp", "azure"]
RESOURCE = {"aws": "nodeGroup:NodeGroup", "gcp": "nodePool:NodePool", "azure": "AgentPool"}
MACHINES = {"aws": "m5.4xlarge", "gcp": "n2-standard-8", "azure": "Standard_D16s_v5"}
TEMPLATE = "k8s.io/cluster-autoscaler/node-template"


@pytest.fixture
def cpu_args(pool_args, labels):
    """Return valid arguments of a spot pool for pipelines; keywords replace, None removes."""

    def build(cloud, **changes):
        plain = {
            "accelerator": None,
            "instance_types": [MACHINES[cloud]],
            "labels": {**labels, "workload-class": "pipeline"},
        }
        return pool_args(cloud, **{**plain, **changes})

    return build


@pytest.fixture
def declare(record, cpu_args, catalog):
    def run(cloud, opts=None, **changes):
        args = cpu_args(cloud, **changes)
        return record(lambda: CpuNodePool("prepare", args, opts, catalog))

    return run


@pytest.mark.parametrize("cloud", CLOUDS)
def test_registers_its_fragment_and_bindings_as_outputs(declare, cloud):
    outputs = declare(cloud).outputs["prepare"]

    (pool,) = Fragment.model_validate(outputs["capacity"]).pools
    assert (pool.id, pool.accelerator, pool.accelerators_per_node) == ("prepare", "", 0)
    assert (pool.min_nodes, pool.max_nodes, pool.boot_seconds) == (0, 4, 120)
    assert [each.value for each in pool.workload_classes] == ["pipeline"]
    assert pool.node_labels["capacity-pool"] == "prepare"
    assert outputs["bindings"]["prepare"]["cloud"] == cloud


@pytest.mark.parametrize(
    ("cloud", "place"),
    [("aws", ["tags"]), ("gcp", ["nodeConfig", "resourceLabels"]), ("azure", ["tags"])],
)
def test_cost_labels_are_stamped_on_the_pool(declare, labels, cloud, place):
    value = declare(cloud).one(RESOURCE[cloud]).inputs
    for key in place:
        value = value[key]

    own = {"workload-class": "pipeline", "managed-by": "tidegate", "capacity-pool": "prepare"}
    assert value == {**labels, **own}


def test_no_accelerator_taint_driver_or_count_anywhere_on_eks(declare):
    recording = declare("aws")

    group = recording.one(RESOURCE["aws"]).inputs
    assert group["amiType"] == "AL2023_x86_64_STANDARD"
    assert "taints" not in group or group["taints"] == []
    assert group["labels"] == {"capacity-pool": "prepare"}
    tags = {each.inputs["tag"]["key"]: each.inputs["tag"]["value"] for each in recording.of(":Tag")}
    assert {key: tags[key] for key in tags if key.startswith(TEMPLATE)} == {
        f"{TEMPLATE}/label/capacity-pool": "prepare",
        f"{TEMPLATE}/resources/ephemeral-storage": "100Gi",
    }


def test_no_accelerator_taint_or_driver_on_gke(declare):
    config = declare("gcp").one(RESOURCE["gcp"]).inputs["nodeConfig"]

    assert not {"guestAccelerators", "taints"} & set(config)
    assert (config["machineType"], config["diskSizeGb"]) == ("n2-standard-8", 100)


def test_no_accelerator_profile_on_aks_and_its_spot_taint_stays(declare):
    pool = declare("azure").one(RESOURCE["azure"]).inputs

    assert not {"gpuProfile", "gpuInstanceProfile"} & set(pool)
    assert pool["nodeTaints"] == ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]


def test_arm_nodes_boot_the_arm_image(declare):
    recording = declare("aws", instance_types=["c7g.4xlarge"], region="us-east-1", zones=None)

    assert recording.one(RESOURCE["aws"]).inputs["amiType"] == "AL2023_ARM_64_STANDARD"


@pytest.mark.parametrize(
    ("cloud", "settings"),
    [
        ("gcp", {"maxSurge": 2, "maxUnavailable": 0}),
        ("azure", {"maxSurge": "2", "maxUnavailable": "0"}),
    ],
)
def test_an_upgrade_adds_plain_nodes_before_it_takes_any(declare, cloud, settings):
    recording = declare(
        cloud, capacity_type="on-demand", disruption_budget={"max_unavailable_nodes": 2}
    )

    assert recording.one(RESOURCE[cloud]).inputs["upgradeSettings"] == settings


@pytest.mark.parametrize(
    ("cloud", "ignored"),
    [
        ("aws", ["scalingConfig.desiredSize"]),
        ("gcp", ["initialNodeCount", "nodeCount"]),
        ("azure", ["count"]),
    ],
)
def test_the_size_that_a_scaler_chose_is_never_undone(declare, cloud, ignored):
    assert declare(cloud).one(RESOURCE[cloud]).ignored == ignored


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_options_reach_the_pool(declare, cloud):
    path = {"aws": "tags", "gcp": "nodeConfig.labels", "azure": "tags"}[cloud]
    opts = pulumi.ResourceOptions(
        protect=True,
        ignore_changes=[path, "nonsense"],
        aliases=[pulumi.Alias(name="old-name")],
    )

    recording = declare(cloud, opts=opts)

    pool = recording.one(RESOURCE[cloud])
    assert pool.request.protect
    assert path in pool.ignored
    assert "nonsense" not in pool.ignored
    component = recording.one("index:CpuNodePool").request
    assert "old-name" in str(component.aliases) + str(component.aliasURNs)


def test_own_nodes_boot_the_standard_image(declare):
    own = {
        "node_kind": "auto-scaling-group",
        "node_role_arn": "arn:aws:iam::1:role/node",
        "subnet_ids": ["subnet-1"],
        "security_group_ids": ["sg-1"],
        "cluster_endpoint": "https://train.example",
        "cluster_certificate": "Q0E=",
        "service_cidr": "172.20.0.0/16",
        "kubernetes_version": "1.34",
    }

    recording = declare("aws", aws=own)

    image = recording.one("launchTemplate:LaunchTemplate").inputs["imageId"]
    assert "/amazon-linux-2023/x86_64/standard/" in image
    tags = [each["key"] for each in recording.one("group:Group").inputs["tags"]]
    assert f"{TEMPLATE}/resources/ephemeral-storage" in tags


def test_karpenter_bounds_plain_nodes_by_their_cpus(declare):
    own = {
        "node_role_arn": "arn:aws:iam::1:role/node",
        "subnet_ids": ["subnet-1"],
        "security_group_ids": ["sg-1"],
    }

    spec = declare("aws", scaler="karpenter", aws=own).one(":NodePool").inputs["spec"]

    assert spec["limits"] == {"cpu": "64"}
    assert not spec["template"]["spec"].get("taints")


def test_a_reserved_pool_consumes_its_declared_reservation(declare):
    recording = declare(
        "gcp", capacity_type="reserved", reservation="base", reservation_target="reservation-1"
    )

    affinity = recording.one(RESOURCE["gcp"]).inputs["nodeConfig"]["reservationAffinity"]
    assert affinity["values"] == ["reservation-1"]


@pytest.mark.parametrize(
    ("cloud", "changes", "start"),
    [
        (
            "aws",
            {"instance_types": ["p5.48xlarge"]},
            (
                "instance_types[0] = 'p5.48xlarge': has h100-80gb, for which this pool has no "
                "taint, driver or count; expected a plain machine, or a GpuNodePool"
            ),
        ),
        (
            "aws",
            {"instance_types": ["m5.xlarge", "m5.4xlarge"]},
            "instance_types = 'm5.xlarge, m5.4xlarge': differ in CPU, memory or architecture",
        ),
        (
            "gcp",
            {"accelerator": "l4"},
            "accelerator: is not an argument",
        ),
        (
            "gcp",
            {"gcp": {"flex_start": True}},
            "gcp.flex_start: is not an argument",
        ),
        ("azure", {"azure": {"resource_group": "ml"}}, "azure.resource_group: is not an argument"),
        ("azure", {"scaler": "karpenter"}, "scaler = 'karpenter': makes nodes on AWS only"),
        ("aws", {"min_nodes": 5}, "min_nodes = 5: is above max_nodes 4"),
        ("aws", {"scaler": "provider"}, "scaler = 'provider': EKS scales no node group by itself"),
    ],
)
def test_what_cannot_be_is_refused_with_what_would_be_right(
    cpu_args, catalog, cloud, changes, start
):
    with pytest.raises(InvalidInput) as caught:
        parse_cpu_pool("prepare", cpu_args(cloud, **changes), catalog)

    lines = [line.removeprefix("pool prepare: ") for line in str(caught.value).splitlines()]
    assert [line for line in lines if line.startswith(start)], lines
    assert len(lines) == 1


def test_missing_inputs_are_refused_before_anything_is_registered(record, cpu_args, catalog):
    def program():
        with pytest.raises(InvalidInput, match=r"aws\.node_role_arn: is required"):
            CpuNodePool("prepare", cpu_args("aws", aws=None), None, catalog)

    assert record(program).all == []


def test_pools_with_and_without_accelerators_stand_in_one_stack(
    record, pool_args, cpu_args, catalog
):
    def program():
        CpuNodePool("prepare", cpu_args("gcp"), None, catalog)
        GpuNodePool("train", pool_args("gcp"), None, catalog)

    names = {each.name for each in record(program).of(RESOURCE["gcp"])}
    assert names == {"prepare", "train"}
