"""A spot group on Compute Engine: a managed instance group, and one for the on-demand floor.

A group has one template, and a template one provisioning model: machines bought on demand stand in
a group of their own. Whoever sizes the pool splits its size between the two, as
`tidegate.vocabulary.capacity.split_purchase` does.
"""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import derive_name
from tidegate_components.spot_group.gcp_notices import declare_notices
from tidegate_components.spot_group.naming import BASE_INSTANCE, COMPUTE
from tidegate_components.spot_group.spec import SpotSpec

with narrow_imports("pulumi_gcp.compute"):
    from pulumi_gcp.compute.region_instance_group_manager import RegionInstanceGroupManager
    from pulumi_gcp.compute.region_instance_template import RegionInstanceTemplate

SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
"""What the machines may do is the service account's roles' to say, not the scopes'."""

KEPT = ("baseInstanceName", "description", "targetSize")
"""The size is the controller's; a change of the others would replace the group with all its
machines, when the pool is called otherwise."""

SPOT: dict[str, Any] = {
    "provisioning_model": "SPOT",
    "preemptible": True,
    "automatic_restart": False,
    "on_host_maintenance": "TERMINATE",
    # A stopped machine is no capacity, and its disk still costs.
    "instance_termination_action": "DELETE",
}


FLOOR = "-on-demand"
"""What the floor's own group and template are called beside the spot ones."""


def declare(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the resources of the group and return its cloud identifiers."""
    on_demand, spot = spec.first_split
    group = _declare_group(parent, spec, "", SPOT, spot, inputs, opts)
    identifiers: dict[str, pulumi.Input[str]] = {
        "instanceGroupManager": group.name,
        "project": group.project,
        "region": spec.region,
    }
    if spec.has_floor:
        kept = build_on_demand(spec)
        floor = _declare_group(parent, spec, FLOOR, kept, on_demand, inputs, opts)
        identifiers["onDemandInstanceGroupManager"] = floor.name
    # What the machines are called in truth: a renamed group keeps its first name for them.
    named = group.base_instance_name
    return {**identifiers, **declare_notices(parent, spec, named, inputs, opts)}


def _declare_group(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    suffix: str,
    scheduling: dict[str, Any],
    size: int,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> RegionInstanceGroupManager:
    template = _declare_template(parent, spec, suffix, scheduling, inputs, opts)
    tags = inputs["resource_manager_tags"]
    params: Any = tags and {"resource_manager_tags": tags}
    return RegionInstanceGroupManager(
        f"{derive_name(spec.id, COMPUTE)}{suffix}",
        base_instance_name=f"{derive_name(spec.id, BASE_INSTANCE)}{suffix}",
        project=inputs["project"],
        region=spec.region,
        # A group takes no labels; its machines and disks carry them.
        description=f"capacity-pool={spec.id}",
        versions=[{"instance_template": template.self_link}],
        target_size=size,
        distribution_policy_zones=list(spec.zones) or None,
        distribution_policy_target_shape=spec.allocation_strategy,
        instance_flexibility_policy=build_flexibility(spec),
        update_policy={
            # A new template is for new machines: running work is not restarted for it.
            "type": "OPPORTUNISTIC",
            "minimal_action": "REPLACE",
            # Moving machines between zones for balance's sake would interrupt work too.
            "instance_redistribution_type": "NONE",
        },
        params=params,
        opts=child_options(
            parent, opts, RegionInstanceGroupManager, ignore=KEPT, named=COMPUTE, suffix=suffix
        ),
    )


def build_on_demand(spec: SpotSpec) -> dict[str, Any]:
    """Return how machines of the floor are kept; those with accelerators cannot be moved."""
    return {
        "provisioning_model": "STANDARD",
        "automatic_restart": True,
        "on_host_maintenance": "TERMINATE" if spec.machines.accelerator else "MIGRATE",
    }


def build_flexibility(spec: SpotSpec) -> Any:
    """Return the types that a group may take; none where there is one, the template's own.

    All have one rank: the group takes what is to be had, instead of exhausting one type first.
    """
    if len(spec.type_names) == 1:
        return None
    selection = {"name": "any-of-one-shape", "rank": 1, "machine_types": spec.type_names}
    return {"instance_selections": [selection]}


def _declare_template(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    suffix: str,
    scheduling: Any,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> RegionInstanceTemplate:
    account: Any = inputs["service_account"] and {
        "email": inputs["service_account"],
        "scopes": SCOPES,
    }
    disk: Any = {
        "boot": True,
        "auto_delete": True,
        "source_image": inputs["image"],
        "disk_size_gb": spec.disk_gib,
        # Left out it is pd-standard, which newer families do not take.
        "disk_type": spec.gcp.disk_type,
        "labels": spec.cost_labels,
    }
    return RegionInstanceTemplate(
        f"{derive_name(spec.id, COMPUTE)}{suffix}",
        project=inputs["project"],
        region=spec.region,
        machine_type=spec.type_names[0],
        description=spec.description,
        labels=spec.cost_labels,
        disks=[disk],
        network_interfaces=[{"subnetwork": inputs["subnetwork"]}],
        scheduling=scheduling,
        service_account=account,
        metadata_startup_script=inputs["startup_script"],
        # Accelerators of these machine types are their own; a template attaches none.
        opts=child_options(parent, opts, RegionInstanceTemplate, named=COMPUTE, suffix=suffix),
    )
