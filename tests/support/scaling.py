"""Small fleets, offerings and demand for the tests of the scaling core."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import Fleet, Node, NodePhase, PoolSupply, RunningWork
from tidegate.scaling.offerings import NodeRoom, Offering, Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import (
    AcceleratorNeed,
    CheckpointHabit,
    Demand,
    SourceHealth,
    WorkItem,
    WorkShape,
)
from tidegate.vocabulary.plans import ScalingPlan

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HABIT = CheckpointHabit(interval_seconds=600, write_seconds=10, restart_seconds=60)


def ago(seconds: int) -> datetime:
    return NOW - timedelta(seconds=seconds)


def pool(id: str = "train", **changes: Any) -> PoolSupply:
    stated: dict[str, Any] = {
        "cloud": "aws",
        "region": "us-east-1",
        "domain": "aws/us-east-1/main",
        "min_nodes": 0,
        "max_nodes": 10,
    }
    return PoolSupply(id=id, **{**stated, **changes})


def offering(pool: str = "train", id: str = "", **changes: Any) -> Offering:
    stated: dict[str, Any] = {
        "instance_type": "p5.48xlarge",
        "capacity_type": CapacityType.ON_DEMAND,
        "room": NodeRoom("h100-80gb", 8, 192_000, 2_000_000),
        "per_hour": Decimal(80),
        "boot_seconds": 240,
    }
    return Offering(id=id or f"{pool}/node", pool=pool, **{**stated, **changes})


def cpu_offering(pool: str = "cpu", **changes: Any) -> Offering:
    stated = {
        "instance_type": "m7i.4xlarge",
        "room": NodeRoom("", 0, 16_000, 64_000),
        "per_hour": Decimal(1),
    }
    return offering(pool, **{**stated, **changes})


def shape(gpus: int = 8, **changes: Any) -> WorkShape:
    needs = (AcceleratorNeed("h100-80gb", gpus),) if gpus else ()
    return WorkShape(**{"accelerators": needs, "checkpoint": HABIT, **changes})


def item(id: str = "job", shape: WorkShape | None = None, **changes: Any) -> WorkItem:
    stated: dict[str, Any] = {"queued_at": ago(60)}
    return WorkItem(id=id, shape=shape or build_shape(), **{**stated, **changes})


def items(count: int, shape: WorkShape | None = None, prefix: str = "job") -> tuple[WorkItem, ...]:
    return tuple(item(f"{prefix}-{number:03}", shape) for number in range(count))


def node(id: str = "n1", pool: str = "train", phase: str = "idle", **changes: Any) -> Node:
    stated: dict[str, Any] = {"offering": f"{pool}/node", "since": ago(7200)}
    return Node(id=id, pool=pool, phase=NodePhase(phase), **{**stated, **changes})


def work(item: str = "run", gpus: int = 8, **changes: Any) -> RunningWork:
    return RunningWork(**{"item": item, "accelerators": gpus, "shape": shape(gpus), **changes})


def demand(*items: WorkItem, sources: Iterable[SourceHealth] | None = None) -> Demand:
    healthy = (SourceHealth("queue", ago(1)),)
    return Demand(items, healthy if sources is None else tuple(sources))


def plan(
    pools: Iterable[PoolSupply],
    offered: Iterable[Offering],
    *waiting: WorkItem,
    nodes: Iterable[Node] = (),
    settings: ScalingSettings | None = None,
    market: dict[str, Any] | None = None,
    now: datetime = NOW,
    asked: Demand | None = None,
    observed_at: datetime | None = NOW,
    **fleet: Any,
) -> ScalingPlan:
    return decide(
        Fleet(tuple(pools), tuple(nodes), observed_at, **fleet),
        demand(*waiting) if asked is None else asked,
        Offerings(tuple(offered), **(market or {})),
        settings or ScalingSettings(),
        now,
    )


def sizes(plan: ScalingPlan) -> dict[str, tuple[int, int]]:
    return {resize.pool: (resize.from_nodes, resize.to_nodes) for resize in plan.resizes}


def ordered(plan: ScalingPlan) -> dict[str, int]:
    return {entry.offering: entry.nodes for resize in plan.resizes for entry in resize.additions}


def causes(plan: ScalingPlan) -> set[str]:
    return {cause.kind.value for unmet in plan.unmet for cause in unmet.causes}


def apply(
    plan: ScalingPlan, nodes: Iterable[Node], offered: Iterable[Offering], now: datetime = NOW
) -> tuple[Node, ...]:
    """Carry a plan out as a cloud would: orders are in flight, deletions gone, drains begun."""
    by_id = {entry.id: entry for entry in offered}
    meant: dict[str, list[str]] = {}
    for placement in plan.placements:
        meant.setdefault(placement.seat, []).append(placement.item)
    stopped = {stop.node for stop in plan.stops}
    drained = {drain.node for drain in plan.drains}
    kept = [
        replace(
            entry,
            phase=NodePhase.DRAINING if entry.id in drained else entry.phase,
            assigned=tuple(meant.get(entry.id, ())),
        )
        for entry in nodes
        if entry.id not in stopped
    ]
    known = {entry.id for entry in nodes}
    for name, count in ordered(plan).items():
        for number in range(count):
            seat = f"{name}#{number}"
            fresh = f"{name}-{len(known)}-{number}"
            kept.append(
                Node(
                    id=fresh,
                    pool=by_id[name].pool,
                    offering=name,
                    phase=NodePhase.IN_FLIGHT,
                    since=now,
                    assigned=tuple(meant.get(seat, ())),
                )
            )
    return tuple(kept)


build_shape = shape
