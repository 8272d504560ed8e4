"""From what all pools take to a specification, with every fault reported at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from tidegate.manifest.check import check_pool
from tidegate.manifest.faults import describe_faults
from tidegate.manifest.model import Checkpoint, DisruptionBudget, Schedule, Taint, Window
from tidegate.vocabulary.capacity import (
    CapacityType,
    Cloud,
    InterruptionTolerance,
    Scaler,
    WorkloadClass,
)
from tidegate.vocabulary.labels import CostLabels
from tidegate.vocabulary.problems import InvalidInput, Problem
from tidegate_components.arguments import Arguments
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

Model = TypeVar("Model", bound=BaseModel)


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
    taints = _models(read, "taints", shapes.TaintArgs, Taint)
    budget = _models(read, "disruption_budget", shapes.DisruptionBudgetArgs, DisruptionBudget)
    checkpoint = _models(read, "checkpoint", shapes.CheckpointArgs, Checkpoint)
    windows = _models(read, "windows", shapes.WindowArgs, Window)
    schedules = _models(read, "schedules", shapes.ScheduleArgs, Schedule)
    if hardware is None:
        read_cloud_name(read, NAME_RULES[cloud])
        found = [*read.problems]
        raise InvalidInput([*found, *_remaining(read)])
    spot = capacity_type is CapacityType.SPOT
    tolerance = InterruptionTolerance.TOLERANT if spot else InterruptionTolerance.INTOLERANT
    kind = read_kind(read, cloud)
    cloud_name = read_cloud_name(read, KIND_NAME_RULES.get(kind, NAME_RULES[cloud]))
    choices = choose(read, hardware)
    accelerator = hardware.accelerator
    spec = PoolSpec(
        id=name,
        cloud=cloud,
        region=hardware.region,
        kind=kind,
        account=read.text("account", ""),
        cluster=_plain_cluster(read),
        zones=hardware.zones,
        accelerator=accelerator,
        accelerators_per_node=hardware.per_node,
        instance_types=hardware.instance_types,
        capacity_type=capacity_type,
        reservation=read.text("reservation", ""),
        min_nodes=read.whole("min_nodes", 0),
        max_nodes=read.whole("max_nodes"),
        declared_nodes=read.decimal("declared_nodes"),
        boot_seconds=read.whole("boot_seconds", defaults.boot_seconds),
        disk_gib=read.whole("disk_gib", defaults.disk_gib, minimum=20),
        labels=labels,
        node_labels=build_node_labels(read, name, cloud, accelerator, spot, choices.get("sharing")),
        taints=build_taints(read, taints, cloud, accelerator, spot),
        priority=read.whole("priority", 0),
        interruption_tolerance=read.choice(
            "interruption_tolerance", InterruptionTolerance, tolerance
        ),
        workload_classes=_workload_classes(read, labels),
        service_level=read.text("service_level", ""),
        disruption_budget=budget[0] if budget else DisruptionBudget(max_unavailable_nodes=1),
        windows=tuple(windows),
        schedules=tuple(schedules),
        checkpoint=checkpoint[0] if checkpoint else None,
        scaler=read.choice("scaler", Scaler),
        cloud_name=cloud_name,
        **choices,
    )
    _check_purchase(read, spec)
    check_cloud(read, spec)
    if read.problems:
        # The rest cannot be judged with stand-ins; the bounds can.
        _check_bounds(read, spec.min_nodes, spec.max_nodes)
        read.finish()
    _check_entry(read, spec)
    read.finish()
    return spec


def _models(read: Arguments, key: str, shape: type[Any], model: type[Model]) -> list[Model]:
    """Return the nested objects of an argument as entries of the manifest's model."""
    value = read.plain(key)
    if value is None:
        return []
    single = isinstance(value, Mapping)
    before = len(read.problems)
    if single:
        read.nested(key, shape)
    else:
        read.nested_list(key, shape)
    if len(read.problems) > before:
        return []
    found: list[Model] = []
    for index, item in enumerate([value] if single else value):
        place = key if single else f"{key}[{index}]"
        try:
            found.append(model.model_validate(item))
        except ValidationError as error:
            faults = describe_faults(read.where, item, error)
            read.problems += [
                replace(fault, property=f"{place}.{snake_case(fault.property)}") for fault in faults
            ]
    return found


def _remaining(read: Arguments) -> list[Problem]:
    """Return the faults of what can be judged when the hardware itself was refused."""
    before = len(read.problems)
    _check_bounds(read, read.whole("min_nodes", 0), read.whole("max_nodes"))
    read.choice("scaler", Scaler)
    return read.problems[before:]


def _check_bounds(read: Arguments, low: int, high: int) -> None:
    if low > high:
        read.refuse("min_nodes", low, f"is above max_nodes {high}", f"at most {high}")


def _workload_classes(read: Arguments, labels: CostLabels) -> tuple[WorkloadClass, ...]:
    names = read.texts("workload_classes") or (labels.workload_class.value,)
    known = {member.value for member in WorkloadClass}
    for index, value in enumerate(names):
        if value not in known:
            expected = f"one of {', '.join(sorted(known))}"
            read.refuse(f"workload_classes[{index}]", value, "is no workload class", expected)
    return tuple(WorkloadClass(value) for value in names if value in known)


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


def _check_entry(read: Arguments, spec: PoolSpec) -> None:
    """Apply the manifest's own checks, in the words of the arguments."""
    for problem in check_pool(spec.to_pool()):
        words = {f: snake_case(getattr(problem, f)) for f in ("property", "reason", "expected")}
        read.problems.append(replace(problem, **words))


def snake_case(text: str) -> str:
    """Return the manifest's camelCase names in a text as the arguments spell them."""
    return re.sub(r"(?<=[a-z])([A-Z])(?=[a-z])", lambda match: f"_{match[1].lower()}", text)
