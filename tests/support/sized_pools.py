"""Pools on the local clouds as their own SDKs show them, beside the controller's view."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import boto3
from azure.mgmt.containerservice import ContainerServiceClient
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1, container_v1
from support.loopback import azure_options

from tidegate.localclouds.endpoints import Endpoints

ATTEMPTS, PAUSE_SECONDS = 100, 0.1
NODE_POOL = "projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{nodePool}"


@dataclass(frozen=True)
class Shown:
    """What a cloud shows of a pool.

    Attributes:
        size: What it works towards.
        machines: The name that its node registers with → the node's provider id.
    """

    size: int
    machines: Mapping[str, str]


class SizedPools:
    """Looks at the pools of a stack."""

    def __init__(self, endpoints: Endpoints, bindings: Mapping[str, Mapping[str, str]]) -> None:
        self._endpoints = endpoints
        self._bindings = bindings
        self._aws = partial(
            boto3.client,
            endpoint_url=endpoints.aws_url,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        self._google: dict[str, Any] = {
            "credentials": AnonymousCredentials(),
            "client_options": {"api_endpoint": endpoints.gcp_url},
        }

    def show(self, pool: str) -> Shown:
        """Return a pool as its cloud shows it now."""
        binding = self._bindings[pool]
        if "nodeGroup" in binding:
            return self._show_node_group(binding)
        return self._show_agent_pool(binding) if "agentPool" in binding else self._show_gke(binding)

    def empty(self, pool: str) -> None:
        """Size a pool to zero."""
        binding = self._bindings[pool]
        if "nodeGroup" in binding:
            self._aws("eks").update_nodegroup_config(
                clusterName=binding["cluster"],
                nodegroupName=binding["nodeGroup"],
                scalingConfig={"desiredSize": 0},
            )
        elif "agentPool" in binding:
            with ContainerServiceClient(**azure_options(self._endpoints.azure_url)) as aks:
                where = binding["resourceGroup"], binding["cluster"], binding["agentPool"]
                found = aks.agent_pools.get(*where)
                found.count = 0
                aks.agent_pools.begin_create_or_update(*where, found).result()
        else:
            with container_v1.ClusterManagerClient(transport="rest", **self._google) as gke:
                name = NODE_POOL.format(**binding)
                gke.set_node_pool_size(request={"name": name, "node_count": 0})

    def _show_node_group(self, binding: Mapping[str, str]) -> Shown:
        for _ in range(ATTEMPTS):
            size, found = self._read_node_group(binding)
            if size == found["DesiredCapacity"]:
                break
            time.sleep(PAUSE_SECONDS)  # another process changed it between both answers
        assert size == found["DesiredCapacity"]
        machines = {
            f"{each['InstanceId']}.ec2.internal": f"aws:///{each['AvailabilityZone']}/"
            f"{each['InstanceId']}"
            for each in found["Instances"]
            if each["LifecycleState"] == "InService"
        }
        return Shown(size, machines)

    def _read_node_group(self, binding: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Return the size that EKS tells of a node group, and the Auto Scaling group behind it."""
        group = self._aws("eks").describe_nodegroup(
            clusterName=binding["cluster"], nodegroupName=binding["nodeGroup"]
        )["nodegroup"]
        behind = [each["name"] for each in group["resources"]["autoScalingGroups"]]
        (found,) = self._aws("autoscaling").describe_auto_scaling_groups(
            AutoScalingGroupNames=behind
        )["AutoScalingGroups"]
        return group["scalingConfig"]["desiredSize"], found

    def _show_gke(self, binding: Mapping[str, str]) -> Shown:
        size, machines = 0, {}
        with (
            container_v1.ClusterManagerClient(transport="rest", **self._google) as gke,
            compute_v1.InstanceGroupManagersClient(**self._google) as groups,
        ):
            for url in gke.get_node_pool(name=NODE_POOL.format(**binding)).instance_group_urls:
                parts = url.split("/")
                place = {
                    "project": parts[parts.index("projects") + 1],
                    "zone": parts[parts.index("zones") + 1],
                    "instance_group_manager": parts[-1],
                }
                size += groups.get(**place).target_size
                for each in groups.list_managed_instances(**place):
                    vm = each.instance.rpartition("/")[2]
                    machines[vm] = f"gce://{place['project']}/{place['zone']}/{vm}"
        return Shown(size, machines)

    def _show_agent_pool(self, binding: Mapping[str, str]) -> Shown:
        where = binding["resourceGroup"], binding["cluster"], binding["agentPool"]
        with ContainerServiceClient(**azure_options(self._endpoints.azure_url)) as aks:
            size = aks.agent_pools.get(*where).count
            machines = {
                each.name: f"azure:///{each.properties.resource_id}"
                for each in aks.machines.list(*where)
            }
        return Shown(int(size or 0), machines)
