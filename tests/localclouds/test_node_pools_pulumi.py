"""The real CLI: node pools of every kind on three clouds, resized, changed and removed."""

from __future__ import annotations

import json

import boto3
import pytest

PROGRAM = """
import json

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
from tidegate_components import CpuNodePool, GpuNodePool

config = pulumi.Config()
SHARED = {
    "capacity_type": "on-demand", "max_nodes": config.get_int("most") or 4, "scaler": "tidegate",
    "labels": {
        "environment": "prod", "owner": config.get("owner") or "ml-platform",
        "business-unit": "research", "platform-project": "vision",
        "workload-class": "training", "cost-center": "cc-1001",
    },
}



def name(identifier):
    # What a pool is called, and by which name the engine knows it of old.
    renamed = config.get("renamed")
    return (f"{identifier}-{renamed}" if renamed else identifier,
            [pulumi.Alias(name=identifier)] if renamed else [])


# AWS
trust = json.dumps({"Version": "2012-10-17", "Statement": []})
role = aws.iam.Role("nodes", assume_role_policy=trust)
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
                   availability_zone=f"us-east-1{zone}")
    for number, zone in enumerate("ab")
]
ids = [subnet.id for subnet in subnets]
group = aws.ec2.SecurityGroup("nodes", vpc_id=vpc.id)
eks = aws.eks.Cluster("ml", name="ml", role_arn=role.arn, vpc_config={"subnet_ids": ids},
                      access_config={"authentication_mode": "API_AND_CONFIG_MAP"})
kubeconfig = eks.endpoint.apply(lambda server: json.dumps({
    "apiVersion": "v1", "kind": "Config", "current-context": "ml",
    "clusters": [{"name": "ml", "cluster": {"server": server}}],
    "contexts": [{"name": "ml", "context": {"cluster": "ml", "user": "ml"}}],
    "users": [{"name": "ml", "user": {"token": "t"}}],
}))
provider = k8s.Provider("ml", kubeconfig=kubeconfig)
AWS = {**SHARED, "cloud": "aws", "region": "us-east-1", "cluster": eks.name}
H100 = {"accelerator": "h100-80gb", "instance_types": ["p5.48xlarge"]}
EKS = {"node_role_arn": role.arn, "subnet_ids": ids, "security_group_ids": [group.id]}
# A managed node group gives its role access by itself: a role that machines of one's own have too
# would be let in twice, and which of the two comes first is chance.
own_role = aws.iam.Role("own", assume_role_policy=trust)
OWN = {
    **EKS, "node_role_arn": own_role.arn,
    "node_kind": "auto-scaling-group", "kubernetes_version": "1.34",
    "cluster_endpoint": eks.endpoint, "service_cidr": "172.20.0.0/16",
    "cluster_certificate": eks.certificate_authority.data,
}
opts = pulumi.ResourceOptions(depends_on=[eks])
pools = [
    GpuNodePool("eks-mig", {
        **AWS, **H100, "sharing": {"strategy": "mig", "partition": "1g.10gb"}, "aws": EKS}, opts),
    GpuNodePool("eks-neuron", {
        **AWS, "accelerator": "trainium1", "instance_types": ["trn1.32xlarge"],
        "zones": ["us-east-1b"],
        "aws": {**EKS, "efa": True, "cluster_placement": True}}, opts),
    GpuNodePool("own-l4", {
        **AWS, "accelerator": "l4", "instance_types": ["g6.12xlarge"], "capacity_type": "spot",
        "scaler": "cluster-autoscaler", "aws": OWN}, opts),
    CpuNodePool(name("own-cpu")[0], {
        **AWS, "instance_types": ["m5.4xlarge", "m6i.4xlarge"],
        "aws": {**OWN, "role_has_access": True}},
        pulumi.ResourceOptions(depends_on=[eks], aliases=name("own-cpu")[1])),
    GpuNodePool("karpenter-h100", {
        **AWS, **H100, "scaler": "karpenter",
        "windows": [{"cron": "0 22 * * *", "time_zone": "UTC", "duration_seconds": 21600}],
        "aws": EKS}, pulumi.ResourceOptions(depends_on=[eks], providers=[provider])),
    CpuNodePool(name("eks-cpu")[0], {
        **AWS, "instance_types": [config.get("machine") or "m5.4xlarge"], "aws": EKS},
        pulumi.ResourceOptions(depends_on=[eks], aliases=name("eks-cpu")[1])),
]

# Google Cloud
gke = gcp.container.Cluster("ml", location="us-central1", initial_node_count=1,
                            remove_default_node_pool=True, deletion_protection=False)
GCP = {**SHARED, "cloud": "gcp", "region": "us-central1", "cluster": gke.name}
gke_opts = pulumi.ResourceOptions(depends_on=[gke])
pools += [
    GpuNodePool("gke-slice", {
        **GCP, "accelerator": "tpu-v6e", "instance_types": ["ct6e-standard-4t"], "max_nodes": 4,
        "zones": ["us-central1-b"], "gcp": {"tpu_topology": "4x4"}}, gke_opts),
    GpuNodePool("gke-shared", {
        **GCP, **{**H100, "instance_types": ["a3-highgpu-8g"]}, "zones": ["us-central1-a"],
        "sharing": {"strategy": "time-sharing", "partition": "3g.40gb",
                    "clients_per_accelerator": 3}}, gke_opts),
    GpuNodePool("gke-flex", {
        **GCP, "accelerator": "l4", "instance_types": ["g2-standard-48"],
        "scaler": "provider", "zones": ["us-central1-a"],
        "gcp": {"flex_start": True, "queued_provisioning": True,
                "max_run_duration_seconds": 3600}}, gke_opts),
    CpuNodePool(name("gke-cpu")[0], {
        **GCP, "instance_types": ["n2-standard-8"], "zones": ["us-central1-a"]},
        pulumi.ResourceOptions(depends_on=[gke], aliases=name("gke-cpu")[1])),
]

# Azure
resources = azure.resources.ResourceGroup("ml", resource_group_name="ml", location="eastus")
aks = azure.containerservice.ManagedCluster(
    "ml", resource_name_="ml", resource_group_name=resources.name, location="eastus",
    dns_prefix="ml", identity={"type": "SystemAssigned"},
    agent_pool_profiles=[{"name": "system", "mode": "System", "count": 1,
                          "vm_size": "Standard_D4ds_v5", "os_type": "Linux"}])
AZURE = {
    **SHARED, "cloud": "azure", "region": "eastus", "cluster": aks.name,
    "azure": {"resource_group_name": resources.name},
}
pools += [
    GpuNodePool("aks-mig", {
        **AZURE, "accelerator": "a100-80gb", "instance_types": ["Standard_NC24ads_A100_v4"],
        "sharing": {"strategy": "mig",
                    "partition": config.get("partition") or "2g.20gb"}}),
    CpuNodePool("aks-cpu", {**AZURE, "instance_types": ["Standard_D16s_v5"]}),
]
pulumi.export("bindings", pulumi.Output.all(*[pool.bindings for pool in pools]).apply(
    lambda found: {key: value for each in found for key, value in each.items()}))
"""


def steps(preview: str) -> set[tuple[str, str]]:
    """Return (operation, name) of each step of a preview that changes a cloud's resource."""
    return {
        (step["op"], step["urn"].rpartition("::")[2])
        for step in json.loads(preview)["steps"]
        if step["op"] != "same"
    }


@pytest.mark.slow
def test_pools_come_up_keep_the_size_that_was_chosen_and_change_in_place(pulumi_project):
    project = pulumi_project(PROGRAM)
    project.run("stack", "init", "dev")
    project.run("config", "set", "aws:region", "us-east-1")
    project.run("config", "set", "gcp:project", "tidegate")

    project.run("up", "--yes", "--skip-preview")
    project.run("preview", "--expect-no-changes")

    bindings = json.loads(project.run("stack", "output", "--json"))["bindings"]
    scaling = boto3.client(
        "autoscaling",
        region_name="us-east-1",
        endpoint_url=project.endpoints.aws_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )
    for pool in ("own-l4", "eks-cpu"):
        name = bindings[pool]["autoScalingGroup"]
        scaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=2)
    project.run("refresh", "--yes", "--skip-preview")
    project.run("preview", "--expect-no-changes")

    # Another owner, other bounds, and another id with an alias replace nothing.
    for key, value in (("owner", "vision-team"), ("most", "6"), ("renamed", "batch")):
        project.run("config", "set", key, value)
    changed = steps(project.run("preview", "--json"))
    assert {step for step in changed if step[0] != "update"} == set()
    assert {"own-cpu-batch", "eks-cpu-batch", "gke-cpu-batch"} <= {name for _, name in changed}
    assert {"own-l4", "karpenter-h100", "karpenter-h100-class", "gke-slice", "aks-mig"} <= {
        name for _, name in changed
    }
    project.run("up", "--yes", "--skip-preview")

    # Other partitions are other nodes: AKS makes the pool anew, and no other pool.
    project.run("config", "set", "partition", "3g.40gb")
    assert {name for _, name in steps(project.run("preview", "--json"))} == {"aks-mig"}

    # Another machine is another node group, with other tags on another group of machines.
    project.run("config", "rm", "partition")
    project.run("config", "set", "machine", "m6i.4xlarge")
    replaced = {name for _, name in steps(project.run("preview", "--json"))}
    assert "eks-cpu-batch" in replaced
    assert all(name.startswith("eks-cpu-batch") for name in replaced)

    project.run("destroy", "--yes", "--skip-preview")
    assert scaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
