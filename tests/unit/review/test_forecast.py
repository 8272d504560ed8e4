from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.usage import build_hours, build_row

from tidegate.review.forecast import WEEKS_A_MONTH, build_forecast
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.scenarios import build_scenarios

KEY = "a/p5.48xlarge"


def build(weeks: int, weekly=lambda week: 4.0, weekend: float = 1.0, missing=()):
    nodes = [
        weekly(index // HOURS_OF_WEEK) * (weekend if index % HOURS_OF_WEEK >= 120 else 1.0)
        for index in range(weeks * HOURS_OF_WEEK)
    ]
    return build_hours(build_row("a", nodes), missing=missing)


def test_less_than_a_week_has_no_forecast():
    usage = build_hours(build_row("a", [1.0] * (HOURS_OF_WEEK - 1)))
    assert build_forecast(usage, 12) is None


def test_steady_use_stays_with_a_narrow_interval():
    forecast = build_forecast(build(6), 12)
    assert forecast is not None
    row = forecast.rows[KEY]
    assert row.levels(12) == pytest.approx([4.0] * 12)
    assert row.levels(12, sides=-1.0) == pytest.approx([4.0] * 12, abs=1e-6)


def test_a_trend_goes_on_week_by_week():
    forecast = build_forecast(build(8, lambda week: 10 + 0.1 * week), 3)
    assert forecast is not None
    expected = [10.7 + 0.1 * (month + 0.5) * WEEKS_A_MONTH for month in range(3)]
    assert forecast.rows[KEY].levels(3) == pytest.approx(expected, rel=1e-3)


def test_weeks_that_are_missing_keep_their_place_in_the_trend():
    gone = range(2 * HOURS_OF_WEEK, 5 * HOURS_OF_WEEK)
    forecast = build_forecast(build(9, lambda week: 10 + 0.1 * week, missing=gone), 3)
    assert forecast is not None
    assert (forecast.weeks, forecast.has_trend) == (6, True)
    assert forecast.rows[KEY].slope == pytest.approx(0.1, rel=1e-3)
    assert forecast.rows[KEY].level == pytest.approx(10.8, rel=1e-3)


def test_weeks_that_are_missing_do_not_count_towards_a_trend():
    gone = range(HOURS_OF_WEEK, 4 * HOURS_OF_WEEK)
    forecast = build_forecast(build(6, lambda week: 10 + week, missing=gone), 3)
    assert forecast is not None
    assert (forecast.weeks, forecast.has_trend) == (3, False)
    assert forecast.rows[KEY].slope == 0.0


def test_a_weekend_that_was_not_measured_makes_no_trend():
    gone = range(5 * HOURS_OF_WEEK + 120, 6 * HOURS_OF_WEEK)
    forecast = build_forecast(build(6, weekend=0.5, missing=gone), 3)
    assert forecast is not None
    assert forecast.rows[KEY].slope == pytest.approx(0.0, abs=1e-9)


def test_three_weeks_of_growth_are_not_extrapolated():
    forecast = build_forecast(build(3, lambda week: 4 + week), 12)
    assert forecast is not None
    assert not forecast.has_trend
    assert forecast.rows[KEY].levels(12) == pytest.approx([5.0] * 12)


def test_a_steep_trend_is_cut_to_a_doubling_in_a_year():
    forecast = build_forecast(build(6, lambda week: 2.0**week), 12)
    assert forecast is not None
    row = forecast.rows[KEY]
    assert row.slope == pytest.approx(0.02 * np.mean([2.0**week for week in range(6)]))


def test_stated_growth_replaces_the_trend():
    forecast = build_forecast(build(6), 12)
    assert forecast is not None
    levels = forecast.rows[KEY].levels(12, growth=1.0)
    assert levels[0] == pytest.approx(4 * 2 ** (0.5 / 12), rel=1e-3)
    assert levels[-1] == pytest.approx(4 * 2 ** (11.5 / 12), rel=1e-3)


@given(st.integers(0, HOURS_OF_WEEK - 1))
@settings(max_examples=20, deadline=None)
def test_the_shape_of_a_week_begins_on_monday_whenever_the_use_begins(offset):
    usage = build(3, weekend=0.5)
    cut = build_hours(
        replace(usage.rows[0], micro_nodes=usage.rows[0].micro_nodes[offset:]),
    )
    cut = replace(cut, start=usage.start + timedelta(hours=offset))
    forecast = build_forecast(cut, 12)
    assert forecast is not None
    shape = forecast.rows[KEY].shape
    assert shape[:120] == pytest.approx(np.full(120, shape[0]))
    assert shape[120:] == pytest.approx(np.full(48, shape[0] / 2))
    assert shape.mean() == pytest.approx(1.0)


def test_hours_that_were_not_measured_change_no_forecast():
    whole, holed = build_forecast(build(6), 12), build_forecast(build(6, missing=range(30, 70)), 12)
    assert whole is not None
    assert holed is not None
    assert holed.rows[KEY].levels(12) == pytest.approx(whole.rows[KEY].levels(12))
    assert holed.rows[KEY].shape == pytest.approx(whole.rows[KEY].shape)


def scenarios(usage, teams=None, growth=None):
    forecast = build_forecast(usage, 12)
    assert forecast is not None
    found = build_scenarios(usage, forecast, growth or {}, teams or {})
    return {each.name: each for each in found}


def total(scenario, key: str = KEY) -> float:
    row = next(row for row in scenario.usage.rows if row.id == key)
    return float(row.micro_nodes.sum()) / 1e6


def test_cases_that_hurt_use_no_more_than_is_expected():
    found = scenarios(build(8, lambda week: 10 + 0.1 * week, weekend=0.5), {"a": "vision"})
    expected = total(found["expected"])
    for name in ("low", "growth-halved", "peak-removed", "team-leaves", "workload-moved"):
        assert total(found[name]) <= expected
    assert total(found["high"]) >= expected


def test_a_leaving_team_takes_its_use_with_it():
    found = scenarios(build(6), {"a": "vision"})
    assert total(found["team-leaves"]) == pytest.approx(total(found["expected"]) * 3 / 12)
    assert "team vision leaves" in found["team-leaves"].assumption


def test_a_new_generation_keeps_the_work_and_lowers_its_price():
    found = scenarios(build(6))
    newer = f"{KEY}-next"
    scenario = found["new-generation"]
    assert total(scenario) + total(scenario, newer) == pytest.approx(total(found["expected"]))
    row = next(row for row in scenario.usage.rows if row.id == newer)
    assert (row.price, row.assumed) == (7, True)


def test_nobody_leaves_where_no_team_is_named():
    assert "team-leaves" not in scenarios(build(6))
    assert "growth-launch" in scenarios(build(6), growth={"launch": 0.5})
