"""A spot group on AWS: an Auto Scaling group with a mixed instances policy."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.ec2_machines import build_machine
from tidegate_components.names import derive_name
from tidegate_components.spot_group.aws_notices import declare_notices
from tidegate_components.spot_group.naming import SCALING_GROUP
from tidegate_components.spot_group.spec import SpotSpec
from tidegate_components.spot_group.startup import encode_script

with narrow_imports("pulumi_aws.autoscaling", "pulumi_aws.ec2"):
    from pulumi_aws.autoscaling.group import Group
    from pulumi_aws.ec2.launch_template import LaunchTemplate


def declare(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the resources of the group and return its cloud identifiers."""
    name = derive_name(spec.id, SCALING_GROUP)
    template = _declare_launch_template(parent, spec, name, inputs, opts)
    policy: Any = {
        "instances_distribution": build_distribution(spec),
        "launch_template": {
            "launch_template_specification": {
                "launch_template_id": template.id,
                # "$Latest" would show as a change for ever.
                "version": template.latest_version.apply(str),
            },
            "overrides": [{"instance_type": each} for each in spec.type_names],
        },
    }
    tags: Any = [
        {"key": key, "value": value, "propagate_at_launch": True}
        for key, value in spec.cost_labels.items()
    ]
    group = Group(
        name,
        region=spec.region,
        min_size=spec.min_nodes,
        max_size=spec.max_nodes,
        desired_capacity=spec.min_nodes,
        vpc_zone_identifiers=inputs["subnet_ids"],
        health_check_type="EC2",
        # Spot machines may be long in coming: nobody waits for them here.
        wait_for_capacity_timeout="0",
        # A machine at raised risk is replaced before it is taken.
        capacity_rebalance=True,
        mixed_instances_policy=policy,
        tags=tags,
        opts=child_options(parent, opts, Group, ignore=["desiredCapacity"], named=SCALING_GROUP),
    )
    return {
        "autoScalingGroup": group.name,
        "launchTemplate": template.id,
        "region": spec.region,
        **declare_notices(parent, spec, opts),
    }


def build_distribution(spec: SpotSpec) -> dict[str, Any]:
    """Return who is bought how; nothing is left to a default.

    Left out, the share above the base is 100, which means no spot machine, and the spot strategy is
    lowest-price, which is interrupted most.
    """
    return {
        "on_demand_base_capacity": spec.on_demand_base_nodes,
        "on_demand_percentage_above_base_capacity": spec.on_demand_percent_above_base,
        "on_demand_allocation_strategy": "prioritized",
        "spot_allocation_strategy": spec.allocation_strategy,
    }


def _declare_launch_template(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    name: str,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> LaunchTemplate:
    machine = build_machine(
        spec.id, spec.cost_labels, spec.disk_gib, metadata_hops=1, device=spec.aws.root_device
    )
    profile: Any = inputs["instance_profile_arn"] and {"arn": inputs["instance_profile_arn"]}
    return LaunchTemplate(
        name,
        region=spec.region,
        image_id=inputs["image"],
        user_data=encode_script(inputs["startup_script"]),
        vpc_security_group_ids=inputs["security_group_ids"],
        iam_instance_profile=profile,
        **machine,
        opts=child_options(parent, opts, LaunchTemplate, named=SCALING_GROUP),
    )
