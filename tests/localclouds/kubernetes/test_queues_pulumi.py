"""Queues on a cluster of each cloud through the real CLI: up, no change, drift, change, destroy."""

from __future__ import annotations

import json

import pytest
from kubernetes import client
from support.local_clusters import open_clusters, settle_clouds

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
from tidegate_components import Queues

settings = pulumi.Config()
LABELS = {
    "environment": "dev", "owner": "ml", "business-unit": "research",
    "platform-project": "vision", "workload-class": "training", "cost-center": "cc-1",
}
trust = json.dumps({"Version": "2012-10-17", "Statement": []})
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
                   availability_zone=f"us-east-1{zone}").id
    for number, zone in enumerate("ab")
]
role = aws.iam.Role("role", assume_role_policy=trust)
eks = aws.eks.Cluster("ml", name="ml", role_arn=role.arn, vpc_config={"subnet_ids": subnets})
gke = gcp.container.Cluster(
    "train", name="train", location="us-central1", initial_node_count=1, deletion_protection=False)
group = azure.resources.ResourceGroup("rg", resource_group_name="rg", location="westeurope")
aks = azure.containerservice.ManagedCluster(
    "serve", resource_name_="serve", resource_group_name=group.name, dns_prefix="serve",
    location="westeurope", identity={"type": "SystemAssigned"},
    agent_pool_profiles=[
        {"name": "system", "mode": "System", "count": 1, "vm_size": "Standard_D4s_v5"}])


def render(server):
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    })


def pool(cloud, cluster, capacity_type, machine):
    name = f"{cluster}-{capacity_type}"
    kinds = {"aws": "eks-node-group", "gcp": "gke-node-pool", "azure": "aks-agent-pool"}
    spot = capacity_type == "spot"
    return {
        "id": name, "cloud": cloud, "region": "anywhere", "kind": kinds[cloud],
        "cluster": cluster, "accelerator": "a100-80gb", "acceleratorsPerNode": 8,
        "instanceTypes": [machine], "capacityType": capacity_type, "minNodes": 0, "maxNodes": 2,
        "bootSeconds": 300, "labels": LABELS, "nodeLabels": {"capacity-pool": name},
        "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        "interruptionTolerance": "tolerant" if spot else "intolerant",
        "workloadClasses": ["training"], "scaler": "tidegate",
    }


CLUSTERS = [
    ("aws", "ml", eks.endpoint, "p4de.24xlarge"),
    ("gcp", "train", gke.endpoint.apply(lambda address: f"https://{address}"), "a2-ultragpu-8g"),
    ("azure", "serve", aks.fqdn.apply(lambda name: f"https://{name}:443"),
     "Standard_ND96amsr_A100_v4"),
]
for cloud, cluster, server, machine in CLUSTERS:
    provider = k8s.Provider(cluster, kubeconfig=server.apply(render))
    queues = Queues(
        f"{cluster}-gpus",
        {
            "cluster": cluster,
            "pools": [pool(cloud, cluster, kind, machine) for kind in ("spot", "on-demand")],
            "queues": [
                {"name": f"{cluster}-a100-interruptible", "accelerator": "a100-80gb",
                 "interruption_tolerance": "tolerant", "quotas": {f"{cluster}-spot": 16}},
                {"name": f"{cluster}-a100", "accelerator": "a100-80gb", "priority": "high",
                 "interruption_tolerance": "intolerant",
                 "quotas": {f"{cluster}-on-demand": settings.get_int("own") or 16}},
            ],
            "namespaces": [
                {"name": "vision", "quotas": {"a100-80gb": 24},
                 "queues": [f"{cluster}-a100", f"{cluster}-a100-interruptible"]},
                {"name": "speech", "quotas": {"a100-80gb": 8},
                 "queues": [f"{cluster}-a100-interruptible"]},
            ],
            "labels": LABELS,
        },
        pulumi.ResourceOptions(provider=provider),
    )
    pulumi.export(cluster, queues.polyaxon["presets"][0]["name"])
"""
KUEUE = ("kueue.x-k8s.io", "v1beta2")
CLUSTERS = {
    "ml": "aws/ml.us-east-1",
    "serve": "azure/serve.rg.11111111-2222-3333-4444-555555555555",
    "train": "gcp/train.us-central1.acme-ml",
}


def read_reasons(api, name):
    """Return why each queue of a cluster is, or is not, active."""
    custom = client.CustomObjectsApi(api)
    found = custom.list_cluster_custom_object(*KUEUE, "clusterqueues")["items"]
    found += custom.list_namespaced_custom_object(*KUEUE, "vision", "localqueues")["items"]
    return {
        (each["kind"], each["metadata"]["name"]): each["status"]["conditions"][0]["reason"]
        for each in found
    }


@pytest.mark.slow
def test_queues_on_a_cluster_of_each_cloud(pulumi_project):
    project = pulumi_project(PROGRAM)
    settle_clouds(project)

    project.run("up", "--yes")
    outputs = json.loads(project.run("stack", "output", "--json"))
    assert outputs == {name: f"{name}-a100-interruptible" for name in CLUSTERS}
    project.run("preview", "--expect-no-changes")

    clients = open_clusters(project, CLUSTERS)
    for name, api in clients.items():
        names = (f"{name}-a100", f"{name}-a100-interruptible")
        kinds = ("ClusterQueue", "LocalQueue")
        assert read_reasons(api, name) == {
            (kind, each): "Ready" for kind in kinds for each in names
        }
        quota = client.CoreV1Api(api).read_namespaced_resource_quota(f"{name}-gpus-quota", "vision")
        assert quota.spec.hard == {"requests.nvidia.com/gpu": "24"}

    client.CustomObjectsApi(clients["train"]).delete_namespaced_custom_object(
        *KUEUE, "speech", "localqueues", "train-a100-interruptible"
    )
    client.CoreV1Api(clients["serve"]).patch_namespaced_resource_quota(
        "serve-gpus-quota", "vision", {"spec": {"hard": {"requests.nvidia.com/gpu": "32"}}}
    )
    refreshed = project.run("refresh", "--yes", "--diff")
    assert '"24" => "32"' in refreshed
    assert "- 1 deleted" in refreshed
    assert "~ 1 updated" in refreshed

    project.run("config", "set", "own", "8")
    changed = project.run("up", "--yes", "--skip-preview")
    assert "+ 1 created" in changed
    assert "~ 4 updated" in changed  # the quota goes back, and each on-demand queue owns less
    assert "replaced" not in changed
    project.run("preview", "--expect-no-changes")
    project.run("destroy", "--yes", "--skip-preview")
