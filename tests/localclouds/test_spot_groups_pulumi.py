"""Spot groups and the controller's access over the real CLI: sized, interrupted, changed, gone."""

from __future__ import annotations

import base64
import json
import re
from xml.etree import ElementTree as ET

import boto3
import httpx
import pytest
from azure.mgmt.compute import ComputeManagementClient
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
from tidegate_components import ControllerAccess, SpotGroup

config = pulumi.Config()
LABELS = {
    "environment": "dev", "owner": config.get("owner") or "ml-platform",
    "business-unit": "research", "platform-project": "vision",
    "workload-class": "training", "cost-center": "cc-1001",
}
SHARED = {
    "max_nodes": 6, "on_demand_base_nodes": 1, "scaler": "tidegate", "labels": LABELS,
    "checkpoint": {"interval_seconds": 600, "write_seconds": 30, "restart_seconds": 60},
}
STEM = config.get("stem") or "sweep"


def spot_group(place, args):
    aliases = [pulumi.Alias(name=f"sweep-{place}")] if STEM != "sweep" else None
    return SpotGroup(f"{STEM}-{place}", args, pulumi.ResourceOptions(aliases=aliases))


def bound_of(group, place, key):
    return group.bindings.apply(lambda bound: bound[f"{STEM}-{place}"][key])


vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnet = aws.ec2.Subnet("a", vpc_id=vpc.id, cidr_block="10.0.1.0/24",
                        availability_zone="us-east-1a")
types = ["m5.xlarge", "m6i.xlarge"] + (["m7i.xlarge"] if config.get("more") else [])
groups = [spot_group("aws", {
    "cloud": "aws", "region": "us-east-1", "instance_types": types,
    "image": "ami-12c6146b", **SHARED, "aws": {"subnet_ids": [subnet.id]},
})]
network = gcp.compute.Network("ml", auto_create_subnetworks=False)
subnetwork = gcp.compute.Subnetwork("ml", network=network.id, ip_cidr_range="10.1.0.0/16",
                                    region="us-central1")
groups.append(spot_group("gcp", {
    "cloud": "gcp", "region": "us-central1",
    "zones": ["us-central1-a", "us-central1-b"],
    "instance_types": ["n2-standard-4", "e2-standard-4"],
    "image": "projects/debian-cloud/global/images/family/debian-12", **SHARED,
    "gcp": {"project": "acme-ml", "subnetwork": subnetwork.id},
}))
resources = azure.resources.ResourceGroup("ml", location="eastus")
space = azure.network.VirtualNetwork("ml", resource_group_name=resources.name,
    location="eastus", address_space={"address_prefixes": ["10.2.0.0/16"]})
place = azure.network.Subnet("ml", resource_group_name=resources.name,
    virtual_network_name=space.name, address_prefix="10.2.0.0/24")
subscription = resources.id.apply(lambda path: "/".join(path.split("/")[:3]))
own = {"resource_group_name": resources.name, "subnet_id": place.id,
       "ssh_public_key": "ssh-ed25519 AAAA", "subscription": subscription}
first = spot_group("az", {
    "cloud": "azure", "region": "eastus",
    "instance_types": ["Standard_D8s_v5", "Standard_D8as_v5"],
    "image": "Canonical:ubuntu-24_04-lts:server:latest", **SHARED, "azure": own,
})
topic = bound_of(first, "az", "systemTopic")
groups.append(first)
groups.append(spot_group("fleet", {
    "cloud": "azure", "region": "eastus",
    "instance_types": ["Standard_D8s_v5", "Standard_D8as_v5"],
    "image": "Canonical:ubuntu-24_04-lts:server:latest", **SHARED,
    "azure": {**own, "fleet": True, "system_topic_name": topic},
}))
identity = azure.managedidentity.UserAssignedIdentity("controller",
    resource_group_name=resources.name, location="eastus")
notices = bound_of(groups[1], "gcp", "interruptionSubscription")
scale_set = bound_of(first, "az", "id")
queue = bound_of(first, "az", "interruptionQueueId")
accesses = [
    ControllerAccess("controller-aws", {"cloud": "aws", "labels": LABELS, "aws": {
        "pools": ["sweep-aws"], "regions": ["us-east-1"],
        "principal_arns": ["arn:aws:iam::123456789012:role/host"]}}),
    ControllerAccess("controller-gcp", {"cloud": "gcp", "labels": LABELS, "gcp": {
        "project": "acme-ml", "clusters": ["train"],
        "group_tag": {"key": "123456789012/pools", "value": "scaled"},
        "notice_subscriptions": [notices],
        "workload_identity": {"namespace": "tidegate", "service_account": "controller"}}}),
    ControllerAccess("controller-az", {"cloud": "azure", "labels": LABELS, "azure": {
        "principal_id": identity.principal_id, "subscription": subscription,
        "pool_scopes": [scale_set], "queue_scopes": [queue]}}),
]
bindings = pulumi.Output.all(*[each.bindings for each in [*groups, *accesses]])
pulumi.export("bindings", bindings.apply(
    lambda found: {key: value for each in found for key, value in each.items()}))
"""


def aws_client(stack, service):
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=stack.endpoints.aws_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )


def resize_aws(stack, bound):
    aws_client(stack, "autoscaling").set_desired_capacity(
        AutoScalingGroupName=bound["autoScalingGroup"], DesiredCapacity=3
    )


def resize_gcp(stack, bound):
    client = compute_v1.RegionInstanceGroupManagersClient(
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": stack.endpoints.gcp_url},
    )
    for key, size in (("instanceGroupManager", 2), ("onDemandInstanceGroupManager", 1)):
        client.resize_unary(
            project=bound["project"],
            region=bound["region"],
            instance_group_manager=bound[key],
            size=size,
        )


def resize_azure(stack, bound, build_options):
    options = build_options(stack.endpoints.azure_url, bound["id"].split("/")[2])
    ComputeManagementClient(**options).virtual_machine_scale_sets.begin_update(
        bound["resourceGroup"], bound["scaleSet"], {"sku": {"capacity": 3}}
    ).result()


KEPT = {
    "aws": ["autoScalingGroup", "interruptionQueue"],
    "gcp": ["instanceGroupManager", "onDemandInstanceGroupManager", "interruptionSubscription"],
    "az": ["scaleSet", "systemTopic"],
    "fleet": ["fleet"],
}
"""What a renamed group goes on with."""


@pytest.fixture
def stack(pulumi_project):
    return pulumi_project(PROGRAM)


def buy_kinds(stack, bound):
    """Return how the machines of the Auto Scaling group were bought."""
    found = aws_client(stack, "ec2").describe_instances(
        Filters=[
            {"Name": "tag:aws:autoscaling:groupName", "Values": [bound["autoScalingGroup"]]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
    )
    machines = [each for group in found["Reservations"] for each in group["Instances"]]
    return sorted(each.get("InstanceLifecycle", "on-demand") for each in machines)


def interrupt(stack, cloud, target):
    """Let a cloud take one spot machine away."""
    fault = {"kind": "interruption", "cloud": cloud, "target": target, "count": 1}
    url = f"{stack.endpoints.control_url}/faults"
    httpx.post(url, json=fault, trust_env=False).raise_for_status()


def read_aws_notices(stack, bound):
    interrupt(stack, "aws", f"ec2:SendSpotInstanceInterruption/{bound['autoScalingGroup']}/*")
    buy_kinds(stack, bound)
    found = aws_client(stack, "sqs").receive_message(
        QueueUrl=bound["interruptionQueue"], MaxNumberOfMessages=10
    )
    return {json.loads(each["Body"])["detail-type"] for each in found["Messages"]}


def read_gcp_notices(stack, bound):
    interrupt(stack, "gcp", "compute:Instances.Preempt/*")
    url = f"{stack.endpoints.gcp_url}/v1/{bound['interruptionSubscription']}:pull"
    answer = httpx.post(url, json={"maxMessages": 10}, trust_env=False).raise_for_status().json()
    entries = [
        json.loads(base64.b64decode(each["message"]["data"])) for each in answer["receivedMessages"]
    ]
    return {each["protoPayload"]["methodName"] for each in entries}


def read_azure_notices(stack, bound, build_options):
    interrupt(stack, "azure-native", f"Microsoft.Compute/simulateEviction{bound['id']}/*")
    options = build_options(stack.endpoints.azure_url, bound["id"].split("/")[2])
    list(ComputeManagementClient(**options).virtual_machines.list(bound["resourceGroup"]))
    queue = f"{bound['interruptionStorageAccount']}/{bound['interruptionQueue']}"
    url = f"{stack.endpoints.azure_url}/{queue}/messages"
    answer = httpx.get(url, params={"numofmessages": 32}, trust_env=False).raise_for_status()
    texts = [each.findtext("MessageText") for each in ET.fromstring(answer.content)]
    events = [json.loads(base64.b64decode(text)) for text in texts]
    return {each["data"]["resourceInfo"]["properties"]["annotationName"] for each in events}


def replaced(output):
    """Return the types of what an update replaced."""
    return {found[1] for found in re.finditer(r"^ \S+ +(\S+) \S+ replaced", output, re.MULTILINE)}


@pytest.mark.slow
def test_sizes_stay_notices_reach_their_queues_and_changes_replace_no_group(
    stack, build_azure_options
):
    stack.run("stack", "init", "dev")
    for key, value in (
        ("aws:region", "us-east-1"),
        ("gcp:project", "acme-ml"),
        ("gcp:region", "us-central1"),
    ):
        stack.run("config", "set", key, value)
    stack.run("up", "--yes", "--skip-preview")
    bound = json.loads(stack.run("stack", "output", "--json"))["bindings"]

    resize_aws(stack, bound["sweep-aws"])
    resize_gcp(stack, bound["sweep-gcp"])
    resize_azure(stack, bound["sweep-az"], build_azure_options)
    assert buy_kinds(stack, bound["sweep-aws"]) == ["on-demand", "spot", "spot"]
    assert read_aws_notices(stack, bound["sweep-aws"]) >= {"EC2 Spot Instance Interruption Warning"}
    assert read_gcp_notices(stack, bound["sweep-gcp"]) == {"compute.instances.preempted"}
    azure = read_azure_notices(stack, bound["sweep-az"], build_azure_options)
    assert azure == {"VirtualMachinePreempted"}
    assert buy_kinds(stack, bound["sweep-aws"]) == ["on-demand", "spot", "spot"]
    stack.run("refresh", "--yes")
    stack.run("preview", "--expect-no-changes")

    stack.run("config", "set", "owner", "someone-else")
    stack.run("config", "set", "more", "yes")
    output = stack.run("up", "--yes", "--skip-preview")
    # A template cannot be changed; its groups go on with the new one, for new machines.
    assert replaced(output) == {"gcp:compute:RegionInstanceTemplate"}
    assert buy_kinds(stack, bound["sweep-aws"]) == ["on-demand", "spot", "spot"]
    assert json.loads(stack.run("stack", "output", "--json"))["bindings"] == bound
    stack.run("preview", "--expect-no-changes")

    stack.run("config", "set", "stem", "hunt")
    output = stack.run("up", "--yes", "--skip-preview")
    assert replaced(output) == {"gcp:compute:RegionInstanceTemplate"}
    renamed = json.loads(stack.run("stack", "output", "--json"))["bindings"]
    for place, keys in KEPT.items():
        for key in keys:
            assert renamed[f"hunt-{place}"][key] == bound[f"sweep-{place}"][key]
    assert buy_kinds(stack, bound["sweep-aws"]) == ["on-demand", "spot", "spot"]
    stack.run("preview", "--expect-no-changes")

    stack.run("destroy", "--yes", "--skip-preview")
    assert aws_client(stack, "sqs").list_queues().get("QueueUrls", []) == []
