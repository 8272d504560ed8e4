"""A node pool on GKE."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate.vocabulary.accelerators import AcceleratorKind
from tidegate.vocabulary.capacity import SharingStrategy
from tidegate_components.children import child_options
from tidegate_components.names import GKE_NODE_POOL, derive_name
from tidegate_components.node_pools.nodes import TAINT_EFFECTS, set_by_gke
from tidegate_components.node_pools.spec import PoolSpec, SharingSpec

with narrow_imports("pulumi_gcp.container"):
    from pulumi_gcp.container.node_pool import NodePool

SHARING_STRATEGIES = {
    SharingStrategy.TIME_SHARING: "TIME_SHARING",
    SharingStrategy.MPS: "MPS",
}
RESERVATION_KEY = "compute.googleapis.com/reservation-name"


def declare(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the node pool and return its cloud identifiers."""
    choices = spec.gcp
    location: Any = inputs["location"] or spec.region
    node_config: Any = build_node_config(spec, inputs)
    placement: Any = build_placement(spec)
    queue: Any = {"enabled": True} if choices.queued else None
    pool = NodePool(
        derive_name(spec.id, GKE_NODE_POOL),
        name=spec.cloud_name or None,
        cluster=inputs["cluster"],
        location=location,
        project=inputs["project"],
        node_locations=list(spec.zones) or None,
        node_config=node_config,
        upgrade_settings=build_upgrades(spec),
        management={"auto_repair": not choices.flex_start, "auto_upgrade": True},
        placement_policy=placement,
        queued_provisioning=queue,
        **build_sizing(spec),
        opts=child_options(
            parent,
            opts,
            NodePool,
            # The first count would replace the pool when the minimum changes (pulumi-gcp#412).
            ignore=["initialNodeCount", "nodeCount"],
            delete_before_replace=True if spec.cloud_name else None,
            named=GKE_NODE_POOL,
        ),
    )
    return {
        "cluster": inputs["cluster"],
        "nodePool": pool.name,
        "location": location,
        "project": pool.project,
        # GKE leaves its own taint out when a cluster has accelerated pools only; who needs it
        # can look here.
        "effectiveTaints": pool.node_config.apply(render_effective_taints),
    }


def build_sizing(spec: PoolSpec) -> dict[str, Any]:
    """Return who sizes the pool and how: GKE's autoscaler, or a first count that others change."""
    zones = max(1, len(spec.zones))
    first = -(-spec.min_nodes // zones)  # GKE counts a zone
    if not spec.scales_itself:
        return {"initial_node_count": first, "ignore_node_count_changes": True}
    # Totals exclude the bounds for each zone; the manifest's bounds are totals.
    autoscaling: dict[str, Any] = {
        "total_min_node_count": spec.min_nodes,
        "total_max_node_count": spec.max_nodes,
        "location_policy": "ANY",
    }
    if spec.gcp.flex_start or spec.gcp.queued:
        return {"autoscaling": autoscaling}
    return {"autoscaling": autoscaling, "initial_node_count": first}


def build_placement(spec: PoolSpec) -> dict[str, str] | None:
    """Return how nodes stand together; a slice of several hosts says its topology."""
    if spec.nodes_at_once > 1:
        return {"type": "COMPACT", "tpu_topology": spec.gcp.tpu_topology}
    return {"type": "COMPACT"} if spec.gcp.compact else None


def build_upgrades(spec: PoolSpec) -> Any:
    """Return how nodes are upgraded: with one more where it can be had, or with one less."""
    if spec.accelerator is None:
        return {"max_surge": spec.max_unavailable, "max_unavailable": 0}
    # A surge node would need accelerators that are not there to be had.
    return {"max_surge": 0, "max_unavailable": spec.max_unavailable}


def build_node_config(spec: PoolSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return what each node is: machine, accelerator, labels, taints, how it is bought."""
    choices = spec.gcp
    config: dict[str, Any] = {
        "machine_type": spec.instance_types[0].name,
        "disk_size_gb": spec.disk_gib,
        "labels": spec.node_labels,
        "resource_labels": spec.cost_labels,
        "taints": [
            {"key": taint.key, "value": taint.value, "effect": TAINT_EFFECTS[taint.effect]}
            for taint in spec.taints
            if not set_by_gke(taint, spec.accelerator)
        ],
        "guest_accelerators": _accelerators(spec),
        "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
        "service_account": inputs["service_account"],
        "spot": True if spec.is_spot else None,
        "flex_start": True if choices.flex_start else None,
        "reservation_affinity": _reservation_affinity(spec, inputs),
    }
    if choices.max_run_duration_seconds:
        config["max_run_duration"] = f"{choices.max_run_duration_seconds}s"
    return {key: value for key, value in config.items() if value is not None and value != []}


def _accelerators(spec: PoolSpec) -> list[dict[str, Any]] | None:
    chip = spec.accelerator
    if chip is None or chip.kind is AcceleratorKind.TPU:
        return None  # a TPU machine type carries its chips
    # Left out, the driver's default moved with GKE 1.30 and replaced pools
    # (GoogleCloudPlatform/magic-modules#11152).
    driver = {"gpu_driver_version": spec.gcp.driver_version}
    return [
        {
            "type": spec.instance_types[0].provider_accelerator or chip.gke_type,
            "count": spec.accelerators_per_node,
            "gpu_driver_installation_config": driver,
            **_sharing(spec.sharing),
        }
    ]


def _sharing(sharing: SharingSpec | None) -> dict[str, Any]:
    """Return how GKE itself shares each accelerator."""
    if sharing is None:
        return {}
    found: dict[str, Any] = {}
    if sharing.partition:
        found["gpu_partition_size"] = sharing.partition
    if sharing.is_by_turns:
        found["gpu_sharing_config"] = {
            "gpu_sharing_strategy": SHARING_STRATEGIES[sharing.strategy],
            "max_shared_clients_per_gpu": sharing.clients,
        }
    return found


def _reservation_affinity(spec: PoolSpec, inputs: dict[str, Any]) -> dict[str, Any] | None:
    if spec.is_reserved:
        return {
            "consume_reservation_type": "SPECIFIC_RESERVATION",
            "key": RESERVATION_KEY,
            "values": [inputs["reservation_target"]],
        }
    # Spot, queued and flex-start nodes may consume none, and the default is any
    # (hashicorp/terraform-provider-google#18341).
    if spec.is_spot or spec.gcp.queued or spec.gcp.flex_start:
        return {"consume_reservation_type": "NO_RESERVATION"}
    return None


def render_effective_taints(config: Any) -> str:
    """Return the taints that GKE reports on the nodes, as `kubectl taint` writes them."""
    taints = getattr(config, "effective_taints", None) or []
    return ",".join(f"{taint.key}={taint.value}:{taint.effect}" for taint in taints)
