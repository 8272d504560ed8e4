from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.review.optimum import find_optimum
from tidegate.review.portfolio import Choice, spend_on_demand
from tidegate.review.whole import settle_whole

PRICES = np.array([10.0, 3.0])
MACHINE = Choice(np.array([0]), np.array([1.0]), 6.4)
OTHER = Choice(np.array([1]), np.array([1.0]), 1.92)
PLAN = Choice(np.array([1, 0]), PRICES[[1, 0]] * 0.72, 1.0)
CHOICES = [MACHINE, OTHER, PLAN]

hourly = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8)


def cost_of(nodes, amounts) -> float:
    fixed = sum(choice.unit_cost * one for choice, one in zip(CHOICES, amounts, strict=True))
    spent = spend_on_demand(nodes, PRICES, CHOICES, np.array(amounts)).sum()
    return float(fixed * nodes.shape[1] + spent)


def search(nodes) -> float:
    plans = sorted({7.2 * one + 2.16 * other for one in range(6) for other in range(6)})
    return min(cost_of(nodes, amounts) for amounts in itertools.product(range(6), range(6), plans))


@given(hourly)
@settings(max_examples=25, deadline=None)
def test_brute_force_finds_nothing_cheaper(hours):
    nodes = np.array(hours, dtype=float).T
    found = find_optimum(nodes, PRICES, CHOICES, gap=1e-7, whole=(0, 1))
    assert np.allclose(found.amounts[:2], np.rint(found.amounts[:2]))
    assert found.cost == pytest.approx(cost_of(nodes, found.amounts))
    assert found.cost <= search(nodes) + 1e-5
    assert found.bound <= found.cost + 1e-6


@given(hourly, st.lists(st.floats(0, 5), min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_settling_never_costs_more_than_rounding_down(hours, amounts):
    nodes = np.array(hours, dtype=float).T
    start = np.array(amounts)
    settled = settle_whole(nodes, PRICES, CHOICES, (0, 1), start)
    rounded = np.array([*np.floor(start[:2]), start[2]])
    assert cost_of(nodes, settled) <= cost_of(nodes, rounded) + 1e-6


def test_without_whole_numbers_nothing_is_changed():
    start = np.array([0.5, 1.5, 2.0])
    assert settle_whole(np.ones((2, 3)), PRICES, CHOICES, (), start) is start
