"""Google's Billing Catalog: prices of parts, from which a machine's price is composed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tidegate.catalog.feeds.rows import Feed, FetchedPrice, need, parse_document
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import HOURS_PER_MONTH

NANO = Decimal("0.000000001")
USAGE = {"OnDemand": CapacityType.ON_DEMAND, "Preemptible": CapacityType.SPOT}
MONTHLY_UNITS = {"GiBy.mo"}
HOURLY_UNITS = {"h", "GiBy.h"}
PLACE = re.compile(r"^(?:Spot Preemptible )?(?P<part>.+?)(?: (?:running in|attached to|in) .+)?$")


@dataclass(frozen=True, slots=True)
class Family:
    """How the parts of a machine family are called.

    Attributes:
        prefix: How names of its machines begin.
        core: The part that prices one vCPU.
        ram: The part that prices one GiB of memory.
        gpu: The part that prices one accelerator; empty for a plain machine.
        local_ssd_gib_per_gpu: Local disk that the machine always has, for each accelerator.
    """

    prefix: str
    core: str
    ram: str
    gpu: str = ""
    local_ssd_gib_per_gpu: int = 0


@dataclass(frozen=True, slots=True)
class Families:
    """All families that can be composed, and how local disk is called."""

    known: tuple[Family, ...]
    local_ssd: str

    def of(self, name: str) -> Family | None:
        """Return the family of a machine; None when it cannot be composed."""
        return next((entry for entry in self.known if name.startswith(entry.prefix)), None)


@dataclass(frozen=True, slots=True)
class PartPrice:
    """What one unit of a part costs an hour."""

    amount: Decimal
    currency: str
    effective: str


PartKey = tuple[str, str, CapacityType]


@dataclass(slots=True)
class Parts:
    """The part prices read so far: (part, region, how it is bought) → its newest price."""

    prices: dict[PartKey, PartPrice] = field(default_factory=dict)


def parse_families(text: str) -> Families:
    """Return how machine families are composed."""
    document = json.loads(text)
    known = tuple(Family(**entry) for entry in document["families"])
    return Families(known, document["local_ssd"])


def parse_page(text: str) -> tuple[tuple[dict[str, Any], ...], str]:
    """Return the SKUs of one page and the token of the next; empty on the last.

    Raises:
        UnreadableFeed: When the page is cut off or of another shape.
    """
    document = parse_document(text)
    skus = need(document, "skus", list)
    return tuple(sku for sku in skus if isinstance(sku, dict)), document.get("nextPageToken") or ""


def read_parts(skus: Iterable[Mapping[str, Any]], families: Families, parts: Parts) -> None:
    """Keep the prices of the parts that some family needs."""
    wanted = {families.local_ssd}
    for family in families.known:
        wanted |= {family.core, family.ram, family.gpu} - {""}
    for sku in skus:
        match = PLACE.match(str(sku.get("description", "")))
        part = match["part"] if match else ""
        capacity = USAGE.get(str((sku.get("category") or {}).get("usageType")))
        price = _price_of(sku) if part in wanted and capacity else None
        if price is None or capacity is None:
            continue
        for region in sku.get("serviceRegions") or ():
            key = (part, str(region), capacity)
            known = parts.prices.get(key)
            if known is None or price.effective > known.effective:
                parts.prices[key] = price


def compose_prices(parts: Parts, families: Families, feed: Feed) -> None:
    """Take the price of every machine and region for which all parts are priced."""
    regions = sorted({region for _, region, _ in parts.prices})
    for machine in feed.catalog.instance_types(Cloud.GCP):
        family = families.of(machine.name)
        if family is None or machine.vcpus is None or machine.memory_gib is None:
            feed.skip("the parts of this machine family are not known")
            continue
        if machine.accelerators_per_node is None:
            feed.skip("the machine has no known number of whole accelerators")
            continue
        for capacity in USAGE.values():
            for region in regions:
                _compose(machine, family, families.local_ssd, region, capacity, parts, feed)


def _compose(
    machine: InstanceType,
    family: Family,
    local_ssd: str,
    region: str,
    capacity: CapacityType,
    parts: Parts,
    feed: Feed,
) -> None:
    chips = Decimal(machine.accelerators_per_node or 0)
    needs = {
        family.core: Decimal(machine.vcpus or 0),
        family.ram: machine.memory_gib or Decimal(0),
        family.gpu: chips,
        local_ssd: chips * family.local_ssd_gib_per_gpu,
    }
    found = {
        part: parts.prices.get((part, region, capacity)) for part, units in needs.items() if units
    }
    if found.get(family.core) is None:
        return  # this family is not sold in that region
    priced = {part: price for part, price in found.items() if price is not None}
    if len(priced) < len(found):
        feed.skip("a part of the machine has no price in the region")
        return
    currencies = {price.currency for price in priced.values()}
    if len(currencies) > 1:
        feed.skip("the parts of the machine are priced in several currencies")
        return
    feed.take(
        FetchedPrice(
            key=(Cloud.GCP, machine.name, capacity),
            region=region,
            amount=sum((needs[part] * price.amount for part, price in priced.items()), Decimal(0)),
            currency=currencies.pop(),
            effective=max(price.effective for price in priced.values()),
        )
    )


def _price_of(sku: Mapping[str, Any]) -> PartPrice | None:
    """Return the hourly price of a part; None where the SKU has none of the documented shape."""
    infos = sku.get("pricingInfo")
    if not isinstance(infos, list) or not infos or not isinstance(infos[-1], dict):
        return None
    expression = infos[-1].get("pricingExpression") or {}
    rates = expression.get("tieredRates") or []
    if len(rates) != 1 or not isinstance(rates[0], dict):
        return None  # several tiers: no one price of an hour
    money = rates[0].get("unitPrice") or {}
    units, nanos, currency = money.get("units"), money.get("nanos"), money.get("currencyCode")
    if not str(units).isdigit() or not isinstance(nanos, int) or not isinstance(currency, str):
        return None
    amount = Decimal(str(units)) + nanos * NANO
    unit = expression.get("usageUnit")
    if unit in MONTHLY_UNITS:
        amount /= HOURS_PER_MONTH
    elif unit not in HOURLY_UNITS:
        return None
    return PartPrice(amount, currency, str(infos[-1].get("effectiveTime", "")))
