"""What the nodes that are there cost an hour, pool by pool, and what commitments lie idle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tidegate.scaling.fleet import GONE, Fleet
from tidegate.scaling.ledger import ZERO, Ledger
from tidegate.scaling.nodes import offering_of
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.situation import Situation, build_situation
from tidegate.vocabulary.demand import Demand


@dataclass(frozen=True, slots=True)
class PoolCost:
    """What one pool costs.

    Attributes:
        per_hour: The nodes that have a known price; 0 for those that a commitment pays for.
        unpriced_nodes: How many are not in it, since nobody knows their price.
        assumed: True when a price in it is an average or a ratio.
    """

    per_hour: Decimal = ZERO
    unpriced_nodes: int = 0
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class CommitmentUse:
    """How far a commitment is used, in its own units: nodes, accelerators or an amount an hour."""

    units: Decimal
    used: Decimal

    def idle(self) -> Decimal:
        """Return what is paid for and not used."""
        return max(self.units - self.used, ZERO)


@dataclass(frozen=True, slots=True)
class Bill:
    """Every declared pool with its cost, and every commitment that a pool draws on."""

    pools: Mapping[str, PoolCost]
    commitments: Mapping[str, CommitmentUse]

    def per_hour(self) -> Decimal:
        """Return what all pools cost, as far as prices are known."""
        return sum((cost.per_hour for cost in self.pools.values()), ZERO)


def build_bill(fleet: Fleet, market: Offerings, now: datetime) -> Bill:
    """Return what a fleet costs as it is; failed and stopped machines count nothing.

    Args:
        fleet: Pools and nodes.
        market: Prices and commitments.
        now: Commitments that have ended pay for nothing.
    """
    situation = build_situation(fleet, Demand((), ()), market, ScalingSettings(), now)
    ledger = Ledger(situation, [])
    pools = {pool.id: PoolCost() for pool in fleet.pools}
    for node in sorted(fleet.nodes, key=lambda node: node.id):
        if node.phase in GONE or node.pool not in pools:
            continue
        offering = offering_of(node, situation)
        if offering is None:
            pools[node.pool] = _add(pools[node.pool], ZERO, unpriced=True, assumed=False)
            continue
        covered = ledger.is_covered(offering)
        unpriced = not covered and offering.price_of(ledger.nodes[node.pool]) is None
        paid = ledger.add(offering)
        assumed = offering.assumed and not covered and not unpriced
        pools[node.pool] = _add(pools[node.pool], paid, unpriced=unpriced, assumed=assumed)
    return Bill(pools, _uses(situation, ledger))


def _add(cost: PoolCost, paid: Decimal, *, unpriced: bool, assumed: bool) -> PoolCost:
    return PoolCost(cost.per_hour + paid, cost.unpriced_nodes + unpriced, cost.assumed or assumed)


def _uses(situation: Situation, ledger: Ledger) -> dict[str, CommitmentUse]:
    """Return those that a pool draws on; of others nobody here sees the use."""
    drawn = sorted({entry.commitment for entry in situation.offerings.values()} - {""})
    return {
        name: CommitmentUse(
            situation.commitments[name].capacity, ledger.commitment_used.get(name, ZERO)
        )
        for name in drawn
        if name in situation.commitments
    }
