"""What only EKS takes of a pool's arguments: the same with accelerators and without."""

from __future__ import annotations

from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.args import AwsPoolArgs, KarpenterArgs
from tidegate_components.node_pools.spec import AwsChoices, KarpenterChoices

CONSOLIDATION_POLICIES = ("WhenEmpty", "WhenEmptyOrUnderutilized")
AMI_FAMILIES = ("al2023", "bottlerocket")


def read_aws_choices(read: Arguments) -> AwsChoices:
    """Return the plain choices below `aws`; the defaults where there are none."""
    own = read.nested("aws", AwsPoolArgs)
    if own is None:
        return AwsChoices()
    karpenter = own.nested("karpenter", KarpenterArgs)
    return AwsChoices(
        ami_type=own.text("ami_type", ""),
        image_id=own.text("image_id", ""),
        kubernetes_version=own.text("kubernetes_version", ""),
        makes_instance_profile=not own.has("instance_profile"),
        role_has_access=own.flag("role_has_access", False),
        cluster_placement=own.flag("cluster_placement", False),
        efa=own.flag("efa", False),
        capacity_block=own.flag("capacity_block", False),
        karpenter=_read_karpenter(karpenter) if karpenter else None,
    )


def _read_karpenter(read: Arguments) -> KarpenterChoices:
    usual = KarpenterChoices()
    policy = read.text("consolidation_policy", usual.consolidation_policy)
    if policy not in CONSOLIDATION_POLICIES:
        expected = f"one of {', '.join(CONSOLIDATION_POLICIES)}"
        read.refuse("consolidation_policy", policy, "is not known to Karpenter", expected)
    alias = read.text("ami_alias", usual.ami_alias)
    family, _, version = alias.partition("@")
    if family not in AMI_FAMILIES or not version:
        expected = f"one of {', '.join(AMI_FAMILIES)}, with '@' and a version or 'latest'"
        read.refuse("ami_alias", alias, "is no alias of an image that is still made", expected)
    return KarpenterChoices(
        ami_alias=alias,
        consolidation_policy=policy,
        consolidate_after_seconds=read.whole(
            "consolidate_after_seconds", usual.consolidate_after_seconds
        ),
        expire_after_hours=read.whole("expire_after_hours", usual.expire_after_hours),
        termination_grace_seconds=read.optional_whole("termination_grace_seconds", minimum=1),
    )
