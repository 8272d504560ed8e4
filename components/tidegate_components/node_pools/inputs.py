"""What of a pool's arguments may be an Output, and which of it each kind of pool needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.vocabulary.capacity import PoolKind
from tidegate_components.arguments import gather_inputs, require_inputs
from tidegate_components.node_pools.spec import PoolSpec

_EKS = ("node_role_arn", "subnet_ids")
_REQUIRED = {
    PoolKind.EKS_NODE_GROUP: _EKS,
    PoolKind.AUTO_SCALING_GROUP: (
        *_EKS,
        "security_group_ids",
        "cluster_endpoint",
        "cluster_certificate",
        "service_cidr",
    ),
    PoolKind.KARPENTER_NODE_POOL: (*_EKS, "security_group_ids"),
    PoolKind.GKE_NODE_POOL: (),
    PoolKind.AKS_AGENT_POOL: ("resource_group_name",),
}
_OPTIONAL = (
    "project",
    "location",
    "service_account",
    "vnet_subnet_id",
    "security_group_ids",
    "instance_profile",
)


def gather_pool_inputs(spec: PoolSpec, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return what may be an Output, by name; what is absent and optional is None.

    Raises:
        InvalidInput: When a required Input is missing.
    """
    shared = {"cluster": args.get("cluster")}
    if spec.is_reserved:
        shared["reservation_target"] = args.get("reservation_target")
    require_inputs(spec.where, shared)
    cloud = spec.cloud.value
    required = _REQUIRED[spec.kind]
    if spec.aws.efa and "security_group_ids" not in required:
        required = (*required, "security_group_ids")
    own = gather_inputs(spec.where, cloud, args.get(cloud), required, _OPTIONAL)
    return {**own, **shared}
