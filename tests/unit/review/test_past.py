from __future__ import annotations

import itertools
import operator
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.usage import (
    CLOUD_PLAN,
    FAMILY_PLAN,
    MACHINES,
    build_hours,
    build_offer,
    build_row,
)

from tidegate.catalog.instruments import Unit
from tidegate.pricing.applied import Purchase, apply_purchases
from tidegate.review.candidates import OfferLimits, build_candidates, with_quantity
from tidegate.review.past import find_portfolio

OFFERS = [
    build_offer(CLOUD_PLAN, "0.28"),
    build_offer(CLOUD_PLAN, "0.46", 36),
    build_offer(FAMILY_PLAN, "0.34"),
    build_offer(MACHINES, "0.36"),
    build_offer(MACHINES, "0.40", 12, "1"),
]
hourly = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8).filter(
    lambda hours: any(map(sum, hours))
)


def build(hours, scale: int = 1, price_scale: int = 1):
    return build_hours(
        build_row("a", [one * scale for one, _ in hours], str(10 * price_scale)),
        build_row("b", [other * scale for _, other in hours], str(3 * price_scale), "g6.xlarge"),
    )


def total(portfolio) -> Decimal:
    return portfolio.applied.total()


def test_steady_use_is_bought_at_the_deepest_discount_within_the_limits():
    usage = build_hours(build_row("a", [2, 2, 2]))
    found = find_portfolio(usage, OFFERS)
    assert [(each.purchase.id, each.purchase.quantity) for each in found.chosen] == [
        ("aws/us-east-1/p5.48xlarge/machines-12m-0", Decimal(2))
    ]
    assert total(found) == Decimal("38.4")
    assert found.without.total() == Decimal(60)


def test_longer_terms_and_upfront_payment_are_chosen_only_where_the_team_would_sign_them():
    usage = build_hours(build_row("a", [2, 2, 2]))
    upfront = find_portfolio(usage, OFFERS, limits=OfferLimits(12, Decimal(1)))
    longer = find_portfolio(usage, OFFERS, limits=OfferLimits(36, Decimal(0)))
    assert [each.candidate.offer.upfront_share for each in upfront.chosen] == [Decimal(1)]
    assert [each.candidate.offer.term_months for each in longer.chosen] == [36]
    assert total(longer) == Decimal("32.4")


def test_an_instrument_that_binds_more_without_being_cheaper_is_left_out():
    usage = build_hours(build_row("a", [1]))
    offers = [build_offer(CLOUD_PLAN, "0.36"), build_offer(FAMILY_PLAN, "0.36")]
    found = build_candidates(usage, offers, OfferLimits())
    assert [each.offer.instrument.name for each in found] == ["cloud-plan"]


def test_what_is_held_covers_first_and_nothing_is_bought_twice():
    usage = build_hours(build_row("a", [2, 2, 2]))
    held = Purchase("held", CLOUD_PLAN, Decimal("14.4"), Decimal("0.28"))
    found = find_portfolio(usage, OFFERS, [held])
    assert found.chosen == ()
    assert total(found) == found.without.total() == Decimal("43.2")


def test_hours_that_were_not_measured_decide_nothing():
    usage = build_hours(build_row("a", [2, 9, 2]), missing=[1])
    assert find_portfolio(usage, OFFERS).chosen[0].purchase.quantity == Decimal(2)


@pytest.mark.parametrize("nodes", [[0, 0, 0], [0]])
def test_no_use_buys_nothing(nodes):
    found = find_portfolio(build_hours(build_row("a", nodes)), OFFERS)
    assert (found.chosen, total(found), found.gap) == ((), Decimal(0), 0.0)


def test_use_without_a_price_buys_nothing():
    found = find_portfolio(build_hours(build_row("a", [3, 3], price=None)), OFFERS)
    assert (found.chosen, found.applied.unpriced) == ((), ("a/p5.48xlarge",))


@given(hourly)
@settings(max_examples=30, deadline=None)
def test_never_costs_more_than_buying_nothing_nor_less_than_its_bound(hours):
    found = find_portfolio(build(hours), OFFERS)
    # Amounts are bought in cents: at most half a cent an hour and plan is lost by that.
    slack = Decimal("0.02") * len(hours)
    assert total(found) <= found.without.total() + slack
    assert float(total(found)) >= found.bounds["USD"] - 1e-6


@given(hourly)
@settings(max_examples=30, deadline=None)
def test_the_order_of_pools_changes_nothing(hours):
    usage = build(hours)
    turned = build_hours(*reversed(usage.rows))
    one, other = find_portfolio(usage, OFFERS), find_portfolio(turned, OFFERS)
    assert one.chosen == other.chosen
    assert total(one) == total(other)


@given(hourly, st.sampled_from([2, 10]))
@settings(max_examples=30, deadline=None)
def test_scaled_use_costs_as_much_more(hours, factor):
    once = find_portfolio(build(hours), OFFERS, gap=1e-7)
    often = find_portfolio(build(hours, scale=factor), OFFERS, gap=1e-7)
    assert often.bounds["USD"] == pytest.approx(factor * once.bounds["USD"], rel=1e-6)
    cents = 0.02 * len(hours) * (factor + 1)
    assert float(total(often)) <= factor * float(total(once)) + cents


@given(hourly, st.sampled_from([2, 10]))
@settings(max_examples=30, deadline=None)
def test_scaled_prices_cost_as_much_more(hours, factor):
    once = find_portfolio(build(hours), OFFERS, gap=1e-7)
    often = find_portfolio(build(hours, price_scale=factor), OFFERS, gap=1e-7)
    assert often.bounds["USD"] == pytest.approx(factor * once.bounds["USD"], rel=1e-6)


@given(hourly)
@settings(max_examples=30, deadline=None)
def test_another_offer_never_raises_the_optimum(hours):
    usage = build(hours)
    fewer = find_portfolio(usage, OFFERS[:1], gap=1e-7)
    more = find_portfolio(usage, OFFERS, gap=1e-7)
    assert more.bounds["USD"] <= fewer.bounds["USD"] * (1 + 1e-6) + 1e-6


def test_the_quantile_of_the_discount_is_bought_for_one_rate():
    nodes = [0, 1, 1, 2, 3, 3, 4, 5, 8, 8]
    found = find_portfolio(build_hours(build_row("a", nodes)), [build_offer(CLOUD_PLAN, "0.36")])
    quantile = np.quantile(nodes, 0.36, method="inverted_cdf")
    assert found.chosen[0].purchase.quantity == Decimal(str(quantile)) * Decimal("6.4")


def test_machines_alone_are_bought_whole_and_nothing_whole_is_cheaper():
    nodes = [0.4, 1.5, 1.6, 2.5, 2.6, 0.2]
    found = find_portfolio(build_hours(build_row("a", nodes)), [build_offer(MACHINES, "0.36")])
    costs = {
        machines: sum(machines * 6.4 + max(use - machines, 0) * 10 for use in nodes)
        for machines in range(5)
    }
    best = min(costs, key=lambda machines: costs[machines])
    assert [each.purchase.quantity for each in found.chosen] == [best]
    assert float(total(found)) == pytest.approx(costs[best])
    assert found.gap == pytest.approx(0.0, abs=1e-9)


def test_currencies_are_solved_and_summed_apart():
    usage = build_hours(
        build_row("a", [2, 2, 2]),
        build_row("b", [1, 1, 1], currency="EUR", instance_type="g6.xlarge"),
    )
    found = find_portfolio(usage, [build_offer(CLOUD_PLAN, "0.28")])
    assert {each.purchase.currency: each.purchase.quantity for each in found.chosen} == {
        "USD": Decimal("14.40"),
        "EUR": Decimal("7.20"),
    }
    assert found.applied.totals() == {"EUR": Decimal("21.6"), "USD": Decimal("43.2")}
    assert found.bounds == pytest.approx({"EUR": 21.6, "USD": 43.2})


few_hours = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6
).filter(lambda hours: any(map(sum, hours)))
OVERLAPPING = [
    [build_offer(CLOUD_PLAN, "0.28"), build_offer(MACHINES, "0.36")],
    [build_offer(CLOUD_PLAN, "0.28"), build_offer(FAMILY_PLAN, "0.34")],
    [
        build_offer(CLOUD_PLAN, "0.28"),
        build_offer(FAMILY_PLAN, "0.34"),
        build_offer(MACHINES, "0.36"),
    ],
]


def search_every_portfolio(usage, offers) -> Decimal:
    """Return the least cost of any numbers of machines and any amounts that cover whole nodes."""
    candidates = build_candidates(usage, offers, OfferLimits())
    rows = {row.id: row for row in usage.rows}
    grids = []
    for candidate in candidates:
        if candidate.offer.instrument.unit is Unit.MACHINES:
            grids.append([Decimal(count) for count in range(4)])
            continue
        rates = [candidate.purchase.rate(rows[each]) for each in candidate.rows]
        counts = itertools.product(range(4), repeat=len(rates))
        grids.append(sorted({sum(map(operator.mul, rates, each), Decimal(0)) for each in counts}))
    return min(
        apply_purchases(
            usage, [with_quantity(*each) for each in zip(candidates, quantities, strict=True)]
        ).total()
        for quantities in itertools.product(*grids)
    )


@given(few_hours, st.sampled_from(OVERLAPPING[:2]))
@settings(max_examples=25, deadline=None)
def test_brute_force_finds_nothing_cheaper_where_machines_and_plans_overlap(hours, offers):
    usage = build(hours)
    found = find_portfolio(usage, offers, gap=1e-7)
    cents = Decimal("0.02") * len(hours)
    assert total(found) <= search_every_portfolio(usage, offers) + cents


@given(few_hours.filter(lambda hours: len(hours) < 4))
@settings(max_examples=3, deadline=None)
def test_brute_force_finds_nothing_cheaper_among_three_that_overlap(hours):
    usage = build(hours)
    found = find_portfolio(usage, OVERLAPPING[2], gap=1e-7)
    cents = Decimal("0.02") * len(hours)
    assert total(found) <= search_every_portfolio(usage, OVERLAPPING[2]) + cents


@pytest.mark.parametrize("offers", OVERLAPPING)
def test_many_pools_come_within_half_a_percent_of_the_bound(offers):
    draw = np.random.default_rng(3)
    hours = np.arange(4 * 168)
    rows = []
    for index in range(30):
        day = 0.3 * np.sin(hours / 24 * 2 * np.pi) + draw.normal(0, 0.1, len(hours))
        nodes = np.maximum(0, draw.lognormal(2, 1) * (1 + day))
        price = str(round(draw.lognormal(1, 1), 3))
        rows.append(build_row(f"p{index:02}", nodes, price, f"m{index}.large"))
    found = find_portfolio(build_hours(*rows), offers)
    assert 0 <= found.gap <= 0.005
