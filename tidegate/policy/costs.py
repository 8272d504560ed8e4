"""What one machine costs an hour at list price, for rules that compare it with a ceiling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price
from tidegate.vocabulary.problems import InvalidInput

_BOUGHT = {
    "spot": CapacityType.SPOT,
    "on-demand": CapacityType.ON_DEMAND,
    # Above its base a mixed group may come down to on-demand machines: the dearer bound.
    "mixed": CapacityType.ON_DEMAND,
}


def price_machines(cloud: Cloud | None, facts: dict[str, Any], catalog: Catalog | None) -> None:
    """Add `price` to each of a resource's machine sets in `facts`.

    `price` is `{amount, currency, assumed}` of the dearest of the set's types, for one machine and
    one hour, the amount a decimal text; null where a price is not known, which is never zero.
    What is reserved is paid for by its reservation and has no price of its own.
    """
    for machines in facts.get("machines", ()):
        machines["price"] = _find_price(cloud, machines, facts.get("region"), catalog)


def _find_price(
    cloud: Cloud | None,
    machines: Mapping[str, Any],
    region: Mapping[str, Any] | None,
    catalog: Catalog | None,
) -> dict[str, Any] | None:
    types = (machines.get("types") or {}).get("value")
    bought = _BOUGHT.get((machines.get("capacity") or {}).get("value", ""))
    place = (region or {}).get("value")
    if catalog is None or cloud is None or not types or bought is None or not place:
        return None
    prices = [_look_up(catalog, cloud, place, name, bought) for name in types]
    known = [price for price in prices if price is not None]
    if len(known) < len(prices):
        return None
    dearest = max(known, key=lambda price: price.per_hour.amount)
    return {
        "amount": f"{dearest.per_hour.amount:f}",
        "currency": dearest.per_hour.currency,
        "assumed": dearest.assumed,
    }


def _look_up(
    catalog: Catalog, cloud: Cloud, region: str, name: str, bought: CapacityType
) -> Price | None:
    try:
        price = catalog.price(cloud, region, name, bought)
    except InvalidInput:
        return None
    return None if isinstance(price, UnknownPrice) else price
