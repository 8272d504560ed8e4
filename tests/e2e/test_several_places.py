"""Several regions, accounts and projects in one stack, over what another stack exports."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from support.workspace import REPOSITORY, find_programs

from tidegate.cli.local_pulumi import build_local_runner
from tidegate.engine.stack import StackRunner
from tidegate.localclouds.lifecycle import start_local_clouds, stop_local_clouds

pytestmark = pytest.mark.slow

NETWORK = """
import json
import pulumi
import pulumi_aws as aws

trust = json.dumps({"Version": "2012-10-17", "Statement": []})
role = aws.iam.Role("nodes", assume_role_policy=trust)
found = {}
for number, region in enumerate(["us-east-1", "us-west-2"]):
    here = pulumi.ResourceOptions(provider=aws.Provider(region, region=region))
    vpc = aws.ec2.Vpc(region, cidr_block=f"10.{number}.0.0/16", opts=here)
    subnets = [
        aws.ec2.Subnet(
            f"{region}{zone}", vpc_id=vpc.id, availability_zone=f"{region}{zone}",
            cidr_block=f"10.{number}.{third}.0/24", opts=here,
        ).id
        for third, zone in enumerate("ab")
    ]
    cluster = aws.eks.Cluster(
        region, role_arn=role.arn, vpc_config={"subnet_ids": subnets}, opts=here
    )
    found[region] = {"cluster": cluster.name, "subnets": subnets, "role": role.arn}
pulumi.export("clusters", found)
"""

POOLS = """
import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp
from tidegate.manifest.build import build_manifest, dump_manifest
from tidegate_components import GpuNodePool, StorageTiers

LABELS = {
    "environment": "dev", "owner": "ml-platform", "business-unit": "research",
    "platform-project": "vision", "workload-class": "training", "cost-center": "cc-1001",
}
network = pulumi.StackReference("organization/network/dev")
clusters = network.require_output("clusters")
made = []
for region in ("us-east-1", "us-west-2"):
    here = aws.Provider(region, region=region)
    made.append(GpuNodePool(f"train-{region}", {
        "cloud": "aws", "region": region, "accelerator": "l4", "instance_types": ["g6.xlarge"],
        "capacity_type": "spot", "max_nodes": 2, "scaler": "tidegate", "labels": LABELS,
        "cluster": clusters[region]["cluster"],
        "aws": {"node_role_arn": clusters[region]["role"],
                "subnet_ids": clusters[region]["subnets"]},
    }, pulumi.ResourceOptions(provider=here)))
for project in ("team-red", "team-blue"):
    there = gcp.Provider(project, project=project, region="us-central1")
    made.append(StorageTiers(f"scratch-{project}", {
        "cloud": "gcp", "region": "us-central1", "account": project,
        "storage_class": "scratch", "labels": LABELS,
    }, pulumi.ResourceOptions(providers=[there])))
manifest = build_manifest(
    [each.capacity for each in made], project=pulumi.get_project(), stack=pulumi.get_stack(),
    catalog_digest="sha256:0",
)
pulumi.export("capacity", dump_manifest(manifest))
"""


@dataclass
class Programs:
    """Two projects over one set of local clouds and one backend."""

    network: StackRunner
    pools: StackRunner


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    root = tmp_path_factory.mktemp("places")
    state = root / ".tidegate"
    endpoints = start_local_clouds(state / "local")

    def build(name: str, program: str) -> StackRunner:
        folder = root / name
        folder.mkdir()
        (folder / "__main__.py").write_text(textwrap.dedent(program))
        runtime = {"name": "python", "options": {"virtualenv": str(REPOSITORY / ".venv")}}
        (folder / "Pulumi.yaml").write_text(json.dumps({"name": name, "runtime": runtime}))
        (folder / "Pulumi.dev.yaml").write_text("config: {}\n")
        return build_local_runner(folder, state, endpoints, find_programs())

    yield Programs(build("network", NETWORK), build("pools", POOLS))
    stop_local_clouds(state / "local")


def list_by_provider(runner: StackRunner) -> dict[str, set[str]]:
    """Return the names of explicit providers with the types that were made through each."""
    found: dict[str, set[str]] = {}
    for resource in runner.export("dev")["deployment"]["resources"]:
        if resource.get("custom") and not resource["type"].startswith("pulumi:"):
            name = resource["provider"].split("::")[-2]
            found.setdefault(name, set()).add(resource["type"])
    return found


def test_one_stack_declares_in_two_regions_and_two_projects(programs: Programs) -> None:
    network = programs.network.up("dev")
    assert network.succeeded, network.explain()

    pools = programs.pools.up("dev")

    assert pools.succeeded, pools.explain()
    by_provider = list_by_provider(programs.pools)
    assert by_provider["us-east-1"] == by_provider["us-west-2"]
    assert "aws:eks/nodeGroup:NodeGroup" in by_provider["us-west-2"]
    assert by_provider["team-red"] == by_provider["team-blue"] == {"gcp:storage/bucket:Bucket"}
    assert not [name for name in by_provider if name.startswith("default")]


def test_what_was_made_stands_where_its_provider_points(programs: Programs) -> None:
    made: list[dict[str, Any]] = programs.pools.export("dev")["deployment"]["resources"]
    arns = {
        resource["urn"].rsplit("::", 1)[-1]: resource["outputs"]["arn"].split(":")[3]
        for resource in made
        if resource["type"] == "aws:eks/nodeGroup:NodeGroup"
    }
    projects = {
        resource["urn"].rsplit("::", 1)[-1]: resource["outputs"]["project"]
        for resource in made
        if resource["type"] == "gcp:storage/bucket:Bucket"
    }
    assert arns == {"train-us-east-1": "us-east-1", "train-us-west-2": "us-west-2"}
    assert projects == {"scratch-team-red": "team-red", "scratch-team-blue": "team-blue"}


def test_the_manifest_says_where_each_stands(programs: Programs) -> None:
    capacity = programs.pools.outputs("dev")["capacity"]
    assert {pool["id"]: pool["region"] for pool in capacity["pools"]} == {
        "train-us-east-1": "us-east-1",
        "train-us-west-2": "us-west-2",
    }
    assert {bucket["id"]: bucket["account"] for bucket in capacity["buckets"]} == {
        "scratch-team-red": "team-red",
        "scratch-team-blue": "team-blue",
    }


def test_another_up_changes_nothing(programs: Programs) -> None:
    result = programs.pools.up("dev")
    assert result.succeeded, result.explain()
    assert set(result.changes) == {"same"}


def test_both_are_destroyed(programs: Programs) -> None:
    for runner in (programs.pools, programs.network):
        result = runner.destroy("dev")
        assert result.succeeded, result.explain()
