"""What AWS alone has for GPU pools: Capacity Blocks, placement groups, EFA, Neuron."""

from __future__ import annotations

import pytest
from tidegate_components import GpuNodePool

BLOCK = {
    "capacity_type": "reserved",
    "reservation": "block-h100",
    "reservation_target": "cr-1",
    "zones": ["us-east-2a"],
}
OWN_NODES = {
    "node_kind": "auto-scaling-group",
    "cluster_endpoint": "https://train.example",
    "cluster_certificate": "Q0E=",
    "service_cidr": "172.20.0.0/16",
    "image_id": "ami-1",
}
TEMPLATE = "launchTemplate:LaunchTemplate"


@pytest.fixture
def declare(record, pool_args, catalog):
    """Declare a pool whose `aws` arguments have the given additions."""

    def run(own=None, **changes):
        base = {
            "node_role_arn": "arn:aws:iam::1:role/node",
            "subnet_ids": ["subnet-1"],
            "security_group_ids": ["sg-1"],
        }
        args = pool_args("aws", **{"aws": {**base, **(own or {})}, **changes})
        return record(lambda: GpuNodePool("train-h100", args, None, catalog))

    return run


def test_a_capacity_block_is_its_own_market_and_the_template_alone_names_the_type(declare):
    recording = declare({"capacity_block": True}, **BLOCK)

    group = recording.one("nodeGroup:NodeGroup").inputs
    template = recording.one(TEMPLATE).inputs
    assert group["capacityType"] == "CAPACITY_BLOCK"
    assert "instanceTypes" not in group
    assert template["instanceType"] == "p5.48xlarge"
    assert template["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert template["capacityReservationSpecification"] == {
        "capacityReservationTarget": {"capacityReservationId": "cr-1"}
    }


def test_own_nodes_of_a_capacity_block_are_no_mixed_instances(declare):
    recording = declare({**OWN_NODES, "capacity_block": True}, **BLOCK)

    group = recording.one("autoscaling/group:Group").inputs
    assert "mixedInstancesPolicy" not in group
    assert group["launchTemplate"] == {"id": "train-h100-id", "version": "3"}
    assert recording.one(TEMPLATE).inputs["instanceType"] == "p5.48xlarge"


def test_a_plain_reservation_is_consumed_as_on_demand(declare):
    recording = declare(**BLOCK)

    assert recording.one("nodeGroup:NodeGroup").inputs["capacityType"] == "ON_DEMAND"
    assert "instanceMarketOptions" not in recording.one(TEMPLATE).inputs


@pytest.mark.parametrize("kind", [{}, OWN_NODES])
def test_nodes_of_one_training_run_stand_in_one_placement_group(declare, kind, labels):
    recording = declare({**kind, "cluster_placement": True}, zones=["us-east-2a"])

    group = recording.one("placementGroup:PlacementGroup")
    assert group.inputs["strategy"] == "cluster"
    assert labels.items() <= group.inputs["tags"].items()
    assert recording.one(TEMPLATE).inputs["placement"] == {"groupName": group.name}


def test_every_network_card_gets_its_adapter_and_only_the_first_an_address(declare):
    recording = declare({"efa": True})

    interfaces = recording.one(TEMPLATE).inputs["networkInterfaces"]
    assert len(interfaces) == 32
    assert interfaces[0] == {
        "deviceIndex": 0,
        "interfaceType": "efa",
        "networkCardIndex": 0,
        "deleteOnTermination": "true",
        "securityGroups": ["sg-1"],
    }
    assert {(each["deviceIndex"], each["interfaceType"]) for each in interfaces[1:]} == {
        (1, "efa-only")
    }
    assert [each["networkCardIndex"] for each in interfaces] == list(range(32))
    assert "vpcSecurityGroupIds" not in recording.one(TEMPLATE).inputs
    tags = {each.inputs["tag"]["key"]: each.inputs["tag"]["value"] for each in recording.of(":Tag")}
    key = "k8s.io/cluster-autoscaler/node-template/resources/vpc.amazonaws.com/efa"
    assert tags[key] == "32"


def test_the_first_card_of_a_b300_takes_no_adapter(declare):
    recording = declare(
        {"efa": True},
        accelerator="b300",
        instance_types=["p6-b300.48xlarge"],
        region="us-west-2",
        zones=None,
    )

    kinds = [each["interfaceType"] for each in recording.one(TEMPLATE).inputs["networkInterfaces"]]
    assert kinds == ["interface", *["efa-only"] * 16]


@pytest.mark.parametrize(
    ("ami_type", "device"),
    [(None, "/dev/xvda"), ("BOTTLEROCKET_x86_64_NVIDIA", "/dev/xvdb")],
)
def test_the_disk_is_the_one_that_holds_images_and_pods(declare, ami_type, device):
    (disk,) = declare({"ami_type": ami_type}).one(TEMPLATE).inputs["blockDeviceMappings"]

    assert (disk["deviceName"], disk["ebs"]["volumeSize"]) == (device, 200)


def test_given_security_groups_reach_managed_nodes(declare):
    assert declare().one(TEMPLATE).inputs["vpcSecurityGroupIds"] == ["sg-1"]


@pytest.mark.parametrize(
    ("chip", "machine", "count"),
    [("trainium1", "trn1.32xlarge", "16"), ("inferentia2", "inf2.48xlarge", "12")],
)
def test_neuron_nodes_offer_neuron_devices_behind_their_taint(declare, chip, machine, count):
    recording = declare(accelerator=chip, instance_types=[machine], region="us-east-1", zones=None)

    group = recording.one("nodeGroup:NodeGroup").inputs
    assert group["amiType"] == "AL2023_x86_64_NEURON"
    assert group["taints"] == [
        {"key": "aws.amazon.com/neuron", "value": "present", "effect": "NO_SCHEDULE"}
    ]
    tags = {each.inputs["tag"]["key"]: each.inputs["tag"]["value"] for each in recording.of(":Tag")}
    template = "k8s.io/cluster-autoscaler/node-template"
    assert tags[f"{template}/resources/aws.amazon.com/neuron"] == count
    assert tags[f"{template}/label/k8s.amazonaws.com/accelerator"] == chip
