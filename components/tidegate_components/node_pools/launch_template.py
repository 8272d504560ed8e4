"""The launch template of EKS nodes: disk, metadata service, network, purchase, tags."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.ec2_machines import BOTTLEROCKET_DATA_DEVICE, ROOT_DEVICE, build_machine
from tidegate_components.names import NameRule, derive_name
from tidegate_components.node_pools.efa import build_network_interfaces
from tidegate_components.node_pools.spec import PoolSpec

with narrow_imports("pulumi_aws.ec2"):
    from pulumi_aws.ec2.launch_template import LaunchTemplate
    from pulumi_aws.ec2.placement_group import PlacementGroup


def declare_launch_template(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    rule: NameRule,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
    **boot: Any,
) -> LaunchTemplate:
    """Declare the template, and the placement group that it names.

    `rule` is that of the group whose nodes it boots; `boot` is what only self-managed nodes need
    of it: image, user data, instance profile.
    """
    return LaunchTemplate(
        derive_name(spec.id, rule),
        region=spec.region,
        **build_machine(spec.id, spec.cost_labels, spec.disk_gib, 2, choose_device(spec)),
        placement=_declare_placement(parent, spec, rule, opts),
        **_build_purchase(spec, inputs),
        **_build_network(spec, inputs),
        **boot,
        opts=child_options(parent, opts, LaunchTemplate, named=rule),
    )


def choose_device(spec: PoolSpec) -> str:
    """Return the device whose size counts for images and pods."""
    bottlerocket = spec.aws.ami_type.startswith("BOTTLEROCKET")
    return BOTTLEROCKET_DATA_DEVICE if bottlerocket else ROOT_DEVICE


def _build_purchase(spec: PoolSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return which reservation nodes consume, and whether that is a Capacity Block."""
    if not spec.is_reserved:
        return {}
    target = {"capacity_reservation_id": inputs["reservation_target"]}
    purchase: dict[str, Any] = {
        "capacity_reservation_specification": {"capacity_reservation_target": target}
    }
    if spec.aws.capacity_block:
        purchase["instance_market_options"] = {"market_type": "capacity-block"}
        # EKS wants the type here, and not on the node group (EKS user guide, Capacity Blocks).
        purchase["instance_type"] = spec.instance_types[0].name
    return purchase


def _build_network(spec: PoolSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    groups = inputs["security_group_ids"]
    if spec.aws.efa:
        interfaces = build_network_interfaces(spec.instance_types[0].name, groups)
        return {"network_interfaces": interfaces}
    return {"vpc_security_group_ids": groups} if groups is not None else {}


def _declare_placement(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    rule: NameRule,
    opts: pulumi.ResourceOptions | None,
) -> Any:
    if not spec.aws.cluster_placement:
        return None
    group = PlacementGroup(
        derive_name(spec.id, rule),
        strategy="cluster",
        region=spec.region,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, PlacementGroup, named=rule),
    )
    return {"group_name": group.name}
