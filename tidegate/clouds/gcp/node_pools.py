"""The node pools of a GKE cluster."""

from __future__ import annotations

from typing import Any

from google.cloud import container_v1

from tidegate.vocabulary.capacity import CapacityType, Cloud, PoolKind, Scaler
from tidegate.vocabulary.observed import ObservedPool, ObservedTaint

EFFECTS = {1: "NoSchedule", 2: "PreferNoSchedule", 3: "NoExecute"}
"""GKE's numbers for a taint's effect → Kubernetes' spelling."""


def fetch_node_pools(
    container: container_v1.ClusterManagerClient, project: str, location: str, cluster: str
) -> list[ObservedPool]:
    """Return every pool of the cluster.

    Args:
        container: The client of GKE.
        project: The cluster's project.
        location: Its region, or its zone.
        cluster: Its name.

    Raises:
        google.api_core.exceptions.GoogleAPICallError: The cluster is absent, or reading is not
            allowed.
    """
    parent = f"projects/{project}/locations/{location}/clusters/{cluster}"
    answer = container.list_node_pools(parent=parent)
    return [_pool(found, project, location, cluster) for found in answer.node_pools]


def _pool(found: Any, project: str, location: str, cluster: str) -> ObservedPool:
    config = found.config
    zones = tuple(sorted(found.locations))
    low, high = _bounds(found, len(zones))
    attached = config.accelerators[0] if config.accelerators else None
    return ObservedPool(
        cloud=Cloud.GCP,
        kind=PoolKind.GKE_NODE_POOL,
        name=found.name,
        cluster=cluster,
        region=_region(location),
        account=project,
        zones=zones,
        instance_types=(config.machine_type,),
        capacity_type=_capacity_type(config),
        min_nodes=low,
        max_nodes=high,
        desired_nodes=None,  # GKE tells the first size; the current one is its instance groups'
        accelerator=attached.accelerator_type if attached else "",
        accelerators_per_node=int(attached.accelerator_count) if attached else 0,
        node_labels=dict(config.labels),
        taints=tuple(
            ObservedTaint(taint.key, taint.value, EFFECTS[int(taint.effect)])
            for taint in config.taints
        ),
        tags=dict(config.resource_labels),
        scaler=Scaler.PROVIDER if found.autoscaling.enabled else None,
        identifiers={
            "nodePool": found.name,
            "cluster": cluster,
            "project": project,
            "location": location,
        },
    )


def _bounds(found: Any, zones: int) -> tuple[int, int | None]:
    """Return the pool's bounds over all its zones; GKE states them a zone, or as totals."""
    scaling = found.autoscaling
    if not scaling.enabled:
        return 0, None
    if scaling.total_max_node_count:
        return scaling.total_min_node_count, scaling.total_max_node_count
    return scaling.min_node_count * max(1, zones), scaling.max_node_count * max(1, zones)


def _capacity_type(config: Any) -> CapacityType:
    if config.spot or config.preemptible:
        return CapacityType.SPOT
    specific = container_v1.ReservationAffinity.Type.SPECIFIC_RESERVATION
    if config.reservation_affinity.consume_reservation_type == specific:
        return CapacityType.RESERVED
    return CapacityType.ON_DEMAND


def _region(location: str) -> str:
    """Return the region of a zone, or the region itself."""
    return location.rpartition("-")[0] if location.count("-") > 1 else location
