"""Peers' rules for a queue, as their documentation states them, behind the same interface."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from tidegate.scaling.fleet import Fleet, Node, NodePhase
from tidegate.scaling.offerings import Offering, Offerings
from tidegate.simulation.policy import build_plan
from tidegate.vocabulary.demand import Demand, WorkItem
from tidegate.vocabulary.plans import Drain, ScalingPlan, Stop

REFUSED_FOR = timedelta(minutes=3)
"""How long Karpenter's cache and Cluster Autoscaler's first backoff leave an offering alone."""


@dataclass(frozen=True, slots=True)
class Karpenter:
    """First-fit decreasing, cheapest offering, consolidation of empty and underused nodes.

    Attributes:
        consolidate_after: Seconds without a change on a node before it is looked at.
        evicts: Whether an underused node's work is evicted when it fits on the others.
    """

    consolidate_after: int = 0
    evicts: bool = False

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return orders for what does not fit, then what consolidation deletes."""
        rooms = free_rooms(fleet, offerings)
        orders = order_for(demand.items, rooms, fleet, offerings, now)
        quiet = timedelta(seconds=self.consolidate_after)
        settled = [n for n in fleet.nodes if now - n.since >= quiet]
        idle = [n for n in settled if n.phase is NodePhase.IDLE]
        needed = nodes_for_waiting(demand.items, fleet, offerings)
        stops = above_minimum(fleet, [n for n in idle if n.id not in needed], "empty")
        drains: tuple[Drain, ...] = ()
        if self.evicts and not demand.items and not stops:
            drains = first_underused(fleet, settled, offerings, most=Decimal(1))
        return build_plan(fleet, orders, stops, drains)

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return how long the youngest idle node has to wait."""
        return next_review(fleet, now, self.consolidate_after)


@dataclass(slots=True)
class ClusterAutoscaler:
    """Adds what pending work needs; removes what stayed below a utilisation for some time.

    Attributes:
        unneeded_seconds: How long a node must be underused.
        delay_after_add: How long nothing is removed after nodes were added.
        threshold: Utilisation below which a node is underused.
        evicts: Whether work is moved from underused nodes; else only empty ones go.
    """

    unneeded_seconds: int = 600
    delay_after_add: int = 600
    threshold: Decimal = Decimal("0.5")
    evicts: bool = False
    _added: datetime | None = None
    _unneeded: dict[str, datetime] = field(default_factory=dict)

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return orders for pending work, else what was unneeded for long enough."""
        rooms = free_rooms(fleet, offerings)
        orders = order_for(demand.items, rooms, fleet, offerings, now)
        if orders:
            self._added = now
        needed = nodes_for_waiting(demand.items, fleet, offerings)
        unneeded = [n for n in fleet.nodes if self._is_unneeded(n, offerings, needed)]
        self._unneeded = {n.id: self._unneeded.get(n.id, now) for n in unneeded}
        waits = self._added and now - self._added < timedelta(seconds=self.delay_after_add)
        if waits or orders:
            return build_plan(fleet, orders)
        long = timedelta(seconds=self.unneeded_seconds)
        ripe = [n for n in unneeded if now - self._unneeded[n.id] >= long]
        stops = above_minimum(fleet, [n for n in ripe if n.phase is NodePhase.IDLE], "unneeded")
        drains: tuple[Drain, ...] = ()
        if self.evicts and not stops and not demand.items:
            drains = first_underused(fleet, ripe, offerings, most=self.threshold)
        return build_plan(fleet, orders, stops, drains)

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return the rest of the time that an unneeded node has to wait."""
        if not self._unneeded:
            return None
        ripe = min(self._unneeded.values()) + timedelta(seconds=self.unneeded_seconds)
        if self._added:
            ripe = max(ripe, self._added + timedelta(seconds=self.delay_after_add))
        return max(int((ripe - now).total_seconds()), 60)

    def _is_unneeded(self, node: Node, offerings: Offerings, needed: frozenset[str]) -> bool:
        if node.phase is NodePhase.IDLE:
            return node.id not in needed
        if not self.evicts or node.phase is not NodePhase.BUSY:
            return False
        return busy_share(node, offerings) < self.threshold


@dataclass(frozen=True, slots=True)
class Static:
    """A fleet of one size, as many buy it: its pools' minima, and nothing else."""

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return what is missing below the minima."""
        orders = {}
        for pool in fleet.pools:
            there = sum(1 for node in fleet.nodes if node.pool == pool.id)
            mine = next(entry for entry in offerings.offerings if entry.pool == pool.id)
            if pool.min_nodes > there:
                orders[mine.id] = (pool.id, pool.min_nodes - there)
        return build_plan(fleet, orders)

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return None: nothing changes."""
        return None


def free_rooms(fleet: Fleet, offerings: Offerings) -> dict[str, int]:
    """Return the free accelerators of each node, there or in flight."""
    sizes = {entry.id: entry.room.accelerators for entry in offerings.offerings}
    return {
        node.id: sizes[node.offering] - sum(work.accelerators for work in node.running)
        for node in fleet.nodes
    }


def order_for(
    items: Iterable[WorkItem],
    rooms: dict[str, int],
    fleet: Fleet,
    offerings: Offerings,
    now: datetime,
    rank: Callable[[Offerings, datetime], list[Offering]] | None = None,
) -> dict[str, tuple[str, int]]:
    """Return new nodes for what does not fit, the largest first, at the first open offering.

    Args:
        items: Who waits.
        rooms: Node → free accelerators.
        fleet: What is there.
        offerings: The market.
        now: The time.
        rank: Orders the offerings that are open; the cheapest first where it is None.
    """
    left = dict(rooms)
    orders: dict[str, int] = {}
    chosen = (rank or open_offerings)(offerings, now)
    for item in sorted(items, key=_by_size):
        need = item.shape.accelerators[0].per_worker
        for _ in range(item.shape.workers):
            seat = next((name for name, free in left.items() if free >= need), None)
            if seat is None:
                offering = next((o for o in chosen if _may_add(o, fleet, orders, chosen)), None)
                if offering is None:
                    break
                orders[offering.id] = orders.get(offering.id, 0) + 1
                seat = f"{offering.id}#{orders[offering.id]}"
                left[seat] = offering.room.accelerators
            left[seat] -= need
    pools = {entry.id: entry.pool for entry in offerings.offerings}
    return {name: (pools[name], count) for name, count in orders.items()}


def open_offerings(offerings: Offerings, now: datetime) -> list[Offering]:
    """Return what was not refused lately, the cheapest first."""
    refused = {f.offering for f in offerings.failures if now - f.at < REFUSED_FOR}
    mine = [entry for entry in offerings.offerings if entry.id not in refused]
    return sorted(mine, key=lambda entry: (entry.per_hour or Decimal(0), entry.id))


def _may_add(
    offering: Offering, fleet: Fleet, orders: dict[str, int], every: Sequence[Offering]
) -> bool:
    pool = next(entry for entry in fleet.pools if entry.id == offering.pool)
    there = sum(1 for node in fleet.nodes if node.pool == pool.id)
    new = sum(orders.get(entry.id, 0) for entry in every if entry.pool == pool.id)
    return there + new < pool.max_nodes


def _by_size(item: WorkItem) -> tuple[int, int, datetime, str]:
    shape = item.shape
    return -shape.accelerators[0].per_worker, -shape.workers, item.queued_at, item.id


def nodes_for_waiting(
    items: Sequence[WorkItem], fleet: Fleet, offerings: Offerings
) -> frozenset[str]:
    """Return idle nodes that waiting work fits on: they are not empty for long."""
    if not items:
        return frozenset()
    left, found = free_rooms(fleet, offerings), set()
    for item in sorted(items, key=_by_size):
        need = item.shape.accelerators[0].per_worker
        for _ in range(item.shape.workers):
            seat = next((name for name, free in left.items() if free >= need), None)
            if seat is not None:
                left[seat] -= need
                found.add(seat)
    return frozenset(found)


def above_minimum(fleet: Fleet, nodes: Iterable[Node], reason: str) -> tuple[Stop, ...]:
    """Return stops that leave every pool its minimum."""
    spare = {
        pool.id: sum(1 for node in fleet.nodes if node.pool == pool.id) - pool.min_nodes
        for pool in fleet.pools
    }
    stops = []
    for node in nodes:
        if spare[node.pool] > 0:
            spare[node.pool] -= 1
            stops.append(Stop(node.id, node.pool, reason, None))
    return tuple(stops)


def busy_share(node: Node, offerings: Offerings) -> Decimal:
    """Return the share of a node's accelerators that work takes."""
    size = next(e.room.accelerators for e in offerings.offerings if e.id == node.offering)
    return Decimal(sum(work.accelerators for work in node.running)) / size


def first_underused(
    fleet: Fleet, nodes: Iterable[Node], offerings: Offerings, most: Decimal
) -> tuple[Drain, ...]:
    """Return a drain of the emptiest busy node whose work fits on ready others; one at a time."""
    rooms = free_rooms(fleet, offerings)
    busy = [n for n in nodes if n.phase is NodePhase.BUSY and busy_share(n, offerings) < most]
    ready = {n.id for n in fleet.nodes if n.phase in (NodePhase.IDLE, NodePhase.BUSY)}
    for node in sorted(busy, key=lambda n: (busy_share(n, offerings), n.id)):
        if any(work.workers > 1 for work in node.running):
            continue
        others = {name: rooms[name] for name in sorted(ready) if name != node.id}
        if work_fits([work.accelerators for work in node.running], others):
            work = tuple(entry.item for entry in node.running)
            return (Drain(node.id, node.pool, "underused", None, work),)
    return ()


def work_fits(needs: Sequence[int], rooms: dict[str, int]) -> bool:
    """Return whether all of it fits; what fits is taken off the rooms."""
    for need in sorted(needs, reverse=True):
        seat = next((name for name, free in rooms.items() if free >= need), None)
        if seat is None:
            return False
        rooms[seat] -= need
    return True


def next_review(fleet: Fleet, now: datetime, after: int) -> int | None:
    """Return the seconds until the first idle node has been so for long enough; None: none is."""
    idle = [node.since for node in fleet.nodes if node.phase is NodePhase.IDLE]
    if not idle:
        return None
    return max(int((min(idle) + timedelta(seconds=after) - now).total_seconds()), 60)
