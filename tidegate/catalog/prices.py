"""Prices of one node: negotiated first, then listed, then assumed, else unknown with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidegate.catalog.model import (
    InstanceType,
    ListedPrice,
    PriceSource,
    SpotAssumption,
    UnknownPrice,
)
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Money, Price
from tidegate.vocabulary.problems import refuse

ATTACHED = "attached:"
"""Names of rows that price an attached accelerator instead of a machine."""

EVERYWHERE = "*"
"""The region of a price that its source states for every region."""

PriceKey = tuple[Cloud, str, CapacityType]


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by (cloud, type, capacity type), then region.

    Attributes:
        listed: Public prices.
        negotiated: A user's own prices, which go first.
        sources: Source id → origin, date and whether it is an assumption.
        currency: The currency of the listed prices.
    """

    listed: Mapping[PriceKey, Mapping[str, ListedPrice]]
    sources: Mapping[str, PriceSource]
    currency: str
    negotiated: Mapping[PriceKey, Mapping[str, Price]] = field(default_factory=dict)

    def regions(self, cloud: Cloud) -> set[str]:
        """Return the regions for which any price of this cloud is known."""
        tables: list[Mapping[PriceKey, Mapping[str, object]]] = [self.listed, self.negotiated]
        found = {
            region
            for table in tables
            for key, by_region in table.items()
            if key[0] is cloud
            for region in by_region
        }
        return found - {EVERYWHERE}

    def has_price(self, cloud: Cloud, region: str, name: str) -> bool:
        """Return whether a public on-demand or spot price is listed for the region."""
        return any(
            region in self.listed.get((cloud, name, capacity), {})
            for capacity in (CapacityType.ON_DEMAND, CapacityType.SPOT)
        )


def find_price(
    table: PriceTable,
    instance_type: InstanceType,
    region: str,
    capacity: CapacityType,
    spot: SpotAssumption,
) -> Price | UnknownPrice:
    """Return the price of a node without what is attached to it."""
    key = (instance_type.cloud, instance_type.name, capacity)
    own = table.negotiated.get(key, {})
    if region in own or EVERYWHERE in own:
        return own.get(region) or own[EVERYWHERE]
    if capacity is CapacityType.RESERVED:
        return UnknownPrice("reserved capacity costs what its commitment states, not a list price")
    listed = table.listed.get(key, {}).get(region)
    if listed is not None:
        return _explain(table, listed)
    if capacity is CapacityType.SPOT:
        return _assume_spot(table, instance_type, region, spot)
    return UnknownPrice(_why_unknown(table, instance_type, region))


def find_attached(
    table: PriceTable, machine: InstanceType, chip: str, count: int, capacity: CapacityType
) -> Price | UnknownPrice:
    """Return the price of accelerators attached to a machine.

    Raises:
        InvalidInput: When the machine does not take that accelerator or that many of it.
    """
    if count not in machine.attachable.get(chip, ()):
        raise _refuse_attachment(machine, chip, count)
    listed = table.listed.get((machine.cloud, ATTACHED + chip, capacity), {}).get(EVERYWHERE)
    if listed is None:
        return UnknownPrice(f"no {capacity.value} price of an attached {chip} is known")
    price = _explain(table, listed)
    return Price(price.per_hour * count, price.as_of, price.origin, price.assumed)


def add_prices(first: Price | UnknownPrice, second: Price | UnknownPrice) -> Price | UnknownPrice:
    """Return the sum, as old as the older and as assumed as the worse; unknown if either is."""
    if isinstance(first, UnknownPrice):
        return first
    if isinstance(second, UnknownPrice):
        return second
    if first.per_hour.currency != second.per_hour.currency:
        return UnknownPrice("machine and accelerator are priced in two currencies")
    return Price(
        first.per_hour + second.per_hour,
        min(first.as_of, second.as_of),
        f"{first.origin}; {second.origin}",
        first.assumed or second.assumed,
        first.negotiated or second.negotiated,
    )


def _explain(table: PriceTable, listed: ListedPrice) -> Price:
    source = table.sources[listed.source]
    money = Money(listed.amount, table.currency)
    return Price(money, source.as_of, source.origin, source.assumed)


def _assume_spot(
    table: PriceTable, instance_type: InstanceType, region: str, spot: SpotAssumption
) -> Price | UnknownPrice:
    if instance_type.purchase and "spot" not in instance_type.purchase:
        return UnknownPrice(f"{instance_type.name} is not sold as spot")
    on_demand = table.listed.get(
        (instance_type.cloud, instance_type.name, CapacityType.ON_DEMAND), {}
    ).get(region)
    if on_demand is None:
        return UnknownPrice(_why_unknown(table, instance_type, region))
    if instance_type.cloud not in spot.clouds:
        return UnknownPrice(f"no spot price of {instance_type.name} is listed for {region}")
    base = _explain(table, on_demand)
    origin = f"{spot.ratio} of the on-demand price ({base.origin}); {spot.origin}"
    return Price(base.per_hour * spot.ratio, base.as_of, origin, assumed=True)


def _why_unknown(table: PriceTable, instance_type: InstanceType, region: str) -> str:
    listed = table.listed.get((instance_type.cloud, instance_type.name, CapacityType.ON_DEMAND), {})
    if not listed:
        return f"no price of {instance_type.name} is known in any region"
    known = ", ".join(sorted(listed)[:3]) + (", …" if len(listed) > 3 else "")
    return f"no price of {instance_type.name} is known for {region} (known for {known})"


def _refuse_attachment(machine: InstanceType, chip: str, count: int) -> Exception:
    if machine.accelerator:
        reason = f"{machine.name} has {machine.accelerator} built in"
        return refuse("catalog", "accelerator", chip, reason, machine.accelerator)
    if chip in machine.attachable:
        allowed = ", ".join(str(number) for number in machine.attachable[chip])
        reason = f"cannot be attached to {machine.name} in this number"
        return refuse("catalog", f"accelerators of {chip}", count, reason, f"one of {allowed}")
    known = ", ".join(sorted(machine.attachable)) or "a machine with that accelerator"
    reason = f"cannot be attached to {machine.name}"
    return refuse("catalog", "accelerator", chip, reason, known)
