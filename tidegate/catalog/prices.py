"""Prices of one node: negotiated first, then public, then assumed, else unknown with a reason."""

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
from tidegate.vocabulary.problems import InvalidInput, refuse

ATTACHED = "attached:"
"""Names of rows that price an attached accelerator instead of a machine."""

EVERYWHERE = "*"
"""The region of a price that its source states for every region."""

PriceKey = tuple[Cloud, str, CapacityType]
PricesByRegion = Mapping[PriceKey, Mapping[str, Price]]


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by (cloud, type, capacity type), then region.

    Attributes:
        listed: The shipped public prices.
        sources: Source id → origin, date and whether it is an assumption.
        currency: The currency of the shipped prices.
        negotiated: A user's own prices, which go first.
        refreshed: Public prices newer than the shipped ones, which go second.
    """

    listed: Mapping[PriceKey, Mapping[str, ListedPrice]]
    sources: Mapping[str, PriceSource]
    currency: str
    negotiated: PricesByRegion = field(default_factory=dict)
    refreshed: PricesByRegion = field(default_factory=dict)

    def regions(self, cloud: Cloud) -> set[str]:
        """Return the regions for which any price of this cloud is known."""
        tables: list[Mapping[PriceKey, Mapping[str, object]]] = [
            self.listed,
            self.negotiated,
            self.refreshed,
        ]
        found = {
            region
            for table in tables
            for key, by_region in table.items()
            if key[0] is cloud
            for region in by_region
        }
        return found - {EVERYWHERE}

    def find_negotiated(self, key: PriceKey, region: str) -> Price | None:
        """Return the user's own price; None where the overlay states none."""
        return _in_region(self.negotiated.get(key, {}), region)

    def find_public(self, key: PriceKey, region: str) -> Price | None:
        """Return the public price, refreshed before shipped; None where none is stated."""
        refreshed = _in_region(self.refreshed.get(key, {}), region)
        if refreshed is not None:
            return refreshed
        listed = self.listed.get(key, {})
        entry = listed.get(region) or listed.get(EVERYWHERE)
        if entry is None:
            return None
        source = self.sources[entry.source]
        money = Money(entry.amount, self.currency)
        return Price(money, source.as_of, source.origin, source.assumed)

    def has_public_price(self, cloud: Cloud, region: str, name: str) -> bool:
        """Return whether a public on-demand or spot price is stated for the region."""
        capacities = (CapacityType.ON_DEMAND, CapacityType.SPOT)
        return any(self.find_public((cloud, name, bought), region) for bought in capacities)

    def regions_of(self, key: PriceKey) -> tuple[str, ...]:
        """Return the regions for which this very price is public, sorted."""
        return tuple(sorted({*self.listed.get(key, {}), *self.refreshed.get(key, {})}))


def _in_region(by_region: Mapping[str, Price], region: str) -> Price | None:
    return by_region.get(region) or by_region.get(EVERYWHERE)


def find_price(
    table: PriceTable,
    machine: InstanceType,
    region: str,
    capacity: CapacityType,
    spot: SpotAssumption,
) -> Price | UnknownPrice:
    """Return the price of a node without what is attached to it."""
    key = (machine.cloud, machine.name, capacity)
    own = table.find_negotiated(key, region)
    if own is not None:
        return own
    if capacity is CapacityType.RESERVED:
        return UnknownPrice("reserved capacity costs what its commitment states, not a list price")
    public = table.find_public(key, region)
    if public is not None:
        return public
    if capacity is CapacityType.SPOT:
        return _assume_spot(table, machine, region, spot)
    return UnknownPrice(_why_unknown(table, machine, region))


def find_attached(
    table: PriceTable, machine: InstanceType, chip: str, count: int, capacity: CapacityType
) -> Price | UnknownPrice:
    """Return the price of accelerators attached to a machine.

    Raises:
        InvalidInput: When the machine does not take that accelerator or that many of it.
    """
    if count not in machine.attachable.get(chip, ()):
        raise _refuse_attachment(machine, chip, count)
    price = table.find_public((machine.cloud, ATTACHED + chip, capacity), EVERYWHERE)
    if price is None:
        return UnknownPrice(f"no {capacity.value} price of an attached {chip} is known")
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


def _assume_spot(
    table: PriceTable, machine: InstanceType, region: str, spot: SpotAssumption
) -> Price | UnknownPrice:
    if machine.purchase and CapacityType.SPOT.value not in machine.purchase:
        return UnknownPrice(f"{machine.name} is not sold as spot")
    base = table.find_public((machine.cloud, machine.name, CapacityType.ON_DEMAND), region)
    if base is None:
        return UnknownPrice(_why_unknown(table, machine, region))
    if machine.cloud not in spot.clouds:
        return UnknownPrice(f"no spot price of {machine.name} is known for {region}")
    origin = f"{spot.ratio} of the on-demand price ({base.origin}); {spot.origin}"
    return Price(base.per_hour * spot.ratio, base.as_of, origin, assumed=True)


def _why_unknown(table: PriceTable, machine: InstanceType, region: str) -> str:
    known = table.regions_of((machine.cloud, machine.name, CapacityType.ON_DEMAND))
    if not known:
        return f"no price of {machine.name} is known in any region"
    shown = ", ".join(known[:3]) + (", …" if len(known) > 3 else "")
    return f"no price of {machine.name} is known for {region} (known for {shown})"


def _refuse_attachment(machine: InstanceType, chip: str, count: int) -> InvalidInput:
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
