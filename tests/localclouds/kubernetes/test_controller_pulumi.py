"""The controller in a cluster of each cloud, through the real CLI, with access and identity."""

from __future__ import annotations

import json

import pytest
from kubernetes import client
from support.local_clusters import open_clusters, settle_clouds
from typer.testing import CliRunner

from tidegate.cli.controller import app as controller
from tidegate.manifest.bindings import read_bound_pools
from tidegate.manifest.read import read_manifest

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
from tidegate.manifest.build import build_manifest, dump_manifest
from tidegate_components import Controller, ControllerAccess, GpuNodePool

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
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
    "train", name="train", location="us-central1", initial_node_count=1,
    deletion_protection=False)
group = azure.resources.ResourceGroup("rg", resource_group_name="rg", location="eastus")
aks = azure.containerservice.ManagedCluster(
    "serve", resource_name_="serve", resource_group_name=group.name, dns_prefix="serve",
    location="eastus", identity={"type": "SystemAssigned"},
    agent_pool_profiles=[
        {"name": "system", "mode": "System", "count": 1, "vm_size": "Standard_D4s_v5"}])
identity = azure.managedidentity.UserAssignedIdentity(
    "controller", resource_name_="controller", resource_group_name=group.name, location="eastus")


def render(server):
    return json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    })


POOLS = {
    "aws": {"region": "us-east-1", "zones": ["us-east-1a"], "cluster": "ml",
            "instance_types": ["p5.48xlarge"],
            "aws": {"node_role_arn": role.arn, "subnet_ids": subnets[:1]}},
    "gcp": {"region": "us-central1", "zones": ["us-central1-a"], "cluster": "train",
            "instance_types": ["a3-highgpu-8g"], "gcp": {"project": "acme-ml"}},
    "azure": {"region": "eastus", "zones": ["1"], "cluster": "serve", "account": SUBSCRIPTION,
              "instance_types": ["Standard_ND96isr_H100_v5"],
              "azure": {"resource_group_name": group.name}},
}
ACCOUNT = {"namespace": "tidegate", "service_account": "controller"}
OWN = {
    "aws": {"regions": ["us-east-1"], "pod_identity": {"cluster": eks.name, **ACCOUNT}},
    "gcp": {"project": "acme-ml", "clusters": ["train"], "workload_identity": ACCOUNT},
    "azure": {
        "principal_id": identity.principal_id, "subscription": f"/subscriptions/{SUBSCRIPTION}",
        "federation": {"identity_name": identity.name, "resource_group_name": group.name,
                       "issuer": "https://eastus.oic.prod-aks.azure.com/t/c/", **ACCOUNT}},
}
SERVERS = {
    "aws": (eks, eks.endpoint),
    "gcp": (gke, gke.endpoint.apply(lambda address: f"https://{address}")),
    "azure": (aks, aks.fqdn.apply(lambda name: f"https://{name}:443")),
}
for cloud, given in POOLS.items():
    cluster, server = SERVERS[cloud]
    name = f"train-{cloud}"
    pool = GpuNodePool(
        name,
        {"cloud": cloud, "accelerator": "h100-80gb", "capacity_type": "spot", "scaler": "tidegate",
         "max_nodes": settings.get_int("max") or 2, "labels": LABELS, **given},
        pulumi.ResourceOptions(depends_on=[cluster]))
    own = dict(OWN[cloud])
    if cloud == "aws":
        own["pools"] = [name]
    if cloud == "azure":
        own["pool_scopes"] = [group.id]
    access = ControllerAccess(f"{cloud}-access", {"cloud": cloud, "labels": LABELS, cloud: own})
    made = access.bindings[f"{cloud}-access"]
    identities = {
        "aws": {},
        "gcp": {"service_account": made.apply(lambda found: found.get("serviceAccount"))},
        "azure": {"client_id": identity.client_id, "tenant_id": identity.tenant_id},
    }
    bound = pool.bindings.apply(lambda found, name=name: {"pools": {name: found.get(name, found)}})
    manifest = build_manifest(
        [pool.capacity], project="tests", stack=cloud, catalog_digest="x")
    provider = k8s.Provider(cloud, kubeconfig=server.apply(render))
    Controller(
        f"controller-{cloud}",
        {"cloud": cloud, "cluster": given["cluster"], "image": "registry.example/tidegate:0.1.0",
         "service_account": "controller", "capacity": dump_manifest(manifest), "bindings": bound,
         "token": {"name": "controller", "key": "token"},
         "monitoring": {"namespace": "metrics", "kind": "pod-monitor"},
         cloud: identities[cloud], "labels": LABELS},
        pulumi.ResourceOptions(provider=provider, depends_on=[access]))
"""
CLUSTERS = {
    "aws": "aws/ml.us-east-1",
    "gcp": "gcp/train.us-central1.acme-ml",
    "azure": "azure/serve.rg.11111111-2222-3333-4444-555555555555",
}


def read_files(api, cloud):
    """Return the files that the controller of a cluster is given, by name."""
    core = client.CoreV1Api(api)
    return core.read_namespaced_config_map(f"controller-{cloud}", "tidegate").data


@pytest.mark.slow
def test_a_controller_in_a_cluster_of_each_cloud_follows_its_stack(pulumi_project, tmp_path):
    project = pulumi_project(PROGRAM)
    settle_clouds(project)

    project.run("up", "--yes")
    project.run("preview", "--expect-no-changes")

    clients = open_clusters(project, CLUSTERS)
    for cloud, api in clients.items():
        document = json.loads(read_files(api, cloud)["outputs.json"], parse_float=str)
        (pool,) = read_manifest("outputs", document).pools
        assert (pool.id, pool.max_nodes) == (f"train-{cloud}", 2)
        bound = read_bound_pools(document)[pool.id]
        assert bound["cloud"] == cloud
        subject = client.RbacAuthorizationV1Api(api).read_cluster_role_binding(
            f"tidegate-controller-{cloud}"
        )
        assert [each.name for each in subject.subjects] == ["controller"]
        deployment = client.AppsV1Api(api).read_namespaced_deployment(
            f"controller-{cloud}", "tidegate"
        )
        assert deployment.status.available_replicas == 1

    written = read_files(clients["aws"], "aws")
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    planned = CliRunner().invoke(
        controller,
        [
            "plan",
            "--state-dir",
            str(tmp_path / "state"),
            "--outputs",
            str(tmp_path / "outputs.json"),
            "--sources",
            str(tmp_path / "sources.yaml"),
            "--format",
            "json",
        ],
    )
    assert planned.exit_code == 0, planned.output

    project.run("config", "set", "max", "3")
    changed = project.run("up", "--yes", "--skip-preview")
    assert "Deployment" not in changed  # the pods stay: they read the file again
    for cloud, api in clients.items():
        document = json.loads(read_files(api, cloud)["outputs.json"], parse_float=str)
        assert read_manifest("outputs", document).pools[0].max_nodes == 3
    project.run("preview", "--expect-no-changes")
    project.run("destroy", "--yes", "--skip-preview")
