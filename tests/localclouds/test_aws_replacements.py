"""What replaces a resource on AWS replaces it here, and in the same order."""

from __future__ import annotations

import pytest

from tidegate.localclouds.rules import load_rules
from tidegate.localclouds.schema import load_schema

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


@pytest.mark.parametrize(
    ("changes", "replaced"),
    [
        ({"instanceTypes": ["p5.48xlarge"]}, {"instanceTypes"}),
        ({"capacityType": "SPOT"}, {"capacityType"}),
        ({"amiType": "AL2023_x86_64_NVIDIA"}, {"amiType"}),
        ({"diskSize": 200}, {"diskSize"}),
        ({"nodeRoleArn": "arn:aws:iam::123456789012:role/other"}, {"nodeRoleArn"}),
        ({"clusterName": "other"}, {"clusterName"}),
        ({"subnetIds": ["subnet-1"]}, {"subnetIds"}),
        ({"labels": {"a": "b"}}, set()),
        ({"scalingConfig": {"minSize": 0, "maxSize": 9, "desiredSize": 0}}, set()),
        ({"tags": {"a": "b"}}, set()),
    ],
)
def test_node_groups(aws, node_group, changes, replaced):
    made = aws.up(NODE_GROUP, node_group(), f"replace-{next(iter(changes))}")

    difference = aws.diff(NODE_GROUP, made, node_group(**changes), f"replace-{next(iter(changes))}")

    assert difference.replaces == replaced
    assert {change.top for change in difference.changes} >= set(changes)
    assert difference.delete_first is False


def test_a_new_version_of_a_launch_template_updates_a_node_group_in_place(aws, node_group):
    template = {"id": "lt-1", "version": "1"}
    old = node_group(launchTemplate=template, instanceTypes=None)
    resource = aws.find(NODE_GROUP, "in-place")

    newer = resource.diff("x", old, {**old, "launchTemplate": {**template, "version": "2"}})
    other = resource.diff("x", old, {**old, "launchTemplate": {**template, "id": "lt-2"}})

    assert newer.replaces == set()
    assert other.replaces == {"launchTemplate"}


def test_a_given_name_is_freed_before_it_is_taken_again(aws, node_group):
    given = aws.up(NODE_GROUP, node_group(nodeGroupName="mine"), "given")
    auto = aws.up(NODE_GROUP, node_group(), "auto")
    changes = {"capacityType": "SPOT"}

    assert aws.diff(
        NODE_GROUP, given, node_group(nodeGroupName="mine", **changes), "given"
    ).delete_first
    assert not aws.diff(NODE_GROUP, auto, node_group(**changes), "auto").delete_first


@pytest.mark.parametrize(
    ("token", "old", "new", "replaced"),
    [
        ("aws:cloudwatch/logGroup:LogGroup", {"name": "a"}, {"name": "b"}, {"name"}),
        (
            "aws:cloudwatch/logGroup:LogGroup",
            {"name": "a", "logGroupClass": "STANDARD"},
            {"name": "a", "logGroupClass": "INFREQUENT_ACCESS"},
            {"logGroupClass"},
        ),
        (
            "aws:cloudwatch/logGroup:LogGroup",
            {"name": "a", "retentionInDays": 30},
            {"name": "a", "retentionInDays": 60},
            set(),
        ),
        ("aws:s3/bucket:Bucket", {"bucket": "aaa"}, {"bucket": "bbb"}, {"bucket"}),
        (
            "aws:ec2/vpc:Vpc",
            {"cidrBlock": "10.0.0.0/16"},
            {"cidrBlock": "10.1.0.0/16"},
            {"cidrBlock"},
        ),
        (
            "aws:ec2/capacityReservation:CapacityReservation",
            {"instanceCount": 1, "instanceType": "p5.48xlarge"},
            {"instanceCount": 2, "instanceType": "p5.48xlarge"},
            set(),
        ),
        (
            "aws:ec2/capacityReservation:CapacityReservation",
            {"instanceCount": 1, "instanceType": "p5.48xlarge"},
            {"instanceCount": 1, "instanceType": "p4d.24xlarge"},
            {"instanceType"},
        ),
    ],
)
def test_other_types(aws, token, old, new, replaced):
    assert aws.find(token, "r").diff("id", old, new).replaces == replaced


def test_every_rule_names_a_type_and_properties_that_the_sdk_has():
    for token, rules in load_rules("aws").items():
        properties = load_schema(token).inputs.properties
        named = {
            *(path.split(".")[0].split("[")[0] for path in rules.replace),
            *(limit.property.split(".")[0].split("[")[0] for limit in rules.limits),
            *rules.immutable,
            *([rules.autoname] if rules.autoname else []),
        }
        assert named - set(properties) == set(), token
        assert rules.source, token
