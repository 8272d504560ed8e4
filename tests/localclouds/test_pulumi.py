"""The real CLI over the local AWS: up, drift, a kill, refresh, replacement, a fault, destroy."""

from __future__ import annotations

import json

import boto3
import httpx
import pytest

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws

config = pulumi.Config()
trust = json.dumps({"Version": "2012-10-17", "Statement": []})
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
                   availability_zone=f"us-east-1{zone}")
    for number, zone in enumerate("ab")
]
role = aws.iam.Role("role", assume_role_policy=trust)
ids = [subnet.id for subnet in subnets]
cluster = aws.eks.Cluster("cluster", role_arn=role.arn, vpc_config={"subnet_ids": ids})
nodes = aws.eks.NodeGroup(
    "nodes", cluster_name=cluster.name, node_role_arn=role.arn, subnet_ids=ids,
    instance_types=[config.get("type") or "g5.xlarge"],
    scaling_config={"min_size": 0, "max_size": 4, "desired_size": 1},
)
group = nodes.resources[0].autoscaling_groups[0].name
aws.autoscaling.Tag("tag", autoscaling_group_name=group,
                    tag={"key": "k", "value": "v", "propagate_at_launch": False})
bucket = aws.s3.Bucket("bucket", tags={"team": "ml"})
logs = aws.cloudwatch.LogGroup("logs", retention_in_days=30)
pulumi.export("group", group)
pulumi.export("nodes", nodes.node_group_name)
pulumi.export("bucket", bucket.bucket)
pulumi.export("logs", logs.name)
"""


@pytest.fixture
def stack(pulumi_project):
    return pulumi_project(PROGRAM)


@pytest.fixture
def client(stack):
    return lambda service: boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=stack.endpoints.aws_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )


@pytest.mark.slow
def test_drift_kill_replacement_fault_and_destroy(stack, client):
    stack.run("stack", "init", "dev")
    stack.run("config", "set", "aws:region", "us-east-1")

    stack.run("up", "--yes", "--skip-preview")
    outputs = json.loads(stack.run("stack", "output", "--json"))
    scaling, logs = client("autoscaling"), client("logs")
    tags = scaling.describe_tags(Filters=[{"Name": "key", "Values": ["k"]}])["Tags"]
    assert [tag["ResourceId"] for tag in tags] == [outputs["group"]]

    scaling.set_desired_capacity(AutoScalingGroupName=outputs["group"], DesiredCapacity=3)
    logs.put_retention_policy(logGroupName=outputs["logs"], retentionInDays=90)
    client("s3").put_bucket_tagging(
        Bucket=outputs["bucket"], Tagging={"TagSet": [{"Key": "team", "Value": "other"}]}
    )
    stack.restart()
    refreshed = stack.run("refresh", "--yes", "--diff")
    assert "desiredSize: 1 => 3" in refreshed
    assert "retentionInDays: 30 => 90" in refreshed
    assert '"ml" => "other"' in refreshed
    assert "~ 3 updated" in refreshed

    stack.run("up", "--yes", "--skip-preview")
    groups = client("logs").describe_log_groups()["logGroups"]
    assert [group["retentionInDays"] for group in groups] == [30]
    stack.run("preview", "--expect-no-changes")

    fault = {"kind": "stock-out", "cloud": "aws", "target": "*NodeGroup", "count": 1}
    httpx.post(f"{stack.endpoints.control_url}/faults", json=fault, trust_env=False)
    stack.run("config", "set", "type", "g6.xlarge")
    refused = stack.run("up", "--yes", "--skip-preview", expect=1)
    assert "InsufficientInstanceCapacity" in refused
    replaced = stack.run("up", "--yes", "--skip-preview")
    assert "aws:eks:NodeGroup nodes replaced" in replaced.replace("  ", " ")
    cluster = client("eks").list_clusters()["clusters"][0]
    live = client("eks").list_nodegroups(clusterName=cluster)["nodegroups"]
    assert len(live) == 1
    assert live != [outputs["nodes"]]

    stack.run("destroy", "--yes", "--skip-preview")
    assert client("eks").list_clusters()["clusters"] == []
    assert client("s3").list_buckets()["Buckets"] == []
    running = client("ec2").describe_instances(
        Filters=[{"Name": "instance-state-name", "Values": ["running"]}]
    )
    assert running["Reservations"] == []
