"""Prices as a cloud's API states them, kept only when they can be believed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.prices import PriceKey
from tidegate.vocabulary.capacity import CapacityType, Cloud

IMPLAUSIBLE_FACTOR = 10
"""A public price does not move this far from the one known before: it is a placeholder."""

PLACEHOLDERS = (Decimal("700.0"),)
"""Amounts that price collections are known to write where they have none."""

ISO_DAY = len("2026-11-30")


class UnreadableFeed(ValueError):
    """An answer that is not what the API's documentation says: cut off, or another shape."""


@dataclass(frozen=True, slots=True)
class FetchedPrice:
    """One price of one cloud's own list.

    Attributes:
        key: Cloud, type and how it is bought.
        region: The region it holds for.
        amount: The price of one node for one hour.
        currency: Its currency.
        effective: The day or moment from which the list says it holds, as the list writes it.
    """

    key: PriceKey
    region: str
    amount: Decimal
    currency: str
    effective: str


@dataclass(slots=True)
class Feed:
    """What was read of one list so far.

    Attributes:
        catalog: The catalog whose types are looked for.
        day: The day for which prices are wanted; what holds only later is not taken.
        prices: (key, region) → the newest price.
        skipped: Why rows of known types were not taken → how many.
    """

    catalog: Catalog
    day: date
    prices: dict[tuple[PriceKey, str], FetchedPrice] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    _ambiguous: set[tuple[PriceKey, str]] = field(default_factory=set)

    def wants(self, cloud: Cloud, name: str) -> bool:
        """Return whether the catalog has this type."""
        return (cloud, name) in self.catalog.types

    def skip(self, reason: str) -> None:
        """Count a row that was not taken."""
        self.skipped[reason] += 1

    def take(self, price: FetchedPrice) -> None:
        """Keep a price that can be believed; the newest where a list has several."""
        fault = self._fault_of(price)
        if fault:
            self.skip(fault)
            return
        place = (price.key, price.region)
        known = self.prices.get(place)
        if known is None or price.effective > known.effective:
            self.prices[place] = price
            self._ambiguous.discard(place)
        elif price.effective == known.effective and price.amount != known.amount:
            self._ambiguous.add(place)

    def finish(self) -> tuple[FetchedPrice, ...]:
        """Return the prices; where a list contradicts itself, none is taken."""
        for place in self._ambiguous:
            self.prices.pop(place, None)
            self.skip("the list has two prices for one day")
        self._ambiguous.clear()
        return tuple(self.prices[place] for place in sorted(self.prices, key=_place_order))

    def _fault_of(self, price: FetchedPrice) -> str:
        if price.amount <= 0:
            return "the price is zero, a placeholder"
        if price.effective[:ISO_DAY] > self.day.isoformat():
            return "the price holds only from a later day"
        if price.amount in PLACEHOLDERS:
            return "the price is a known placeholder"
        known = self._known_amount(price.key)
        if known is not None and price.key[2] is CapacityType.ON_DEMAND:
            factor = price.amount / known
            if not 1 / Decimal(IMPLAUSIBLE_FACTOR) <= factor <= IMPLAUSIBLE_FACTOR:
                return f"the price is {IMPLAUSIBLE_FACTOR} times off what is known, a placeholder"
        elif known is not None and price.amount > known * IMPLAUSIBLE_FACTOR:
            return f"the price is {IMPLAUSIBLE_FACTOR} times off what is known, a placeholder"
        return ""

    def _known_amount(self, key: PriceKey) -> Decimal | None:
        cloud, name, _ = key
        listed = self.catalog.price_table.listed.get((cloud, name, CapacityType.ON_DEMAND), {})
        amounts = sorted(entry.amount for entry in listed.values())
        return amounts[len(amounts) // 2] if amounts else None


def _place_order(place: tuple[PriceKey, str]) -> tuple[str, str, str, str]:
    (cloud, name, capacity), region = place
    return (cloud.value, region, name, capacity.value)


def need(document: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
    """Return a field of a documented shape.

    Raises:
        UnreadableFeed: When it is missing or of another type.
    """
    value = document.get(key)
    if not isinstance(value, kind):
        raise UnreadableFeed(f"the answer has no {kind.__name__} field {key!r}")
    return value


def parse_document(text: str) -> dict[str, Any]:
    """Return a JSON answer with exact decimals.

    Raises:
        UnreadableFeed: When it is cut off or no JSON object.
    """
    try:
        document = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise UnreadableFeed(f"the answer is no whole JSON document: {error}") from error
    if not isinstance(document, dict):
        raise UnreadableFeed("the answer is no JSON object")
    return document
