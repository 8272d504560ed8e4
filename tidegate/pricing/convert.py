"""Totals of several currencies in one, by dated rates, never silently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from tidegate.catalog.model import CurrencyRate
from tidegate.pricing.figures import Figures, sum_figures
from tidegate.vocabulary.problems import refuse, suggest

PIVOT = "USD"


@dataclass(frozen=True, slots=True)
class ConvertedTotal:
    """A total in one currency and the rates that made it.

    Attributes:
        currency: The currency of the figures.
        monthly: The sum of everything, converted.
        rates: The rates used, each with its day and origin; empty when none was needed.
    """

    currency: str
    monthly: Figures
    rates: tuple[CurrencyRate, ...]


def convert_totals(
    totals: Mapping[str, Figures], rates: Mapping[str, CurrencyRate], currency: str
) -> ConvertedTotal:
    """Return the totals of all currencies in one.

    Raises:
        InvalidInput: When a rate is missing, naming the currency.
    """
    used: dict[str, CurrencyRate] = {}
    converted: list[Figures] = []
    for source in sorted(totals):
        factor = Decimal(1)
        if source != currency:
            factor = _in_usd(source, rates, used) / _in_usd(currency, rates, used)
        converted.append(_scaled(totals[source], factor))
    return ConvertedTotal(currency, sum_figures(converted), tuple(used.values()))


def _scaled(figures: Figures, factor: Decimal) -> Figures:
    return figures.map(lambda amount: amount * factor)


def _in_usd(
    currency: str, rates: Mapping[str, CurrencyRate], used: dict[str, CurrencyRate]
) -> Decimal:
    if currency == PIVOT:
        return Decimal(1)
    rate = rates.get(currency)
    if rate is None:
        hint = suggest(currency, rates)
        expected = "a dated rate under `currencies` of a price overlay"
        raise refuse("catalog", "currency", currency, f"has no rate{hint}", expected)
    used[currency] = rate
    return rate.in_usd
