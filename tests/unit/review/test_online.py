from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.review.online import (
    decide_target,
    look_back_target,
    replay_break_even,
    replay_policy,
)
from tidegate.review.rolling import bound_rolling, find_constant

uses = st.lists(st.integers(0, 6), min_size=1, max_size=14).map(lambda v: np.array(v, dtype=float))


def test_steady_use_is_committed_to_in_full():
    assert decide_target(np.full(100, 4.0), 0.28, 72, 1) == 4.0


def test_use_that_has_gone_is_not_committed_to():
    past = np.concatenate([np.full(60, 4.0), np.zeros(12)])
    assert decide_target(past, 0.28, 72, 3) == 0.0


def test_use_that_has_only_just_come_is_not_committed_to():
    past = np.concatenate([np.zeros(60), np.full(12, 4.0)])
    assert decide_target(past, 0.28, 72, 3) == 0.0


def test_nothing_is_aimed_at_that_is_not_in_use_now():
    past = np.concatenate([np.full(60, 4.0), [4.0, 1.0, 3.0]])
    assert decide_target(past, 0.28, 72, 1) == 3.0
    assert decide_target(past, 0.28, 72, 2) == 2.0


def test_the_quantile_is_a_little_above_the_discounts():
    past = np.arange(101, dtype=float)
    assert decide_target(past, 0.5, 101, 1) == pytest.approx(70.0)
    assert decide_target(past, 0.9, 101, 1) == 100.0


def test_a_step_buys_a_share_of_what_is_missing():
    cost = replay_policy(np.array([8.0, 8.0, 8.0]), 1, 5, 0.5, lambda _: 8.0, share=0.25)
    # Two bought in hour 1, a quarter of the six missing in hour 2.
    assert cost == (1.0 + 6.0) + (1.75 + 4.5)


@pytest.mark.parametrize(("past", "discount"), [([], 0.28), ([3.0, 3.0], 0.0)])
def test_nothing_is_bought_without_a_past_or_a_discount(past, discount):
    assert decide_target(np.array(past), discount, 72, 1) == 0.0


def test_look_back_is_the_quantile_of_its_span():
    assert look_back_target(np.array([9.0, 1.0, 2.0, 3.0, 4.0]), 0.5, 4) == 2.0
    assert look_back_target(np.array([]), 0.5, 4) == 0.0


def test_a_policy_sees_the_past_alone_and_pays_for_each_purchase_until_its_term_ends():
    seen = []

    def buy_once(past):
        seen.append(len(past))
        return 2.0 if len(past) == 2 else 0.0

    cost = replay_policy(np.array([5.0, 5.0, 1.0, 3.0, 3.0, 3.0]), 2, 3, 0.5, buy_once)
    # Hours 2 to 4 are covered by 2 units at half the price, hour 5 by none.
    assert seen == [2, 3, 4, 5]
    assert cost == (1.0) + (1.0 + 1.0) + (1.0 + 1.0) + 3.0


@given(uses, st.integers(1, 6), st.sampled_from([0.28, 0.46]))
@settings(max_examples=60, deadline=None)
def test_no_policy_undercuts_the_rolling_bound(use, term, discount):
    bound = bound_rolling(use, term, discount)
    ours = replay_policy(
        use, 0, term, discount, lambda past: decide_target(past, discount, term, 1), 0.125
    )
    assert bound <= ours + 1e-6
    assert bound <= replay_break_even(use, 0, term, discount) + 1e-6
    assert bound <= use.sum() + 1e-6
    if term >= len(use):
        assert bound <= find_constant(use, discount) + 1e-6


def test_the_rolling_bound_buys_when_use_comes_and_lets_it_end():
    use = np.array([0.0, 0.0, 4.0, 4.0, 4.0, 0.0])
    assert bound_rolling(use, 3, 0.5) == pytest.approx(6.0)
    assert bound_rolling(np.zeros(4), 3, 0.5) == 0.0


@given(uses.filter(lambda use: bool(use.any())), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_break_even_pays_at_most_twice_what_hindsight_pays(use, term):
    # Every reservation is paid for until its end, in the bound as well.
    padded = np.concatenate([use, np.zeros(term)])
    assert replay_break_even(padded, 0, term, 0.5) <= 2 * bound_rolling(padded, term, 0.5) + 1e-6


def test_break_even_reserves_once_as_much_was_paid_as_reserving_costs():
    # A term of 4 at half the price costs 2: two hours on demand, then a reservation.
    assert replay_break_even(np.full(6, 3.0), 0, 4, 0.5) == 3.0 * (1 + 1 + 4 * 0.5)
