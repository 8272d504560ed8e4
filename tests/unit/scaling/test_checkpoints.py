from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.scaling.checkpoints import advise_interval, lost_share
from tidegate.scaling.risk import InterruptionRecord, update_rate
from tidegate.vocabulary.demand import CheckpointHabit


@pytest.mark.parametrize(
    ("mean_minutes", "low", "high"), [(1440, 115, 117), (360, 55, 57), (15, 7, 9)]
)
def test_five_minutes_of_writing_give_the_published_intervals(mean_minutes, low, high):
    seen = InterruptionRecord(Decimal(mean_minutes) / 60 * 10, 10)
    advice = advise_interval(300, 600, seen, None)
    assert low <= round(advice.daly_seconds / 60) <= high
    assert advice.mean_time_between_failures_seconds == mean_minutes * 60


def test_advice_names_what_is_lost_now_and_what_would_be():
    seen = InterruptionRecord(Decimal(60), 10)
    advice = advise_interval(300, 600, seen, CheckpointHabit(36_000, 300, 600))
    assert (advice.young_seconds, advice.daly_seconds) == (3600, 3300)
    assert (advice.overhead_now, advice.overhead_advised) == (Decimal("0.8833"), Decimal("0.2014"))
    assert advice.reason == (
        "with a failure every 360 min, save every 55 min: "
        "20.1 % of the time is lost, now it is 88.3 %"
    )


def test_nothing_is_advised_before_anything_failed():
    assert advise_interval(300, 600, InterruptionRecord(Decimal(900), 0), None) is None


@pytest.mark.parametrize(("write", "restart"), [(0, 600), (300, -1)])
def test_impossible_times_are_refused(write, restart):
    with pytest.raises(ValueError, match="takes"):
        advise_interval(write, restart, InterruptionRecord(Decimal(1), 1), None)


@given(st.integers(1, 10), st.integers(3600, 360_000), st.integers(1, 40))
def test_no_interval_loses_much_less_than_young_s(write, mean, tenths):
    young = (2 * Decimal(write) * mean).sqrt()
    other = young * tenths / 10
    best = lost_share(young, write, 0, Decimal(mean))
    assert lost_share(other, write, 0, Decimal(mean)) >= best - Decimal("0.002")


def test_a_rate_moves_from_what_was_assumed_to_what_happened():
    prior, worth = Decimal("0.1"), Decimal(100)
    assert update_rate(prior, worth, InterruptionRecord(Decimal(0), 0)) == prior
    assert update_rate(prior, worth, InterruptionRecord(Decimal(100), 0)) == Decimal("0.05")
    assert update_rate(prior, worth, InterruptionRecord(Decimal(100), 30)) == Decimal("0.2")


@pytest.mark.parametrize(
    "seen", [InterruptionRecord(Decimal(-1), 0), InterruptionRecord(Decimal(1), -1)]
)
def test_negative_experience_is_refused(seen):
    with pytest.raises(ValueError, match="not negative"):
        update_rate(Decimal("0.1"), Decimal(100), seen)
