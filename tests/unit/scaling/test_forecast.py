from __future__ import annotations

from dataclasses import replace
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


@pytest.mark.parametrize("quiet_before", [0, 400], ids=["little was seen", "a margin is known"])
@pytest.mark.parametrize(
    ("since", "is_held"),
    [
        ([1.0], True),
        ([0.0] * 4, True),
        ([1.0] * 9, True),
        ([0.0] * 5, False),
        ([1.0] * 10, False),
    ],
)
def test_a_burst_is_prepared_for_again_within_the_stabilization(quiet_before, since, is_held):
    habit = ForecastHabit(5, trend=0.0, stabilization=10)
    history = [*[1.0] * quiet_before, 90.0, *since]
    without = forecast_rate(history, replace(habit, stabilization=0))
    assert without < 2
    assert forecast_rate(history, habit) == (90 if is_held else without)


rates = st.lists(st.floats(0, 1e6), min_size=1, max_size=200)


@given(rates, st.integers(-5, 60), st.integers(-5, 60))
def test_a_longer_stabilization_never_expects_less(history, one, other):
    shorter, longer = (replace(HABIT, stabilization=held) for held in sorted((one, other)))
    assert forecast_rate(history, shorter) <= forecast_rate(history, longer)


@given(rates, st.integers(1, 60))
def test_a_stabilization_expects_no_more_than_the_forecast_or_what_was_seen_within_it(
    history, held
):
    found = forecast_rate(history, replace(HABIT, stabilization=held))
    assert found in (forecast_rate(history, HABIT), max(history[-held:]))


@given(rates, st.integers(0, 60))
def test_an_endpoint_that_nobody_asks_for_a_lead_may_sleep_whatever_its_stabilization(
    history, held
):
    quiet = [*history, *[0.0] * (2 * HABIT.lead)]
    assert forecast_rate(quiet, replace(HABIT, stabilization=held)) == 0


def test_a_margin_learned_at_a_busy_time_holds_at_a_quiet_one_by_the_root():
    busy = [100.0 + 20 * (minute % 11 == 0) for minute in range(400)]
    habit = ForecastHabit(lead=5, trend=0.0, quantile=1.0)
    busy_room = forecast_rate([*busy, *[100.0] * 10], habit) - 100
    quiet_room = forecast_rate([*busy, *[4.0] * 10], habit) - 4
    assert (busy_room, quiet_room) == pytest.approx((20, 4))


@given(rates)
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
