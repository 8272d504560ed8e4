"""What a fleet may come to cost when not all of a plan can be carried out. Pure.

A plan's cost an hour leaves out what it deletes and what its cloud never delivered. Where a
deletion is refused, those nodes go on costing, or come late; new ones elsewhere would then pass the
hourly ceiling. So deletions go first where the ceiling needs them, and growth waits for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.controller.nodes import PoolSight
from tidegate.controller.orders import Order
from tidegate.scaling.fleet import GONE, Fleet
from tidegate.scaling.offerings import Offering
from tidegate.vocabulary.plans import ScalingPlan

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Spending:
    """How much is left below the ceiling, and what it would take not to shrink a pool.

    Attributes:
        ceiling: What the fleet may cost an hour; None where nothing bounds it.
        then: What it costs once all is done.
        unshrunk: Pool → what it costs beyond that while its deletions are not carried out.
        currency: Of all amounts.
    """

    ceiling: Decimal | None = None
    then: Decimal = ZERO
    unshrunk: Mapping[str, Decimal] = field(default_factory=dict)
    currency: str = ""

    def explain_excess(self, shrunk: Collection[str]) -> str:
        """Return why nothing may grow when only these pools were shrunk; empty when all may."""
        left = {pool: cost for pool, cost in self.unshrunk.items() if pool not in shrunk and cost}
        total = self.then + sum(left.values(), ZERO)
        if self.ceiling is None or not left or total <= self.ceiling:
            return ""
        text = f"while {', '.join(sorted(left))} cannot shrink, the fleet would cost {total:.2f}"
        return f"{text} of at most {self.ceiling} {self.currency} an hour"


def build_spending(
    plan: ScalingPlan,
    ceiling: Decimal | None,
    fleet: Fleet,
    sights: Sequence[PoolSight],
    offerings: Sequence[Offering],
) -> Spending:
    """Return what carrying out only a part of a plan would cost.

    Args:
        plan: What is to be done.
        ceiling: What the fleet may cost an hour.
        fleet: What the plan was made on.
        sights: The pools as their clouds show them.
        offerings: Prices; a pool's dearest counts, and what has none is in no total.
    """
    going = {stop.node for stop in plan.stops}
    staying = Counter(
        node.pool for node in fleet.nodes if node.phase not in GONE and node.id not in going
    )
    unshrunk = {}
    for sight in sights:
        if sight.state is not None:
            beyond = max(0, sight.state.target_nodes - staying[sight.pool.id])
            unshrunk[sight.pool.id] = beyond * _dearest(sight.pool.id, offerings)
    amount = plan.per_hour
    return Spending(ceiling, amount.amount, unshrunk, amount.currency)


def may_free(order: Order) -> bool:
    """Return whether an order only deletes."""
    return order.wanted < order.seen


def _dearest(pool: str, offerings: Sequence[Offering]) -> Decimal:
    prices = [entry.per_hour for entry in offerings if entry.pool == pool and entry.per_hour]
    return max(prices, default=ZERO)
