"""What a pool is made of in its cloud, and what that may be called."""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.vocabulary.capacity import Cloud, PoolKind, Scaler
from tidegate_components.arguments import Arguments
from tidegate_components.names import (
    AKS_AGENT_POOL,
    AUTO_SCALING_GROUP,
    EKS_NODE_GROUP,
    GKE_NODE_POOL,
    KARPENTER_NODE_POOL,
    NameRule,
    describe_rule,
    explain_name,
)

NAME_RULES = {Cloud.AWS: EKS_NODE_GROUP, Cloud.GCP: GKE_NODE_POOL, Cloud.AZURE: AKS_AGENT_POOL}
KIND_NAME_RULES = {
    PoolKind.EKS_NODE_GROUP: EKS_NODE_GROUP,
    PoolKind.AUTO_SCALING_GROUP: AUTO_SCALING_GROUP,
    PoolKind.KARPENTER_NODE_POOL: KARPENTER_NODE_POOL,
    PoolKind.GKE_NODE_POOL: GKE_NODE_POOL,
    PoolKind.AKS_AGENT_POOL: AKS_AGENT_POOL,
}
MODULES = {
    PoolKind.EKS_NODE_GROUP: "eks_node_group",
    PoolKind.AUTO_SCALING_GROUP: "auto_scaling_group",
    PoolKind.KARPENTER_NODE_POOL: "karpenter",
    PoolKind.GKE_NODE_POOL: "gke",
    PoolKind.AKS_AGENT_POOL: "aks",
}
"""Which module of this package declares a kind, and imports the SDK that it needs."""

_AWS_KINDS = (PoolKind.EKS_NODE_GROUP, PoolKind.AUTO_SCALING_GROUP)


def read_kind(read: Arguments, cloud: Cloud) -> PoolKind:
    """Return what the pool will be made of."""
    if cloud is Cloud.GCP:
        return PoolKind.GKE_NODE_POOL
    if cloud is Cloud.AZURE:
        return PoolKind.AKS_AGENT_POOL
    own = read.input("aws")
    given = own.get("node_kind") if isinstance(own, Mapping) else None
    if read.input("scaler") == Scaler.KARPENTER.value:
        if given is not None:
            reason = "is not what Karpenter resizes: it makes nodes of its own"
            read.refuse("aws.node_kind", given, reason, "leave it out, or another scaler")
        return PoolKind.KARPENTER_NODE_POOL
    if given is None:
        return PoolKind.EKS_NODE_GROUP
    for kind in _AWS_KINDS:
        if given == kind.value:
            return kind
    expected = f"one of {', '.join(kind.value for kind in _AWS_KINDS)}"
    read.refuse("aws.node_kind", given, "is not known", expected)
    return PoolKind.EKS_NODE_GROUP


def read_cloud_name(read: Arguments, rule: NameRule) -> str:
    """Return the name that the user gives the pool in its cloud; empty when there is none."""
    name = read.text("cloud_name", "")
    reason = explain_name(name, rule) if name else ""
    if reason:
        read.refuse("cloud_name", name, reason, describe_rule(rule))
    return name
