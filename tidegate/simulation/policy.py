"""What every policy of a simulation answers, ours and the peers'."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Protocol

from tidegate.scaling.fleet import Fleet
from tidegate.scaling.offerings import Offerings
from tidegate.vocabulary.demand import Demand
from tidegate.vocabulary.money import Money
from tidegate.vocabulary.plans import (
    Addition,
    Drain,
    Method,
    Placement,
    Resize,
    ScalingPlan,
    Stop,
)

RULES = Method("heuristic", None, "rules of a peer")


class Policy(Protocol):
    """Something that decides on a fleet, as `tidegate.scaling.decide` does."""

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return what to do now."""

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return in how many seconds it wants to look again, if nothing happens; None: never."""


def build_plan(
    fleet: Fleet,
    orders: dict[str, tuple[str, int]],
    stops: tuple[Stop, ...] = (),
    drains: tuple[Drain, ...] = (),
    placements: tuple[Placement, ...] = (),
) -> ScalingPlan:
    """Return a peer's actions as a plan.

    Args:
        fleet: What is there.
        orders: Offering id → (its pool, new nodes).
        stops: Idle nodes to delete.
        drains: Nodes to empty.
        placements: Seats, where a peer gives any.
    """
    pools = {pool for pool, _ in orders.values()} | {stop.pool for stop in stops}
    resizes = []
    for pool in sorted(pools):
        size = sum(1 for node in fleet.nodes if node.pool == pool)
        additions = tuple(
            Addition(name, nodes, None)
            for name, (mine, nodes) in sorted(orders.items())
            if mine == pool and nodes
        )
        grown = sum(entry.nodes for entry in additions)
        gone = sum(1 for stop in stops if stop.pool == pool)
        resizes.append(Resize(pool, size, size + grown - gone, additions, "", None))
    return ScalingPlan(
        resizes=tuple(resizes),
        drains=drains,
        stops=stops,
        preemptions=(),
        holds=(),
        placements=placements,
        unmet=(),
        per_hour=Money(Decimal(0), "USD"),
        unpriced=(),
        assumed=False,
        method=RULES,
    )
