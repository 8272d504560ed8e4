"""The real CLI over AWS's types of notices, endpoints, notebooks, commitments and cost.

Up, a kill, refresh and preview without a change, an interruption that reaches its queue, destroy.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

import boto3
import httpx
import pytest

PROGRAM = """
import base64
import json
import pulumi
import pulumi_aws as aws

config = pulumi.Config()
trust = json.dumps({"Version": "2012-10-17", "Statement": []})
tags = {"team": "ml"}


def allow(service, action, resource, **condition):
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": action,
                 "Resource": resource, **condition}
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [statement]})


vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", tags=tags)
ids = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
                   availability_zone=f"us-east-1{zone}").id
    for number, zone in enumerate("ab")
]
role = aws.iam.Role("role", assume_role_policy=trust)
profile = aws.iam.InstanceProfile("profile", role=role.name, tags=tags)
cluster = aws.eks.Cluster("cluster", role_arn=role.arn, vpc_config={"subnet_ids": ids},
                          access_config={"authentication_mode": "API"})
aws.eks.AccessEntry("entry", cluster_name=cluster.name, principal_arn=role.arn, type="EC2_LINUX")

placement = aws.ec2.PlacementGroup("placement", strategy="cluster")
template = aws.ec2.LaunchTemplate(
    "template", image_id="resolve:ssm:/aws/service/eks/optimized-ami/1.34/gpu/image_id",
    instance_type="g5.xlarge", iam_instance_profile={"name": profile.name},
    tag_specifications=[{"resource_type": "instance", "tags": tags}],
    network_interfaces=[{"device_index": 0, "interface_type": "efa",
                         "delete_on_termination": "true"}],
)
group = aws.autoscaling.Group(
    "group", min_size=0, max_size=6, desired_capacity=3, vpc_zone_identifiers=ids,
    capacity_rebalance=True, default_instance_warmup=60, placement_group=placement.name,
    instance_maintenance_policy={"min_healthy_percentage": 90, "max_healthy_percentage": 120},
    mixed_instances_policy={
        "launch_template": {
            "launch_template_specification": {
                "launch_template_id": template.id,
                "version": template.latest_version.apply(str),
            },
            "overrides": [{"instance_type": f"{kind}.xlarge"} for kind in ("g5", "g6")],
        },
        "instances_distribution": {
            "on_demand_base_capacity": 1, "on_demand_percentage_above_base_capacity": 0,
            "spot_allocation_strategy": "price-capacity-optimized",
        },
    },
    tags=[{"key": "team", "value": "ml", "propagate_at_launch": True}],
)
queue = aws.sqs.Queue("notices", message_retention_seconds=3600, tags=tags)
warning = {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]}
rule = aws.cloudwatch.EventRule("spot", event_pattern=json.dumps(warning), tags=tags)
source = {"Condition": {"ArnEquals": {"aws:SourceArn": rule.arn}}}
aws.sqs.QueuePolicy(
    "policy", queue_url=queue.url,
    policy=allow("events.amazonaws.com", "sqs:SendMessage", queue.arn, **source),
)
aws.cloudwatch.EventTarget("spot", rule=rule.name, arn=queue.arn)

model = aws.sagemaker.Model("model", execution_role_arn=role.arn,
                            primary_container={"image": "serve:1"}, tags=tags)
configuration = aws.sagemaker.EndpointConfiguration("configuration", production_variants=[
    {"variant_name": "main", "model_name": model.name, "instance_type": "ml.g5.xlarge",
     "initial_instance_count": 1},
])
endpoint = aws.sagemaker.Endpoint("endpoint", endpoint_config_name=configuration.name, tags=tags)
target = aws.appautoscaling.Target(
    "scale", min_capacity=0, max_capacity=4, service_namespace="sagemaker",
    resource_id=endpoint.name.apply(lambda name: f"endpoint/{name}/variant/main"),
    scalable_dimension="sagemaker:variant:DesiredInstanceCount", tags=tags,
)
metric = {"predefined_metric_type": "SageMakerVariantInvocationsPerInstance"}
aws.appautoscaling.Policy(
    "track", service_namespace="sagemaker", resource_id=target.resource_id,
    scalable_dimension=target.scalable_dimension, policy_type="TargetTrackingScaling",
    target_tracking_scaling_policy_configuration={
        "target_value": 70, "predefined_metric_specification": metric,
    },
)
script = aws.sagemaker.NotebookInstanceLifecycleConfiguration(
    "idle", on_start=base64.b64encode(b"stop when idle").decode()
)
aws.sagemaker.NotebookInstance("notes", instance_type="ml.t3.medium", role_arn=role.arn,
                               subnet_id=ids[0], lifecycle_config_name=script.name, tags=tags)
idle = {"lifecycle_management": "ENABLED", "idle_timeout_in_minutes": 60}
lab = {"app_lifecycle_management": {"idle_settings": idle}}
domain = aws.sagemaker.Domain(
    "studio", domain_name="studio", auth_mode="IAM", vpc_id=vpc.id, subnet_ids=ids, tags=tags,
    default_user_settings={"execution_role": role.arn, "jupyter_lab_app_settings": lab},
)
user = aws.sagemaker.UserProfile("ada", domain_id=domain.id, user_profile_name="ada",
                                 user_settings={"execution_role": role.arn})
disk = {"ebs_storage_settings": {"ebs_volume_size_in_gb": 20}}
aws.sagemaker.Space(
    "lab", domain_id=domain.id, space_name="lab",
    ownership_settings={"owner_user_profile_name": user.user_profile_name},
    space_sharing_settings={"sharing_type": "Private"},
    space_settings={"app_type": "JupyterLab", "space_storage_settings": disk},
)

topic = aws.sns.Topic("alarms", tags=tags)
aws.sns.TopicPolicy("alarms", arn=topic.arn,
                    policy=allow("costalerts.amazonaws.com", "SNS:Publish", topic.arn))
watched = json.dumps({"Tags": {"Key": "cost-center", "Values": ["ml"]}})
monitor = aws.costexplorer.AnomalyMonitor("monitor", monitor_type="CUSTOM",
                                          monitor_specification=watched, tags=tags)
threshold = {"key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE", "values": ["100"],
             "match_options": ["GREATER_THAN_OR_EQUAL"]}
aws.costexplorer.AnomalySubscription(
    "alert", frequency="IMMEDIATE", monitor_arn_lists=[monitor.arn],
    subscribers=[{"type": "SNS", "address": topic.arn}],
    threshold_expression={"dimension": threshold},
)
aws.costexplorer.CostAllocationTag("key", tag_key="cost-center", status="Active")
nightly = {"name": "nightly", "create_rule": {"interval": 24, "times": "03:00"},
           "retain_rule": {"count": 3}}
aws.dlm.LifecyclePolicy(
    "snapshots", description="nightly", execution_role_arn=role.arn, tags=tags,
    policy_details={"resource_types": ["VOLUME"], "target_tags": {"capacity-pool": "notes"},
                    "schedules": [nightly]},
)
aws.savingsplans.SavingsPlan(
    "plan", commitment="1.0", savings_plan_offering_id=config.require("plan"),
    purchase_time=config.require("purchaseTime"), tags=tags,
)
aws.ec2.CapacityBlockReservation(
    "block", capacity_block_offering_id=config.require("block"),
    instance_platform="Linux/UNIX", tags=tags,
)
pulumi.export("queue", queue.name)
pulumi.export("group", group.name)
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
def test_a_second_look_shows_no_change_and_an_interruption_reaches_its_queue(stack, client):
    stack.run("stack", "init", "dev")
    stack.run("config", "set", "aws:region", "us-east-1")
    plans = client("savingsplans").describe_savings_plans_offerings(paymentOptions=["No Upfront"])
    blocks = client("ec2").describe_capacity_block_offerings(
        InstanceType="p5.48xlarge", InstanceCount=1, CapacityDurationHours=24
    )
    stack.run("config", "set", "plan", plans["searchResults"][0]["offeringId"])
    block = blocks["CapacityBlockOfferings"][0]["CapacityBlockOfferingId"]
    stack.run("config", "set", "block", block)
    stack.run("config", "set", "purchaseTime", f"{datetime.now(UTC).year + 1}-06-01T00:00:00Z")

    stack.run("up", "--yes", "--skip-preview")
    outputs = json.loads(stack.run("stack", "output", "--json"))
    stack.restart()
    stack.run("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    stack.run("preview", "--expect-no-changes")

    fault = {
        "kind": "interruption",
        "cloud": "aws",
        "target": f"ec2:SendSpotInstanceInterruption/{outputs['group']}/*",
        "count": 1,
    }
    httpx.post(f"{stack.endpoints.control_url}/faults", json=fault, trust_env=False)
    sqs = client("sqs")
    url = sqs.get_queue_url(QueueName=outputs["queue"])["QueueUrl"]
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    warning = json.loads(message["Body"])
    groups = client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    assert warning["detail-type"] == "EC2 Spot Instance Interruption Warning"
    assert warning["detail"]["instance-id"] not in str(groups)
    assert len(groups[0]["Instances"]) == 3

    stack.run("destroy", "--yes", "--skip-preview")
    bought = client("ec2").describe_capacity_reservations()["CapacityReservations"]
    assert [part["State"] for part in bought] == ["scheduled"]
    queued = client("savingsplans").describe_savings_plans()["savingsPlans"]
    assert [plan["state"] for plan in queued] == ["queued-deleted"]
    assert client("sagemaker").list_domains()["Domains"] == []
