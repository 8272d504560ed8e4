"""Peers' rules for spot beside on-demand: SkyServe's fallback, and reservations first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tidegate.scaling.fleet import Fleet, Node, NodePhase
from tidegate.scaling.offerings import Offering, Offerings
from tidegate.simulation.peers import (
    above_minimum,
    free_rooms,
    next_review,
    nodes_for_waiting,
    open_offerings,
    order_for,
    work_fits,
)
from tidegate.simulation.policy import build_plan
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import Demand
from tidegate.vocabulary.plans import Drain, ScalingPlan

FIRST = (CapacityType.RESERVED, CapacityType.SPOT, CapacityType.ON_DEMAND)
"""In this order a vendor's autoscaler takes capacity types."""
READY = (NodePhase.IDLE, NodePhase.BUSY)


@dataclass(frozen=True, slots=True)
class Ocean:
    """Reservations first, then spot, then on-demand; back to spot; nodes stay for 25 minutes.

    Attributes:
        stabilization_seconds: How long a node must be idle before it goes, and how long an
            on-demand node stays before its work goes back to spot.
    """

    stabilization_seconds: int = 1500

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return orders in the order of types, idle nodes that go, and one node's way back."""
        rooms = free_rooms(fleet, offerings)
        orders = order_for(demand.items, rooms, fleet, offerings, now, in_order_of_types)
        long = timedelta(seconds=self.stabilization_seconds)
        settled = [node for node in fleet.nodes if now - node.since >= long]
        needed = nodes_for_waiting(demand.items, fleet, offerings)
        idle = [n for n in settled if n.phase is NodePhase.IDLE and n.id not in needed]
        stops = above_minimum(fleet, idle, "idle")
        drains: tuple[Drain, ...] = ()
        if not demand.items and not stops:
            drains = _revert(fleet, settled, offerings)
            if not drains:
                orders |= _order_for_return(fleet, settled, offerings, now)
        return build_plan(fleet, orders, stops, drains)

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return how long the youngest idle node has to wait; with busy nodes, it looks at once."""
        busy = any(node.phase is NodePhase.BUSY for node in fleet.nodes)
        return 60 if busy else next_review(fleet, now, self.stabilization_seconds)


@dataclass(slots=True)
class SkyServe:
    """Spot = target − base, on-demand = base + (spot target − ready spot).

    The target is the nodes that the demand fills; it rises and falls only when the wish has lasted.

    Attributes:
        base: Nodes that are always on-demand.
        up_seconds: How long a greater wish must last (300 by default).
        down_seconds: How long a smaller one must (1,200 by default).
    """

    base: int = 0
    up_seconds: int = 300
    down_seconds: int = 1200
    _target: int = 0
    _wished: list[tuple[datetime, int]] = field(default_factory=list)

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return what is missing of both kinds, and what idles above their targets."""
        target = self._settle(_nodes_wanted(fleet, demand, offerings), now)
        by_kind = {
            kind: min(
                (entry for entry in offerings.offerings if entry.capacity_type is kind),
                key=lambda entry: (entry.per_hour or 0, entry.id),
            )
            for kind in (CapacityType.SPOT, CapacityType.ON_DEMAND)
        }
        spot, safe = by_kind[CapacityType.SPOT], by_kind[CapacityType.ON_DEMAND]
        on_spot = [node for node in fleet.nodes if node.offering == spot.id]
        on_demand = [node for node in fleet.nodes if node.offering == safe.id]
        wanted_spot = max(target - self.base, 0)
        ready = sum(1 for node in on_spot if node.phase in READY)
        wanted_safe = min(self.base, target) + max(wanted_spot - ready, 0)
        refused = any(f.offering == spot.id and f.at == now for f in offerings.failures)
        orders = {safe.id: (safe.pool, max(wanted_safe - len(on_demand), 0))}
        if not refused:
            orders[spot.id] = (spot.pool, max(wanted_spot - len(on_spot), 0))
        stops = above_minimum(
            fleet,
            [*_surplus(on_spot, wanted_spot), *_surplus(on_demand, wanted_safe)],
            "above its target",
        )
        return build_plan(fleet, {name: told for name, told in orders.items() if told[1]}, stops)

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return a minute: wishes are looked at all the time."""
        return 60

    def _settle(self, wish: int, now: datetime) -> int:
        """Return the target: at least the least wish of the time up, at most the greatest down."""
        self._wished.append((now, wish))
        up = min(self._wishes_since(now - timedelta(seconds=self.up_seconds)))
        down = max(self._wishes_since(now - timedelta(seconds=self.down_seconds)))
        self._target = max(min(self._target, down), up)
        longest = timedelta(seconds=max(self.up_seconds, self.down_seconds))
        old = sum(1 for at, _ in self._wished if at <= now - longest)
        self._wished = self._wished[max(old - 1, 0) :]
        return self._target

    def _wishes_since(self, since: datetime) -> list[int]:
        """Return the wish that held at a time, none before the first, and those after it."""
        before = [wish for at, wish in self._wished if at <= since]
        return [before[-1] if before else 0, *(w for at, w in self._wished if at > since)]


def in_order_of_types(offerings: Offerings, now: datetime) -> list[Offering]:
    """Return what was not refused lately, reservations first, then spot, then on-demand."""
    return sorted(
        open_offerings(offerings, now), key=lambda entry: FIRST.index(entry.capacity_type)
    )


def _revert(fleet: Fleet, settled: Iterable[Node], offerings: Offerings) -> tuple[Drain, ...]:
    """Return a drain of one on-demand node whose work fits on spot that is ready."""
    kinds = _kinds(offerings)
    rooms = free_rooms(fleet, offerings)
    on_spot = {
        node.id: rooms[node.id]
        for node in fleet.nodes
        if node.phase in READY and kinds[node.offering] is CapacityType.SPOT
    }
    for node in _busy_on_demand(settled, kinds):
        if work_fits([work.accelerators for work in node.running], dict(on_spot)):
            work = tuple(entry.item for entry in node.running)
            return (Drain(node.id, node.pool, "back to spot", None, work),)
    return ()


def _order_for_return(
    fleet: Fleet, settled: Iterable[Node], offerings: Offerings, now: datetime
) -> dict[str, tuple[str, int]]:
    """Return one spot node for work that may go back, unless one is under way already."""
    kinds = _kinds(offerings)
    spot = [o for o in open_offerings(offerings, now) if o.capacity_type is CapacityType.SPOT]
    coming = any(
        node.phase is NodePhase.IN_FLIGHT and kinds[node.offering] is CapacityType.SPOT
        for node in fleet.nodes
    )
    if coming or not spot or not _busy_on_demand(settled, kinds):
        return {}
    return {spot[0].id: (spot[0].pool, 1)}


def _kinds(offerings: Offerings) -> dict[str, CapacityType]:
    return {entry.id: entry.capacity_type for entry in offerings.offerings}


def _busy_on_demand(nodes: Iterable[Node], kinds: dict[str, CapacityType]) -> list[Node]:
    """Return busy on-demand nodes whose work may move, the emptiest first."""
    found = [
        node
        for node in nodes
        if node.phase is NodePhase.BUSY
        and kinds[node.offering] is CapacityType.ON_DEMAND
        and all(work.workers == 1 for work in node.running)
    ]
    return sorted(found, key=lambda node: (sum(w.accelerators for w in node.running), node.id))


def _nodes_wanted(fleet: Fleet, demand: Demand, offerings: Offerings) -> int:
    """Return the nodes that running and waiting work fills."""
    size = max(entry.room.accelerators for entry in offerings.offerings)
    running = sum(work.accelerators for node in fleet.nodes for work in node.running)
    waiting = sum(
        item.shape.workers * item.shape.accelerators[0].per_worker for item in demand.items
    )
    return -(-(running + waiting) // size)


def _surplus(nodes: Sequence[Node], wanted: int) -> list[Node]:
    """Return idle nodes beyond a number, the youngest first."""
    idle = sorted(
        (node for node in nodes if node.phase is NodePhase.IDLE),
        key=lambda node: (node.since, node.id),
        reverse=True,
    )
    return idle[: max(len(nodes) - wanted, 0)]
