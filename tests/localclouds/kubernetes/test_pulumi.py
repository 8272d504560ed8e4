"""The real CLI over the local Kubernetes: up, no change, outside changes, replacement, destroy."""

from __future__ import annotations

import json

import pytest
from kubernetes import client, config
from typer.testing import CliRunner

from tidegate.cli.local import app

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s
from pulumi_kubernetes.apiextensions import CustomResource

settings = pulumi.Config()
trust = json.dumps({"Version": "2012-10-17", "Statement": []})
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
                   availability_zone=f"us-east-1{zone}")
    for number, zone in enumerate("ab")
]
role = aws.iam.Role("role", assume_role_policy=trust)
ids = [subnet.id for subnet in subnets]
cluster = aws.eks.Cluster("ml", name="ml", role_arn=role.arn, vpc_config={"subnet_ids": ids})
kubeconfig = cluster.endpoint.apply(lambda server: json.dumps({
    "apiVersion": "v1", "kind": "Config", "current-context": "ml",
    "clusters": [{"name": "ml", "cluster": {"server": server}}],
    "contexts": [{"name": "ml", "context": {"cluster": "ml", "user": "ml"}}],
    "users": [{"name": "ml", "user": {"token": "t"}}],
}))
provider = k8s.Provider("ml", kubeconfig=kubeconfig)
opts = pulumi.ResourceOptions(provider=provider)
team = k8s.core.v1.Namespace("team", metadata={"labels": {"cost-center": "cc-1"}}, opts=opts)
urgent = k8s.scheduling.v1.PriorityClass(
    "urgent", metadata={"name": "urgent"}, value=settings.get_int("value") or 10, opts=opts)
quota = k8s.core.v1.ResourceQuota(
    "gpus", metadata={"name": "gpus", "namespace": team.metadata.name},
    spec={"hard": {"requests.nvidia.com/gpu": "8"}}, opts=opts)
flavor = CustomResource(
    "spot", "kueue.x-k8s.io/v1beta2", "ResourceFlavor", metadata={"name": "spot"},
    spec={"nodeLabels": {"capacity-pool": "spot"}}, opts=opts)
queue = CustomResource(
    "a100", "kueue.x-k8s.io/v1beta2", "ClusterQueue", metadata={"name": "a100"},
    spec={"namespaceSelector": {}, "resourceGroups": [{
        "coveredResources": ["nvidia.com/gpu"],
        "flavors": [{"name": flavor.metadata["name"],
                     "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 8}]}]}]},
    opts=opts)
local = CustomResource(
    "local", "kueue.x-k8s.io/v1beta2", "LocalQueue",
    metadata={"name": "a100", "namespace": team.metadata.name},
    spec={"clusterQueue": queue.metadata["name"]}, opts=opts)
pulumi.export("team", team.metadata.name)
"""


def open_cluster(project):
    """Return the official client over the kubeconfig that `tidegate local kubeconfig` prints."""
    state = ["--state-dir", str(project.state)]
    done = CliRunner().invoke(app, ["kubeconfig", *state, "--format", "json"])
    document = json.loads(done.stdout)
    assert [each["name"] for each in document["contexts"]] == ["aws/ml.us-east-1"]
    settings = client.Configuration()
    config.load_kube_config(str(project.state / "kubeconfig"), client_configuration=settings)
    return client.ApiClient(settings)


@pytest.mark.slow
def test_up_no_change_drift_replacement_and_destroy(pulumi_project):
    project = pulumi_project(PROGRAM)
    project.run("stack", "init", "dev")
    project.run("config", "set", "aws:region", "us-east-1")

    project.run("up", "--yes")
    team = json.loads(project.run("stack", "output", "--json"))["team"]
    project.run("preview", "--expect-no-changes")

    api = open_cluster(project)
    core, custom = client.CoreV1Api(api), client.CustomObjectsApi(api)
    kueue = ("kueue.x-k8s.io", "v1beta2")
    local = custom.get_namespaced_custom_object(*kueue, team, "localqueues", "a100")
    assert [each["reason"] for each in local["status"]["conditions"]] == ["Ready"]
    hard = {"requests.nvidia.com/gpu": "4"}
    core.patch_namespaced_resource_quota("gpus", team, {"spec": {"hard": hard}})
    core.patch_namespace(team, {"metadata": {"labels": {"cost-center": "cc-2"}}})
    project.restart()

    refreshed = project.run("refresh", "--yes", "--diff")
    assert '"8" => "4"' in refreshed
    assert '"cc-1" => "cc-2"' in refreshed
    assert "~ 2 updated" in refreshed
    project.run("config", "set", "value", "20")
    changed = project.run("up", "--yes", "--skip-preview")
    assert "+-1 replaced" in changed
    project.run("preview", "--expect-no-changes")

    api = open_cluster(project)
    quota = client.CoreV1Api(api).read_namespaced_resource_quota("gpus", team)
    assert quota.spec.hard == {"requests.nvidia.com/gpu": "8"}
    assert client.SchedulingV1Api(api).read_priority_class("urgent").value == 20
    project.run("destroy", "--yes", "--skip-preview")
    done = CliRunner().invoke(app, ["kubeconfig", "--state-dir", str(project.state)])
    assert "contexts: []" in done.stdout
