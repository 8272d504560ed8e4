from __future__ import annotations

import json

import pytest
from support.spot_groups import GROUP, SHAPES
from tidegate_components.spot_group.aws_notices import build_queue_policy


def test_aws_buys_spot_where_its_own_default_would_buy_none(declare):
    policy = declare("aws").one(GROUP["aws"]).inputs["mixedInstancesPolicy"]

    assert policy["instancesDistribution"] == {
        "onDemandBaseCapacity": 2,
        "onDemandPercentageAboveBaseCapacity": 0,
        "onDemandAllocationStrategy": "prioritized",
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    assert policy["launchTemplate"] == {
        "launchTemplateSpecification": {"launchTemplateId": "sweep-id", "version": "3"},
        "overrides": [{"instanceType": name} for name in SHAPES["aws"]["instance_types"]],
    }


def test_lowest_price_is_taken_only_when_asked_for(declare):
    policy = declare("aws", allocation_strategy="lowest-price").one(GROUP["aws"]).inputs

    distribution = policy["mixedInstancesPolicy"]["instancesDistribution"]
    assert distribution["spotAllocationStrategy"] == "lowest-price"


def test_aws_machines_at_risk_are_replaced_before_they_are_taken(declare):
    group = declare("aws").one(GROUP["aws"]).inputs

    assert group["capacityRebalance"] is True
    assert (group["minSize"], group["desiredCapacity"], group["maxSize"]) == (0, 0, 8)


def test_nobody_waits_for_spot_machines_that_may_be_long_in_coming(declare):
    assert declare("aws", min_nodes=4).one(GROUP["aws"]).inputs["waitForCapacityTimeout"] == "0"


@pytest.mark.parametrize("device", [None, "/dev/sda1"])
def test_aws_sizes_the_root_disk_of_the_image(declare, device):
    own = {"root_device": device} if device else {}

    template = declare("aws", own_aws=own, disk_gib=50).one("LaunchTemplate").inputs

    (mapping,) = template["blockDeviceMappings"]
    assert mapping["deviceName"] == (device or "/dev/xvda")
    assert mapping["ebs"]["volumeSize"] == 50


def test_aws_labels_reach_group_machines_volumes_and_network_interfaces(declare, labels):
    recording = declare("aws")

    stamped = {**labels, "managed-by": "tidegate", "capacity-pool": "sweep"}
    template = recording.one("launchTemplate:LaunchTemplate").inputs
    specified = {spec["resourceType"]: spec["tags"] for spec in template["tagSpecifications"]}
    assert sorted(specified) == ["instance", "network-interface", "volume"]
    assert all(tags == {**stamped, "Name": "sweep"} for tags in specified.values())
    tags = recording.one(GROUP["aws"]).inputs["tags"]
    assert {tag["key"]: tag["value"] for tag in tags} == stamped
    assert {tag["propagateAtLaunch"] for tag in tags} == {True}
    for kind in ("sqs/queue:Queue", "eventRule:EventRule"):
        assert all(each.inputs["tags"] == stamped for each in recording.of(kind))


def test_aws_notices_of_four_kinds_reach_one_queue(declare):
    recording = declare("aws")

    rules = [json.loads(each.inputs["eventPattern"]) for each in recording.of("EventRule")]
    assert [rule["detail-type"] for rule in rules] == [
        ["EC2 Spot Instance Interruption Warning"],
        ["EC2 Instance Rebalance Recommendation"],
        ["EC2 Instance State-change Notification"],
        ["AWS Health Event"],
    ]
    assert len(recording.of("eventTarget:EventTarget")) == 4
    assert recording.one("sqs/queue:Queue").inputs["messageRetentionSeconds"] == 300


def test_only_the_groups_own_rules_may_write_to_its_queue():
    allow, deny = json.loads(build_queue_policy("arn:q", ["arn:r1", "arn:r2"]))["Statement"]

    assert (allow["Effect"], allow["Principal"]) == ("Allow", {"Service": "events.amazonaws.com"})
    assert (allow["Action"], allow["Resource"]) == ("sqs:SendMessage", "arn:q")
    assert allow["Condition"] == {"ArnEquals": {"aws:SourceArn": ["arn:r1", "arn:r2"]}}
    assert (deny["Effect"], deny["Condition"]) == (
        "Deny",
        {"Bool": {"aws:SecureTransport": "false"}},
    )
