"""What Karpenter allows or forbids for a node pool."""

from __future__ import annotations

from tidegate.manifest.times import explain_cron
from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.karpenter_budgets import (
    MAX_BUDGETS,
    build_budgets,
    explain_window,
)
from tidegate_components.node_pools.spec import PoolSpec

MAX_WEIGHT = 100
"""The largest weight of a NodePool (Karpenter's CRD); 0 means none."""


def check_karpenter(read: Arguments, spec: PoolSpec) -> None:
    """Note what Karpenter cannot do, or does by itself."""
    if spec.min_nodes:
        reason = "is kept by nobody: Karpenter makes nodes for pods that wait, and keeps none"
        read.refuse("min_nodes", spec.min_nodes, reason, "0, or another scaler")
    if spec.schedules:
        reason = "are bounds that Karpenter cannot keep by the hour"
        read.refuse("schedules", None, reason, "none, or another scaler")
    if spec.priority > MAX_WEIGHT:
        reason = "is above the largest weight of a NodePool"
        read.refuse("priority", spec.priority, reason, f"0 to {MAX_WEIGHT}")
    _check_unused(read, spec)
    _check_windows(read, spec)


def _check_unused(read: Arguments, spec: PoolSpec) -> None:
    own = spec.aws
    unused = {
        "ami_type": (own.ami_type, "karpenter.ami_alias"),
        "image_id": (own.image_id, "karpenter.ami_alias"),
        "kubernetes_version": (own.kubernetes_version, "karpenter.ami_alias"),
        "cluster_placement": (own.cluster_placement, "node_kind auto-scaling-group"),
        "efa": (own.efa, "nothing: pods that request vpc.amazonaws.com/efa get adapters"),
        "capacity_block": (own.capacity_block, "nothing: Karpenter knows a block by its id"),
        "instance_profile": (not own.makes_instance_profile, "node_role_arn"),
    }
    for key, (value, expected) in unused.items():
        if value:
            shown = value if isinstance(value, str) else None
            read.refuse(f"aws.{key}", shown, "is nothing that Karpenter takes", expected)


def _check_windows(read: Arguments, spec: PoolSpec) -> None:
    faults = {index: explain_window(window) for index, window in enumerate(spec.windows)}
    for index, reason in faults.items():
        if reason:
            window = spec.windows[index]
            expected = "a window of whole minutes that comes back each week, in UTC"
            shown = f"{window.cron} {window.time_zone}"
            read.refuse(f"windows[{index}]", shown, reason, expected)
    if any(faults.values()) or any(explain_cron(window.cron) for window in spec.windows):
        return
    count = len(build_budgets(spec.max_unavailable, spec.windows))
    if count > MAX_BUDGETS:
        reason = f"make {count} disruption budgets, and a NodePool takes {MAX_BUDGETS}"
        read.refuse("windows", None, reason, "fewer windows, or more alike")
