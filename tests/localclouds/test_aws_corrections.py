"""Where moto goes wrong, boto3 gets what AWS would answer: one case a fault."""

from __future__ import annotations

from collections import Counter

import pytest
from botocore.exceptions import ClientError

from tidegate.localclouds.faults import Fault, FaultKind

IMAGE = "ami-12c6146b"


def code_of(refused):
    return refused.value.response["Error"]["Code"]


@pytest.fixture(scope="module")
def template(boto):
    made = boto("ec2").create_launch_template(
        LaunchTemplateName="corrections",
        LaunchTemplateData={"InstanceType": "g5.xlarge", "ImageId": IMAGE},
    )
    return made["LaunchTemplate"]["LaunchTemplateId"]


@pytest.fixture
def make_group(base, boto, template):
    """Create an Auto Scaling group of mixed instances and return how to look at it."""
    client = boto("autoscaling")

    def make(name, desired, overrides, distribution, maximum=20, subnets=None):
        client.create_auto_scaling_group(
            AutoScalingGroupName=name,
            MinSize=0,
            MaxSize=maximum,
            DesiredCapacity=desired,
            VPCZoneIdentifier=",".join(subnets or base.subnets),
            MixedInstancesPolicy={
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": {
                        "LaunchTemplateId": template,
                        "Version": "$Latest",
                    },
                    "Overrides": overrides,
                },
                "InstancesDistribution": distribution,
            },
        )

    return make


def instances_of(boto, name):
    groups = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    ids = [part["InstanceId"] for part in groups["AutoScalingGroups"][0]["Instances"]]
    found = boto("ec2").describe_instances(InstanceIds=ids)["Reservations"] if ids else []
    return [instance for reservation in found for instance in reservation["Instances"]]


def test_mixed_instances_keep_the_on_demand_floor_and_spread_over_zones(boto, make_group):
    make_group(
        "mixed",
        10,
        [{"InstanceType": "g5.xlarge"}, {"InstanceType": "g6.xlarge"}],
        {"OnDemandBaseCapacity": 2, "OnDemandPercentageAboveBaseCapacity": 25},
    )

    instances = instances_of(boto, "mixed")
    markets = Counter(instance.get("InstanceLifecycle", "on-demand") for instance in instances)
    zones = Counter(instance["Placement"]["AvailabilityZone"] for instance in instances)

    assert markets == {"on-demand": 4, "spot": 6}
    assert sorted(zones.values()) == [2, 2, 3, 3]


def test_an_absent_percentage_means_no_spot_at_all(boto, make_group):
    make_group("default-percentage", 3, [{"InstanceType": "g5.xlarge"}], {})

    assert all("InstanceLifecycle" not in part for part in instances_of(boto, "default-percentage"))


def test_weights_count_capacity_not_instances(boto, make_group):
    make_group(
        "weights",
        7,
        [{"InstanceType": "g5.12xlarge", "WeightedCapacity": "4"}],
        {"OnDemandPercentageAboveBaseCapacity": 0},
    )

    assert len(instances_of(boto, "weights")) == 2


def test_an_override_that_no_zone_of_the_group_sells_is_passed_over(boto, base, aws, make_group):
    subnet = aws.up(
        "aws:ec2/subnet:Subnet",
        {"vpcId": base.vpc, "cidrBlock": "10.0.98.0/24", "availabilityZone": "us-east-1e"},
        "zone-e",
    ).id
    overrides = [{"InstanceType": "p4d.24xlarge"}, {"InstanceType": "p5.48xlarge"}]
    make_group("passed-over", 2, overrides, {}, subnets=[subnet])

    assert {part["InstanceType"] for part in instances_of(boto, "passed-over")} == {"p5.48xlarge"}
    with pytest.raises(ClientError, match=r"\(us-east-1e\)"):
        make_group("none-sold", 0, overrides[:1], {}, subnets=[subnet])


def test_scaling_in_terminates_the_oldest_and_says_so_in_the_activities(boto, make_group):
    make_group("activities", 3, [{"InstanceType": "g5.xlarge"}], {})
    before = [part["InstanceId"] for part in instances_of(boto, "activities")]

    boto("autoscaling").set_desired_capacity(AutoScalingGroupName="activities", DesiredCapacity=1)

    left = [part["InstanceId"] for part in instances_of(boto, "activities")]
    found = boto("autoscaling").describe_scaling_activities(AutoScalingGroupName="activities")
    words = [activity["Description"].split(":")[0] for activity in found["Activities"]]
    assert left == before[2:]
    assert words == ["Terminating EC2 instance"] * 2 + ["Launching a new EC2 instance"] * 3


def test_sizes_beyond_the_bounds_are_refused(boto, make_group):
    make_group("bounds", 1, [{"InstanceType": "g5.xlarge"}], {}, maximum=2)
    client = boto("autoscaling")

    with pytest.raises(ClientError, match="above max value 2") as refused:
        client.set_desired_capacity(AutoScalingGroupName="bounds", DesiredCapacity=3)
    with pytest.raises(ClientError, match="must be greater than or equal to min bound"):
        client.update_auto_scaling_group(AutoScalingGroupName="bounds", MinSize=5)

    assert code_of(refused) == "ValidationError"
    assert len(instances_of(boto, "bounds")) == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.set_desired_capacity(AutoScalingGroupName="nobody", DesiredCapacity=1),
        lambda c: c.update_auto_scaling_group(AutoScalingGroupName="nobody", MinSize=1),
        lambda c: c.delete_auto_scaling_group(AutoScalingGroupName="nobody"),
        lambda c: c.suspend_processes(AutoScalingGroupName="nobody"),
        lambda c: c.terminate_instance_in_auto_scaling_group(
            InstanceId="i-0", ShouldDecrementDesiredCapacity=True
        ),
        lambda c: c.create_auto_scaling_group(
            AutoScalingGroupName="no-configuration",
            MinSize=0,
            MaxSize=1,
            LaunchConfigurationName="nobody",
            AvailabilityZones=["us-east-1a"],
        ),
        lambda c: c.set_instance_health(InstanceId="i-0", HealthStatus="Unhealthy"),
    ],
)
def test_unknown_groups_and_instances_are_a_validation_error(boto, ask):
    with pytest.raises(ClientError, match="not found") as refused:
        ask(boto("autoscaling"))

    assert code_of(refused) == "ValidationError"


def test_types_that_aws_never_had_do_not_launch(boto):
    with pytest.raises(ClientError, match=r"Invalid value 'p9\.bogus' for InstanceType"):
        boto("ec2").run_instances(ImageId=IMAGE, InstanceType="p9.bogus", MinCount=1, MaxCount=1)


def test_networks_refuse_what_is_unknown_and_keep_what_is_in_use(boto):
    ec2 = boto("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.0.0/24", AvailabilityZone="us-east-1a")
    subnet = subnet["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="used", Description="d", VpcId=vpc)["GroupId"]
    made = ec2.run_instances(
        ImageId=IMAGE,
        InstanceType="g5.xlarge",
        MinCount=1,
        MaxCount=1,
        SubnetId=subnet,
        SecurityGroupIds=[group],
    )

    with pytest.raises(ClientError, match="us-east-1a, us-east-1b"):
        ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.1.0/24", AvailabilityZone="eu-west-1a")
    with pytest.raises(ClientError, match="The vpc ID 'vpc-0' does not exist"):
        ec2.create_security_group(GroupName="lost", Description="d", VpcId="vpc-0")
    for delete in (
        lambda: ec2.delete_subnet(SubnetId=subnet),
        lambda: ec2.delete_security_group(GroupId=group),
        lambda: ec2.delete_vpc(VpcId=vpc),
    ):
        with pytest.raises(ClientError) as refused:
            delete()
        assert code_of(refused) == "DependencyViolation"

    ec2.terminate_instances(InstanceIds=[made["Instances"][0]["InstanceId"]])
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_security_group(GroupId=group)
    ec2.delete_vpc(VpcId=vpc)


def test_retention_takes_only_the_clouds_steps(boto):
    boto("logs").create_log_group(logGroupName="steps")

    with pytest.raises(ClientError, match="13") as refused:
        boto("logs").put_retention_policy(logGroupName="steps", retentionInDays=13)

    assert code_of(refused) == "InvalidParameterException"
    boto("logs").put_retention_policy(logGroupName="steps", retentionInDays=14)


def test_node_group_sizes_are_checked_for_boto3_too(aws, base, node_group, boto):
    aws.up("aws:eks/nodeGroup:NodeGroup", node_group(nodeGroupName="sizes"), "sizes")
    keys = {"clusterName": base.cluster, "nodegroupName": "sizes"}

    with pytest.raises(ClientError, match="can't be greater than max size") as refused:
        boto("eks").update_nodegroup_config(**keys, scalingConfig={"minSize": 9, "maxSize": 2})

    assert code_of(refused) == "InvalidParameterException"


def test_an_update_of_a_node_group_resizes_its_group_and_can_be_followed(
    aws, base, node_group, boto
):
    made = aws.up("aws:eks/nodeGroup:NodeGroup", node_group(nodeGroupName="follow"), "follow")
    name = made.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    keys = {"clusterName": base.cluster, "nodegroupName": "follow"}

    update = boto("eks").update_nodegroup_config(**keys, scalingConfig={"desiredSize": 2})
    followed = boto("eks").describe_update(
        name=base.cluster, nodegroupName="follow", updateId=update["update"]["id"]
    )

    assert followed["update"]["status"] == "Successful"
    assert len(instances_of(boto, name)) == 2
    boto("eks").delete_nodegroup(**keys)
    groups = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    assert groups["AutoScalingGroups"] == []


def test_tags_given_at_creation_are_kept(boto):
    configuration = {"Tags": [{"Key": "a", "Value": "b"}]}
    boto("s3").create_bucket(Bucket="tagged-early", CreateBucketConfiguration=configuration)

    assert boto("s3").get_bucket_tagging(Bucket="tagged-early")["TagSet"] == configuration["Tags"]


def test_intelligent_tiering_survives_being_put(boto):
    s3 = boto("s3")
    s3.create_bucket(Bucket="tiered")
    wanted = {
        "Id": "x",
        "Status": "Enabled",
        "Tierings": [{"AccessTier": "ARCHIVE_ACCESS", "Days": 90}],
    }
    s3.put_bucket_intelligent_tiering_configuration(
        Bucket="tiered", Id="x", IntelligentTieringConfiguration=wanted
    )

    found = s3.list_bucket_intelligent_tiering_configurations(Bucket="tiered")

    assert found["IntelligentTieringConfigurationList"] == [wanted]
    s3.delete_bucket_intelligent_tiering_configuration(Bucket="tiered", Id="x")
    with pytest.raises(ClientError) as refused:
        s3.get_bucket_intelligent_tiering_configuration(Bucket="tiered", Id="x")
    assert code_of(refused) == "NoSuchConfiguration"


@pytest.mark.parametrize(
    ("service", "ask"),
    [
        ("autoscaling", lambda c: c.start_instance_refresh(AutoScalingGroupName="x")),
        ("ec2", lambda c: c.describe_reserved_instances()),
        ("budgets", lambda c: c.describe_budget_actions_for_account(AccountId="123456789012")),
        ("eks", lambda c: c.list_addons(clusterName="x")),
    ],
)
def test_an_action_that_is_not_emulated_is_an_error_in_words(boto, service, ask):
    with pytest.raises(ClientError, match="not emulated by the local clouds") as refused:
        ask(boto(service))

    assert code_of(refused) == "NotImplemented"


def test_a_fault_fails_boto3_by_the_actions_name(aws, boto, base):
    aws.world.faults.add(Fault(FaultKind.THROTTLING, "aws", "eks:ListClusters", count=1))
    aws.world.faults.add(Fault(FaultKind.STOCK_OUT, "aws", "ec2:RunInstances", count=1))

    with pytest.raises(ClientError) as throttled:
        boto("eks").list_clusters()
    with pytest.raises(ClientError) as out:
        boto("ec2").run_instances(ImageId=IMAGE, InstanceType="g5.xlarge", MinCount=1, MaxCount=1)

    assert code_of(throttled) == "Throttling"
    assert code_of(out) == "InsufficientInstanceCapacity"
    assert base.cluster in boto("eks").list_clusters()["clusters"]
    assert aws.world.faults.list() == []


def test_each_cluster_has_addresses_of_its_own(aws, base, boto):
    inputs = {"roleArn": base.role, "vpcConfig": {"subnetIds": base.subnets}}
    for name in ("first-address", "second-address"):
        aws.up("aws:eks/cluster:Cluster", {**inputs, "name": name}, name)

    first, second = (
        boto("eks").describe_cluster(name=name)["cluster"]
        for name in ("first-address", "second-address")
    )

    assert first["endpoint"] != second["endpoint"]
    assert first["identity"]["oidc"]["issuer"] != second["identity"]["oidc"]["issuer"]


def test_an_absent_cluster_has_no_node_groups_to_list(boto):
    with pytest.raises(ClientError) as caught:
        boto("eks").list_nodegroups(clusterName="nobody")

    assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"
