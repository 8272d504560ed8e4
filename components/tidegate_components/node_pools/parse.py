"""From what all pools take to a specification, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tidegate.manifest.model import Checkpoint, DisruptionBudget, Schedule, Taint, Window
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    Scaler,
)
from tidegate.vocabulary.labels import CostLabels
from tidegate.vocabulary.problems import InvalidInput, Problem
from tidegate_components.arguments import Arguments
from tidegate_components.entries import check_entry, read_entries, read_workload_classes
from tidegate_components.node_pools import args as shapes
from tidegate_components.node_pools.hardware import Hardware
from tidegate_components.node_pools.kinds import (
    KIND_NAME_RULES,
    NAME_RULES,
    read_cloud_name,
    read_kind,
)
from tidegate_components.node_pools.nodes import build_node_labels, build_taints
from tidegate_components.node_pools.rules import check_cloud
from tidegate_components.node_pools.spec import PoolSpec

Choose = Callable[[Arguments, Hardware], dict[str, Any]]
"""Reads what only one component, or one cloud, takes: the specification's fields by name."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds unless stated: the boot disk, and seconds from a request to a ready node."""

    disk_gib: int
    boot_seconds: int


def parse_nodes(
    read: Arguments,
    name: str,
    cloud: Cloud,
    hardware: Hardware | None,
    choose: Choose,
    defaults: Defaults,
) -> PoolSpec:
    """Return the pool that the arguments declare; `name` is its id.

    Args:
        read: The arguments.
        name: The pool's id.
        cloud: Where it is.
        hardware: Its machines; None when they were refused.
        choose: Reads what only this sort of pool takes.
        defaults: What holds unless stated.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    capacity_type = read.choice("capacity_type", CapacityType)
    labels = read.cost_labels()
    taints = read_entries(read, "taints", shapes.TaintArgs, Taint)
    care = _read_care(read)
    if hardware is None:
        read_cloud_name(read, NAME_RULES[cloud])
        found = [*read.problems]
        raise InvalidInput([*found, *_remaining(read)])
    is_spot = capacity_type is CapacityType.SPOT
    kind = read_kind(read, cloud)
    cloud_name = read_cloud_name(read, KIND_NAME_RULES[kind])
    choices = choose(read, hardware)
    chip = hardware.accelerator
    spec = PoolSpec(
        id=name,
        cloud=cloud,
        region=hardware.region,
        kind=kind,
        account=read.text("account", ""),
        cluster=_plain_cluster(read),
        zones=hardware.zones,
        accelerator=chip,
        accelerators_per_node=hardware.per_node,
        instance_types=hardware.instance_types,
        capacity_type=capacity_type,
        labels=labels,
        node_labels=build_node_labels(read, name, cloud, chip, is_spot, choices.get("sharing")),
        taints=build_taints(read, taints, cloud, chip, is_spot),
        cloud_name=cloud_name,
        **_read_size(read, defaults),
        **_read_use(read, labels, is_spot),
        **care,
        **choices,
    )
    _check_purchase(read, spec)
    check_cloud(read, spec)
    if read.problems:
        # The rest cannot be judged with stand-ins; the bounds can.
        _check_bounds(read, spec.min_nodes, spec.max_nodes)
        read.finish()
    check_entry(read, spec.to_pool())
    read.finish()
    return spec


def _read_care(read: Arguments) -> dict[str, Any]:
    """Return how nodes may be disrupted, and when other bounds hold."""
    budgets = read_entries(read, "disruption_budget", shapes.DisruptionBudgetArgs, DisruptionBudget)
    checkpoints = read_entries(read, "checkpoint", shapes.CheckpointArgs, Checkpoint)
    return {
        "disruption_budget": (budgets or [DisruptionBudget(max_unavailable_nodes=1)])[0],
        "checkpoint": checkpoints[0] if checkpoints else None,
        "windows": tuple(read_entries(read, "windows", shapes.WindowArgs, Window)),
        "schedules": tuple(read_entries(read, "schedules", shapes.ScheduleArgs, Schedule)),
    }


def _read_size(read: Arguments, defaults: Defaults) -> dict[str, Any]:
    """Return how many nodes there are, how large, and how soon."""
    return {
        "reservation": read.text("reservation", ""),
        "min_nodes": read.whole("min_nodes", 0),
        "max_nodes": read.whole("max_nodes"),
        "declared_nodes": read.decimal("declared_nodes"),
        "boot_seconds": read.whole("boot_seconds", defaults.boot_seconds),
        "disk_gib": read.whole("disk_gib", defaults.disk_gib, minimum=20),
    }


def _read_use(read: Arguments, labels: CostLabels, is_spot: bool) -> dict[str, Any]:
    """Return what the pool is for, and who resizes it."""
    usual = InterruptionTolerance.TOLERANT if is_spot else InterruptionTolerance.INTOLERANT
    return {
        "priority": read.whole("priority", 0),
        "interruption_tolerance": read.choice(
            "interruption_tolerance", InterruptionTolerance, usual
        ),
        "workload_classes": read_workload_classes(read, labels),
        "service_level": read.text("service_level", ""),
        "scaler": read.choice("scaler", Scaler),
    }


def _remaining(read: Arguments) -> list[Problem]:
    """Return the faults of what can be judged when the hardware itself was refused."""
    before = len(read.problems)
    _check_bounds(read, read.whole("min_nodes", 0), read.whole("max_nodes"))
    read.choice("scaler", Scaler)
    return read.problems[before:]


def _check_bounds(read: Arguments, low: int, high: int) -> None:
    if low > high:
        read.refuse("min_nodes", low, f"is above max_nodes {high}", f"at most {high}")


def _plain_cluster(read: Arguments) -> str:
    """Return the cluster's name for the manifest; empty when it is known only after creation."""
    cluster = read.input("cluster")
    return cluster if isinstance(cluster, str) else ""


def _check_purchase(read: Arguments, spec: PoolSpec) -> None:
    """Refuse what cannot be bought so: spot with a reservation, reserved without one."""
    if spec.reservation and not spec.is_reserved:
        reason = f"cannot be consumed by capacity_type {spec.capacity_type.value}"
        read.refuse("reservation", spec.reservation, reason, "capacity_type reserved, or none")
    if spec.is_reserved and not spec.reservation:
        reason = "is needed by capacity_type reserved and is missing"
        read.refuse("reservation", None, reason, "the id of a declared commitment")
    if spec.max_nodes == 0:
        read.refuse("max_nodes", 0, "leaves the pool without any node, ever", "at least 1")
