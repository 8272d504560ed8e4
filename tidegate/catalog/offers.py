"""Offers: a type, a region and a way to buy it, with its price; filtered and sorted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import Availability, InstanceType, UnknownPrice
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price

BOUGHT = (CapacityType.ON_DEMAND, CapacityType.SPOT)
"""Reserved capacity has no list price, so it is no offer of the catalog."""


class SortKey(StrEnum):
    """What a list of offers is sorted by."""

    PRICE = "price"
    ACCELERATOR_PRICE = "accelerator-price"
    NAME = "name"
    REGION = "region"


@dataclass(frozen=True, slots=True)
class Machine:
    """A type and what it computes with.

    Attributes:
        instance_type: The type.
        accelerator: Its chip, built in or attached; empty for a plain machine.
        count: Whole accelerators; None where unknown or where it has a slice.
        attached: True when they are attached to a plain machine, and priced beside it.
    """

    instance_type: InstanceType
    accelerator: str
    count: int | None
    attached: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy one machine in one region."""

    machine: Machine
    region: str
    capacity_type: CapacityType
    price: Price | UnknownPrice
    availability: Availability

    @property
    def amount(self) -> Decimal | None:
        """Return the amount an hour; None where it is not known."""
        return None if isinstance(self.price, UnknownPrice) else self.price.per_hour.amount

    @property
    def amount_per_accelerator(self) -> Decimal | None:
        """Return the amount an hour of one whole accelerator; None where either is not known."""
        count = self.machine.count
        return self.amount / count if self.amount is not None and count else None

    @property
    def instance_type(self) -> InstanceType:
        """Return the type of the machine."""
        return self.machine.instance_type


@dataclass(frozen=True, slots=True)
class OfferFilter:
    """Which offers to list; empty means all.

    Attributes:
        cloud: Only this cloud.
        region: Only this region; empty lists each type once, where it is cheapest.
        accelerator: Only this chip, by canonical name or alias.
        capacity_type: Only this way to buy.
        instance_type: Only this type, in every region where it has a price.
        max_price: Only what is known to cost at most this much an hour.
        currency: The currency of `max_price`.
    """

    cloud: Cloud | None = None
    region: str = ""
    accelerator: str = ""
    capacity_type: CapacityType | None = None
    instance_type: str = ""
    max_price: Decimal | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class OfferList:
    """The offers that match, and how many were left out for want of a comparable price."""

    offers: tuple[Offer, ...]
    left_out: int


def list_offers(catalog: Catalog, wanted: OfferFilter, sort: SortKey) -> OfferList:
    """Return the offers that match, unknown prices last.

    Raises:
        InvalidInput: When the region or the accelerator is unknown.
    """
    if wanted.region:
        catalog.check_region(wanted.region, wanted.cloud)
    found = list(_matching(catalog, wanted))
    left_out = 0
    if wanted.max_price is not None:
        comparable = [offer for offer in found if _is_in(offer, wanted.currency)]
        left_out = len(found) - len(comparable)
        found = [offer for offer in comparable if (offer.amount or 0) <= wanted.max_price]
    return OfferList(tuple(sorted(found, key=lambda offer: _order(offer, sort))), left_out)


def _matching(catalog: Catalog, wanted: OfferFilter) -> Iterator[Offer]:
    chip = catalog.accelerator(wanted.accelerator).name if wanted.accelerator else ""
    ways = (wanted.capacity_type,) if wanted.capacity_type else BOUGHT
    for candidate in catalog.instance_types(wanted.cloud):
        if wanted.instance_type and candidate.name != wanted.instance_type:
            continue
        for machine in _machines(candidate, chip):
            for bought in ways:
                yield from _in_regions(catalog, machine, bought, wanted)


def _machines(candidate: InstanceType, chip: str) -> Iterator[Machine]:
    """Return the type itself, or with each number of the wanted chip attached to it."""
    if not chip or candidate.accelerator == chip:
        yield Machine(candidate, candidate.accelerator, candidate.accelerators_per_node)
    elif chip in candidate.attachable:
        for count in candidate.attachable[chip]:
            yield Machine(candidate, chip, count, attached=True)


def _in_regions(
    catalog: Catalog, machine: Machine, bought: CapacityType, wanted: OfferFilter
) -> Iterator[Offer]:
    if wanted.region:
        if wanted.region in catalog.regions(machine.instance_type.cloud):
            yield _offer(catalog, machine, wanted.region, bought)
        return
    offers = _everywhere(catalog, machine, bought)
    if wanted.instance_type:
        yield from offers
        return
    priced = [offer for offer in offers if offer.amount is not None]
    # Amounts of two currencies are not compared: the wanted one goes first.
    comparable = [offer for offer in priced if _is_in(offer, wanted.currency)] or priced[:1]
    if comparable:
        yield min(comparable, key=lambda offer: (offer.amount or Decimal(0), offer.region))
    else:
        yield offers[0]


def _everywhere(catalog: Catalog, machine: Machine, bought: CapacityType) -> list[Offer]:
    """Return an offer for each region with a price; one without a region where none has."""
    table, found = catalog.price_table, machine.instance_type
    regions = {
        region for way in BOUGHT for region in table.regions_of((found.cloud, found.name, way))
    }
    return [_offer(catalog, machine, region, bought) for region in sorted(regions) or [""]]


def _offer(catalog: Catalog, machine: Machine, region: str, bought: CapacityType) -> Offer:
    found = machine.instance_type
    attached = (machine.accelerator, machine.count or 0) if machine.attached else ("", 0)
    price = catalog.price(found.cloud, region, found.name, bought, *attached)
    availability = catalog.availability(found.cloud, region, found.name)
    return Offer(machine, region, bought, price, availability)


def _is_in(offer: Offer, currency: str) -> bool:
    return isinstance(offer.price, Price) and offer.price.per_hour.currency == currency


def _order(offer: Offer, sort: SortKey) -> tuple[object, ...]:
    name = (offer.instance_type.cloud.value, offer.instance_type.name, offer.capacity_type.value)
    if sort is SortKey.NAME:
        return (*name, offer.region)
    if sort is SortKey.REGION:
        return (offer.region, *name)
    by_price = offer.amount if sort is SortKey.PRICE else offer.amount_per_accelerator
    currency = offer.price.per_hour.currency if isinstance(offer.price, Price) else ""
    return (by_price is None, currency, by_price or Decimal(0), *name, offer.region)
