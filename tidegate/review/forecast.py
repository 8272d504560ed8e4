"""Use in the months to come: a level with its trend, the shape of a week, and an interval.

A month stands as one typical week. The trend is fitted to weekly means; nothing is extrapolated
from less than four whole weeks, and nothing at all from less than one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tidegate.pricing.usage import MICRO, Known, Usage
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.portfolio import Floats, Indices

WEEKS_A_MONTH = 365 / 7 / 12
WEEKS_FOR_TREND = 4
WEEKS_OF_SHAPE = 8
WORKDAY_HOURS = 120
MOST_GROWTH_A_WEEK = 0.02
"""A fitted trend beyond this, a doubling in a year, is cut: growth like it is to be stated."""

NORMAL_80 = 1.2816
"""Standard deviations on each side of an interval that holds four fifths."""


@dataclass(frozen=True, slots=True)
class RowForecast:
    """What one pool may use.

    Attributes:
        shape: The hours of a week, Monday first, relative to their mean; 168 values.
        level: Mean nodes in the last weeks.
        slope: Change of the level a week, in nodes.
        spread: Standard deviation of weekly means around the trend, in nodes.
        weeks: How many whole weeks were measured.
    """

    shape: Floats
    level: float
    slope: float
    spread: float
    weeks: int

    @property
    def growth_a_week(self) -> float:
        """Return what the level changes by in a week, relative to it; 0 where nothing is used."""
        return self.slope / self.level if self.level > 0 else 0.0

    @property
    def weekend_share(self) -> float | None:
        """Return a weekend hour's use relative to a workday's; None where workdays have none."""
        workdays = float(self.shape[:WORKDAY_HOURS].mean())
        return float(self.shape[WORKDAY_HOURS:].mean()) / workdays if workdays > 0 else None

    def hourly(self, levels: Floats) -> Floats:
        """Return month after month a typical week at the levels given; never below 0."""
        return np.maximum(np.outer(levels, self.shape), 0.0).ravel()

    def levels(self, months: int, growth: float | None = None, sides: float = 0.0) -> Floats:
        """Return the mean nodes of each month.

        Args:
            months: How many.
            growth: What the use grows by in a year, where it is stated; else the trend tells it.
            sides: Standard deviations above the expectation, negative for below.
        """
        weeks = (np.arange(months) + 0.5) * WEEKS_A_MONTH
        expected: Floats
        if growth is not None:
            expected = np.asarray(self.level * (1 + growth) ** (weeks * 7 / 365), dtype=np.float64)
        else:
            expected = np.asarray(self.level + self.slope * weeks, dtype=np.float64)
        doubt = self.spread * np.sqrt(1 + weeks / max(self.weeks, 1))
        return np.asarray(np.maximum(expected + sides * doubt, 0.0), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What every pool may use, month by month.

    Attributes:
        rows: Row id → its forecast.
        months: How many months are looked at.
        weeks: How many weeks were measured, each at least by half.
        has_trend: Whether a trend was fitted; without one the level is kept.
    """

    rows: Mapping[str, RowForecast]
    months: int
    weeks: int
    has_trend: bool


def build_forecast(usage: Usage, months: int) -> Forecast | None:
    """Return the forecast; None where less than one whole week was measured."""
    whole = usage.hours // HOURS_OF_WEEK
    if whole == 0 or usage.known_hours < HOURS_OF_WEEK:
        return None
    first = usage.hours - whole * HOURS_OF_WEEK
    known = usage.known[first:].reshape(whole, HOURS_OF_WEEK)
    # Hour 0 of the shape is Monday's first, whatever hour the usage begins with.
    shift = (usage.start.weekday() * 24 + usage.start.hour + first) % HOURS_OF_WEEK
    weeks = _usable_weeks(known)
    rows = {
        row.id: _fit(
            row.micro_nodes[first:].reshape(whole, HOURS_OF_WEEK) / MICRO, known, weeks, shift
        )
        for row in usage.rows
    }
    return Forecast(rows, months, len(weeks), len(weeks) >= WEEKS_FOR_TREND)


def _usable_weeks(known: Known) -> Indices:
    """Return the weeks of which at least half was measured; all with any hour where none was."""
    counted = known.sum(axis=1)
    usable = np.flatnonzero(counted >= HOURS_OF_WEEK // 2)
    return usable if len(usable) else np.flatnonzero(counted)


def _fit(nodes: Floats, known: Known, weeks: Indices, shift: int) -> RowForecast:
    shape = _shape(nodes, known)
    levels = np.array([_level(nodes[week], known[week], shape) for week in weeks])
    slope, level, spread = 0.0, float(levels.mean()), float(levels.std())
    if len(weeks) >= WEEKS_FOR_TREND:
        at = weeks - (len(nodes) - 1)
        slope, offset = (float(value) for value in np.polyfit(at, levels, 1))
        spread = float((levels - (slope * at + offset)).std())
        most = MOST_GROWTH_A_WEEK * float(levels.mean())
        slope, level = float(np.clip(slope, -most, most)), max(offset, 0.0)
    return RowForecast(np.roll(shape, shift), level, slope, spread, len(weeks))


def _level(nodes: Floats, known: Known, shape: Floats) -> float:
    """Return the mean of a week; hours that were not measured are taken to follow the shape."""
    expected = float(shape[known].sum())
    return float(nodes[known].sum()) / expected if expected > 0 else 0.0


def _shape(nodes: Floats, known: Known) -> Floats:
    """Return the hours of a week, from its first measured one on, relative to their mean."""
    recent, ok = nodes[-WEEKS_OF_SHAPE:], known[-WEEKS_OF_SHAPE:]
    counts = ok.sum(axis=0)
    sums = np.where(ok, recent, 0.0).sum(axis=0)
    mean = float(sums.sum() / max(counts.sum(), 1))
    typical = np.where(counts > 0, sums / np.maximum(counts, 1), mean)
    return typical / mean if mean > 0 else np.ones(HOURS_OF_WEEK)
