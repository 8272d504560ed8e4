"""What comes before any price: whether an offering can serve a shape at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tidegate.scaling.fleet import PoolSupply
from tidegate.scaling.offerings import NodeRoom, Offering
from tidegate.scaling.situation import Situation, is_spot
from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.demand import AcceleratorNeed, WorkShape
from tidegate.vocabulary.plans import Cause, CauseKind


@dataclass(frozen=True, slots=True)
class Case:
    """One shape held against one offering of one pool."""

    shape: WorkShape
    offering: Offering
    pool: PoolSupply
    situation: Situation


Check = Callable[[Case], Cause | None]


def find_exclusion(
    shape: WorkShape, offering: Offering, situation: Situation, *, urgent: bool = False
) -> Cause | None:
    """Return the first constraint that keeps a shape off an offering; None when none does.

    Args:
        shape: What the work needs.
        offering: What could be ordered.
        situation: The facts.
        urgent: True when a deadline leaves no time for an interruption.
    """
    case = Case(shape, offering, situation.pools[offering.pool], situation)
    for check in CHECKS:
        cause = check(case)
        if cause is not None:
            return cause
    if urgent and is_spot(offering):
        text = "an interruption would break the deadline"
        return Cause(CauseKind.DEADLINE, offering.id, text)
    return None


def match_need(shape: WorkShape, room: NodeRoom) -> AcceleratorNeed | None:
    """Return the alternative that a node's accelerator satisfies; None without one."""
    for need in shape.accelerators:
        if need.accelerator == room.accelerator:
            return need
    return None


def count_slots(shape: WorkShape, need: AcceleratorNeed | None, room: NodeRoom) -> int:
    """Return the workers of a shape that an empty node takes.

    Args:
        shape: What a worker needs.
        need: The alternative that the node satisfies, as `match_need` finds it.
        room: What the node has.
    """
    slots = []
    if need is not None:
        slots.append(room.accelerators // need.per_worker)
    if shape.vcpus_milli and room.vcpus_milli is not None:
        slots.append(room.vcpus_milli // shape.vcpus_milli)
    if shape.memory_mib and room.memory_mib is not None:
        slots.append(room.memory_mib // shape.memory_mib)
    return min(slots, default=1)


def _check_accelerator(case: Case) -> Cause | None:
    room = case.offering.room
    if not case.shape.accelerators:
        if room.accelerators and not case.situation.settings.cpu_on_accelerators:
            text = "work without accelerators stays off accelerator nodes"
            return Cause(CauseKind.CPU_ON_ACCELERATOR, case.pool.id, text)
        return None
    if match_need(case.shape, room) is None:
        wanted = " or ".join(need.accelerator for need in case.shape.accelerators)
        text = f"has {room.accelerator or 'no accelerator'}, not {wanted}"
        return Cause(CauseKind.ACCELERATOR, case.pool.id, text)
    return None


def _check_size(case: Case) -> Cause | None:
    room = case.offering.room
    if (case.shape.vcpus_milli and room.vcpus_milli is None and not case.shape.accelerators) or (
        case.shape.accelerators and room.accelerators == 0
    ):
        text = f"what a node of {case.offering.instance_type} has is not known"
        return Cause(CauseKind.SHAPE_UNKNOWN, case.offering.id, text)
    if count_slots(case.shape, match_need(case.shape, room), room) < 1:
        text = f"one worker is larger than a node of {case.offering.instance_type}"
        return Cause(CauseKind.TOO_LARGE, case.offering.id, text)
    return None


def _check_residency(case: Case) -> Cause | None:
    allowed = case.shape.placement.residency
    place = f"{case.pool.cloud}/{case.pool.region}"
    if allowed and not {case.pool.cloud, case.pool.region, place} & set(allowed):
        text = f"{place} is outside {', '.join(sorted(allowed))}"
        return Cause(CauseKind.RESIDENCY, case.pool.id, text)
    return None


def _check_interruption(case: Case) -> Cause | None:
    if case.shape.tolerates_interruption():
        return None
    if is_spot(case.offering):
        text = "spot nodes are taken away, and the work does not tolerate it"
        return Cause(CauseKind.INTERRUPTION, case.offering.id, text)
    return None


def _check_pool(case: Case) -> Cause | None:
    need = case.shape.placement
    if need.pools and case.pool.id not in need.pools:
        return Cause(
            CauseKind.POOL, case.pool.id, f"only {', '.join(sorted(need.pools))} are asked for"
        )
    if case.shape.workload_class not in case.pool.workload_classes:
        text = f"takes no work of class {case.shape.workload_class.value}"
        return Cause(CauseKind.WORKLOAD_CLASS, case.pool.id, text)
    if need.isolation and need.isolation != case.pool.isolation:
        text = f"does not give the isolation {need.isolation!r}"
        return Cause(CauseKind.ISOLATION, case.pool.id, text)
    if need.service_level and need.service_level != case.pool.service_level:
        text = f"has not the service level {need.service_level!r}"
        return Cause(CauseKind.SERVICE_LEVEL, case.pool.id, text)
    return None


def _check_node(case: Case) -> Cause | None:
    for key, value in sorted(case.shape.placement.software):
        if case.pool.node_labels.get(key) != value:
            text = f"its nodes do not carry {key}={value}"
            return Cause(CauseKind.SOFTWARE, case.pool.id, text)
    missing = set(case.pool.taints) - set(case.shape.placement.tolerations)
    if missing:
        text = f"its taint {min(missing)} is not tolerated"
        return Cause(CauseKind.TAINT, case.pool.id, text)
    return None


def _check_latency(case: Case) -> Cause | None:
    need = case.shape.placement
    if not need.near_region or need.near_region == case.pool.region:
        return None
    if need.max_latency_ms is None:
        if case.shape.workload_class is not WorkloadClass.INFERENCE:
            return None
        text = f"serving stays in {need.near_region} unless it states how far away it may be"
        return Cause(CauseKind.LATENCY, case.pool.id, text)
    latency = case.situation.market.latency_ms.get((need.near_region, case.pool.region))
    if latency is None:
        text = f"how far {case.pool.region} is from {need.near_region} is not known"
        return Cause(CauseKind.LATENCY, case.pool.id, text)
    if latency > need.max_latency_ms:
        text = f"{latency} ms from {need.near_region}, more than {need.max_latency_ms}"
        return Cause(CauseKind.LATENCY, case.pool.id, text)
    return None


def _check_data(case: Case) -> Cause | None:
    here = f"{case.pool.cloud}/{case.pool.region}"
    for entry in case.shape.data:
        there = f"{entry.cloud}/{entry.region}"
        wanted = ((there, here, entry.read_gb), (here, there, entry.write_gb))
        for start, end, size in wanted:
            if size and start != end and (start, end) not in case.situation.market.lanes:
                text = f"what moving data from {start} to {end} costs is not known"
                return Cause(CauseKind.DATA_GRAVITY, case.pool.id, text)
    return None


CHECKS: tuple[Check, ...] = (
    _check_residency,
    _check_accelerator,
    _check_size,
    _check_interruption,
    _check_pool,
    _check_node,
    _check_latency,
    _check_data,
)
"""In the order in which a person would ask."""
