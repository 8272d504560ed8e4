from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scaling import NOW, item, node, offering, plan, pool, shape, sizes

from tidegate.scaling.forecast import ForecastHabit, forecast_rate
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.warm import warm_accelerators

HABIT = ForecastHabit(lead=5)


def test_a_constant_rate_is_expected_to_stay():
    assert forecast_rate([7.0] * 400, HABIT) == 7


def test_a_ramp_is_followed_to_when_an_order_serves():
    ramp = [100.0 + minute for minute in range(400)]
    assert ramp[-1] < forecast_rate(ramp, HABIT) <= ramp[-1] + 2 * HABIT.lead


def test_a_short_past_leaves_room():
    assert forecast_rate([10.0], HABIT) == 13


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ([1.0], 90),
        ([0.0] * 4, 90),
        ([1.0] * 9, 90),
        ([0.0] * 5, 0),
        ([1.0] * 10, 1.3),
    ],
)
def test_a_burst_is_prepared_for_again_while_little_was_seen(since, expected):
    assert forecast_rate([2.0, 90.0, *since], ForecastHabit(5, trend=0.0)) == expected


def test_a_burst_is_not_held_once_a_margin_is_known():
    assert forecast_rate([*[7.0] * 400, 90.0, *[7.0] * 5], HABIT) < 10


def test_a_margin_learned_at_a_busy_time_holds_at_a_quiet_one_by_the_root():
    busy = [100.0 + 20 * (minute % 11 == 0) for minute in range(400)]
    habit = ForecastHabit(lead=5, trend=0.0, quantile=1.0)
    busy_room = forecast_rate([*busy, *[100.0] * 10], habit) - 100
    quiet_room = forecast_rate([*busy, *[4.0] * 10], habit) - 4
    assert (busy_room, quiet_room) == pytest.approx((20, 4))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200))
def test_a_forecast_is_bounded(history):
    assert 0 <= forecast_rate(history, HABIT) <= 4.5 * max(history)


def test_bursts_count_by_their_size():
    assert warm_accelerators([1] * 10 + [90], Decimal("0.5")) == 90
    assert warm_accelerators([1] * 90 + [10], Decimal("0.5")) == 1
    assert warm_accelerators([], Decimal(1)) == 0


def test_room_is_kept_for_what_arrives():
    settings = ScalingSettings(warm_share=Decimal(1))
    found = plan(
        [pool()],
        [offering()],
        item(shape=shape(4)),
        settings=settings,
        arrivals={"train": (2, 10)},
    )
    # Four are taken, ten are kept free.
    assert sizes(found) == {"train": (0, 2)}


def test_idle_nodes_that_are_kept_free_stay():
    settings = ScalingSettings(warm_share=Decimal(1))
    idle = [node(f"n{number}") for number in range(3)]
    found = plan([pool()], [offering()], nodes=idle, settings=settings, arrivals={"train": (10,)})
    assert len(found.stops) == 1
    assert idle[0].since < NOW
