"""The Auto Scaling group that EKS keeps behind a managed node group, and its launch template."""

from __future__ import annotations

from typing import Any

IMAGE_ID = "ami-0tidegatelocal0"
SPOT = "SPOT"
DEFAULT_TYPE = "t3.medium"


def _backends(group: Any, account_id: str) -> tuple[Any, Any]:
    from moto.autoscaling.models import autoscaling_backends
    from moto.ec2.models import ec2_backends

    return autoscaling_backends[account_id][group.region], ec2_backends[account_id][group.region]


def group_name(group: Any) -> str:
    """Return the name of the Auto Scaling group, as EKS shows it in the node group's resources."""
    return str(group.resources["autoScalingGroups"][0]["name"])


def make_scaling_group(group: Any, account_id: str) -> None:
    """Create the launch template and the Auto Scaling group, and launch the desired nodes."""
    scaling, ec2 = _backends(group, account_id)
    group.resources["autoScalingGroups"][0]["name"] = f"eks-{group.nodegroup_name}-{group.uuid}"
    name = group_name(group)
    data, types = _build_template(group, ec2)
    template = ec2.create_launch_template(name, "", data, {})
    sizes = group.scaling_config
    scaling.create_auto_scaling_group(
        name=name,
        availability_zones=[],
        desired_capacity=sizes.get("desiredSize", sizes.get("minSize", 0)),
        max_size=sizes.get("maxSize", sizes.get("desiredSize", 0)),
        min_size=sizes.get("minSize", 0),
        launch_config_name="",
        launch_template={},
        mixed_instances_policy=_build_policy(group, template.id, types),
        vpc_zone_identifier=",".join(group.subnets),
        default_cooldown=None,
        health_check_period=15,
        health_check_type="EC2",
        load_balancers=[],
        target_group_arns=[],
        placement_group=None,
        termination_policies=["AllocationStrategy", "OldestLaunchTemplate", "OldestInstance"],
        capacity_rebalance=group.capacity_type == SPOT,
        tags=_build_tags(group),
    )


def _build_template(group: Any, ec2: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the launch template's data and the instance types of a group."""
    data: dict[str, Any] = {"ImageId": IMAGE_ID}
    given = group.launch_template
    if given:
        found = ec2.get_launch_template(given["id"])
        data |= found.get_version(given.get("version", "$Default")).data
    types = list(group.instance_types or [data.get("InstanceType", DEFAULT_TYPE)])
    return {**data, "InstanceType": types[0]}, types


def _build_policy(group: Any, template_id: str, types: list[str]) -> dict[str, Any]:
    is_spot = group.capacity_type == SPOT
    return {
        "LaunchTemplate": {
            "LaunchTemplateSpecification": {"LaunchTemplateId": template_id, "Version": "1"},
            "Overrides": [{"InstanceType": instance_type} for instance_type in types],
        },
        "InstancesDistribution": {
            "OnDemandAllocationStrategy": "prioritized",
            "OnDemandBaseCapacity": 0,
            "OnDemandPercentageAboveBaseCapacity": 0 if is_spot else 100,
            "SpotAllocationStrategy": "price-capacity-optimized",
        },
    }


def _build_tags(group: Any) -> list[dict[str, Any]]:
    tags = {
        "eks:cluster-name": group.cluster_name,
        "eks:nodegroup-name": group.nodegroup_name,
        f"k8s.io/cluster-autoscaler/{group.cluster_name}": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
        f"kubernetes.io/cluster/{group.cluster_name}": "owned",
    }
    return [{"Key": key, "Value": value, "PropagateAtLaunch": True} for key, value in tags.items()]


def read_desired_size(group: Any, account_id: str) -> int | None:
    """Return the Auto Scaling group's desired capacity, None when someone deleted the group."""
    scaling, _ = _backends(group, account_id)
    found = scaling.autoscaling_groups.get(group_name(group))
    return None if found is None else int(found.desired_capacity or 0)


def resize_scaling_group(group: Any, account_id: str) -> None:
    """Give the Auto Scaling group the node group's sizes."""
    scaling, _ = _backends(group, account_id)
    found = scaling.autoscaling_groups.get(group_name(group))
    if found is not None:
        found.min_size = group.scaling_config["minSize"]
        found.max_size = group.scaling_config["maxSize"]
        found.set_desired_capacity(group.scaling_config["desiredSize"])


def delete_scaling_group(group: Any, account_id: str) -> None:
    """Terminate the nodes and delete the Auto Scaling group and its launch template."""
    scaling, ec2 = _backends(group, account_id)
    name = group_name(group)
    found = scaling.autoscaling_groups.get(name)
    if found is not None:
        found.set_desired_capacity(0)
        scaling.delete_auto_scaling_group(name)
    if name in ec2.launch_template_name_to_ids:
        ec2.delete_launch_template(name, None)
