"""A spot group as an Azure Fleet, which counts spot and regular machines apart.

Whoever sizes the pool splits its size between the two, as
`tidegate.vocabulary.capacity.split_purchase` does.
"""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import derive_name
from tidegate_components.spot_group.azure_machines import NETWORK_API, build_machine
from tidegate_components.spot_group.naming import SCALE_SET
from tidegate_components.spot_group.spec import SpotSpec

with narrow_imports("pulumi_azure_native.azurefleet"):
    from pulumi_azure_native.azurefleet.fleet import Fleet

KEPT = (
    "spotPriorityProfile.capacity",
    "regularPriorityProfile.capacity",
    "computeProfile.baseVirtualMachineProfile.osProfile.computerNamePrefix",
)
"""The sizes are the controller's; Azure refuses another prefix, which a renamed pool would have."""


def declare_fleet(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the fleet and return its identifiers."""
    on_demand, spot = spec.first_split
    machine: Any = {**build_machine(spec, inputs), "network_profile": build_network(inputs)}
    fleet = Fleet(
        derive_name(spec.id, SCALE_SET),
        resource_group_name=inputs["resource_group_name"],
        location=spec.region,
        zones=list(spec.zones) or None,
        vm_sizes_profile=[{"name": name} for name in spec.type_names],
        # `min_capacity` is never stated: Azure does not change it on a fleet that exists.
        spot_priority_profile={
            "capacity": spot,
            "allocation_strategy": spec.allocation_strategy,
            "eviction_policy": "Delete",
            "max_price_per_vm": -1.0,  # up to the on-demand price: evicted for capacity only
            "maintain": True,  # what was evicted is bought again
        },
        regular_priority_profile={"capacity": on_demand, "allocation_strategy": "LowestPrice"}
        if spec.has_floor
        else None,
        compute_profile={
            "base_virtual_machine_profile": machine,
            "platform_fault_domain_count": 1,
        },
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Fleet, ignore=KEPT, named=SCALE_SET),
    )
    return {"fleet": fleet.name, "id": fleet.id}


def build_network(inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the one network interface; a fleet writes a scale set's fields below `properties`."""
    address = {
        "name": "primary",
        "properties": {"primary": True, "subnet": {"id": inputs["subnet_id"]}},
    }
    interface = {
        "name": "primary",
        "properties": {
            "primary": True,
            "delete_option": "Delete",
            "ip_configurations": [address],
        },
    }
    return {"network_api_version": NETWORK_API, "network_interface_configurations": [interface]}
