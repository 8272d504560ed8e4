"""Instruments of commitment: what each covers, in which order it applies, what can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any

from tidegate.catalog.model import CommitmentDiscount
from tidegate.vocabulary.capacity import Cloud


class Scope(StrEnum):
    """What an instrument covers: one type or family of one region, or everything of its cloud."""

    INSTANCE_TYPE = "instance-type"
    FAMILY = "family"
    CLOUD = "cloud"


class Unit(StrEnum):
    """What is bought: a number of machines, or an amount of money an hour."""

    MACHINES = "machines"
    AMOUNT = "amount"


class RateBasis(StrEnum):
    """Where the discount of an instrument is known from."""

    AVERAGE = "average"
    PUBLISHED = "published"
    ON_DEMAND = "on-demand"
    STATED = "stated"


@dataclass(frozen=True, slots=True)
class Instrument:
    """One instrument of one cloud, with its terms.

    Attributes:
        name: Unique within its cloud.
        cloud: Who sells it.
        title: As its cloud calls it.
        kind: The manifest's kind of commitment that declares it.
        scope: What it covers.
        unit: What is bought.
        order: When it applies within its cloud; lower ones first.
        terms: Months that it can be bought for; empty where it has no fixed term.
        upfront_shares: Shares of the price that can be paid upfront.
        rates: Where its discount is known from.
        published: Term in months → published discount.
        published_origin: Where the published discounts stand.
        published_as_of: The day of the published discounts.
        published_assumed: True when not the cloud itself publishes them.
        accelerators: Whether it covers machines with accelerators.
        pays_on_demand: Whether it reserves at the on-demand price, without a discount.
        flexibility: What may change without losing the discount.
        exchange: Whether it can be exchanged.
        cancellation: Whether it can be undone.
        source: Where these terms are stated.
        as_of: The day they were read.
    """

    name: str
    cloud: Cloud
    title: str
    kind: str
    scope: Scope
    unit: Unit
    order: int
    terms: tuple[int, ...]
    upfront_shares: tuple[Decimal, ...]
    rates: RateBasis
    published: tuple[tuple[int, Decimal], ...]
    published_origin: str
    published_as_of: date | None
    published_assumed: bool
    accelerators: bool
    pays_on_demand: bool
    flexibility: str
    exchange: str
    cancellation: str
    source: str
    as_of: date


@dataclass(frozen=True, slots=True)
class InstrumentOffer:
    """An instrument at one term and payment option, at a known discount.

    Attributes:
        instrument: What is sold.
        term_months: For how long.
        upfront_share: The share of its whole price that is paid upfront.
        discount: How much cheaper than on demand it is, amortised over the term, from 0 to 1.
        as_of: The day of the discount.
        origin: Where the discount stands.
        assumed: True when it is an average and no quote.
    """

    instrument: Instrument
    term_months: int
    upfront_share: Decimal
    discount: Decimal
    as_of: date
    origin: str
    assumed: bool

    @property
    def id(self) -> str:
        """Return what names the offer within its cloud ("compute-savings-plan-12m-0")."""
        percent = int(self.upfront_share * 100)
        return f"{self.instrument.name}-{self.term_months}m-{percent}"


def parse_instruments(text: str) -> tuple[Instrument, ...]:
    """Return the instruments of the shipped file, in their clouds' order of application."""
    document = json.loads(text)
    as_of = date.fromisoformat(document["as_of"])
    found = [_parse_instrument(entry, as_of) for entry in document["instruments"]]
    return tuple(sorted(found, key=lambda each: (each.cloud.value, each.order, each.name)))


def list_instrument_offers(
    instruments: Iterable[Instrument], discounts: Iterable[CommitmentDiscount]
) -> tuple[InstrumentOffer, ...]:
    """Return every term and payment option whose discount is known.

    An instrument whose discount is not known has no offer: it is not taken for one without.
    """
    averages = tuple(discounts)
    return tuple(offer for each in instruments for offer in _offers_of(each, averages))


def _offers_of(
    instrument: Instrument, averages: tuple[CommitmentDiscount, ...]
) -> Iterator[InstrumentOffer]:
    if instrument.rates is RateBasis.PUBLISHED and instrument.published_as_of is not None:
        for months, discount in instrument.published:
            yield InstrumentOffer(
                instrument,
                months,
                Decimal(0),
                discount,
                instrument.published_as_of,
                instrument.published_origin,
                instrument.published_assumed,
            )
    if instrument.rates is RateBasis.AVERAGE:
        for entry in averages:
            fits = entry.cloud is instrument.cloud and entry.term_months in instrument.terms
            if fits and entry.upfront_share in instrument.upfront_shares:
                yield InstrumentOffer(
                    instrument,
                    entry.term_months,
                    entry.upfront_share,
                    entry.discount,
                    entry.as_of,
                    entry.origin,
                    assumed=True,
                )


def _parse_instrument(entry: dict[str, Any], as_of: date) -> Instrument:
    published = entry.get("published", {})
    day = entry.get("published_as_of")
    return Instrument(
        name=entry["name"],
        cloud=Cloud(entry["cloud"]),
        title=entry["title"],
        kind=entry["kind"],
        scope=Scope(entry["scope"]),
        unit=Unit(entry["unit"]),
        order=entry["order"],
        terms=tuple(entry["terms"]),
        upfront_shares=tuple(_parse_share(share) for share in entry["upfront_shares"]),
        rates=RateBasis(entry["rates"]),
        published=tuple((int(months), Decimal(rate)) for months, rate in published.items()),
        published_origin=entry.get("published_origin", ""),
        published_as_of=date.fromisoformat(day) if day else None,
        published_assumed=entry.get("published_assumed", False),
        accelerators=entry["accelerators"],
        pays_on_demand=entry["pays_on_demand"],
        flexibility=entry["flexibility"],
        exchange=entry["exchange"],
        cancellation=entry["cancellation"],
        source=entry["source"],
        as_of=as_of,
    )


def _parse_share(text: str) -> Decimal:
    share = Fraction(text)
    return Decimal(share.numerator) / Decimal(share.denominator)
