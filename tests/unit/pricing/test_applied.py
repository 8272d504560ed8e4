from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.usage import (
    CLOUD_PLAN,
    FAMILY_PLAN,
    MACHINES,
    RESERVATION,
    build_hours,
    build_row,
)

from tidegate.pricing.applied import Purchase, apply_purchases
from tidegate.pricing.usage import MICRO, sum_exactly

PLAN = Purchase("plan", CLOUD_PLAN, Decimal(14), Decimal("0.3"))


def nodes(hours: object) -> list[float]:
    return [value / MICRO for value in np.asarray(hours)]


def test_without_purchases_everything_is_paid_on_demand():
    found = apply_purchases(build_hours(build_row("a", [1, 2, 0.5])), [])
    assert found.total() == found.list_cost["USD"] == Decimal(35)


def test_a_plan_is_paid_for_whether_used_or_not_and_covers_at_its_own_rate():
    # 14 an hour at a rate of 7 covers two nodes of 10.
    found = apply_purchases(build_hours(build_row("a", [1, 2, 3])), [PLAN])
    use = found.uses[0]
    assert nodes(use.covered["a/p5.48xlarge"]) == [1, 2, 2]
    assert (use.cost, use.utilization) == (Decimal(42), Decimal(35) / Decimal(42))
    assert found.on_demand_cost == {"USD": Decimal(10)}
    assert found.total() == Decimal(52)


def test_narrower_instruments_apply_first_whatever_the_order_of_purchase():
    narrow = Purchase("narrow", FAMILY_PLAN, Decimal(7), Decimal("0.3"), "us-east-1", "p5")
    usage = build_hours(build_row("a", [2]), build_row("b", [1], instance_type="g6.xlarge"))
    for purchases in ([PLAN, narrow], [narrow, PLAN]):
        found = apply_purchases(usage, purchases)
        assert [use.purchase.id for use in found.uses] == ["narrow", "plan"]
        assert found.total() == Decimal(21)


def test_a_plan_takes_the_highest_savings_first():
    usage = build_hours(build_row("a", [1]), build_row("b", [1], instance_type="g6.xlarge"))
    plan = replace(PLAN, quantity=Decimal(6), family_discounts={"g6": Decimal("0.4")})
    found = apply_purchases(usage, [plan])
    assert nodes(found.uncovered["a/p5.48xlarge"]) == [1]
    assert nodes(found.uncovered["b/g6.xlarge"]) == [0]


def test_machines_cover_their_own_type_and_region_only():
    machines = Purchase("m", MACHINES, Decimal(2), Decimal("0.5"), "us-east-1", "p5.48xlarge")
    usage = build_hours(
        build_row("a", [1, 3]),
        build_row("b", [1, 1], region="us-west-2"),
        build_row("c", [1, 1], instance_type="p4d.24xlarge"),
    )
    found = apply_purchases(usage, [machines])
    assert nodes(found.uncovered["a/p5.48xlarge"]) == [0, 1]
    assert nodes(found.uncovered["b/p5.48xlarge"]) == [1, 1]
    assert nodes(found.uncovered["c/p4d.24xlarge"]) == [1, 1]
    assert found.purchase_cost == {"USD": Decimal(20)}


def test_an_idle_reservation_is_billed_on_demand_and_a_plan_covers_it():
    held = Purchase(
        "r", RESERVATION, Decimal(2), Decimal(0), "us-east-1", "p5.48xlarge", pools=("a",)
    )
    found = apply_purchases(build_hours(build_row("a", [0, 1])), [held, PLAN])
    assert nodes(found.billed["a/p5.48xlarge"]) == [2, 2]
    assert found.uses[0].utilization == Decimal("0.25")
    assert found.total() == Decimal(28)
    assert found.list_cost == {"USD": Decimal(10)}


def test_hours_before_the_start_after_the_end_and_not_measured_are_neither_paid_nor_covered():
    plan = replace(PLAN, first_hour=1, end_hour=4)
    found = apply_purchases(build_hours(build_row("a", [1, 1, 1, 1, 1]), missing=[2]), [plan])
    assert nodes(found.uses[0].covered["a/p5.48xlarge"]) == [0, 1, 0, 1, 0]
    assert found.total() == Decimal(14 * 2 + 10 * 2)


def test_use_without_a_price_is_named_and_in_no_sum():
    usage = build_hours(build_row("a", [1]), build_row("b", [5], price=None))
    found = apply_purchases(usage, [PLAN])
    assert found.unpriced == ("b/p5.48xlarge",)
    assert found.list_cost == {"USD": Decimal(10)}


def test_currencies_are_summed_apart_and_a_plan_covers_its_own():
    usage = build_hours(build_row("a", [1]), build_row("b", [1], currency="EUR"))
    found = apply_purchases(usage, [PLAN])
    assert found.on_demand_cost == {"USD": Decimal(0), "EUR": Decimal(10)}


def test_discounted_machines_without_use_need_a_stated_price():
    lone = Purchase("m", MACHINES, Decimal(1), Decimal("0.5"), "us-west-2", "p5.48xlarge")
    usage = build_hours(build_row("a", [1]))
    with pytest.raises(ValueError, match="states no price"):
        apply_purchases(usage, [lone])
    priced = apply_purchases(usage, [replace(lone, price=Decimal("4.5"))])
    assert priced.purchase_cost == {"USD": Decimal("4.5")}


def test_sums_of_whole_numbers_do_not_overflow():
    large = np.full(10_000, 2**62, dtype=np.int64)
    assert sum_exactly(large) == 10_000 * 2**62


amounts = st.lists(st.integers(0, 40), min_size=1, max_size=6)


@given(amounts, amounts, st.integers(0, 60), st.integers(0, 60))
def test_agrees_with_decimals_hour_by_hour(first, second, family_cents, cloud_cents):
    hours = min(len(first), len(second))
    use = [[Decimal(v) / 10 for v in values[:hours]] for values in (first, second)]
    family = Purchase("f", FAMILY_PLAN, Decimal(family_cents), Decimal("0.37"), "us-east-1", "p5")
    cloud = Purchase("c", CLOUD_PLAN, Decimal(cloud_cents), Decimal("0.28"))
    usage = build_hours(
        build_row("a", [float(v) for v in use[0]], "9.87"),
        build_row("b", [float(v) for v in use[1]], "3.21", "g6.xlarge"),
    )
    found = apply_purchases(usage, [cloud, family])
    expected = Decimal(hours) * (family.quantity + cloud.quantity)
    for one, other in zip(*use, strict=True):
        left_one, _ = take(one, family.quantity, Decimal("9.87") * Decimal("0.63"))
        # Of equal discounts the lowest rate goes first.
        left_other, rest = take(other, cloud.quantity, Decimal("3.21") * Decimal("0.72"))
        left_one, _ = take(left_one, rest, Decimal("9.87") * Decimal("0.72"))
        expected += left_one * Decimal("9.87") + left_other * Decimal("3.21")
    assert found.total() == expected


def take(use: Decimal, money: Decimal, rate: Decimal) -> tuple[Decimal, Decimal]:
    rate = rate.quantize(Decimal("0.000001"))
    most = (money / rate).quantize(Decimal("0.000001"), ROUND_FLOOR)
    covered = min(use, most)
    return use - covered, money - covered * rate
