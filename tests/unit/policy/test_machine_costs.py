"""Machines of plain resources, priced before and after; nothing unknown is zero."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.policy.earlier import Earlier, read_earlier
from tidegate.policy.graph import Provider, Resource, ResourceGraph, StackFacts
from tidegate.policy.machine_costs import BASE_NOTE, build_machine_cost, price_machine_sets
from tidegate.pricing.difference import Compared
from tidegate.pricing.figures import NOTHING, Figures, same_everywhere
from tidegate.vocabulary.capacity import CapacityType, Cloud

CATALOG = load_catalog()
HEAD = "urn:pulumi:prod::vision::"
EKS = "aws:eks/nodeGroup:NodeGroup"
GKE = "gcp:container/nodePool:NodePool"
PROVIDER = Provider("urn", {"region": "us-east-1"})


def resource(type_, name="train", provider=None, **properties):
    return Resource(f"{HEAD}{type_}::{name}", type_, name, properties, provider=provider)


def eks(name="train", minimum=0, desired=2, maximum=4, **others):
    sizes = {"minSize": minimum, "desiredSize": desired, "maxSize": maximum}
    properties = {"instanceTypes": ["p4d.24xlarge"], "scalingConfig": sizes, **others}
    return resource(EKS, name, PROVIDER, **properties)


def gke(**properties):
    node = {"machineType": "a3-highgpu-8g"}
    return resource(GKE, **{"location": "us-central1", "nodeConfig": node, **properties})


def month(cloud, region, name, bought=CapacityType.ON_DEMAND):
    return CATALOG.price(cloud, region, name, bought).per_hour.amount * 730


def line(one):
    (only,) = price_machine_sets([one], CATALOG).lines
    return only


def known(one):
    found = line(one)
    assert found.unknown == ()
    return found.monthly


def test_a_node_group_costs_its_smallest_its_start_and_its_largest_size():
    node = month(Cloud.AWS, "us-east-1", "p4d.24xlarge")
    assert known(eks()) == Figures(NOTHING, 2 * node, 4 * node, 2 * node)
    found = line(eks())
    assert (found.id, found.region) == ("NodeGroup train", "us-east-1")
    assert found.capacity_type is CapacityType.ON_DEMAND


def test_spot_costs_its_own_price_and_several_types_bound_it():
    found = line(eks(capacityType="SPOT", instanceTypes=["p4d.24xlarge", "p5.48xlarge"]))
    prices = [
        month(Cloud.AWS, "us-east-1", name, CapacityType.SPOT)
        for name in ("p4d.24xlarge", "p5.48xlarge")
    ]
    assert found.monthly == Figures(NOTHING, 2 * prices[0], 4 * max(prices), None)
    assert (found.capacity_type, found.unknown) == (CapacityType.SPOT, ())


def test_machines_that_scale_nothing_stay_at_their_size():
    node = month(Cloud.AZURE, "eastus", "Standard_NC4as_T4_v3")
    pool = resource(
        "azure-native:containerservice:AgentPool",
        provider=Provider("urn", {"location": "East US"}),
        count=3,
        vmSize="Standard_NC4as_T4_v3",
    )
    assert known(pool) == same_everywhere(3 * node)
    machine = resource("aws:ec2/instance:Instance", "box", PROVIDER, instanceType="p4d.24xlarge")
    assert known(machine) == same_everywhere(month(Cloud.AWS, "us-east-1", "p4d.24xlarge"))


@pytest.mark.parametrize(
    ("place", "zones"),
    [
        ({"nodeLocations": ["us-central1-a", "us-central1-b"]}, 2),
        ({"location": "us-central1-a"}, 1),
        ({}, None),
    ],
)
def test_google_counts_nodes_for_each_zone(place, zones):
    found = line(gke(nodeCount=2, **place)).monthly
    node = month(Cloud.GCP, "us-central1", "a3-highgpu-8g")
    assert found.declared == (None if zones is None else 2 * zones * node)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (eks(instanceTypes=["p99.huge"]), "'p99.huge' is not in the catalog"),
        (eks(instanceTypes=None), "it names no machine type that is known yet"),
        (eks(capacityType="CAPACITY_BLOCK"), "it is paid for by its reservation"),
        (eks(capacityType={"$unknown": True}), "how it is bought is not told by it alone"),
        (resource(EKS, **eks().properties), "the region of train is not known"),
        (gke(nodeCount=2), "how many machines it has is not known"),
        (
            gke(
                nodeCount=1,
                location="us-central1-a",
                nodeConfig={
                    "machineType": "n1-standard-8",
                    "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 1}],
                },
            ),
            "the accelerators attached to n1-standard-8 have no price here",
        ),
    ],
)
def test_what_has_no_price_says_why_and_is_not_counted(one, said):
    found = line(one)
    assert found.monthly.maximum is None
    assert any(each.startswith(said) for each in found.unknown), found.unknown


def test_templates_are_no_machines():
    template = resource(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", PROVIDER, instanceType="p4d.24xlarge"
    )
    assert price_machine_sets([template], CATALOG).lines == ()


def test_equal_names_of_two_resources_stay_two_lines():
    inner = f"{HEAD}a:b:C${EKS}::train"
    twin = Resource(inner, EKS, "train", eks().properties, provider=PROVIDER)
    found = price_machine_sets([eks(), twin], CATALOG).lines
    assert {each.id for each in found} == {f"{HEAD}{EKS}::train", inner}


def graph(*resources):
    return ResourceGraph(StackFacts("vision", "prod"), resources, complete=True)


def state(one):
    return {
        "urn": one.urn,
        "type": one.type,
        "custom": True,
        "inputs": dict(one.properties),
        "provider": f"{HEAD}pulumi:providers:aws::default::id",
    }


STACK = {"urn": f"{HEAD}pulumi:pulumi:Stack::vision-prod", "type": "pulumi:pulumi:Stack"}


def test_a_change_is_priced_against_the_states_before():
    olds = [STACK, state(eks(maximum=2)), state(eks("gone", 1, 1, 1)), {"urn": "x", "type": "y"}]
    earlier = read_earlier(STACK, olds, {"aws:region": "us-east-1"})
    bucket = resource("aws:s3/bucket:Bucket", "data", PROVIDER)
    cost = build_machine_cost(graph(eks(), bucket), earlier, CATALOG)
    node = month(Cloud.AWS, "us-east-1", "p4d.24xlarge")
    compared = cost.difference.totals()["USD"]
    assert compared == Compared(
        before=Figures(node, 3 * node, 3 * node, 3 * node),
        after=Figures(NOTHING, 2 * node, 4 * node, 2 * node),
        change=Figures(-node, -node, node, -node),
    )
    assert cost.notes == (
        BASE_NOTE,
        "not counted, neither before nor after: 1 resources (1 × aws:s3/bucket:Bucket)",
    )


def test_a_new_stack_and_an_unknown_state_before_are_told_apart():
    new = build_machine_cost(graph(eks()), Earlier(exists=False), CATALOG)
    unknown = build_machine_cost(graph(eks()), None, CATALOG)
    assert (new.difference.is_compared, new.reason) == (True, "")
    assert (unknown.difference.is_compared, bool(unknown.reason)) == (False, True)
    assert new.difference.totals()["USD"].change.declared > Decimal(0)


def test_without_any_machine_there_is_no_cost_to_tell():
    bucket = resource("aws:s3/bucket:Bucket", "data", PROVIDER)
    assert build_machine_cost(graph(bucket), Earlier(exists=True), CATALOG) is None
