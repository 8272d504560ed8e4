from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.simulation.idle import (
    FixedKeepAlive,
    HistogramKeepAlive,
    IdleResult,
    LearnedKeepAlive,
    Stretch,
    build_stretches,
    run_idle,
)

BOOT = 240
POLICIES = (
    LearnedKeepAlive(),
    LearnedKeepAlive(Decimal(1)),
    FixedKeepAlive(600),
    FixedKeepAlive(0),
    HistogramKeepAlive(),
)


def endpoint(*gaps: int) -> list[Stretch]:
    return [part for gap in gaps for part in (Stretch(True, 60), Stretch(False, gap))] + [
        Stretch(True, 60)
    ]


def test_samples_become_stretches():
    assert build_stretches([True, True, False, True], 57) == (
        Stretch(True, 114),
        Stretch(False, 57),
        Stretch(True, 57),
    )


def test_a_gap_is_kept_through_or_paid_by_keep_alive_and_boot():
    short, long = endpoint(500), endpoint(5000)
    assert run_idle(short, FixedKeepAlive(600), BOOT) == IdleResult(120 + 500, 120 + 240, 0)
    assert run_idle(long, FixedKeepAlive(600), BOOT) == IdleResult(120 + 840, 120 + 240, 1)


def test_an_endpoint_that_never_wakes_pays_no_boot():
    found = run_idle([Stretch(True, 60), Stretch(False, 5000)], FixedKeepAlive(600), BOOT)
    assert found == IdleResult(660, 60, 0)


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@given(st.lists(st.integers(1, 20_000), max_size=40))
def test_no_policy_is_below_the_bound(policy, gaps):
    found = run_idle(endpoint(*gaps), policy, BOOT)
    assert found.cost >= found.bound
    assert found.wakes <= len(gaps)


@given(st.lists(st.integers(1, 20_000), max_size=9))
def test_ours_pays_at_most_twice_while_it_has_learned_nothing(gaps):
    found = run_idle(endpoint(*gaps), LearnedKeepAlive(), BOOT)
    assert found.cost <= 2 * found.bound


def test_ours_learns_that_gaps_are_long_and_sleeps_at_once():
    found = run_idle(endpoint(*[5000] * 30), LearnedKeepAlive(), BOOT)
    # The break-even for ten gaps, nothing for twenty.
    assert found.cost == 31 * 60 + 10 * (240 + 240) + 20 * 240


def test_the_histogram_outlasts_what_it_saw():
    policy = HistogramKeepAlive(tail=0.9)
    assert policy.seconds([100] * 5, BOOT) == 600
    assert policy.seconds([*[100] * 95, *[5000] * 5], BOOT) == 100
    assert policy.seconds([*[100] * 50, *[5000] * 50], BOOT) == 5000
    assert policy.seconds([*[100] * 50, *[90_000] * 50], BOOT) == 100
