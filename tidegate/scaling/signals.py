"""Which signals can be believed. What cannot is held: nothing shrinks on a missing number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from operator import attrgetter

from tidegate.scaling.fleet import Fleet, Node, NodePhase, RunningWork
from tidegate.scaling.offerings import Offering, Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.stamps import doubt_market, mend_times
from tidegate.vocabulary.demand import Demand, WorkItem, WorkShape
from tidegate.vocabulary.plans import Cause, CauseKind, Hold

PHASE_ORDER = tuple(NodePhase)
SHAPE_NUMBERS = ("vcpus_milli", "memory_mib", "duration_seconds", "wait_target_seconds")
DATA_NUMBERS = ("read_gb", "write_gb")
HABIT_NUMBERS = ("interval_seconds", "write_seconds", "restart_seconds")


@dataclass(frozen=True, slots=True)
class Signals:
    """What is left after doubt.

    Attributes:
        items: Each believed item once, by falling priority, then in the order of arrival.
        refused: Items that make no sense, each with its cause.
        nodes: Each node once, by id.
        declared: Those of them whose pool is declared.
        holds: What is held because of doubt.
        may_shrink: False while any source of demand or the fleet is in doubt.
        may_grow: False while the fleet is in doubt: what is there may already be enough.
    """

    items: tuple[WorkItem, ...]
    refused: tuple[tuple[WorkItem, Cause], ...]
    nodes: tuple[Node, ...]
    declared: tuple[Node, ...]
    holds: tuple[Hold, ...]
    may_shrink: bool
    may_grow: bool


def check_signals(
    fleet: Fleet, demand: Demand, market: Offerings, settings: ScalingSettings, now: datetime
) -> Signals:
    """Return what can be believed and what is held for lack of it."""
    holds: list[Hold] = []
    fleet_fault = _age_fault(fleet.observed_at, settings, now)
    if fleet_fault:
        holds.append(Hold("", f"the fleet was {fleet_fault}: nothing grows or shrinks"))
    doubts = [*_doubt_sources(demand, settings, now), *_doubt_commitments(market)]
    doubts += doubt_market(market)
    items, refused, clashes = _sort_items(demand.items, settings, now)
    doubts += clashes
    nodes, node_doubts = _sort_nodes(fleet.nodes, settings, now)
    doubts += node_doubts
    holds += [Hold("", f"{doubt}: nothing shrinks") for doubt in doubts]
    pools = {pool.id for pool in fleet.pools}
    return Signals(
        items=items,
        refused=refused,
        nodes=nodes,
        declared=tuple([node for node in nodes if node.pool in pools]),
        holds=tuple(holds),
        may_shrink=not holds,
        may_grow=not fleet_fault,
    )


def _doubt_commitments(market: Offerings) -> Iterator[str]:
    """Say which commitments pay for nobody knows how much: what stands on them is not deleted."""
    for entry in sorted(market.commitments, key=attrgetter("id")):
        if _bad(entry.capacity):
            yield f"commitment {entry.id} states {entry.capacity} as its capacity"


def check_offerings(offerings: Offerings) -> dict[str, Cause]:
    """Return offerings whose figures make no sense → why; they are not ordered."""
    return {
        entry.id: Cause(CauseKind.INVALID, entry.id, reason)
        for entry in offerings.offerings
        if (reason := _explain_offering(entry))
    }


def _explain_offering(offering: Offering) -> str:
    amounts = (offering.per_hour, offering.interruptions_per_hour, offering.commitment_weight)
    for amount in amounts:
        if amount is not None and not (amount.is_finite() and amount >= 0):
            return f"states {amount} as an amount"
    sizes = (offering.boot_seconds, offering.quota_units, offering.room.accelerators)
    if min(sizes) < 0:
        return "states a negative size or time"
    return ""


def _age_fault(received: datetime | None, settings: ScalingSettings, now: datetime) -> str:
    if received is None:
        return "never observed"
    if received.tzinfo is None:
        return "observed at a time without a zone"
    age = now - received
    if age > timedelta(seconds=settings.stale_after_seconds):
        return f"last observed {int(age.total_seconds())} s ago"
    if age < -timedelta(seconds=settings.clock_skew_seconds):
        return f"observed {int(-age.total_seconds())} s in the future"
    return ""


def _doubt_sources(demand: Demand, settings: ScalingSettings, now: datetime) -> Iterator[str]:
    if not demand.sources:
        yield "no source of demand was asked"
    for source in sorted(demand.sources, key=lambda entry: (entry.name, entry.fault)):
        fault = source.fault or _age_fault(source.received_at, settings, now)
        if fault:
            yield f"demand from {source.name} is in doubt ({fault})"


def _sort_items(
    items: Iterable[WorkItem], settings: ScalingSettings, now: datetime
) -> tuple[tuple[WorkItem, ...], tuple[tuple[WorkItem, Cause], ...], list[str]]:
    believed: dict[str, WorkItem] = {}
    refused: dict[str, tuple[WorkItem, Cause]] = {}
    faults: dict[int, str] = {}
    latest = now + timedelta(seconds=settings.clock_skew_seconds)
    for item in items:
        known = believed.setdefault(item.id, item)
        # Sources tell of many equal items; each shape is looked at once.
        reason = faults.get(id(item.shape))
        if reason is None:
            reason = faults[id(item.shape)] = explain_shape(item.shape)
        reason = reason or _explain_item(item, latest)
        if known is not item and known != item:
            reason = "is told of twice, and differently"
        if reason:
            first = min(known, item, key=repr)
            refused[item.id] = (first, Cause(CauseKind.INVALID, "", f"{item.id} {reason}"))
    for name in refused:
        del believed[name]
    sorted_refused = tuple(refused[name] for name in sorted(refused))
    ordered = tuple(sort_in_turn(believed.values()))
    return ordered, sorted_refused, [cause.text for _, cause in sorted_refused]


def sort_in_turn(items: Iterable[WorkItem]) -> list[WorkItem]:
    """Return items by falling priority, then in the order of arrival, then by id."""
    # Three sorts by one plain value each are faster than one by a tuple.
    ordered = sorted(items, key=attrgetter("id"))
    ordered.sort(key=attrgetter("queued_at"))
    ordered.sort(key=attrgetter("shape.priority"), reverse=True)
    return ordered


def _explain_item(item: WorkItem, latest: datetime) -> str:
    if item.queued_at.tzinfo is None or (item.deadline and item.deadline.tzinfo is None):
        return "tells a time without a zone"
    if item.queued_at > latest:
        return "was queued in the future"
    return _explain_left(item.work_left_seconds)


def explain_work(work: RunningWork) -> str:
    """Return why what running work asks for or has left to do makes no sense, or ""."""
    fault = explain_shape(work.shape) if work.shape is not None else ""
    return fault or _explain_left(work.work_left_seconds)


def _explain_left(seconds: object) -> str:
    return f"has {seconds} seconds of work left" if seconds is not None and _bad(seconds) else ""


def explain_shape(shape: WorkShape) -> str:
    """Return why a shape makes no sense, or ""."""
    for need in shape.accelerators:
        if _bad(need.per_worker) or need.per_worker < 1:
            return f"asks for {need.per_worker} of {need.accelerator}"
    stated: list[tuple[object, tuple[str, ...]]] = [(shape, SHAPE_NUMBERS)]
    if shape.checkpoint is not None:
        stated.append((shape.checkpoint, HABIT_NUMBERS))
    stated += [(entry, DATA_NUMBERS) for entry in shape.data]
    for owner, names in stated:
        for name in names:
            value = getattr(owner, name)
            if value is not None and _bad(value):
                return f"states {value} as {name}"
    if _bad(shape.workers) or shape.workers < 1:
        return f"has {shape.workers} workers"
    return ""


def _bad(value: object) -> bool:
    """Return whether a number is negative, no number at all, or endless."""
    if type(value) is int:
        return value < 0
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return True
    if isinstance(value, Decimal) and not value.is_finite():
        return True
    return not 0 <= value < Decimal("Infinity")


def _sort_nodes(
    nodes: Iterable[Node], settings: ScalingSettings, now: datetime
) -> tuple[tuple[Node, ...], list[str]]:
    """Return each node once; of two that contradict each other the busier one."""
    latest = now + timedelta(seconds=settings.clock_skew_seconds)
    found: dict[str, Node] = {}
    doubts: set[str] = set()
    for told in nodes:
        node = told
        if not node.has_zones():
            node, odd = mend_times(told, now)
            doubts.update(odd)
        known = found.get(node.id)
        if known is not None and known != node:
            doubts.add(f"node {node.id} is told of twice, and differently")
            node = max(known, node, key=_busyness)
        found[node.id] = node
        if node.since > latest:
            doubts.add(f"node {node.id} changed in the future")
        if node.phase is NodePhase.IDLE and node.work():
            doubts.add(f"node {node.id} is called idle and runs work")
    return tuple(found[name] for name in sorted(found)), sorted(doubts)


def _busyness(node: Node) -> tuple[int, int, str]:
    return len(node.work()), -PHASE_ORDER.index(node.phase), repr(node)
