"""AWS as the server runs it: behaviours by type, over moto behind one door."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tidegate.localclouds.aws.behaviours import build_behaviours
from tidegate.localclouds.aws.clients import DEFAULT_REGION, Clients
from tidegate.localclouds.aws.corrections import correct_moto
from tidegate.localclouds.aws.lookups import build_lookups
from tidegate.localclouds.aws.moto_front import MotoFront
from tidegate.localclouds.aws.tags import (
    add_common_outputs,
    merge_default_tags,
    spread_tag_secrets,
)
from tidegate.localclouds.contracts import Cloud, World


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
        secrets=spread_tag_secrets,
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
