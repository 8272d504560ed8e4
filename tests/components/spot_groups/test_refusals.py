from __future__ import annotations

import pulumi
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidegate_components import SpotGroup
from tidegate_components.names import derive_name, explain_name
from tidegate_components.spot_group import naming
from tidegate_components.spot_group.azure_machines import build_image
from tidegate_components.spot_group.parse import parse_spot_group

from tidegate.vocabulary.problems import InvalidInput

TYPES = {
    "aws": ["m5.4xlarge", "m6i.4xlarge"],
    "gcp": ["n2-standard-8", "n2d-standard-8"],
    "azure": ["Standard_D8s_v5", "Standard_D8as_v5"],
}
REGION = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}


@pytest.fixture
def args(labels):
    def build(cloud, **changes):
        given = {
            "cloud": cloud,
            "region": REGION[cloud],
            "instance_types": TYPES[cloud],
            "max_nodes": 8,
            "labels": labels,
            "scaler": "tidegate",
            **changes,
        }
        return {key: value for key, value in given.items() if value is not None}

    return build


@pytest.mark.parametrize(
    ("cloud", "changes", "line"),
    [
        (
            "aws",
            {"instance_types": ["m5.4xlarge", "m5.large"]},
            (
                "instance_types = 'm5.4xlarge, m5.large': differ in CPU (m5.4xlarge 16, "
                "m5.large 2) and memory (m5.4xlarge 64, m5.large 8); an autoscaler sees "
                "the first only; expected types of one shape, or a group for each"
            ),
        ),
        (
            "aws",
            {"instance_types": ["c7i.4xlarge", "m5.4xlarge"]},
            (
                "instance_types = 'c7i.4xlarge, m5.4xlarge': differ in memory (c7i.4xlarge "
                "32, m5.4xlarge 64); an autoscaler sees the first only; expected types of "
                "one shape, or a group for each"
            ),
        ),
        (
            "aws",
            {"instance_types": ["m5.4xlarge", "m5.4xlarge"]},
            "instance_types[1] = 'm5.4xlarge': is named twice; expected each type once",
        ),
        (
            "azure",
            {"instance_types": ["Standard_D8s_v5"], "allocation_strategy": "CapacityOptimized"},
            (
                "allocation_strategy = 'CapacityOptimized': has nothing to choose among: a "
                "scale set of one size knows no strategy; expected leave it out, or "
                "several sizes"
            ),
        ),
        (
            "aws",
            {"allocation_strategy": "cheapest"},
            (
                "allocation_strategy = 'cheapest': is no allocation strategy of aws; "
                "expected one of price-capacity-optimized, capacity-optimized, "
                "capacity-optimized-prioritized, lowest-price"
            ),
        ),
        (
            "gcp",
            {"allocation_strategy": "EVEN"},
            (
                "allocation_strategy = 'EVEN': is no allocation strategy of gcp; expected "
                "one of ANY, BALANCED, ANY_SINGLE_ZONE"
            ),
        ),
        (
            "aws",
            {"on_demand_percent_above_base": 100},
            (
                "on_demand_percent_above_base = 100: leaves no spot machine; expected 0 to "
                "99; a pool that is all on demand is no spot group"
            ),
        ),
        (
            "aws",
            {"on_demand_base_nodes": 8},
            (
                "on_demand_base_nodes = 8: leaves no spot machine below max_nodes 8; "
                "expected fewer than max_nodes"
            ),
        ),
        (
            "aws",
            {"on_demand_base_nodes": 9},
            "on_demand_base_nodes = 9: is above max_nodes 8; expected at most 8",
        ),
        ("aws", {"min_nodes": 9}, "min_nodes = 9: is above max_nodes 8; expected at most 8"),
        (
            "aws",
            {"max_nodes": 0},
            "max_nodes = 0: is out of range; expected a whole number of at least 1",
        ),
        (
            "aws",
            {"scaler": "cluster-autoscaler"},
            (
                "scaler = 'cluster-autoscaler': resizes Kubernetes nodes, and these join "
                "no cluster; expected tidegate"
            ),
        ),
        (
            "gcp",
            {"scaler": "provider"},
            (
                "scaler = 'provider': needs a scaling policy, which a spot group does not "
                "declare; expected tidegate"
            ),
        ),
        (
            "aws",
            {"gcp": {"subnetwork": "x"}},
            "gcp: concerns gcp, and the group is in aws; expected leave it out",
        ),
        (
            "azure",
            {"azure": {"admin_username": "root"}},
            (
                "azure.admin_username = 'root': is no administrator's name on Azure; "
                "expected 1 to 32 lowercase letters, digits, '-' or '_', and neither root "
                "nor admin"
            ),
        ),
        (
            "gcp",
            {"instance_types": ["n1-standard-8", "c4-standard-8"], "gcp": {"subnetwork": "x"}},
            (
                "gcp.disk_type: cannot be one for all: c4-standard-8 take Hyperdisk alone; "
                "expected machine types that take the same disks"
            ),
        ),
        (
            "gcp",
            {
                "instance_types": ["c4-standard-8"],
                "gcp": {"subnetwork": "x", "disk_type": "pd-ssd"},
            },
            ("gcp.disk_type = 'pd-ssd': is no disk of c4-standard-8; expected hyperdisk-balanced"),
        ),
        (
            "gcp",
            {"instance_types": ["a3-highgpu-8g"], "accelerators_per_node": 4},
            "accelerators_per_node = 4: is not what a a3-highgpu-8g has; expected 8",
        ),
    ],
)
def test_what_a_cloud_or_an_autoscaler_cannot_do_is_refused(args, catalog, cloud, changes, line):
    with pytest.raises(InvalidInput) as caught:
        parse_spot_group("sweep", args(cloud, **changes), catalog)

    assert str(caught.value) == f"pool sweep: {line}"


def test_gpus_of_unequal_number_or_kind_are_refused(args, catalog):
    types = ["p5e.48xlarge", "p5.48xlarge"]

    with pytest.raises(InvalidInput, match=r"differ in GPU \(p5e.48xlarge 8× h200-141gb, p5.48x"):
        parse_spot_group("sweep", args("aws", region="us-east-2", instance_types=types), catalog)


def test_every_fault_is_reported_at_once(args, catalog):
    changes = {"instance_types": ["m5.bogus"], "scaler": "karpenter", "on_demand_base_nodes": 8}

    with pytest.raises(InvalidInput) as caught:
        parse_spot_group("sweep", args("aws", **changes), catalog)

    assert [problem.property for problem in caught.value.problems] == [
        "instance_types[0]",
        "on_demand_base_nodes",
        "scaler",
    ]


@pytest.mark.parametrize(
    ("cloud", "own", "missing"),
    [
        ("aws", {}, ["aws.subnet_ids"]),
        ("gcp", {}, ["gcp.subnetwork"]),
        ("azure", {}, ["azure.resource_group_name", "azure.subnet_id", "azure.ssh_public_key"]),
        ("aws", {"subnet_ids": ["subnet-1"]}, ["image"]),
        (
            "azure",
            {"resource_group_name": "ml", "subnet_id": "s", "ssh_public_key": "k"},
            ["image"],
        ),
    ],
)
def test_missing_inputs_are_refused_before_anything_is_registered(
    record, args, catalog, cloud, own, missing
):
    found = []

    def program():
        with pytest.raises(InvalidInput) as caught:
            SpotGroup("sweep", args(cloud, **{cloud: own}), None, catalog)
        found.extend(problem.property for problem in caught.value.problems)

    assert record(program).all == []
    assert found == missing


def test_azure_needs_a_topic_or_the_subscription_to_listen_to(record, args, catalog):
    own = {"resource_group_name": "ml", "subnet_id": "s", "ssh_public_key": "k"}

    def program():
        with pytest.raises(InvalidInput, match=r"azure\.subscription: is required and is missing"):
            SpotGroup("sweep", args("azure", azure=own, image="a:b:c:d"), None, catalog)

    assert record(program).all == []


def test_what_enters_the_manifest_is_no_output(record, args, catalog):
    def program():
        nodes = pulumi.Output.from_input(3)
        with pytest.raises(InvalidInput, match="max_nodes: is an Output, but enters the capacity"):
            parse_spot_group("sweep", args("aws", max_nodes=nodes), catalog)

    record(program)


def test_an_image_that_azure_cannot_know_is_refused():
    with pytest.raises(InvalidInput) as caught:
        build_image("pool sweep", "Canonical:ubuntu")

    assert str(caught.value) == (
        "pool sweep: image = 'Canonical:ubuntu': is no image of Azure; "
        "expected an image's id, or publisher:offer:sku:version"
    )


RULES = [
    (naming.SCALING_GROUP, "", 8),
    (naming.EVENT_RULE, "-interruption", 8),
    (naming.EVENT_RULE, "-state-change", 8),
    (naming.QUEUE, "-interruptions", 8),
    (naming.COMPUTE, "-on-demand", 8),
    (naming.BASE_INSTANCE, "-on-demand", 0),
    (naming.PUBSUB, "-interruptions", 8),
    (naming.LOG_SINK, "-interruptions", 8),
    (naming.SCALE_SET, "", 8),
    (naming.COMPUTER_PREFIX, "", 0),
    (naming.SYSTEM_TOPIC, "-health", 8),
    (naming.EVENT_SUBSCRIPTION, "", 8),
]


@pytest.mark.parametrize(("rule", "ending", "suffix"), RULES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True))
def test_names_leave_room_for_what_is_appended(rule, ending, suffix, identifier):
    appended = "-0123456"[:suffix]

    assert explain_name(f"{derive_name(identifier, rule)}{ending}{appended}", rule) == ""
