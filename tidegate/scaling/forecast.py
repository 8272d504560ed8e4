"""The rate of requests when an order of now will serve, from what was seen so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 60
"""Fewer comparisons of forecast and truth say too little; `UNSURE` stands in."""
UNSURE = 1.3
"""Room above a forecast that has not been compared yet."""
SAMPLES = 480
"""Comparisons that a margin is learned from, spread evenly over the window."""
MOST = 3.0
"""A forecast is never multiplied by more: beyond, a rate near zero would ask for everything."""


@dataclass(frozen=True, slots=True)
class ForecastHabit:
    """How to look ahead.

    Attributes:
        lead: Steps until an order of now serves, at least 1.
        trend: Share of the last change that is taken to go on, from 0 to 1.
        quantile: Share of past forecasts that the margin would have covered.
        window: Steps of the past that the margin is learned from.
        stabilization: Steps whose greatest rate is prepared for again, for bursts that nothing
            foretells; 0 for none. Kubernetes' autoscaler holds its greatest wish likewise
            (`stabilizationWindowSeconds`).
    """

    lead: int
    trend: float = 0.5
    quantile: float = 0.8
    window: int = 1440
    stabilization: int = 0


def forecast_rate(history: Sequence[float], habit: ForecastHabit) -> float:
    """Return the rate to prepare for: the last one, its trend, and what forecasts fell short by.

    Requests come independently of each other, so that errors grow with the root of a rate: what was
    learned while an endpoint was busy holds while it is quiet.

    Args:
        history: Rates step by step, the latest last; at least one.
        habit: How to look ahead.
    """
    lead, last = habit.lead, len(history) - 1
    base = _extend(history, last, habit)
    first = max(last - lead - habit.window, 0)
    shortfalls = sorted(
        (history[step + lead] - extended) / math.sqrt(extended)
        for step in range(last - lead, first - 1, -max(habit.window // SAMPLES, 1))
        if (extended := _extend(history, step, habit)) > 0
    )
    held = _hold(history, habit)
    if len(shortfalls) < ENOUGH:
        return max(base * UNSURE, held)
    margin = shortfalls[int(habit.quantile * (len(shortfalls) - 1))] * math.sqrt(base)
    return max(min(base + margin, base * MOST), held)


def _hold(history: Sequence[float], habit: ForecastHabit) -> float:
    """Return the greatest rate of late; nothing once nobody came for a lead, so that it sleeps."""
    held = habit.stabilization > 0 and any(history[-habit.lead :])
    return max(history[-habit.stabilization :]) if held else 0.0


def _extend(history: Sequence[float], step: int, habit: ForecastHabit) -> float:
    before = history[step - habit.lead] if step >= habit.lead else history[step]
    return max(history[step] + habit.trend * (history[step] - before), 0.0)
