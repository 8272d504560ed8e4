"""What GKE alone allows or forbids for a node pool."""

from __future__ import annotations

from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.spec import PoolSpec

MAX_FLEX_SECONDS = 7 * 24 * 3600
"""How long Dynamic Workload Scheduler lets a machine run (Google Cloud documentation)."""


def check_gcp(read: Arguments, spec: PoolSpec) -> None:
    """Note what GKE does not allow."""
    chip = spec.accelerator
    if chip and not chip.gke_type and not spec.instance_types[0].provider_accelerator:
        reason = "has no GKE accelerator type"
        read.refuse("accelerator", chip.name, reason, "one that GKE offers")
    choices = spec.gcp
    if choices.compact and len(spec.zones) != 1:
        reason = "needs nodes in one zone"
        read.refuse("gcp.compact_placement", True, reason, "exactly one zone in `zones`")
    if choices.queued:
        _check_queued(read, spec)
    if choices.flex_start:
        _check_flex_start(read, spec)
    _check_run_duration(read, spec)
    _check_zonal_minimum(read, spec)


def _check_queued(read: Arguments, spec: PoolSpec) -> None:
    key = "gcp.queued_provisioning"
    if spec.min_nodes:
        read.refuse(key, True, "needs min_nodes 0", "0 nodes at rest")
    if spec.gcp.compact or spec.nodes_at_once > 1:
        wanted = "a slice of several hosts needs" if spec.nodes_at_once > 1 else "it decides itself"
        reason = f"excludes compact placement, which {wanted}"
        read.refuse(key, True, reason, "one of the two")
    _check_queue_or_flex(read, spec, key)


def _check_flex_start(read: Arguments, spec: PoolSpec) -> None:
    key = "gcp.flex_start"
    if spec.is_spot:
        read.refuse(key, True, "excludes capacity_type spot", "capacity_type on-demand")
    _check_queue_or_flex(read, spec, key)


def _check_queue_or_flex(read: Arguments, spec: PoolSpec, key: str) -> None:
    if spec.is_reserved:
        read.refuse(key, True, "cannot consume a reservation", "capacity_type on-demand or spot")
    if not spec.scales_itself:
        reason = "has no static node count: GKE's own autoscaler adds its nodes"
        read.refuse(key, True, reason, "scaler provider")


def _check_run_duration(read: Arguments, spec: PoolSpec) -> None:
    seconds = spec.gcp.max_run_duration_seconds
    if not seconds:
        return
    if not (spec.gcp.queued or spec.gcp.flex_start):
        reason = "bounds flex-start and queued nodes only"
        read.refuse("gcp.max_run_duration_seconds", seconds, reason, "leave it out")
    elif seconds > MAX_FLEX_SECONDS:
        reason = "is longer than Dynamic Workload Scheduler lets a machine run"
        expected = f"at most {MAX_FLEX_SECONDS}"
        read.refuse("gcp.max_run_duration_seconds", seconds, reason, expected)


def _check_zonal_minimum(read: Arguments, spec: PoolSpec) -> None:
    """GKE's static count is one for each zone, so a minimum has to divide."""
    zones = len(spec.zones)
    if not spec.scales_itself and zones > 1 and spec.min_nodes % zones:
        reason = f"does not divide over {zones} zones, and GKE counts nodes a zone"
        read.refuse("min_nodes", spec.min_nodes, reason, f"a multiple of {zones}")
