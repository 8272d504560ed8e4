"""What commitments cost: paid for whether they are used or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.manifest.model import Commitment, Pool
from tidegate.pricing.figures import NOTHING, Figures
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.nodes import DEFAULT_CURRENCY, SCALED, describe_price, price_of
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.money import HOURS_PER_MONTH

BILLED_ON_DEMAND = "capacity-reservation"
"""The one kind that has no price of its own: an unused reserved node costs its on-demand price."""


@dataclass(frozen=True, slots=True)
class _Rate:
    per_hour: Decimal | None
    currency: str
    used: tuple[UsedPrice, ...] = ()
    unknown: tuple[str, ...] = ()


def price_commitment(commitment: Commitment, pools: Sequence[Pool], catalog: Catalog) -> CostLine:
    """Return the cost of a commitment; nothing where everything is bought on demand.

    The pools that consume it tell which accelerators are attached to its machines.
    """
    rate = _rate(commitment, pools, catalog)
    monthly = None if rate.per_hour is None else rate.per_hour * HOURS_PER_MONTH
    return CostLine(
        kind=LineKind.COMMITMENT,
        id=commitment.id,
        cloud=commitment.cloud,
        region=commitment.region,
        capacity_type=CapacityType.RESERVED,
        currency=rate.currency,
        monthly=Figures(monthly, monthly, monthly, on_demand=NOTHING),
        prices=rate.used,
        unknown=rate.unknown,
    )


def _rate(commitment: Commitment, pools: Sequence[Pool], catalog: Catalog) -> _Rate:
    stated = commitment.price
    currency = stated.currency if stated else DEFAULT_CURRENCY
    used: tuple[UsedPrice, ...] = ()
    if stated is not None:
        what = f"{commitment.kind} {commitment.id}"
        used = (UsedPrice(what, stated.origin, stated.as_of, stated.assumed, bases=SCALED),)
    if commitment.hourly_amount is not None:
        return _Rate(commitment.hourly_amount, currency, used)
    if commitment.units is None:
        reason = f"commitment {commitment.id} states neither units nor an hourly amount"
        return _Rate(None, currency, used, (reason,))
    if stated is not None:
        return _Rate(stated.amount * commitment.units, currency, used)
    if commitment.kind == BILLED_ON_DEMAND:
        return _on_demand_rate(commitment, commitment.units, pools, catalog)
    reason = f"commitment {commitment.id} states no price"
    return _Rate(None, currency, (), (reason,))


def _on_demand_rate(
    commitment: Commitment, units: int, pools: Sequence[Pool], catalog: Catalog
) -> _Rate:
    if len(commitment.covers) != 1:
        reason = f"commitment {commitment.id} covers several types, so its price is not known"
        return _Rate(None, DEFAULT_CURRENCY, (), (reason,))
    name = commitment.covers[0]
    consumers = [pool for pool in pools if pool.reservation == commitment.id]
    attached = {(pool.accelerator, pool.accelerators_per_node) for pool in consumers}
    if len(attached) > 1:
        reason = f"the pools of commitment {commitment.id} differ in their accelerators"
        return _Rate(None, DEFAULT_CURRENCY, (), (reason,))
    chip, count = attached.pop() if attached else ("", 0)
    place = (commitment.cloud, commitment.region, name, CapacityType.ON_DEMAND)
    price = price_of(catalog, *place, chip, count)
    if isinstance(price, UnknownPrice):
        return _Rate(None, DEFAULT_CURRENCY, (), (price.reason,))
    used = describe_price(f"{name} reserved at the on-demand price", price, SCALED)
    return _Rate(price.per_hour.amount * units, price.per_hour.currency, (used,))
