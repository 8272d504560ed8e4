"""What AWS alone allows or forbids for a node pool."""

from __future__ import annotations

import re

from tidegate.vocabulary.capacity import PoolKind
from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.efa import count_adapters
from tidegate_components.node_pools.group_tags import check_group_tags
from tidegate_components.node_pools.karpenter_rules import check_karpenter
from tidegate_components.node_pools.spec import PoolSpec

MAX_TAINTS = 50
"""EKS's limit for a managed node group."""


def check_aws(read: Arguments, spec: PoolSpec) -> None:
    """Note what AWS does not allow."""
    if spec.kind is PoolKind.KARPENTER_NODE_POOL:
        check_karpenter(read, spec)
        return
    if spec.aws.karpenter:
        reason = f"concerns Karpenter, and the scaler is {spec.scaler.value}"
        read.refuse("aws.karpenter", None, reason, "scaler karpenter, or leave it out")
    if spec.kind is PoolKind.AUTO_SCALING_GROUP:
        _check_own_nodes(read, spec)
    else:
        _check_managed_nodes(read, spec)
    if spec.aws.cluster_placement:
        _check_placement(read, spec)
    if spec.aws.efa:
        _check_adapters(read, spec)
    if spec.aws.capacity_block:
        _check_capacity_block(read, spec)
    check_group_tags(read, spec)


def _check_managed_nodes(read: Arguments, spec: PoolSpec) -> None:
    if spec.accelerator and not spec.accelerator.eks_ami and not spec.aws.ami_type:
        reason = f"is needed: no EKS image carries the driver of {spec.accelerator.name}"
        read.refuse("aws.ami_type", None, reason, "CUSTOM or another EKS image type")
    if len(spec.taints) > MAX_TAINTS:
        reason = "are more than an EKS node group takes"
        read.refuse("taints", len(spec.taints), reason, f"at most {MAX_TAINTS}")
    for key, value in (
        ("image_id", spec.aws.image_id),
        ("kubernetes_version", spec.aws.kubernetes_version),
    ):
        if value:
            reason = "is EKS's choice for a managed node group"
            read.refuse(f"aws.{key}", value, reason, "ami_type, or node_kind auto-scaling-group")


def _check_own_nodes(read: Arguments, spec: PoolSpec) -> None:
    """An Auto Scaling group boots what its template says; EKS chooses nothing for it."""
    own = spec.aws
    if spec.scales_itself:
        reason = "would size nodes by metrics that know nothing of pods that wait"
        read.refuse("scaler", spec.scaler.value, reason, "cluster-autoscaler or tidegate")
    if own.ami_type:
        reason = "names an image for managed node groups only"
        read.refuse("aws.ami_type", own.ami_type, reason, "image_id or kubernetes_version")
    if own.image_id:
        return
    if spec.accelerator and not spec.accelerator.eks_ami:
        reason = f"is needed: no EKS image carries the driver of {spec.accelerator.name}"
        read.refuse("aws.image_id", None, reason, "an image of your own")
    elif not re.fullmatch(r"1\.\d+", own.kubernetes_version):
        reason = "decides the image of an Auto Scaling group's nodes"
        value = own.kubernetes_version or None
        read.refuse("aws.kubernetes_version", value, reason, "the cluster's, such as 1.34")


def _check_placement(read: Arguments, spec: PoolSpec) -> None:
    key = "aws.cluster_placement"
    if len(spec.zones) != 1:
        read.refuse(key, True, "needs nodes in one zone", "exactly one zone in `zones`")
    if spec.aws.capacity_block:
        reason = "is not for a Capacity Block, whose machines stand together already"
        read.refuse(key, True, reason, "leave it out")


def _check_adapters(read: Arguments, spec: PoolSpec) -> None:
    counts = {each.name: count_adapters(each.name) for each in spec.instance_types}
    without = [name for name, count in counts.items() if not count]
    if without:
        reason = f"is an adapter that {', '.join(without)} is not known to have"
        read.refuse("aws.efa", True, reason, "a type with EFA, such as p5.48xlarge")
    elif len(set(counts.values())) > 1:
        shown = ", ".join(f"{name} {count}" for name, count in counts.items())
        reason = f"is not the same for all types ({shown}), and one template serves them all"
        read.refuse("aws.efa", True, reason, "types with equally many adapters")


def _check_capacity_block(read: Arguments, spec: PoolSpec) -> None:
    key = "aws.capacity_block"
    if not spec.is_reserved:
        reason = f"cannot be consumed by capacity_type {spec.capacity_type.value}"
        read.refuse(key, True, reason, "capacity_type reserved")
    if len(spec.instance_types) > 1:
        read.refuse(key, True, "holds one instance type", "one in `instance_types`")
    if len(spec.zones) != 1:
        read.refuse(key, True, "stands in one zone", "exactly one zone in `zones`")
    for each in spec.instance_types:
        if each.purchase and "capacity-block" not in each.purchase:
            reason = f"is not sold for {each.name}"
            read.refuse(key, True, reason, "a type that AWS sells in Capacity Blocks")
    if spec.min_nodes:
        reason = "begins and ends: outside its time no node of a minimum could start"
        read.refuse(key, True, reason, "min_nodes 0, and schedules for its time")
