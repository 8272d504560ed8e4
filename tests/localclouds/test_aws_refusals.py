"""What AWS refuses, refused before anything is created: one case a rule."""

from __future__ import annotations

import json

import pytest

from tidegate.localclouds.contracts import UNKNOWN
from tidegate.localclouds.refusals import CloudError, NotFoundError

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
GROUP = "aws:autoscaling/group:Group"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"


def rule(**changes):
    return {"bucket": "b", "rules": [{"id": "r", "status": "Enabled", **changes}]}


@pytest.mark.parametrize(
    ("token", "inputs", "place", "words"),
    [
        ("aws:cloudwatch/logGroup:LogGroup", {"retentionInDays": 13}, "retentionInDays", "got 13"),
        ("aws:cloudwatch/logGroup:LogGroup", {"logGroupClass": "COLD"}, "logGroupClass", "COLD"),
        ("aws:cloudwatch/logGroup:LogGroup", {"name": "a b"}, "name", "does not match"),
        ("aws:s3/bucket:Bucket", {"bucket": "Upper"}, "bucket", "lowercase"),
        ("aws:s3/bucket:Bucket", {"bucket": "192.168.0.1"}, "bucket", "lowercase"),
        ("aws:s3/bucket:Bucket", {"acl": "private"}, "acl", "use aws.s3.BucketAcl"),
        (LIFECYCLE, rule(status="On"), "rules[0].status", "Enabled"),
        (
            LIFECYCLE,
            rule(transitions=[{"days": 7, "storageClass": "STANDARD_IA"}]),
            "rules[0].transitions[0].days",
            "greater than or equal to 30",
        ),
        (
            LIFECYCLE,
            rule(transitions=[{"days": 90, "storageClass": "GLACIER"}], expiration={"days": 90}),
            "rules[0].expiration.days",
            "greater than 'Days' in the Transition action (90)",
        ),
        (
            LIFECYCLE,
            rule(transitions=[{"days": 0, "storageClass": "COLD"}]),
            "rules[0].transitions[0].storageClass",
            "INTELLIGENT_TIERING",
        ),
        (
            "aws:s3/bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration",
            {"bucket": "b", "tierings": [{"accessTier": "ARCHIVE_ACCESS", "days": 30}]},
            "tierings[0].days",
            "at least 90",
        ),
        (
            "aws:cloudwatch/logGroup:LogGroup",
            {"deletionProtectionEnabled": True},
            "deletionProtectionEnabled",
            "do not emulate",
        ),
        ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/8"}, "cidrBlock", "/16 and /28"),
        (GROUP, {"minSize": 3, "maxSize": 1, "launchConfiguration": "x"}, "minSize", "above the"),
        (
            GROUP,
            {"minSize": 0, "maxSize": 1, "desiredCapacity": 2, "launchConfiguration": "x"},
            "desiredCapacity",
            "above the maximum size 1",
        ),
        (GROUP, {"minSize": 0, "maxSize": 1}, "launchTemplate", "one of launchTemplate"),
        (
            RESERVATION,
            {
                "availabilityZone": "us-east-1a",
                "instanceCount": 0,
                "instancePlatform": "Linux/UNIX",
                "instanceType": "p5.48xlarge",
            },
            "instanceCount",
            "at least 1",
        ),
        ("aws:sqs/queue:Queue", {"delaySeconds": 901}, "delaySeconds", "at most 900"),
        (
            "aws:budgets/budget:Budget",
            {"budgetType": "MONEY", "timeUnit": "MONTHLY"},
            "budgetType",
            "COST",
        ),
        (
            "aws:iam/role:Role",
            {"assumeRolePolicy": "{}", "maxSessionDuration": 60},
            "maxSessionDuration",
            "at least 3600",
        ),
    ],
)
def test_refuses_values_out_of_the_clouds_range(aws, token, inputs, place, words):
    refusals = aws.refusals(token, inputs)

    assert list(refusals) == [place]
    assert words in refusals[place]


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        (
            {"scalingConfig": {"minSize": 5, "maxSize": 2, "desiredSize": 5}},
            "scalingConfig.minSize",
            "5 is above the maximum size 2",
        ),
        (
            {"scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 0}},
            "scalingConfig.desiredSize",
            "0 is below the minimum size 1",
        ),
        (
            {"scalingConfig": {"minSize": 0, "maxSize": 0, "desiredSize": 0}},
            "scalingConfig.maxSize",
            "at least 1",
        ),
        ({"capacityType": "CHEAP"}, "capacityType", "SPOT"),
        ({"amiType": "AL1"}, "amiType", "AL2023_x86_64_NVIDIA"),
        (
            {"taints": [{"key": "k", "effect": "NoSchedule"}]},
            "taints[0].effect",
            "NO_SCHEDULE",
        ),
        (
            {"taints": [{"key": f"k{n}", "effect": "NO_SCHEDULE"} for n in range(51)]},
            "taints",
            "at most 50",
        ),
        ({"diskSize": 100, "launchTemplate": {"id": "lt-1", "version": "1"}}, "diskSize", "within"),
        ({"launchTemplate": {"version": "1"}}, "launchTemplate", "exactly one of id, name"),
        ({"nodeGroupName": "n" * 64}, "nodeGroupName", "does not match"),
    ],
)
def test_refuses_node_groups_that_contradict_themselves(aws, node_group, changes, place, words):
    refusals = aws.refusals(NODE_GROUP, node_group(**changes))

    assert words in refusals[place]


def test_a_preview_refuses_nothing_that_is_not_known_yet(aws):
    inputs = {
        "clusterName": UNKNOWN,
        "nodeRoleArn": UNKNOWN,
        "subnetIds": UNKNOWN,
        "scalingConfig": {"minSize": UNKNOWN, "maxSize": 2, "desiredSize": 1},
        "launchTemplate": UNKNOWN,
        "taints": [UNKNOWN],
    }

    assert aws.refusals(NODE_GROUP, inputs) == {}
    assert aws.refusals(LIFECYCLE, {"bucket": UNKNOWN, "rules": UNKNOWN}) == {}


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"clusterName": "nowhere"}, "ResourceNotFoundException", "No cluster found"),
        (
            {"nodeRoleArn": "arn:aws:iam::123456789012:role/nobody"},
            "InvalidParameterException",
            "does not exist",
        ),
        ({"subnetIds": ["subnet-0"]}, "InvalidParameterException", "The subnet ID 'subnet-0'"),
        (
            {"launchTemplate": {"id": "lt-0", "version": "1"}, "instanceTypes": None},
            "InvalidParameterException",
            "lt-0 does not exist",
        ),
    ],
)
def test_refuses_node_groups_that_refer_to_what_does_not_exist(
    aws, node_group, changes, code, words
):
    with pytest.raises(CloudError, match=words) as refused:
        aws.up(NODE_GROUP, node_group(**changes), "refers-to-nothing")

    assert code in refused.value.code


def test_refuses_node_groups_whose_zones_do_not_sell_the_type(aws, base, node_group):
    inputs = {"vpcId": base.vpc, "cidrBlock": "10.0.99.0/24", "availabilityZone": "us-east-1e"}
    subnet = aws.up("aws:ec2/subnet:Subnet", inputs, "without-p4d")
    wanted = node_group(subnetIds=[subnet.id], instanceTypes=["p4d.24xlarge"])

    with pytest.raises(CloudError, match=r"\(us-east-1e\)\. It is offered in: us-east-1"):
        aws.up(NODE_GROUP, wanted, "wrong-zone")


def test_refuses_a_cluster_whose_role_or_subnet_does_not_exist(aws, base):
    cluster = "aws:eks/cluster:Cluster"
    nobody = "arn:aws:iam::123456789012:role/nobody"

    with pytest.raises(CloudError, match="could not be assumed because it does not exist"):
        aws.up(cluster, {"roleArn": nobody, "vpcConfig": {"subnetIds": base.subnets}}, "c1")
    with pytest.raises(CloudError, match="The subnet ID 'subnet-0' does not exist"):
        aws.up(cluster, {"roleArn": base.role, "vpcConfig": {"subnetIds": ["subnet-0"]}}, "c2")
    one = base.subnets[:1]
    with pytest.raises(CloudError, match="at least two different AZs"):
        aws.up(cluster, {"roleArn": base.role, "vpcConfig": {"subnetIds": one}}, "c3")


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (LIFECYCLE, rule(expiration={"days": 1})),
        (
            "aws:s3/bucketVersioning:BucketVersioning",
            {"bucket": "nowhere-at-all", "versioningConfiguration": {"status": "Enabled"}},
        ),
        ("aws:ec2/subnet:Subnet", {"vpcId": "vpc-0", "cidrBlock": "10.0.0.0/24"}),
        (
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            {"role": "no", "policyArn": "arn:aws:iam::123456789012:policy/no"},
        ),
    ],
)
def test_refuses_what_is_set_on_something_that_does_not_exist(aws, token, inputs):
    bucket = {"bucket": "nowhere-at-all"} if "bucket" in inputs else {}

    with pytest.raises(NotFoundError):
        aws.up(token, {**inputs, **bucket}, "on-nothing")


def test_refuses_a_tag_on_a_group_that_does_not_exist(aws):
    tag = {"key": "k", "value": "v", "propagateAtLaunch": False}

    with pytest.raises(CloudError, match="AutoScalingGroup name not found - nowhere"):
        aws.up("aws:autoscaling/tag:Tag", {"autoscalingGroupName": "nowhere", "tag": tag}, "tag")


def test_refuses_names_that_are_taken(aws, node_group):
    aws.up(NODE_GROUP, node_group(nodeGroupName="taken"), "first")
    aws.up("aws:s3/bucket:Bucket", {"bucket": "taken-bucket"}, "first")

    with pytest.raises(CloudError, match="NodeGroup already exists"):
        aws.up(NODE_GROUP, node_group(nodeGroupName="taken"), "second")
    with pytest.raises(CloudError, match="BucketAlreadyOwnedByYou"):
        aws.up("aws:s3/bucket:Bucket", {"bucket": "taken-bucket"}, "second")


def test_refuses_instance_types_and_zones_before_anything_is_created(aws, node_group):
    wanted = {
        "availabilityZone": "us-east-1e",
        "instanceCount": 1,
        "instancePlatform": "Linux/UNIX",
        "instanceType": "p4d.24xlarge",
    }

    unsold = aws.refusals(RESERVATION, wanted)
    unknown = aws.refusals(RESERVATION, {**wanted, "instanceType": "h100.large"})
    nodes = aws.refusals(NODE_GROUP, node_group(instanceTypes=["g5.xlarge", "h100.large"]))

    assert "not supported in your requested Availability Zone" in unsold["instanceType"]
    assert unknown == {"instanceType": "Invalid value 'h100.large' for InstanceType."}
    assert nodes == {"instanceTypes[1]": "Invalid value 'h100.large' for InstanceType."}


def test_refuses_to_delete_what_is_in_use(aws, base):
    document = json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
        }
    )
    policy = aws.up("aws:iam/policy:Policy", {"policy": document}, "in-use")
    role = aws.up("aws:iam/role:Role", {"assumeRolePolicy": document}, "in-use")
    attached = {"role": role.id, "policyArn": policy.id}
    aws.up("aws:iam/rolePolicyAttachment:RolePolicyAttachment", attached, "in-use")

    with pytest.raises(CloudError, match="DeleteConflict"):
        aws.destroy("aws:iam/policy:Policy", policy, "in-use")
    with pytest.raises(CloudError, match="DeleteConflict"):
        aws.destroy("aws:iam/role:Role", role, "in-use")
