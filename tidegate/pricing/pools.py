"""What pools cost beyond their commitments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Commitment, Pool
from tidegate.pricing.coverage import assume_discount, cover_nodes, needs_of
from tidegate.pricing.figures import BASES, NOTHING, Figures
from tidegate.pricing.lines import CostLine, LineKind
from tidegate.pricing.nodes import SCALED, NodePrices, price_nodes
from tidegate.vocabulary.capacity import CapacityType, split_purchase
from tidegate.vocabulary.money import HOURS_PER_MONTH

Entry = TypeVar("Entry")
Counts = Mapping[str, Decimal]
"""Pool id → a number of nodes."""

NO_EXPECTATION = "declares no expected number of nodes, so its minimum is counted as declared"


def price_pools(
    pools: Sequence[Pool], commitments: Sequence[Commitment], catalog: Catalog
) -> list[CostLine]:
    """Return one line a pool: nodes that a commitment pays for cost nothing more here."""
    prices = {pool.id: price_nodes(pool, catalog) for pool in pools}
    nodes = {basis: {pool.id: count_nodes(pool, basis) for pool in pools} for basis in BASES}
    covered = {
        basis: _cover(pools, commitments, catalog, nodes[basis], prices, basis)
        for basis in BASES
        if basis != "on_demand"
    }
    covered["on_demand"] = {}
    assumed = {entry.id for entry in commitments if assume_discount(entry, catalog) is not None}
    return [
        _build_line(
            pool,
            prices[pool.id],
            {
                basis: nodes[basis][pool.id] - covered[basis].get(pool.id, NOTHING)
                for basis in BASES
            },
            floor=_price_floor(pool, catalog),
            coverage_assumed=pool.reservation in assumed,
        )
        for pool in pools
    ]


def count_nodes(pool: Pool, basis: str) -> Decimal:
    """Return the nodes of a pool on one basis; schedules widen the bounds that they touch."""
    if basis == "minimum":
        return Decimal(min([pool.min_nodes, *(entry.min_nodes for entry in pool.schedules)]))
    if basis == "maximum":
        return Decimal(max([pool.max_nodes, *(entry.max_nodes for entry in pool.schedules)]))
    return Decimal(pool.min_nodes) if pool.declared_nodes is None else pool.declared_nodes


def _cover(
    pools: Sequence[Pool],
    commitments: Sequence[Commitment],
    catalog: Catalog,
    nodes: Counts,
    prices: Mapping[str, NodePrices],
    basis: str,
) -> Counts:
    covered: dict[str, Decimal] = {}
    for commitment in commitments:
        discount = assume_discount(commitment, catalog) or NOTHING
        needs = needs_of(pools, commitment, nodes, prices, basis)
        covered |= cover_nodes(commitment, needs, discount)
    return covered


def _price_floor(pool: Pool, catalog: Catalog) -> NodePrices | None:
    """Return what the nodes cost that a spot pool buys on demand; None where it buys none so."""
    if not (pool.on_demand_base_nodes or pool.on_demand_percent_above_base):
        return None
    return price_nodes(pool.model_copy(update={"capacity_type": CapacityType.ON_DEMAND}), catalog)


def _build_line(
    pool: Pool,
    prices: NodePrices,
    paid_nodes: Counts,
    *,
    floor: NodePrices | None,
    coverage_assumed: bool,
) -> CostLine:
    monthly = Figures(
        **{basis: _cost_of(pool, basis, paid_nodes[basis], prices, floor) for basis in BASES}
    )
    missing = monthly.unknown_bases()
    bought = [prices] if floor is None else [prices, floor]
    notes = [NO_EXPECTATION] if pool.declared_nodes is None and pool.max_nodes else []
    if coverage_assumed:
        notes.append("what its commitment covers follows from an average discount, an assumption")
    spends = any(paid_nodes[basis] for basis in BASES)
    return CostLine(
        kind=LineKind.POOL,
        id=pool.id,
        cloud=pool.cloud,
        region=pool.region,
        capacity_type=pool.capacity_type,
        currency=prices.currency,
        monthly=monthly,
        prices=_each_once(each.used for each in bought) if spends else (),
        unknown=_each_once(each.unknown for each in bought) if missing else (),
        notes=tuple(notes),
    )


def _cost_of(
    pool: Pool, basis: str, nodes: Decimal, prices: NodePrices, floor: NodePrices | None
) -> Decimal | None:
    """Return what the nodes of one basis cost a month; None where a price of them is not known."""
    if floor is None or basis not in SCALED:
        return _cost(nodes, getattr(prices, basis))
    base, percent = pool.on_demand_base_nodes, pool.on_demand_percent_above_base
    on_demand, spot = split_purchase(nodes, base, percent)
    costs = (_cost(on_demand, getattr(floor, basis)), _cost(spot, getattr(prices, basis)))
    if floor.currency != prices.currency and on_demand and spot:
        return None
    return None if None in costs else sum(filter(None, costs), NOTHING)


def _each_once(groups: Iterable[tuple[Entry, ...]]) -> tuple[Entry, ...]:
    return tuple(dict.fromkeys(entry for group in groups for entry in group))


def _cost(nodes: Decimal, per_hour: Decimal | None) -> Decimal | None:
    if nodes == NOTHING:
        return NOTHING
    return None if per_hour is None else nodes * per_hour * HOURS_PER_MONTH
