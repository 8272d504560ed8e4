"""What one machine costs an hour at list price, for rules that compare it with a ceiling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.pricing.nodes import price_of
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price

_BOUGHT = {
    "spot": CapacityType.SPOT,
    "on-demand": CapacityType.ON_DEMAND,
    # Above its base a mixed group may come down to on-demand machines: the dearer bound.
    "mixed": CapacityType.ON_DEMAND,
}


def price_machines(cloud: Cloud | None, facts: dict[str, Any], catalog: Catalog | None) -> None:
    """Add `price` to each of a resource's machine sets in `facts`, and `unpriced` to some.

    `price` is `{amount, currency, assumed}` of the dearest of the set's types with what is
    attached to it, for one machine and one hour, the amount a decimal text; null where a price is
    not known, which is never zero. `unpriced` says why the catalog knows none. What is reserved is
    paid for by its reservation and has no price of its own.
    """
    for machines in facts.get("machines", ()):
        price = _find_price(cloud, machines, facts.get("region"), catalog)
        if isinstance(price, UnknownPrice):
            machines["unpriced"] = price.reason
        machines["price"] = _show(price) if isinstance(price, Price) else None


def price_attached(
    catalog: Catalog,
    cloud: Cloud,
    region: str,
    name: str,
    bought: CapacityType,
    attached: Mapping[str, Any] | None,
) -> Price | UnknownPrice:
    """Return the price of a machine for an hour with the accelerators that are attached to it.

    Args:
        catalog: Where prices are looked up.
        cloud: Whose machine it is.
        region: Where it runs.
        name: Its instance type.
        bought: How it is bought.
        attached: The fact of what is attached (`facts.attached`); None where nothing can be.
    """
    machine = catalog.types.get((cloud, name))
    is_built_in = machine is not None and bool(machine.accelerator)
    # What is built in has to be named among what is attached, and is in the machine's own price.
    if attached is None or attached["state"] == "absent" or is_built_in:
        return price_of(catalog, cloud, region, name, bought)
    if attached["state"] == "hidden":
        return UnknownPrice(f"the accelerators attached to {name} are not known yet")
    kinds = attached["value"]
    if len(kinds) > 1:
        return UnknownPrice(f"several kinds of accelerators are attached to {name}")
    (kind,) = kinds
    return price_of(catalog, cloud, region, name, bought, kind["type"], kind["count"])


def _find_price(
    cloud: Cloud | None,
    machines: Mapping[str, Any],
    region: Mapping[str, Any] | None,
    catalog: Catalog | None,
) -> Price | UnknownPrice | None:
    types = (machines.get("types") or {}).get("value")
    bought = _BOUGHT.get((machines.get("capacity") or {}).get("value", ""))
    place = (region or {}).get("value")
    if catalog is None or cloud is None or not types or bought is None or not place:
        return None
    attached = machines.get("attached")
    prices = [price_attached(catalog, cloud, place, name, bought, attached) for name in types]
    unknown = next((price for price in prices if isinstance(price, UnknownPrice)), None)
    known = [price for price in prices if isinstance(price, Price)]
    return unknown or max(known, key=lambda price: price.per_hour.amount)


def _show(price: Price) -> dict[str, Any]:
    return {
        "amount": f"{price.per_hour.amount:f}",
        "currency": price.per_hour.currency,
        "assumed": price.assumed,
    }
