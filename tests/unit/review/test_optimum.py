from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.review.coordinate import coordinate
from tidegate.review.optimum import find_optimum
from tidegate.review.portfolio import Choice, bound_cost, measure_slope, spend_on_demand

PRICES = np.array([3.0, 5.0])
ONE = Choice(np.array([0]), np.array([2.0]), 1.2)
OTHER = Choice(np.array([1]), np.array([1.0]), 3.25)
BOTH = Choice(np.array([0, 1]), PRICES * 0.72, 1.0)
CHOICES = [ONE, OTHER, BOTH]

hourly = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8)


def as_nodes(hours) -> np.ndarray:
    return np.array(hours, dtype=float).T


def cost_of(nodes, choices, amounts) -> float:
    fixed = sum(choice.unit_cost * amount for choice, amount in zip(choices, amounts, strict=True))
    on_demand = spend_on_demand(nodes, PRICES, choices, np.array(amounts)).sum()
    return float(fixed * nodes.shape[1] + on_demand)


def search(nodes, choices) -> float:
    """Return the least cost over a fine grid that holds every whole number of nodes."""
    grids = [
        sorted({float(rate) * count for rate in choice.rates for count in range(6)})
        for choice in choices
    ]
    return min(cost_of(nodes, choices, amounts) for amounts in itertools.product(*grids))


@given(hourly)
def test_one_rate_buys_the_quantile_of_its_discount(hours):
    nodes = as_nodes(hours)
    discount = 0.4  # a unit of 2 covers a node of 3 for 2 × 0.9: 40 % cheaper
    choice = Choice(np.array([0]), np.array([1.0]), 3.0 * (1 - discount))
    found = find_optimum(nodes, PRICES, [choice])
    quantile = np.quantile(nodes[0], discount, method="inverted_cdf")
    assert found.cost == pytest.approx(cost_of(nodes, [choice], [quantile]))


@given(hourly)
@settings(max_examples=40, deadline=None)
def test_is_at_least_as_cheap_as_a_search_over_every_combination(hours):
    nodes = as_nodes(hours)
    found = find_optimum(nodes, PRICES, CHOICES, gap=1e-7)
    assert found.cost <= search(nodes, CHOICES) + 1e-6
    assert found.bound <= found.cost + 1e-6
    assert found.gap < 1e-6
    assert found.cost == pytest.approx(cost_of(nodes, CHOICES, found.amounts))


@given(hourly)
@settings(max_examples=40, deadline=None)
def test_brute_force_finds_the_same_where_scopes_do_not_overlap(hours):
    nodes = as_nodes(hours)
    found = find_optimum(nodes, PRICES, [ONE, OTHER], gap=1e-7)
    assert found.cost == pytest.approx(search(nodes, [ONE, OTHER]))


@given(hourly, st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_another_instrument_never_raises_the_optimum(hours, left_out):
    nodes = as_nodes(hours)
    fewer = [choice for index, choice in enumerate(CHOICES) if index != left_out]
    all_of_them = find_optimum(nodes, PRICES, CHOICES, gap=1e-7).cost
    assert all_of_them <= find_optimum(nodes, PRICES, fewer, gap=1e-7).cost + 1e-5


@given(hourly)
@settings(max_examples=40, deadline=None)
def test_the_slope_is_a_lower_bound_everywhere(hours):
    nodes = as_nodes(hours)
    draw = np.random.default_rng(len(hours))
    here, there = draw.uniform(0, 12, 3), draw.uniform(0, 12, 3)
    slope = measure_slope(nodes, PRICES, CHOICES, here)
    below = slope.costs.sum() - slope.savings.sum(axis=1) @ (there - here)
    assert below <= spend_on_demand(nodes, PRICES, CHOICES, there).sum() + 1e-6


@given(hourly)
@settings(max_examples=40, deadline=None)
def test_coordination_brackets_the_optimum(hours):
    nodes = as_nodes(hours)
    exact = find_optimum(nodes, PRICES, CHOICES, gap=1e-7)
    found = coordinate(nodes, PRICES, CHOICES, gap=1e-3, rounds=30)
    assert found.bound <= exact.cost + 1e-6
    assert found.cost >= exact.bound - 1e-6


@given(hourly, st.lists(st.floats(0, 20), min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_any_prices_bound_the_optimum_from_below(hours, levels):
    nodes = as_nodes(hours)
    savings = np.repeat(np.array(levels)[:, None], nodes.shape[1], axis=1)
    bound = bound_cost(nodes, PRICES, CHOICES, savings)
    assert bound <= find_optimum(nodes, PRICES, CHOICES, gap=1e-7).cost + 1e-6


def test_large_problems_come_within_half_a_percent_of_the_bound():
    hours = np.arange(4000)
    draw = np.random.default_rng(1)
    level = draw.lognormal(1, 1, 60)[:, None]
    daily = 1 + 0.3 * np.sin(2 * np.pi * hours / 24 + draw.uniform(0, 6, 60)[:, None])
    nodes = level * daily * draw.uniform(0.8, 1.2, (60, 4000))
    prices = draw.lognormal(1, 1, 60)
    narrow = [Choice(np.array([row]), prices[[row]] * 0.63, 1.0) for row in range(60)]
    wide = Choice(np.arange(60), prices * 0.72, 1.0)
    found = find_optimum(nodes, prices, [*narrow, wide], gap=0.002)
    assert found.gap <= 0.005


def test_nothing_to_buy_costs_what_is_used():
    nodes = as_nodes([(1, 2), (0, 1)])
    found = find_optimum(nodes, PRICES, [])
    assert (found.cost, found.bound) == (18.0, 18.0)
