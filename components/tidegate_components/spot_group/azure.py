"""A spot group on Azure: a flexible scale set with a priority mix, or an Azure Fleet."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import derive_name
from tidegate_components.spot_group.azure_fleet import declare_fleet
from tidegate_components.spot_group.azure_machines import NETWORK_API, build_machine
from tidegate_components.spot_group.azure_notices import declare_notices
from tidegate_components.spot_group.naming import SCALE_SET
from tidegate_components.spot_group.spec import SpotSpec

with narrow_imports("pulumi_azure_native.compute"):
    from pulumi_azure_native.compute.virtual_machine_scale_set import VirtualMachineScaleSet

KEPT = ("sku.capacity", "virtualMachineProfile.osProfile.computerNamePrefix")
"""The size is the controller's; Azure refuses another prefix, which a renamed pool would have."""

UP_TO_ON_DEMAND = -1.0
"""As the highest price: machines are evicted for capacity only, never for their price."""


def declare(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the resources of the group and return its cloud identifiers."""
    declare_one = declare_fleet if spec.azure.fleet else declare_scale_set
    identifiers = declare_one(parent, spec, inputs, opts)
    return {
        **identifiers,
        "resourceGroup": inputs["resource_group_name"],
        "region": spec.region,
        **declare_notices(parent, spec, inputs, opts),
    }


def declare_scale_set(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the scale set and return its identifiers."""
    machine: Any = {
        **build_machine(spec, inputs),
        "network_profile": build_network(inputs),
        "priority": "Spot",
        # A stopped machine is no capacity, and its disk still costs.
        "eviction_policy": "Delete",
        "billing_profile": {"max_price": UP_TO_ON_DEMAND},
    }
    scale_set = VirtualMachineScaleSet(
        derive_name(spec.id, SCALE_SET),
        resource_group_name=inputs["resource_group_name"],
        location=spec.region,
        zones=list(spec.zones) or None,
        # Priorities are mixed by flexible scale sets only.
        orchestration_mode="Flexible",
        platform_fault_domain_count=1,
        single_placement_group=False,
        priority_mix_policy={
            "base_regular_priority_count": spec.on_demand_base_nodes,
            "regular_priority_percentage_above_base": spec.on_demand_percent_above_base,
        },
        virtual_machine_profile=machine,
        tags=spec.cost_labels,
        **build_sizes(spec),
        opts=child_options(parent, opts, VirtualMachineScaleSet, ignore=KEPT, named=SCALE_SET),
    )
    return {"scaleSet": scale_set.name, "id": scale_set.id}


def build_network(inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the one network interface, without an address of its own on the Internet."""
    address = {"name": "primary", "primary": True, "subnet": {"id": inputs["subnet_id"]}}
    interface = {
        "name": "primary",
        "primary": True,
        "delete_option": "Delete",
        "ip_configurations": [address],
    }
    return {"network_api_version": NETWORK_API, "network_interface_configurations": [interface]}


def build_sizes(spec: SpotSpec) -> dict[str, Any]:
    """Return one size, or a mix of several with the strategy that chooses among them."""
    first = spec.type_names[0]
    if len(spec.type_names) == 1:
        return {"sku": {"name": first, "tier": "Standard", "capacity": spec.min_nodes}}
    ranked = spec.allocation_strategy == "Prioritized"
    sizes = [
        {"name": name, **({"rank": rank} if ranked else {})}
        for rank, name in enumerate(spec.type_names)
    ]
    return {
        # A mix has no tier: Azure wants none.
        "sku": {"name": "Mix", "capacity": spec.min_nodes},
        "sku_profile": {"vm_sizes": sizes, "allocation_strategy": spec.allocation_strategy},
    }
