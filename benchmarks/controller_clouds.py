"""Two hundred pools on the local clouds, a third of them each, for the controller to read and size.

Auto Scaling groups on AWS, node pools of GKE, agent pools of AKS: brought up by Pulumi, read and
resized by the clouds' own SDKs over HTTP.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_clouds import bring_up

from tidegate.clouds.bound_pools import BoundPools
from tidegate.localclouds.endpoints import Endpoints
from tidegate.localclouds.environment import local_environment
from tidegate.localclouds.lifecycle import reset_local_clouds, start_local_clouds
from tidegate.manifest.model import Pool

CLOUDS = ("aws", "gcp", "azure")
KINDS = {"aws": "auto-scaling-group", "gcp": "gke-node-pool", "azure": "aks-agent-pool"}
REGIONS = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
PROJECT = "bench"
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
PROGRAM = """
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp

vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnet = aws.ec2.Subnet("subnet", vpc_id=vpc.id, cidr_block="10.0.0.0/20",
                        availability_zone="us-east-1a")
template = aws.ec2.LaunchTemplate("template", name="bench", instance_type="m5.4xlarge")
for name in {aws!r}:
    aws.autoscaling.Group(
        name, name=name, min_size=0, max_size={most}, desired_capacity={nodes},
        vpc_zone_identifiers=[subnet.id],
        launch_template={{"id": template.id, "version": "$Latest"}})
cluster = gcp.container.Cluster("main", name="main", location="us-central1-a", project="bench",
                                initial_node_count=1)
for name in {gcp!r}:
    gcp.container.NodePool(name, name=name, cluster=cluster.name, location="us-central1-a",
                           project="bench", initial_node_count={nodes},
                           node_config={{"machine_type": "n2-standard-16"}})
group = azure.resources.ResourceGroup("ml", resource_group_name="ml", location="eastus")
aks = azure.containerservice.ManagedCluster(
    "main", resource_name_="main", resource_group_name=group.name, location="eastus",
    dns_prefix="main", identity={{"type": "SystemAssigned"}},
    agent_pool_profiles=[{{"name": "system", "mode": "System", "count": 1,
                          "vm_size": "Standard_D4s_v5"}}])
for name in {azure!r}:
    azure.containerservice.AgentPool(
        name, agent_pool_name=name, resource_name_=aks.name, resource_group_name=group.name,
        mode="User", count={nodes}, vm_size="Standard_D16s_v5")
"""


def name_pools(count: int) -> dict[str, list[str]]:
    """Return cloud → the ids of its pools; AKS takes letters and digits alone, twelve at most."""
    return {
        cloud: [f"{cloud}{number}" for number in range(count // 3 + (index < count % 3))]
        for index, cloud in enumerate(CLOUDS)
    }


@contextmanager
def run_pools(names: dict[str, list[str]], nodes: int, most: int) -> Iterator[Endpoints]:
    """Bring the pools up; yield where the clouds answer. The SDKs of this process speak to them."""
    program = PROGRAM.format(**names, nodes=nodes, most=most)
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
        state = Path(folder) / "clouds"
        endpoints = start_local_clouds(state)
        try:
            environment = local_environment(endpoints, os.environ)
            bring_up(Path(folder), environment, program)
            os.environ.update(environment)
            yield endpoints
        finally:
            reset_local_clouds(state)


def bind(pools: list[Pool], endpoints: Endpoints) -> BoundPools:
    """Return the pools as the clouds' own SDKs read and resize them."""
    urls = {"gcp": endpoints.gcp_url, "azure": endpoints.azure_url}
    bindings = {
        "aws": lambda name: {"autoScalingGroup": name},
        "gcp": lambda name: {
            "project": PROJECT, "location": "us-central1-a", "cluster": "main", "nodePool": name,
        },
        "azure": lambda name: {
            "resourceGroup": "ml", "cluster": "main", "agentPool": name,
            "subscription": SUBSCRIPTION,
        },
    }  # fmt: skip
    return BoundPools(pools, {pool.id: bindings[pool.cloud.value](pool.id) for pool in pools}, urls)
