"""An EKS cluster with its network, roles and way out."""

from __future__ import annotations

import ipaddress
from typing import Any

import pulumi
from aws_roles import declare_role, declare_sagemaker_role
from config import AwsCluster
from joined import Joined
from kubernetes_access import declare_provider

from tidegate.sdks.imports import narrow_imports

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryReadOnly",
)


def declare_eks(name: str, cluster: AwsCluster, labels: dict[str, str]) -> Joined:
    """Declare network, roles and cluster."""
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
            map_public_ip_on_launch=True,
            tags={**labels, "Name": f"{name}-{zone}"},
        )
        for zone, part in zip(cluster.zones, parts, strict=False)
    ]
    routes = _declare_way_out(name, vpc, dict(zip(cluster.zones, subnets, strict=False)), labels)
    control = declare_role(f"{name}-control", "eks", ("AmazonEKSClusterPolicy",), labels)
    nodes = declare_role(f"{name}-nodes", "ec2", NODE_POLICIES, labels)
    subnet_ids = [subnet.id for subnet in subnets]
    eks = Cluster(
        name,
        name=name,
        version=cluster.version,
        role_arn=control.arn,
        # Self-managed nodes and the controller are known by access entries.
        access_config={"authentication_mode": "API_AND_CONFIG_MAP"},
        vpc_config={
            "subnet_ids": subnet_ids,
            "endpoint_private_access": True,
            "endpoint_public_access": False,
        },
        tags=labels,
        # Nodes that cannot pull their first images never join.
        opts=pulumi.ResourceOptions(depends_on=routes),
    )

    def offer_role() -> dict[str, Any]:
        role = declare_sagemaker_role(f"{name}-sagemaker", labels)
        return {"role_arn": role.arn, "execution_role_arn": role.arn}

    def offer_kubernetes() -> dict[str, Any]:
        token = ("aws", "eks", "get-token", "--cluster-name", name, "--region", cluster.region)
        certificate = eks.certificate_authority.data
        provider = declare_provider(f"{name}-aws", eks.endpoint, certificate, token)
        return {"kubernetes": provider}

    return Joined(
        eks,
        {"node_role_arn": nodes.arn, "subnet_ids": subnet_ids},
        {
            "role_arn": offer_role,
            "execution_role_arn": offer_role,
            "kubernetes": offer_kubernetes,
        },
    )


def _declare_way_out(
    name: str, vpc: Any, subnets: dict[str, Any], labels: dict[str, str]
) -> list[pulumi.Resource]:
    """Let nodes reach registries, EC2 and S3: they have addresses of their own, and no NAT to pay.

    They answer nobody: EKS's own security group lets in what comes from the cluster alone. The
    Kubernetes API is reached inside the VPC.
    """
    with narrow_imports("pulumi_aws.ec2"):
        from pulumi_aws.ec2.internet_gateway import InternetGateway
        from pulumi_aws.ec2.route_table import RouteTable
        from pulumi_aws.ec2.route_table_association import RouteTableAssociation
    tags = {**labels, "Name": name}
    gateway = InternetGateway(name, vpc_id=vpc.id, tags=tags)
    table = RouteTable(
        name,
        vpc_id=vpc.id,
        routes=[{"cidr_block": "0.0.0.0/0", "gateway_id": gateway.id}],
        tags=tags,
    )
    return [
        RouteTableAssociation(f"{name}-{zone}", subnet_id=subnet.id, route_table_id=table.id)
        for zone, subnet in subnets.items()
    ]
