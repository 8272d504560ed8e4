"""A node pool on AKS."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import AKS_AGENT_POOL, derive_name
from tidegate_components.node_pools.spec import PoolSpec

with narrow_imports("pulumi_azure_native.containerservice"):
    from pulumi_azure_native.containerservice.agent_pool import AgentPool

FIXED_AT_CREATION = (
    "availabilityZones",
    "capacityReservationGroupID",
    "gpuProfile",
    "osDiskSizeGB",
    "scaleSetEvictionPolicy",
    "scaleSetPriority",
    "vnetSubnetID",
)
"""What AKS never changes on a pool: the provider would send it, and the update would fail."""


def declare(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the agent pool and return its cloud identifiers."""
    # Twelve characters leave no room for a random suffix, so the name is fixed and the old pool
    # goes first when size, profile or driver change.
    pool_name = spec.cloud_name or derive_name(spec.id, AKS_AGENT_POOL)
    pool = AgentPool(
        spec.id,
        agent_pool_name=pool_name,
        resource_group_name=inputs["resource_group_name"],
        resource_name_=inputs["cluster"],
        mode="User",  # only a user pool may be empty
        type="VirtualMachineScaleSets",
        vm_size=spec.instance_types[0].name,
        os_disk_size_gb=spec.disk_gib,
        os_type="Linux",
        availability_zones=list(spec.zones) or None,
        node_labels=spec.node_labels,
        node_taints=[f"{taint.key}={taint.value}:{taint.effect}" for taint in spec.taints],
        tags=spec.cost_labels,
        **build_accelerators(spec),
        capacity_reservation_group_id=inputs["reservation_target"] if spec.is_reserved else None,
        vnet_subnet_id=inputs["vnet_subnet_id"],
        # A stopped machine is no capacity, and its disk still costs.
        scale_down_mode="Delete",
        **build_sizing(spec),
        **build_purchase(spec),
        opts=child_options(
            parent,
            opts,
            AgentPool,
            ignore=["count"],
            delete_before_replace=True,
            replace=FIXED_AT_CREATION,
        ),
    )
    return {
        "cluster": inputs["cluster"],
        "agentPool": pool.name,
        "resourceGroup": inputs["resource_group_name"],
        "id": pool.id,
    }


def build_sizing(spec: PoolSpec) -> dict[str, Any]:
    """Return who sizes the pool; AKS wants a count either way (pulumi-azure-native#2943)."""
    if not spec.scales_itself:
        return {"count": spec.min_nodes, "enable_auto_scaling": False}
    return {
        "count": spec.min_nodes,
        "enable_auto_scaling": True,
        "min_count": spec.min_nodes,
        "max_count": spec.max_nodes,
    }


def build_accelerators(spec: PoolSpec) -> dict[str, Any]:
    """Return what AKS does to the accelerators of each node: driver and partitions."""
    if spec.accelerator is None:
        return {}
    driver = "Install" if spec.azure.install_driver else "None"
    return {
        "gpu_profile": {"driver": driver},
        "gpu_instance_profile": spec.azure.gpu_instance_profile or None,
    }


def build_purchase(spec: PoolSpec) -> dict[str, Any]:
    """Return how nodes are bought; a spot pool takes no surge (terraform-azurerm#19355)."""
    if spec.is_spot:
        return {
            "scale_set_priority": "Spot",
            "scale_set_eviction_policy": "Delete",
            "spot_max_price": -1.0,  # up to the on-demand price: evicted for capacity only
        }
    count = str(spec.max_unavailable)
    # A surge node would need accelerators that are not there to be had.
    surge, unavailable = ("0", count) if spec.accelerator else (count, "0")
    settings = {"max_surge": surge, "max_unavailable": unavailable}
    return {"scale_set_priority": "Regular", "upgrade_settings": settings}
