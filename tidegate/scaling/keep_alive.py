"""How long an idle node stays: until idling has cost what a restart would."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tidegate.scaling.settings import ScalingSettings

ENOUGH_GAPS = 10
"""Fewer observed gaps say too little; the break-even stands alone then."""
HOUR = Decimal(3600)


def keep_alive_seconds(
    per_hour: Decimal | None, boot_seconds: int, gaps: Sequence[int], settings: ScalingSettings
) -> int:
    """Return how long a node of a pool stays idle before it is stopped.

    A restart costs the boot time at the node's price and the wait at its stated worth. Without
    history a node idles for as long as that costs the same, which is at most twice the best in
    hindsight (ski rental). With history it idles for the time that would have cost least over
    the gaps observed.

    Args:
        per_hour: Price of the node; None or 0 where it is unknown or nothing.
        boot_seconds: From an order until work starts.
        gaps: Idle seconds until the next arrival, as observed.
        settings: The bounds and the worth of waiting.
    """
    price = per_hour or Decimal(0)
    restart = Decimal(boot_seconds) * (price + settings.wait_cost_per_hour)
    known = sorted(gap for gap in gaps if gap >= 0)
    if price == 0:
        best = Decimal(boot_seconds)
    elif len(known) < ENOUGH_GAPS:
        best = restart / price
    else:
        best = Decimal(_best_for(known, price, restart))
    low, high = settings.keep_alive_min_seconds, settings.keep_alive_max_seconds
    return max(low, min(int(best), high))


def _best_for(gaps: Sequence[int], price: Decimal, restart: Decimal) -> int:
    """Return the shortest of 0 and the gaps that costs least over all (sorted) gaps."""
    best, best_cost = 0, restart * len(gaps)
    passed = 0
    for index, gap in enumerate(gaps, start=1):
        passed += gap
        later = len(gaps) - index
        cost = price * (passed + gap * later) + restart * later
        if cost < best_cost:
            best, best_cost = gap, cost
    return best
