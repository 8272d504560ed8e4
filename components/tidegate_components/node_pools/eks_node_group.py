"""A node pool on EKS as a managed node group, with tags on its Auto Scaling group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import EKS_NODE_GROUP, derive_name
from tidegate_components.node_pools.group_tags import build_group_tags
from tidegate_components.node_pools.launch_template import declare_launch_template
from tidegate_components.node_pools.nodes import TAINT_EFFECTS
from tidegate_components.node_pools.spec import PoolSpec

with narrow_imports("pulumi_aws.autoscaling", "pulumi_aws.eks"):
    from pulumi_aws.autoscaling.tag import Tag
    from pulumi_aws.eks.node_group import NodeGroup


def declare(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the resources of the pool and return its cloud identifiers."""
    name = derive_name(spec.id, EKS_NODE_GROUP)
    template = declare_launch_template(parent, spec, EKS_NODE_GROUP, inputs, opts)
    group = NodeGroup(
        name,
        # A fixed name makes a replacement collide with itself, unless the old group goes first.
        node_group_name=spec.cloud_name or None,
        cluster_name=inputs["cluster"],
        node_role_arn=inputs["node_role_arn"],
        subnet_ids=inputs["subnet_ids"],
        region=spec.region,
        capacity_type=choose_capacity_type(spec),
        # The launch template of a Capacity Block names the type, and may not be contradicted.
        instance_types=None
        if spec.aws.capacity_block
        else [each.name for each in spec.instance_types],
        ami_type=choose_ami_type(spec),
        scaling_config={
            "desired_size": spec.min_nodes,
            "min_size": spec.min_nodes,
            "max_size": spec.max_nodes,
        },
        labels=spec.node_labels,
        taints=[
            {"key": taint.key, "value": taint.value, "effect": TAINT_EFFECTS[taint.effect]}
            for taint in spec.taints
        ],
        launch_template={
            "id": template.id,
            # "$Latest" would show as a change for ever.
            "version": template.latest_version.apply(str),
        },
        update_config={"max_unavailable": spec.max_unavailable},
        node_repair_config={"enabled": True},
        tags=spec.cost_labels,
        opts=child_options(
            parent,
            opts,
            NodeGroup,
            ignore=["scalingConfig.desiredSize"],
            delete_before_replace=True if spec.cloud_name else None,
            named=EKS_NODE_GROUP,
        ),
    )
    scaling_group = group.resources.apply(find_scaling_group)
    _declare_group_tags(parent, spec, name, scaling_group, opts)
    return {
        "cluster": inputs["cluster"],
        "nodeGroup": group.node_group_name,
        "autoScalingGroup": scaling_group,
        "launchTemplate": template.id,
        "region": spec.region,
    }


def choose_capacity_type(spec: PoolSpec) -> str:
    """Return how EKS buys the nodes; a targeted reservation is consumed as on-demand."""
    if spec.aws.capacity_block:
        return "CAPACITY_BLOCK"
    return "SPOT" if spec.is_spot else "ON_DEMAND"


def choose_ami_type(spec: PoolSpec) -> str:
    """Return the EKS image type that carries the accelerator's driver, unless one was given."""
    arch = "ARM_64" if spec.instance_types[0].arch == "arm64" else "x86_64"
    variant = spec.accelerator.eks_ami if spec.accelerator else "STANDARD"
    return spec.aws.ami_type or f"AL2023_{arch}_{variant}"


def find_scaling_group(resources: Sequence[Any] | None) -> str:
    """Return the Auto Scaling group that EKS made for a node group.

    Raises:
        RuntimeError: When EKS reported none; tags for scaling from zero would go nowhere.
    """
    for each in resources or ():
        groups = _field(each, "autoscaling_groups", "autoscalingGroups")
        for group in groups or ():
            return str(_field(group, "name", "name"))
    raise RuntimeError("EKS reported no Auto Scaling group for the node group")


def _field(holder: Any, snake: str, camel: str) -> Any:
    """Return a field of an output, typed or, from a provider's raw answer, a mapping."""
    # Typed outputs are mappings too, with getters in Python's spelling.
    return holder.get(camel) if type(holder) is dict else getattr(holder, snake)


def _declare_group_tags(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    name: str,
    scaling_group: pulumi.Output[str],
    opts: pulumi.ResourceOptions | None,
) -> None:
    for key, (value, inherited) in build_group_tags(spec).items():
        Tag(
            f"{name}-{key}",
            autoscaling_group_name=scaling_group,
            region=spec.region,
            tag={"key": key, "value": value, "propagate_at_launch": inherited},
            opts=child_options(parent, opts, Tag, named=EKS_NODE_GROUP, suffix=f"-{key}"),
        )
