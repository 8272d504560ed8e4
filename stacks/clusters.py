"""A minimal cluster on each cloud, for pools to join. Yours may come from anywhere else.

The networks have no way out: give them the gateway, endpoints or peering that you use.
"""

from __future__ import annotations

import ipaddress
import json
from dataclasses import dataclass, field
from typing import Any

import pulumi
from config import AwsCluster, AzureCluster, GcpCluster, Settings
from tidegate_components.sdk_imports import narrow_imports

from tidegate.vocabulary.labels import parse_cost_labels

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryReadOnly",
)


@dataclass(frozen=True, slots=True)
class Joined:
    """What components need of a cluster.

    Attributes:
        resource: The cluster; whatever joins it comes after it.
        inputs: The nested arguments of a component in this cloud.
    """

    resource: pulumi.Resource
    inputs: dict[str, Any] = field(default_factory=dict)


def declare_clusters(settings: Settings) -> dict[str, Joined]:
    """Declare the configured clusters and return them by cloud; unused clouds load no SDK."""
    labels = parse_cost_labels(
        "clusters", {**settings.labels, "workload-class": "platform"}
    ).to_mapping()
    name = settings.cluster_name()
    joined: dict[str, Joined] = {}
    if settings.aws:
        joined["aws"] = _declare_eks(name, settings.aws, labels)
    if settings.gcp:
        joined["gcp"] = _declare_gke(name, settings.gcp, labels)
    if settings.azure:
        joined["azure"] = _declare_aks(name, settings.azure, labels)
    return joined


def _declare_eks(name: str, cluster: AwsCluster, labels: dict[str, str]) -> Joined:
    with narrow_imports("pulumi_aws.ec2", "pulumi_aws.eks"):
        from pulumi_aws.ec2.subnet import Subnet
        from pulumi_aws.ec2.vpc import Vpc
        from pulumi_aws.eks.cluster import Cluster
    vpc = Vpc(
        name, cidr_block=cluster.cidr, enable_dns_hostnames=True, tags={**labels, "Name": name}
    )
    parts = ipaddress.ip_network(cluster.cidr).subnets(new_prefix=20)
    subnets = [
        Subnet(
            f"{name}-{zone}",
            vpc_id=vpc.id,
            availability_zone=zone,
            cidr_block=str(part),
            tags={**labels, "Name": f"{name}-{zone}"},
        )
        for zone, part in zip(cluster.zones, parts, strict=False)
    ]
    control = _declare_role(f"{name}-control", "eks", ("AmazonEKSClusterPolicy",), labels)
    nodes = _declare_role(f"{name}-nodes", "ec2", NODE_POLICIES, labels)
    subnet_ids = [subnet.id for subnet in subnets]
    eks = Cluster(
        name,
        name=name,
        version=cluster.version,
        role_arn=control.arn,
        vpc_config={
            "subnet_ids": subnet_ids,
            "endpoint_private_access": True,
            "endpoint_public_access": False,
        },
        tags=labels,
    )
    return Joined(eks, {"node_role_arn": nodes.arn, "subnet_ids": subnet_ids})


def _declare_role(
    name: str, service: str, policies: tuple[str, ...], labels: dict[str, str]
) -> Any:
    with narrow_imports("pulumi_aws.iam"):
        from pulumi_aws.iam.role import Role
        from pulumi_aws.iam.role_policy_attachment import RolePolicyAttachment
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": f"{service}.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    role = Role(name, assume_role_policy=json.dumps(trust), tags=labels)
    for policy in policies:
        RolePolicyAttachment(
            f"{name}-{policy}",
            role=role.name,
            policy_arn=f"arn:aws:iam::aws:policy/{policy}",
            opts=pulumi.ResourceOptions(parent=role),
        )
    return role


def _declare_gke(name: str, cluster: GcpCluster, labels: dict[str, str]) -> Joined:
    with narrow_imports("pulumi_gcp.container"):
        from pulumi_gcp.container.cluster import Cluster
        from pulumi_gcp.container.node_pool import NodePool
    gke = Cluster(
        name,
        name=name,
        project=cluster.project,
        location=cluster.region,
        node_locations=cluster.zones,
        # GKE makes a first pool with every cluster; pools are declared apart.
        remove_default_node_pool=True,
        initial_node_count=1,
        deletion_protection=False,
        release_channel={"channel": "REGULAR"},
        resource_labels=labels,
    )
    # The cluster's own work needs nodes, and GKE taints accelerated pools only where a plain pool
    # stands beside them (terraform-google-kubernetes-engine#703).
    system = NodePool(
        f"{name}-system",
        name="system",
        cluster=gke.name,
        project=cluster.project,
        location=cluster.region,
        node_locations=cluster.zones[:1],
        node_count=1,
        management={"auto_repair": True, "auto_upgrade": True},
        node_config={
            "machine_type": cluster.system_machine_type,
            "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "resource_labels": labels,
        },
    )
    return Joined(system, {"project": cluster.project})


def _declare_aks(name: str, cluster: AzureCluster, labels: dict[str, str]) -> Joined:
    with narrow_imports("pulumi_azure_native.containerservice", "pulumi_azure_native.resources"):
        from pulumi_azure_native.containerservice.managed_cluster import ManagedCluster
        from pulumi_azure_native.resources.resource_group import ResourceGroup
    group = ResourceGroup(name, resource_group_name=name, location=cluster.region, tags=labels)
    aks = ManagedCluster(
        name,
        resource_name_=name,
        resource_group_name=group.name,
        location=cluster.region,
        kubernetes_version=cluster.version,
        dns_prefix=name,
        enable_rbac=True,
        # Before a pool can consume a capacity reservation, give the cluster's identity the role
        # Contributor on the reservation's group.
        identity={"type": "SystemAssigned"},
        # AKS makes no cluster without a system pool; the pools that join are resources of their
        # own, and the inline list must not undo them (pulumi-azure-native#1686).
        agent_pool_profiles=[
            {
                "name": "system",
                "mode": "System",
                "count": 1,
                "vm_size": cluster.system_vm_size,
                "os_type": "Linux",
                "type": "VirtualMachineScaleSets",
                "tags": labels,
            }
        ],
        tags=labels,
        opts=pulumi.ResourceOptions(ignore_changes=["agentPoolProfiles"]),
    )
    return Joined(aks, {"resource_group_name": group.name})
