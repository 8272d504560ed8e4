"""How long an idle node stays: until idling has cost what a restart would."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from tidegate.scaling.settings import ScalingSettings

ENOUGH_GAPS = 10
"""Fewer observed gaps say too little; the break-even stands alone then."""
KEPT_GAPS = 200
"""Gaps of a pool that an observer remembers, the latest."""
WAIT_TARGET_SHARE = Decimal("0.95")
"""Of what arrives, the share that a wait target is held for: the p95 of the waits."""


def keep_alive_seconds(
    per_hour: Decimal | None,
    boot_seconds: int,
    gaps: Sequence[int],
    settings: ScalingSettings,
    wait_target_seconds: int | None = None,
) -> int:
    """Return how long a node of a pool stays idle before it is stopped.

    A restart costs the boot time at the node's price and the wait at its stated worth. Without
    history a node idles for as long as that costs the same, which is at most twice the best in
    hindsight (ski rental). With history it idles for the time that would have cost least over
    the gaps observed.

    A wait target that is shorter than the boot time can only be met by a node that is there: then
    it idles at least for as long as bridges nearly all gaps observed, or, where too few are known,
    for as long as the settings allow.

    Args:
        per_hour: Price of the node; None or 0 where it is unknown or nothing.
        boot_seconds: From an order until work starts.
        gaps: Idle seconds until the next arrival, as observed.
        settings: The bounds and the worth of waiting.
        wait_target_seconds: How long the work that runs there may wait; None: long.
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
    if _is_unmet_by_boot(wait_target_seconds, boot_seconds):
        best = max(best, _bridging(known, settings))
    low, high = settings.keep_alive_min_seconds, settings.keep_alive_max_seconds
    return max(low, min(int(best), high))


def explain_keep_alive(
    boot_seconds: int, gaps: Sequence[int], wait_target_seconds: int | None
) -> str:
    """Return what the time is measured by, for people."""
    known = sum(1 for gap in gaps if gap >= 0)
    if _is_unmet_by_boot(wait_target_seconds, boot_seconds):
        return f"work here may wait {wait_target_seconds} s, and a new node takes {boot_seconds} s"
    if known < ENOUGH_GAPS:
        return "after that, idling has cost what a restart would"
    return f"what would have cost least over the last {known} gaps between work"


def _is_unmet_by_boot(wait_target_seconds: int | None, boot_seconds: int) -> bool:
    """Return whether only a node that is there can meet a wait target."""
    return wait_target_seconds is not None and wait_target_seconds < boot_seconds


def _bridging(gaps: Sequence[int], settings: ScalingSettings) -> Decimal:
    """Return what bridges the share of (sorted) gaps that a wait target stands for."""
    if len(gaps) < ENOUGH_GAPS:
        return Decimal(settings.keep_alive_max_seconds)
    return Decimal(gaps[math.ceil(WAIT_TARGET_SHARE * len(gaps)) - 1])


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
