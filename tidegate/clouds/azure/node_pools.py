"""The agent pools of an AKS cluster."""

from __future__ import annotations

from typing import Any

from azure.mgmt.containerservice import ContainerServiceClient

from tidegate.vocabulary.capacity import CapacityType, Cloud, PoolKind, Scaler
from tidegate.vocabulary.observed import ObservedPool, ObservedTaint


def fetch_node_pools(
    containers: ContainerServiceClient, subscription: str, resource_group: str, cluster: str
) -> list[ObservedPool]:
    """Return every pool of the cluster that runs users' work (mode User).

    Args:
        containers: The client of AKS.
        subscription: The cluster's subscription.
        resource_group: Its resource group.
        cluster: Its name.

    Raises:
        azure.core.exceptions.HttpResponseError: The cluster is absent, or reading is not allowed.
    """
    location = containers.managed_clusters.get(resource_group, cluster).location
    region = str(location).lower().replace(" ", "")
    return [
        _pool(found, subscription, resource_group, cluster, region)
        for found in containers.agent_pools.list(resource_group, cluster)
        if found.mode != "System"
    ]


def _pool(
    found: Any, subscription: str, resource_group: str, cluster: str, region: str
) -> ObservedPool:
    scales_itself = bool(found.enable_auto_scaling)
    return ObservedPool(
        cloud=Cloud.AZURE,
        kind=PoolKind.AKS_AGENT_POOL,
        name=found.name,
        cluster=cluster,
        region=region,
        account=subscription,
        zones=tuple(sorted(found.availability_zones or ())),
        instance_types=tuple(filter(None, [found.vm_size])),
        capacity_type=_capacity_type(found),
        min_nodes=(found.min_count or 0) if scales_itself else 0,
        max_nodes=found.max_count if scales_itself else None,
        desired_nodes=found.count,
        node_labels=dict(found.node_labels or {}),
        taints=tuple(_taint(text) for text in found.node_taints or ()),
        tags=dict(found.tags or {}),
        scaler=Scaler.PROVIDER if scales_itself else None,
        identifiers={
            "agentPool": found.name,
            "cluster": cluster,
            "resourceGroup": resource_group,
            "subscription": subscription,
        },
    )


def _capacity_type(found: Any) -> CapacityType:
    if found.scale_set_priority == "Spot":
        return CapacityType.SPOT
    if found.capacity_reservation_group_id:
        return CapacityType.RESERVED
    return CapacityType.ON_DEMAND


def _taint(text: str) -> ObservedTaint:
    """Return a taint from AKS' form `key=value:Effect`."""
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return ObservedTaint(key, value, effect)
