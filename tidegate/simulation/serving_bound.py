"""The least cost of serving a share of all requests, for those who know them beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rates = NDArray[np.float64]
"""Requests a second, tick by tick."""

STEPS = 40
"""Halvings of the search for the best multiplier; any multiplier gives a bound."""


@dataclass(frozen=True, slots=True)
class ReplicaTerms:
    """A replica: requests a second that it serves, ticks until it does, and the share promised."""

    rate: float
    boot_ticks: int
    served_share: float


def bound_serving(rates: Rates, terms: ReplicaTerms) -> float:
    """Return a lower bound on replica-ticks, boots included.

    Lagrangian relaxation of the promise: with a price on every request served, the n-th replica is
    on when the n-th part of the demand pays for it, and kept through a gap when that costs less
    than a boot. Replicas are independent then, and each is solved exactly; the best price found by
    bisection gives the bound, which holds whatever the price is.
    """
    most = int(np.ceil(rates.max() / terms.rate))
    number = np.arange(most)[:, np.newaxis]
    served = np.clip(rates - number * terms.rate, 0.0, terms.rate)
    wanted = terms.served_share * rates.sum()
    # Beyond this price the last replica would be on for its least useful tick.
    low, high = 0.0, (terms.boot_ticks + 1.0) / max(terms.rate * 1e-3, 1e-12)
    best = 0.0
    for _ in range(STEPS):
        price = (low + high) / 2
        saving, total = _solve_levels(served, price, terms.boot_ticks)
        best = max(best, price * wanted - saving)
        if total < wanted:
            low = price
        else:
            high = price
    return best


def _solve_levels(served: Rates, price: float, boot: int) -> tuple[float, float]:
    """Return the greatest (price × served − cost) over all levels, and what they serve then."""
    levels, ticks = served.shape
    gains = price * served - 1.0
    off, on = np.zeros(levels), np.full(levels, -np.inf)
    off_served, on_served = np.zeros(levels), np.zeros(levels)
    for tick in range(ticks):
        begins = off - boot > on
        on, on_served = np.where(begins, off - boot, on), np.where(begins, off_served, on_served)
        on, on_served = on + gains[:, tick], on_served + served[:, tick]
        ends = on > off
        off, off_served = np.where(ends, on, off), np.where(ends, on_served, off_served)
    return float(off.sum()), float(off_served.sum())
