"""AWS as the server runs it: behaviours by type, over moto behind one door."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tidegate.localclouds.aws import autoscaling, eks, iam, network, routing
from tidegate.localclouds.aws.budgets import Budget
from tidegate.localclouds.aws.capacity import CapacityReservation
from tidegate.localclouds.aws.clients import DEFAULT_REGION, Clients
from tidegate.localclouds.aws.corrections import correct_moto
from tidegate.localclouds.aws.launch_template import LaunchTemplate
from tidegate.localclouds.aws.logs import LogGroup
from tidegate.localclouds.aws.lookups import build_lookups
from tidegate.localclouds.aws.moto_front import MotoFront
from tidegate.localclouds.aws.queues import Queue
from tidegate.localclouds.aws.s3_bucket import Bucket
from tidegate.localclouds.aws.s3_settings import (
    BucketEncryption,
    BucketLifecycle,
    BucketPublicAccessBlock,
    BucketTiering,
    BucketVersioning,
)
from tidegate.localclouds.aws.security_group import SecurityGroup
from tidegate.localclouds.aws.tags import add_common_outputs, merge_default_tags
from tidegate.localclouds.contracts import Cloud, TypeBehaviour, World


def build_aws_cloud(world: World) -> Cloud:
    """Build the AWS part of one server process; moto is brought to where its journal ends."""
    front = MotoFront(world.store, world.faults, correct_moto)
    clients = Clients(front)
    return Cloud(
        package="aws",
        behaviours=build_behaviours(clients),
        face=front,
        outputs=add_common_outputs,
        defaults=merge_default_tags,
        invokes=build_lookups(clients),
        warm=_list_warm_steps(clients),
    )


def _list_warm_steps(clients: Clients) -> tuple[Callable[[], object], ...]:
    """Return one look-up a service: it makes the client, moto's application and its backend."""
    looks = {
        "s3": "list_buckets",
        "iam": "list_roles",
        "logs": "describe_log_groups",
        "ec2": "describe_vpcs",
        "eks": "list_clusters",
        "autoscaling": "describe_auto_scaling_groups",
        "sqs": "list_queues",
    }

    def look(service: str, operation: str) -> object:
        return getattr(clients.of_region(service, DEFAULT_REGION), operation)()

    return tuple(partial(look, *item) for item in looks.items())


def build_behaviours(clients: Clients) -> dict[str, TypeBehaviour]:
    """Return the behaviour of each type that moto backs."""
    return {
        "aws:autoscaling/group:Group": autoscaling.Group(clients),
        "aws:autoscaling/tag:Tag": autoscaling.Tag(clients),
        "aws:budgets/budget:Budget": Budget(clients),
        "aws:cloudwatch/logGroup:LogGroup": LogGroup(clients),
        "aws:ec2/capacityReservation:CapacityReservation": CapacityReservation(clients),
        "aws:ec2/internetGateway:InternetGateway": routing.InternetGateway(clients),
        "aws:ec2/launchTemplate:LaunchTemplate": LaunchTemplate(clients),
        "aws:ec2/routeTable:RouteTable": routing.RouteTable(clients),
        "aws:ec2/routeTableAssociation:RouteTableAssociation": routing.RouteTableAssociation(
            clients
        ),
        "aws:ec2/securityGroup:SecurityGroup": SecurityGroup(clients),
        "aws:ec2/subnet:Subnet": network.Subnet(clients),
        "aws:ec2/vpc:Vpc": network.Vpc(clients),
        "aws:eks/cluster:Cluster": eks.Cluster(clients),
        "aws:eks/nodeGroup:NodeGroup": eks.NodeGroup(clients),
        "aws:iam/policy:Policy": iam.Policy(clients),
        "aws:iam/role:Role": iam.Role(clients),
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment": iam.RolePolicyAttachment(clients),
        "aws:s3/bucket:Bucket": Bucket(clients),
        "aws:s3/bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration": (
            BucketTiering(clients)
        ),
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": (
            BucketLifecycle(clients)
        ),
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": (
            BucketPublicAccessBlock(clients)
        ),
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": (
            BucketEncryption(clients)
        ),
        "aws:s3/bucketVersioning:BucketVersioning": BucketVersioning(clients),
        "aws:sqs/queue:Queue": Queue(clients),
    }
