"""What one node of a pool costs an hour, at best, as declared and at worst."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.manifest.model import Pool
from tidegate.pricing.figures import BASES
from tidegate.pricing.lines import UsedPrice
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price
from tidegate.vocabulary.problems import InvalidInput

DEFAULT_CURRENCY = "USD"
SCALED = ("minimum", "declared", "maximum")
"""The figures that take a pool's own capacity type."""


@dataclass(frozen=True, slots=True)
class NodePrices:
    """Prices of one node for one hour; None where the price is not known.

    A pool may be filled from several instance types: at best from the cheapest, at worst from the
    dearest, and as declared from the first, which is the one that the team asked for.

    Attributes:
        currency: The currency of all of them.
        minimum: Of the cheapest instance type.
        declared: Of the first instance type.
        maximum: Of the dearest instance type.
        on_demand: Of the first instance type, bought on demand.
        used: Where the known ones come from.
        unknown: Why prices are missing.
    """

    currency: str
    minimum: Decimal | None
    declared: Decimal | None
    maximum: Decimal | None
    on_demand: Decimal | None
    used: tuple[UsedPrice, ...]
    unknown: tuple[str, ...]


def price_nodes(pool: Pool, catalog: Catalog) -> NodePrices:
    """Return what a node of the pool costs beyond any commitment.

    Nodes of a reserved pool that exceed its commitment are bought on demand.
    """
    capacity = pool.capacity_type
    if capacity is CapacityType.RESERVED:
        capacity = CapacityType.ON_DEMAND
    found = [(name, _price(pool, catalog, name, capacity)) for name in pool.instance_types]
    first_on_demand = _price(pool, catalog, pool.instance_types[0], CapacityType.ON_DEMAND)
    currency = _currency_of([price for _, price in found])
    bases = BASES if capacity is CapacityType.ON_DEMAND else SCALED
    known: dict[str, Decimal] = {}
    used: list[UsedPrice] = []
    unknown: list[str] = []
    for name, price in found:
        if isinstance(price, UnknownPrice):
            unknown.append(price.reason)
        elif price.per_hour.currency != currency:
            unknown.append(
                f"{name} is priced in {price.per_hour.currency}, the others in {currency}"
            )
        else:
            known[name] = price.per_hour.amount
            used.append(_describe(pool, name, capacity, price, bases))
    on_demand = None
    if isinstance(first_on_demand, UnknownPrice):
        unknown.append(first_on_demand.reason)
    elif first_on_demand.per_hour.currency != currency:
        stated = first_on_demand.per_hour.currency
        unknown.append(f"{pool.instance_types[0]} is priced on demand in {stated}, not {currency}")
    else:
        on_demand = first_on_demand.per_hour.amount
        if bases is SCALED:
            first, bought = pool.instance_types[0], CapacityType.ON_DEMAND
            used.append(_describe(pool, first, bought, first_on_demand, ("on_demand",)))
    # A price missing among several leaves the cheapest and the dearest open.
    complete = len(known) == len(set(pool.instance_types))
    return NodePrices(
        currency=currency,
        minimum=min(known.values()) if complete else None,
        declared=known.get(pool.instance_types[0]),
        maximum=max(known.values()) if complete else None,
        on_demand=on_demand,
        used=tuple(dict.fromkeys(used)),
        unknown=tuple(dict.fromkeys(unknown)),
    )


def price_of(
    catalog: Catalog,
    cloud: Cloud,
    region: str,
    name: str,
    capacity: CapacityType,
    accelerator: str = "",
    count: int = 0,
) -> Price | UnknownPrice:
    """Return the catalog's price; a type that the catalog does not know has an unknown one."""
    try:
        return catalog.price(cloud, region, name, capacity, accelerator, count)
    except InvalidInput as error:
        return UnknownPrice("; ".join(f"{p.value} {p.reason}" for p in error.problems))


def describe_price(what: str, price: Price, bases: tuple[str, ...] = BASES) -> UsedPrice:
    """Return a price as a line lists it."""
    return UsedPrice(what, price.origin, price.as_of, price.assumed, price.negotiated, bases)


def _describe(
    pool: Pool, name: str, capacity: CapacityType, price: Price, bases: tuple[str, ...]
) -> UsedPrice:
    return describe_price(f"{name} {capacity.value} in {pool.region}", price, bases)


def _price(pool: Pool, catalog: Catalog, name: str, capacity: CapacityType) -> Price | UnknownPrice:
    return price_of(
        catalog,
        pool.cloud,
        pool.region,
        name,
        capacity,
        pool.accelerator,
        pool.accelerators_per_node,
    )


def _currency_of(found: list[Price | UnknownPrice]) -> str:
    for price in found:
        if isinstance(price, Price):
            return price.per_hour.currency
    return DEFAULT_CURRENCY
