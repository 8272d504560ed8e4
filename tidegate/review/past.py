"""The portfolio that would have cost least, bought before the first hour and kept to the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

import numpy as np

from tidegate.catalog.instruments import InstrumentOffer, Unit
from tidegate.pricing.applied import Applied, Purchase, apply_purchases
from tidegate.pricing.usage import MICRO, Usage, UsageRow
from tidegate.review.candidates import Candidate, OfferLimits, build_candidates, with_quantity
from tidegate.review.optimum import DEFAULT_GAP, find_optimum
from tidegate.review.portfolio import Choice, Floats, Indices

CENT = Decimal("0.01")
"""Amounts an hour are bought in cents, machines one by one."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One candidate and how much of it was chosen; quantities of 0 are left out."""

    candidate: Candidate
    purchase: Purchase


@dataclass(frozen=True, slots=True)
class Portfolio:
    """What would have been cheapest, priced exactly.

    Attributes:
        chosen: What was bought, in the order of application.
        applied: The use with it, replayed in each instrument's order of application.
        without: The same use with what is held already and nothing new.
        bounds: Currency → what no portfolio of these instruments undercuts.
    """

    chosen: tuple[Chosen, ...]
    applied: Applied
    without: Applied
    bounds: Mapping[str, float]

    @property
    def gap(self) -> float:
        """Return how far the replayed cost is above the bound: the most of any currency."""
        costs = {key: float(cost) for key, cost in self.applied.totals().items() if cost > 0}
        shares = [(cost - self.bounds.get(key, 0.0)) / cost for key, cost in costs.items()]
        return max([0.0, *shares])


def find_portfolio(
    usage: Usage,
    offers: Iterable[InstrumentOffer],
    held: Sequence[Purchase] = (),
    limits: OfferLimits | None = None,
    gap: float = DEFAULT_GAP * 10,
) -> Portfolio:
    """Return the cheapest portfolio for use that is known, beside what is held already.

    The linear program takes any amounts and any order; what it finds is rounded to what can be
    bought and replayed. Clouds and currencies share nothing and are solved apart.

    Args:
        usage: The use; hours that were not measured are left out.
        offers: What can be bought.
        held: What is paid for anyway; it covers its part of the use first.
        limits: What the team would sign; twelve months without upfront payment unless stated.
        gap: The distance to the bound at which the search stops.
    """
    without = apply_purchases(usage, held)
    candidates = build_candidates(usage, offers, limits or OfferLimits())
    chosen: list[Chosen] = []
    bounds = {key: float(cost) for key, cost in without.purchase_cost.items()}
    for group in _split(usage.rows):
        rows = [row for row in usage.rows if (row.cloud.value, row.currency) == group]
        here = [each for each in candidates if _group_of(each) == group]
        quantities, below = _solve(rows, without, usage, here, gap)
        bounds[group[1]] = bounds.get(group[1], 0.0) + below
        chosen += [
            Chosen(candidate, with_quantity(candidate, quantity))
            for candidate, quantity in zip(here, quantities, strict=True)
            if quantity > 0
        ]
    purchases = [*held, *(each.purchase for each in chosen)]
    applied = apply_purchases(usage, purchases)
    return Portfolio(tuple(chosen), applied, without, bounds)


def _split(rows: Sequence[UsageRow]) -> list[tuple[str, str]]:
    return sorted({(row.cloud.value, row.currency) for row in rows if row.price is not None})


def _group_of(candidate: Candidate) -> tuple[str, str]:
    return candidate.purchase.instrument.cloud.value, candidate.purchase.currency


def _solve(
    rows: Sequence[UsageRow],
    without: Applied,
    usage: Usage,
    candidates: Sequence[Candidate],
    gap: float,
) -> tuple[list[Decimal], float]:
    """Return how much of each candidate to buy, and a bound below every cost of these rows.

    Machines that nothing else covers are decided by themselves and in whole numbers, so that
    their cost is its own bound; the others are a linear program together, whose machines are then
    made whole.
    """
    priced = [row for row in rows if row.price is not None]
    nodes = np.array([without.uncovered[row.id][usage.known] for row in priced]) / MICRO
    prices = np.array([float(row.price or 0) for row in priced])
    places = {row.id: index for index, row in enumerate(priced)}
    choices = [_choice(each, priced, places) for each in candidates]
    lone = _find_lone(candidates)
    bound, alone = 0.0, np.zeros(len(priced), dtype=bool)
    quantities: dict[int, Decimal] = {}
    for index in lone:
        quantities[index], cost = _buy_whole(choices[index], nodes, prices)
        bound += cost
        alone[choices[index].rows] = True
    together = [index for index in range(len(candidates)) if index not in quantities]
    kept = np.flatnonzero(~alone)
    shifted = [_shift(choices[index], kept) for index in together]
    whole = [
        place
        for place, index in enumerate(together)
        if candidates[index].purchase.instrument.unit is Unit.MACHINES
    ]
    found = find_optimum(nodes[kept], prices[kept], shifted, gap, whole)
    for place, index in enumerate(together):
        unit = Decimal(1) if place in whole else CENT
        quantities[index] = Decimal(repr(float(found.amounts[place]))).quantize(unit)
    return [quantities[index] for index in range(len(candidates))], bound + found.bound


def _find_lone(candidates: Sequence[Candidate]) -> list[int]:
    counts: dict[str, int] = {}
    for candidate in candidates:
        for row in candidate.rows:
            counts[row] = counts.get(row, 0) + 1
    return [
        index
        for index, candidate in enumerate(candidates)
        if candidate.purchase.instrument.unit is Unit.MACHINES
        and all(counts[row] == 1 for row in candidate.rows)
    ]


def _buy_whole(choice: Choice, nodes: Floats, prices: Floats) -> tuple[Decimal, float]:
    """Return the cheapest whole number of machines and what its rows then cost in all."""
    share = 1.0 - choice.unit_cost / float(prices[choice.rows[0]])
    use = nodes[choice.rows].sum(axis=0)
    quantile = Decimal(repr(float(np.quantile(use, share, method="inverted_cdf"))))
    low = quantile.to_integral_value(ROUND_FLOOR)
    costs = {each: _cost_of(choice, each, nodes, prices) for each in (low, low + 1)}
    return min(costs.items(), key=lambda found: (found[1], found[0]))


def _cost_of(choice: Choice, machines: Decimal, nodes: Floats, prices: Floats) -> float:
    use, price = nodes[choice.rows].sum(axis=0), float(prices[choice.rows[0]])
    left = np.maximum(use - float(machines), 0.0)
    return float(machines) * choice.unit_cost * len(use) + price * float(left.sum())


def _shift(choice: Choice, kept: Indices) -> Choice:
    """Return the choice over the rows that are kept alone."""
    return Choice(np.searchsorted(kept, choice.rows), choice.rates, choice.unit_cost)


def _choice(candidate: Candidate, rows: Sequence[UsageRow], places: Mapping[str, int]) -> Choice:
    purchase = candidate.purchase
    covered = [(places[each], rows[places[each]]) for each in candidate.rows]
    ordered = sorted(
        covered, key=lambda each: (-purchase.discount_of(each[1]), purchase.rate(each[1]), each[0])
    )
    rates = np.array([float(purchase.rate(row)) for _, row in ordered])
    indices = np.array([index for index, _ in ordered], dtype=np.int64)
    if purchase.instrument.unit is Unit.AMOUNT:
        return Choice(indices, rates, 1.0)
    return Choice(indices, np.ones(len(ordered)), float(rates[0]))
