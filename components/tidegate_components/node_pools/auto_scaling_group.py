"""A node pool on EKS as an Auto Scaling group of one's own: self-managed nodes."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate.vocabulary.capacity import Scaler
from tidegate_components.children import child_options
from tidegate_components.names import AUTO_SCALING_GROUP, derive_name
from tidegate_components.node_pools.group_tags import build_group_tags
from tidegate_components.node_pools.launch_template import declare_launch_template
from tidegate_components.node_pools.nodeadm import build_user_data, choose_image
from tidegate_components.node_pools.spec import PoolSpec

with narrow_imports("pulumi_aws.autoscaling", "pulumi_aws.eks", "pulumi_aws.iam"):
    from pulumi_aws.autoscaling.group import Group
    from pulumi_aws.eks.access_entry import AccessEntry
    from pulumi_aws.iam.instance_profile import InstanceProfile

AUTO_DISCOVERY = "k8s.io/cluster-autoscaler"
"""Groups that carry `…/enabled` and `…/<cluster>` are found by Cluster Autoscaler; EKS puts them
on the groups of managed nodes, and nobody on these."""


def declare(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the resources of the pool and return its cloud identifiers."""
    name = derive_name(spec.id, AUTO_SCALING_GROUP)
    access = _declare_access(parent, spec, name, inputs, opts)
    template = declare_launch_template(
        parent,
        spec,
        AUTO_SCALING_GROUP,
        inputs,
        opts,
        image_id=choose_image(spec),
        user_data=build_user_data(spec, inputs),
        iam_instance_profile={"name": _declare_profile(parent, spec, name, inputs, opts)},
    )
    group = Group(
        name,
        name=spec.cloud_name or None,
        region=spec.region,
        min_size=spec.min_nodes,
        max_size=spec.max_nodes,
        desired_capacity=spec.min_nodes,
        vpc_zone_identifiers=inputs["subnet_ids"],
        tags=build_tags(spec, inputs["cluster"]),
        # A balance of zones would end nodes at work; the pool's scaler chooses what goes.
        suspended_processes=["AZRebalance"],
        # Capacity that cannot be had today is no fault of the declaration.
        wait_for_capacity_timeout="0",
        **build_launch(spec, template.id, template.latest_version.apply(str)),
        opts=child_options(
            parent,
            opts,
            Group,
            ignore=["desiredCapacity"],
            delete_before_replace=True if spec.cloud_name else None,
            # A node whose role the cluster does not know would never join.
            depends_on=access,
            named=AUTO_SCALING_GROUP,
        ),
    )
    return {
        "cluster": inputs["cluster"],
        "autoScalingGroup": group.name,
        "launchTemplate": template.id,
        "region": spec.region,
    }


def build_launch(
    spec: PoolSpec, template: pulumi.Input[str], version: pulumi.Input[str]
) -> dict[str, Any]:
    """Return how the group makes nodes: from one type, or from several of one shape."""
    if spec.aws.capacity_block:
        # A Capacity Block takes no mixed instances; the template names the type.
        return {"launch_template": {"id": template, "version": version}}
    distribution = {
        "on_demand_base_capacity": 0,
        # The default of 100 would mean no spot at all.
        "on_demand_percentage_above_base_capacity": 0 if spec.is_spot else 100,
        "on_demand_allocation_strategy": "prioritized",
    }
    if spec.is_spot:
        # The default, lowest-price, is interrupted the most.
        distribution["spot_allocation_strategy"] = "price-capacity-optimized"
    policy = {
        "instances_distribution": distribution,
        "launch_template": {
            "launch_template_specification": {
                "launch_template_id": template,
                "version": version,
            },
            "overrides": [{"instance_type": each.name} for each in spec.instance_types],
        },
    }
    return {"mixed_instances_policy": policy}


def build_tags(spec: PoolSpec, cluster: pulumi.Input[str]) -> list[Any]:
    """Return the group's tags: cost labels, cluster, and what an autoscaler wants to know."""
    tags: list[Any] = [
        {"key": key, "value": value, "propagate_at_launch": inherited}
        for key, (value, inherited) in build_group_tags(spec).items()
    ]
    owned = {"value": "owned", "propagate_at_launch": True}
    tags.append({"key": pulumi.Output.concat("kubernetes.io/cluster/", cluster), **owned})
    if spec.scaler is Scaler.CLUSTER_AUTOSCALER:
        found = {"propagate_at_launch": False}
        tags += [
            {"key": f"{AUTO_DISCOVERY}/enabled", "value": "true", **found},
            {
                "key": pulumi.Output.concat(f"{AUTO_DISCOVERY}/", cluster),
                "value": "owned",
                **found,
            },
        ]
    return tags


def _declare_access(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    name: str,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> list[pulumi.Resource]:
    """Let the nodes' role join the cluster, which EKS does for managed nodes only."""
    if spec.aws.role_has_access:
        return []
    entry = AccessEntry(
        name,
        cluster_name=inputs["cluster"],
        principal_arn=inputs["node_role_arn"],
        type="EC2_LINUX",
        region=spec.region,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, AccessEntry, named=AUTO_SCALING_GROUP),
    )
    return [entry]


def _declare_profile(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    name: str,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> pulumi.Input[str]:
    if inputs["instance_profile"] is not None:
        given: pulumi.Input[str] = inputs["instance_profile"]
        return given
    role = pulumi.Output.from_input(inputs["node_role_arn"])
    profile = InstanceProfile(
        name,
        role=role.apply(lambda arn: arn.rpartition("/")[2]),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, InstanceProfile, named=AUTO_SCALING_GROUP),
    )
    return profile.name
