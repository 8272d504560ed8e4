"""What may come: the forecast and its interval, stated growth, and cases that hurt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from tidegate.pricing.usage import MICRO, Usage, UsageRow, build_usage
from tidegate.review.forecast import NORMAL_80, Forecast, RowForecast
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.portfolio import Floats

PEAK_SHARE = 0.9
NEW_GENERATION_MONTH = 6
NEW_GENERATION_SHARE = 0.5
NEW_GENERATION_PRICE = 0.7
LEAVING_MONTH = 3


@dataclass(frozen=True, slots=True)
class Scenario:
    """One course of the months to come.

    Attributes:
        name: Unique within the review.
        assumption: What it assumes, for people.
        usage: The use: month after month a typical week.
    """

    name: str
    assumption: str
    usage: Usage


Series = Mapping[str, Floats]
"""Row id → nodes, hour by hour of each month's typical week."""


def build_scenarios(
    usage: Usage, forecast: Forecast, growth: Mapping[str, float], teams: Mapping[str, str]
) -> tuple[Scenario, ...]:
    """Return every scenario, the expected one first.

    Args:
        usage: The use that was measured.
        forecast: What was made of it.
        growth: Name → growth a year that the user states, from −1 upwards.
        teams: Pool → the team that it belongs to.
    """
    months = forecast.months
    expected = _series(forecast, lambda row: row.levels(months))

    def scenario(name: str, assumption: str, series: Series) -> Scenario:
        return Scenario(name, assumption, _as_usage(usage.start, usage.rows, series))

    trend = "with its trend" if forecast.has_trend else "at its level: too few weeks for a trend"
    low = _series(forecast, lambda row: row.levels(months, sides=-NORMAL_80))
    high = _series(forecast, lambda row: row.levels(months, sides=NORMAL_80))
    found = [
        scenario("expected", f"use goes on {trend}", expected),
        scenario("low", "the lower end of the interval that holds four fifths", low),
        scenario("high", "the upper end of the same interval", high),
    ]
    for name, rate in sorted(growth.items()):
        stated = {key: row.hourly(row.levels(months, rate)) for key, row in forecast.rows.items()}
        found.append(scenario(f"growth-{name}", f"stated growth of {rate:+.0%} a year", stated))
    found += [
        scenario(
            "peak-removed",
            "hours above the ninth decile of a typical week fall to it",
            {key: _cut_peak(hours) for key, hours in expected.items()},
        ),
        scenario("growth-halved", "growth is half of the trend's", _halve_growth(forecast)),
    ]
    found += _moves(usage, expected, teams)
    return (*found, _new_generation(usage, expected))


def _series(forecast: Forecast, levels: Callable[[RowForecast], Floats]) -> dict[str, Floats]:
    return {key: row.hourly(levels(row)) for key, row in forecast.rows.items()}


def _cut_peak(hours: Floats) -> Floats:
    return np.asarray(np.minimum(hours, np.quantile(hours, PEAK_SHARE)), dtype=np.float64)


def _halve_growth(forecast: Forecast) -> dict[str, Floats]:
    halved = {
        key: replace(row, slope=row.slope / 2 if row.slope > 0 else row.slope)
        for key, row in forecast.rows.items()
    }
    return _series(replace(forecast, rows=halved), lambda row: row.levels(forecast.months))


def _moves(usage: Usage, expected: Series, teams: Mapping[str, str]) -> Iterator[Scenario]:
    """Yield the largest pool moving to another cloud, and the largest team leaving."""
    spend = {row.id: float(row.price or 0) * float(expected[row.id].sum()) for row in usage.rows}
    eligible = [row for row in usage.rows if row.eligible and spend[row.id] > 0]
    if not eligible:
        return
    largest = max(eligible, key=lambda row: (spend[row.id], row.id))
    gone = _without(expected, {largest.id}, NEW_GENERATION_MONTH)
    other = "another cloud than " + largest.cloud.value
    yield Scenario(
        "workload-moved",
        f"pool {largest.pool} moves to {other} after {NEW_GENERATION_MONTH} months; "
        "what it costs there is the same for every row of the table and not counted",
        _as_usage(usage.start, usage.rows, gone),
    )
    of_team: dict[str, set[str]] = {}
    for row in eligible:
        of_team.setdefault(teams.get(row.pool, ""), set()).add(row.id)
    of_team.pop("", None)
    if of_team:
        team = max(of_team, key=lambda name: (sum(spend[key] for key in of_team[name]), name))
        yield Scenario(
            "team-leaves",
            f"team {team} leaves after {LEAVING_MONTH} months with all of its use",
            _as_usage(usage.start, usage.rows, _without(expected, of_team[team], LEAVING_MONTH)),
        )


def _without(series: Series, gone: set[str], month: int) -> dict[str, Floats]:
    changed = dict(series)
    for key in gone:
        hours = series[key].copy()
        hours[month * HOURS_OF_WEEK :] = 0.0
        changed[key] = hours
    return changed


def _new_generation(usage: Usage, expected: Series) -> Scenario:
    """Half of the accelerated work moves to a machine that does it for 30 % less."""
    kept, rows = dict(expected), list(usage.rows)
    from_hour = NEW_GENERATION_MONTH * HOURS_OF_WEEK
    for row in usage.rows:
        if not row.accelerated or not row.eligible or row.price is None:
            continue
        moved = expected[row.id] * NEW_GENERATION_SHARE
        moved[:from_hour] = 0.0
        newer = replace(
            row,
            instance_type=f"{row.instance_type}-next",
            family=f"{row.family}-next",
            price=row.price * 7 / 10,
            price_origin=f"assumed at {NEW_GENERATION_PRICE:.0%} of {row.instance_type}",
            assumed=True,
        )
        kept[row.id], kept[newer.id] = expected[row.id] - moved, moved
        rows.append(newer)
    assumption = (
        f"a new generation takes {NEW_GENERATION_SHARE:.0%} of accelerated work after "
        f"{NEW_GENERATION_MONTH} months, at {NEW_GENERATION_PRICE:.0%} of its price"
    )
    return Scenario("new-generation", assumption, _as_usage(usage.start, rows, kept))


def _as_usage(
    start: datetime, rows: tuple[UsageRow, ...] | list[UsageRow], series: Series
) -> Usage:
    built = [
        replace(row, micro_nodes=np.rint(series[row.id] * MICRO).astype(np.int64)) for row in rows
    ]
    hours = len(next(iter(series.values())))
    return build_usage(start, np.ones(hours, dtype=bool), built)
