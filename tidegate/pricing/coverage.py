"""Which nodes a commitment already pays for: their marginal cost is zero."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Commitment, Pool
from tidegate.pricing.figures import NOTHING
from tidegate.pricing.nodes import NodePrices

ONE = Decimal(1)


@dataclass(frozen=True, slots=True)
class Need:
    """Nodes of one pool that want to be covered, and what each would cost otherwise."""

    pool: Pool
    nodes: Decimal
    price: Decimal | None


def cover_nodes(
    commitment: Commitment, needs: Iterable[Need], discount: Decimal
) -> dict[str, Decimal]:
    """Return pool id → nodes that the commitment pays for.

    The dearest nodes are covered first, as the clouds apply their own instruments; equal ones in
    the order of their ids, so that the order of declaration changes nothing.

    Args:
        commitment: What was bought: a number of units, or an amount an hour.
        needs: The nodes of the pools that consume it.
        discount: How much cheaper than on demand an hourly amount buys; 0 where not known.
    """
    ordered = sorted(needs, key=lambda need: (-_per_unit(commitment, need), need.pool.id))
    left = _size(commitment, discount)
    covered: dict[str, Decimal] = {}
    for need in ordered:
        weight = _weight(commitment, need)
        if weight is None or weight == NOTHING:
            covered[need.pool.id] = NOTHING
            continue
        nodes = min(need.nodes, left / weight)
        covered[need.pool.id] = nodes
        left -= nodes * weight
    return covered


def assume_discount(commitment: Commitment, catalog: Catalog) -> Decimal | None:
    """Return the average discount of an hourly-amount commitment; None where none is known.

    Averages are assumptions: what they decide is marked so.
    """
    if commitment.hourly_amount is None or commitment.term_months is None:
        return None
    matching = [
        entry.discount
        for entry in catalog.commitment_discounts(commitment.cloud)
        if entry.term_months == commitment.term_months and entry.upfront_share == 0
    ]
    return matching[0] if matching else None


def needs_of(
    pools: Sequence[Pool],
    commitment: Commitment,
    nodes: Mapping[str, Decimal],
    prices: Mapping[str, NodePrices],
    basis: str,
) -> list[Need]:
    """Return the needs of the pools that consume a commitment, on one basis."""
    return [
        Need(pool, nodes[pool.id], getattr(prices[pool.id], basis))
        for pool in pools
        if pool.reservation == commitment.id
    ]


def _size(commitment: Commitment, discount: Decimal) -> Decimal:
    if commitment.hourly_amount is not None:
        return commitment.hourly_amount / (ONE - discount)
    return Decimal(commitment.units or 0)


def _weight(commitment: Commitment, need: Need) -> Decimal | None:
    """Return how much of the commitment one node uses up; None where that is not known."""
    if commitment.hourly_amount is not None:
        return need.price
    if need.pool.accelerator in commitment.covers:
        return Decimal(need.pool.accelerators_per_node)
    return ONE


def _per_unit(commitment: Commitment, need: Need) -> Decimal:
    weight = _weight(commitment, need)
    if need.price is None or not weight:
        return NOTHING
    return need.price / weight
