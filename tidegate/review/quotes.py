"""A team's own quotes for instruments: they replace averages, and are no assumption."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field, ValidationError

from tidegate.catalog.instruments import Instrument, InstrumentOffer
from tidegate.manifest.document import Document
from tidegate.manifest.faults import describe_faults
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest

Share = Annotated[Decimal, Field(ge=0, le=1, allow_inf_nan=False)]


class Quote(Document):
    """What a cloud quoted for an instrument."""

    cloud: Cloud
    instrument: str
    """The instrument's name in the catalog ("compute-savings-plan")."""
    term_months: int = Field(gt=0)
    upfront_share: Share = Decimal(0)
    discount: Annotated[Decimal, Field(gt=0, lt=1, allow_inf_nan=False)]
    as_of: date
    origin: str = Field(min_length=1)


class Quotes(Document):
    """A file of quotes."""

    quotes: list[Quote]


def parse_quotes(
    where: str, document: Mapping[str, Any], instruments: Iterable[Instrument]
) -> tuple[InstrumentOffer, ...]:
    """Return the quotes of a file as offers.

    Raises:
        InvalidInput: When the file breaks the model, or names an instrument, a term or a payment
            option that its cloud does not have.
    """
    try:
        quotes = Quotes.model_validate(document).quotes
    except ValidationError as error:
        raise InvalidInput(describe_faults(where, document, error)) from error
    known = {(each.cloud, each.name): each for each in instruments}
    problems = [
        problem
        for number, quote in enumerate(quotes)
        if (problem := _check(f"{where}: quotes[{number}]", quote, known)) is not None
    ]
    if problems:
        raise InvalidInput(problems)
    return tuple(_offer(quote, known[quote.cloud, quote.instrument]) for quote in quotes)


def prefer_quotes(
    offers: Iterable[InstrumentOffer], quotes: Iterable[InstrumentOffer]
) -> tuple[InstrumentOffer, ...]:
    """Return all offers, a quote in the place of the same offer at an average."""
    best = {_key(each): each for each in offers} | {_key(each): each for each in quotes}
    return tuple(best.values())


def _key(offer: InstrumentOffer) -> tuple[Cloud, str, int, Decimal]:
    instrument = offer.instrument
    return instrument.cloud, instrument.name, offer.term_months, offer.upfront_share


def _check(
    where: str, quote: Quote, known: Mapping[tuple[Cloud, str], Instrument]
) -> Problem | None:
    instrument = known.get((quote.cloud, quote.instrument))
    if instrument is None:
        names = [name for cloud, name in known if cloud is quote.cloud]
        reason = f"is no instrument of {quote.cloud.value}"
        reason += suggest(quote.instrument, names)
        expected = f"one of {', '.join(sorted(names))}"
        return Problem(where, "instrument", repr(quote.instrument), reason, expected)
    if not instrument.terms:
        reason = "has no term and no discount"
        return Problem(where, "instrument", repr(quote.instrument), reason, "another instrument")
    if quote.term_months not in instrument.terms:
        expected = f"one of {', '.join(str(term) for term in instrument.terms)}"
        reason = f"is no term of {instrument.title}"
        return Problem(where, "termMonths", str(quote.term_months), reason, expected)
    if quote.upfront_share not in instrument.upfront_shares:
        expected = f"one of {', '.join(str(share) for share in instrument.upfront_shares)}"
        reason = f"is no payment option of {instrument.title}"
        return Problem(where, "upfrontShare", str(quote.upfront_share), reason, expected)
    return None


def _offer(quote: Quote, instrument: Instrument) -> InstrumentOffer:
    return InstrumentOffer(
        instrument,
        quote.term_months,
        quote.upfront_share,
        quote.discount,
        quote.as_of,
        quote.origin,
        assumed=False,
    )
