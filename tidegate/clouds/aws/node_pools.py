"""The node pools of an EKS cluster: managed node groups, and Auto Scaling groups of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.vocabulary.capacity import CapacityType, Cloud, PoolKind, Scaler
from tidegate.vocabulary.observed import ObservedPool, ObservedTaint

EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
"""EKS' spelling of a taint's effect → Kubernetes'."""

AUTOSCALER_TAG = "k8s.io/cluster-autoscaler/enabled"
TEMPLATE_TAG = "k8s.io/cluster-autoscaler/node-template"
GROUP_OWNER_TAG = "eks:nodegroup-name"
CAPACITY_TYPES = {
    "SPOT": CapacityType.SPOT,
    "ON_DEMAND": CapacityType.ON_DEMAND,
    "CAPACITY_BLOCK": CapacityType.RESERVED,
}


def fetch_node_pools(
    eks: Any, autoscaling: Any, ec2: Any, cluster: str, region: str
) -> list[ObservedPool]:
    """Return every pool of the cluster, managed node groups first.

    Args:
        eks: A boto3 client of EKS; the next two likewise.
        autoscaling: Of EC2 Auto Scaling.
        ec2: Of EC2; reads the launch templates of self-managed groups.
        cluster: The cluster's name.
        region: The region that the clients speak to.

    Raises:
        botocore.exceptions.ClientError: The cluster is absent, or reading is not allowed.
    """
    groups = {group["AutoScalingGroupName"]: group for group in _scaling_groups(autoscaling)}
    managed = []
    for page in eks.get_paginator("list_nodegroups").paginate(clusterName=cluster):
        for name in page["nodegroups"]:
            found = eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
            managed.append(_node_group(found, groups, region))
    own = [
        _scaling_group(group, ec2, cluster, region)
        for group in groups.values()
        if _joins(_tags(group), cluster)
    ]
    return [*managed, *own]


def _scaling_groups(autoscaling: Any) -> Iterator[dict[str, Any]]:
    for page in autoscaling.get_paginator("describe_auto_scaling_groups").paginate():
        yield from page["AutoScalingGroups"]


def _tags(group: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag.get("Value", "") for tag in group.get("Tags") or ()}


def _joins(tags: Mapping[str, str], cluster: str) -> bool:
    """Return whether a group's nodes join the cluster, and no managed node group owns it."""
    return f"kubernetes.io/cluster/{cluster}" in tags and GROUP_OWNER_TAG not in tags


def _node_group(
    found: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]], region: str
) -> ObservedPool:
    scaling = found["scalingConfig"]
    behind = [each["name"] for each in (found.get("resources") or {}).get("autoScalingGroups", ())]
    group = groups.get(behind[0]) if behind else None
    identifiers = {"nodeGroup": found["nodegroupName"], "cluster": found["clusterName"]}
    if behind:
        identifiers["autoScalingGroup"] = behind[0]
    return ObservedPool(
        cloud=Cloud.AWS,
        kind=PoolKind.EKS_NODE_GROUP,
        name=found["nodegroupName"],
        cluster=found["clusterName"],
        region=region,
        account=_account(found.get("nodegroupArn", "")),
        zones=tuple(sorted((group or {}).get("AvailabilityZones") or ())),
        instance_types=tuple(found.get("instanceTypes") or ()),
        capacity_type=CAPACITY_TYPES[found.get("capacityType") or "ON_DEMAND"],
        min_nodes=scaling["minSize"],
        max_nodes=scaling["maxSize"],
        desired_nodes=scaling["desiredSize"],
        node_labels=dict(found.get("labels") or {}),
        taints=tuple(
            ObservedTaint(taint["key"], taint.get("value", ""), EFFECTS[taint["effect"]])
            for taint in found.get("taints") or ()
        ),
        tags=dict(found.get("tags") or {}),
        scaler=None,  # EKS invites the autoscaler to each of its groups: that proves nothing
        identifiers=identifiers,
    )


def _scaling_group(group: Mapping[str, Any], ec2: Any, cluster: str, region: str) -> ObservedPool:
    tags = _tags(group)
    template, types, share = _what_it_launches(group)
    launched = _read_template(ec2, template) if template else {}
    options = launched.get("InstanceMarketOptions") or {}
    spot = options.get("MarketType") == "spot" or share == 0
    return ObservedPool(
        cloud=Cloud.AWS,
        kind=PoolKind.AUTO_SCALING_GROUP,
        name=group["AutoScalingGroupName"],
        cluster=cluster,
        region=region,
        account=_account(group.get("AutoScalingGroupARN", "")),
        zones=tuple(sorted(group["AvailabilityZones"])),
        instance_types=types or tuple(filter(None, [launched.get("InstanceType")])),
        capacity_type=CapacityType.SPOT if spot else CapacityType.ON_DEMAND,
        min_nodes=group["MinSize"],
        max_nodes=group["MaxSize"],
        desired_nodes=group["DesiredCapacity"],
        node_labels=_declared(tags, "label"),
        taints=tuple(
            ObservedTaint(key, *value.rpartition(":")[::2])
            for key, value in _declared(tags, "taint").items()
        ),
        tags={key: value for key, value in tags.items() if not key.startswith("k8s.io/")},
        scaler=_scaler(tags),
        identifiers={"autoScalingGroup": group["AutoScalingGroupName"], "region": region},
    )


def _what_it_launches(
    group: Mapping[str, Any],
) -> tuple[Mapping[str, str] | None, tuple[str, ...], int | None]:
    """Return the launch template, the instance types over it, and the on-demand share in %."""
    policy = group.get("MixedInstancesPolicy")
    if not policy:
        return group.get("LaunchTemplate"), (), None
    launch = policy["LaunchTemplate"]
    types = (each.get("InstanceType") for each in launch.get("Overrides") or ())
    # AWS' default is 100: all on-demand.
    share = policy.get("InstancesDistribution", {}).get("OnDemandPercentageAboveBaseCapacity", 100)
    return launch["LaunchTemplateSpecification"], tuple(filter(None, types)), share


def _read_template(ec2: Any, template: Mapping[str, str]) -> dict[str, Any]:
    versions = ec2.describe_launch_template_versions(
        LaunchTemplateId=template["LaunchTemplateId"],
        Versions=[template.get("Version") or "$Default"],
    )["LaunchTemplateVersions"]
    data: dict[str, Any] = versions[0]["LaunchTemplateData"]
    return data


def _declared(tags: Mapping[str, str], what: str) -> dict[str, str]:
    """Return what the group's tags tell the autoscaler of a node that is not there yet."""
    prefix = f"{TEMPLATE_TAG}/{what}/"
    return {key.removeprefix(prefix): tags[key] for key in tags if key.startswith(prefix)}


def _scaler(tags: Mapping[str, str]) -> Scaler | None:
    """Return the cluster autoscaler where the group invites it; others leave no mark."""
    return Scaler.CLUSTER_AUTOSCALER if AUTOSCALER_TAG in tags else None


def _account(arn: str) -> str:
    parts = arn.split(":")
    return parts[4] if len(parts) > 4 else ""
