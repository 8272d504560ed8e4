"""From the arguments of an existing pool to its specification, with every fault at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import (
    Checkpoint,
    DisruptionBudget,
    Pool,
    Schedule,
    Taint,
    Window,
)
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    PoolKind,
    Scaler,
)
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.entries import check_entry, read_entries, read_workload_classes
from tidegate_components.existing_pool.args import ExistingPoolArgs
from tidegate_components.existing_pool.spec import ExistingPoolSpec
from tidegate_components.names import check_identifier
from tidegate_components.node_pools import args as shapes

IDENTIFIERS: Mapping[PoolKind, tuple[Cloud, tuple[str, ...]]] = {
    PoolKind.EKS_NODE_GROUP: (Cloud.AWS, ("nodeGroup", "cluster")),
    PoolKind.AUTO_SCALING_GROUP: (Cloud.AWS, ("autoScalingGroup",)),
    PoolKind.KARPENTER_NODE_POOL: (Cloud.AWS, ("nodePool",)),
    PoolKind.GKE_NODE_POOL: (Cloud.GCP, ("nodePool", "cluster", "project", "location")),
    PoolKind.INSTANCE_GROUP: (Cloud.GCP, ("instanceGroupManager", "project", "location")),
    PoolKind.AKS_AGENT_POOL: (Cloud.AZURE, ("agentPool", "cluster", "resourceGroup")),
    PoolKind.SCALE_SET: (Cloud.AZURE, ("scaleSet", "resourceGroup")),
}
"""Kind → its cloud, and what must name it in that cloud's API."""

SCALERS: Mapping[Scaler, frozenset[PoolKind]] = {
    Scaler.PROVIDER: frozenset({PoolKind.GKE_NODE_POOL, PoolKind.AKS_AGENT_POOL}),
    Scaler.KARPENTER: frozenset({PoolKind.KARPENTER_NODE_POOL}),
}
"""Scaler → the kinds that it can resize; a scaler that is absent can resize the others."""


def parse_existing(name: str, raw: Mapping[str, Any], catalog: Catalog) -> ExistingPoolSpec:
    """Return the pool that the arguments describe; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"existing pool {name}", raw, ExistingPoolArgs)
    check_identifier(read, name)
    cloud, kind = read.choice("cloud", Cloud), read.choice("kind", PoolKind)
    identifiers = _identifiers(read, cloud, kind)
    types = read.texts("instance_types")
    if not types and not read.problems:
        read.refuse("instance_types", None, "is required and is missing", "at least one")
    accelerator, per_node = _hardware(read, cloud, types, catalog)
    capacity_type = read.choice("capacity_type", CapacityType)
    spot = capacity_type is CapacityType.SPOT
    tolerance = InterruptionTolerance.TOLERANT if spot else InterruptionTolerance.INTOLERANT
    labels = read.cost_labels()
    budget = read_entries(read, "disruption_budget", shapes.DisruptionBudgetArgs, DisruptionBudget)
    checkpoint = read_entries(read, "checkpoint", shapes.CheckpointArgs, Checkpoint)
    values: dict[str, Any] = {
        "id": name,
        "cloud": cloud,
        "account": read.text("account", ""),
        "region": read.text("region"),
        "zones": list(read.texts("zones")),
        "kind": kind,
        "cluster": read.text("cluster", ""),
        "accelerator": accelerator,
        "accelerators_per_node": per_node,
        "instance_types": list(types),
        "capacity_type": capacity_type,
        "min_nodes": read.whole("min_nodes", 0),
        "max_nodes": read.whole("max_nodes"),
        "declared_nodes": read.decimal("declared_nodes"),
        "boot_seconds": read.whole("boot_seconds", 300),
        "labels": labels.to_mapping(capacity_pool=name),
        "node_labels": read.text_map("node_labels"),
        "taints": read_entries(read, "taints", shapes.TaintArgs, Taint),
        "priority": read.whole("priority", 0),
        "interruption_tolerance": read.choice(
            "interruption_tolerance", InterruptionTolerance, tolerance
        ),
        "workload_classes": list(read_workload_classes(read, labels)),
        "service_level": read.text("service_level", ""),
        "disruption_budget": budget[0] if budget else None,
        "windows": read_entries(read, "windows", shapes.WindowArgs, Window),
        "schedules": read_entries(read, "schedules", shapes.ScheduleArgs, Schedule),
        "checkpoint": checkpoint[0] if checkpoint else None,
        "scaler": _scaler(read, kind),
        "reservation": read.text("reservation", ""),
        "adopted": True,
    }
    read.finish()
    pool = Pool(**values)
    check_entry(read, pool)
    read.finish()
    return ExistingPoolSpec(pool, identifiers)


def _identifiers(read: Arguments, cloud: Cloud, kind: PoolKind) -> dict[str, str]:
    known = IDENTIFIERS.get(kind)
    kinds = [name.value for name, (owner, _) in IDENTIFIERS.items() if owner is cloud]
    if known is None or known[0] is not cloud:
        reason = f"is no kind of pool on {cloud.value}"
        read.refuse("kind", kind.value, reason, f"one of {', '.join(kinds)}")
        return {}
    given = read.text_map("identifiers")
    for key in known[1]:
        if not given.get(key):
            reason = f"is required for kind {kind.value} and is missing"
            read.refuse(f"identifiers.{key}", None, reason, "its name in the cloud's API")
    return given


def _hardware(
    read: Arguments, cloud: Cloud, types: tuple[str, ...], catalog: Catalog
) -> tuple[str, int]:
    """Return the accelerator and how many a node has: as stated, else as the catalog knows."""
    stated = read.text("accelerator", "")
    count = read.optional_whole("accelerators_per_node")
    name = ""
    if stated:
        try:
            name = catalog.accelerator(stated).name
        except InvalidInput as error:
            read.adopt(error, "accelerator")
    if count is not None:
        return _check_stated(read, name, count)
    shapes_found: set[tuple[str, int | None]] = set()
    for type_name in types:
        try:
            found = catalog.instance_type(cloud, type_name)
        except InvalidInput as error:
            read.adopt(error, "instance_types")
        else:
            shapes_found.add((found.accelerator, found.accelerators_per_node))
    if len(shapes_found) > 1:
        reason = "differ in their accelerators, and no pool can mix those"
        read.refuse("instance_types", ", ".join(types), reason, "types of one shape")
    if len(shapes_found) != 1:
        return name, 0
    ((chip, per_node),) = shapes_found
    if per_node is None or (name and name != chip):
        reason = "is needed: the instance types do not decide it"
        read.refuse("accelerators_per_node", None, reason, "how many a node has; 0 for none")
        return name, 0
    return chip, per_node


def _check_stated(read: Arguments, name: str, count: int) -> tuple[str, int]:
    if bool(name) != bool(count):
        reason = f"does not fit accelerator {name or 'none'}"
        expected = "at least 1 with an accelerator, 0 without"
        read.refuse("accelerators_per_node", count, reason, expected)
    return name, count


def _scaler(read: Arguments, kind: PoolKind) -> Scaler:
    scaler = read.choice("scaler", Scaler)
    allowed = SCALERS.get(scaler)
    fits = kind in allowed if allowed is not None else kind is not PoolKind.KARPENTER_NODE_POOL
    if not fits and kind in IDENTIFIERS:
        others = [
            each.value
            for each in Scaler
            if (kind in SCALERS[each] if each in SCALERS else kind not in SCALERS[Scaler.KARPENTER])
        ]
        reason = f"cannot resize kind {kind.value}"
        read.refuse("scaler", scaler.value, reason, f"one of {', '.join(others)}")
    return scaler
