from __future__ import annotations

from decimal import Decimal

import pytest
from support.usage import CLOUD_PLAN, MACHINES, build_hours, build_offer, build_row

from tidegate.review.candidates import OfferLimits, build_candidates
from tidegate.review.ladder import Step
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.play import build_balance, buy_steps, find_break_even, play, sum_weeks

MONTHS = 12
UPFRONT = OfferLimits(36, Decimal(1))


def build_year(nodes_by_month: list[float]):
    nodes = [value for value in nodes_by_month for _ in range(HOURS_OF_WEEK)]
    return build_hours(build_row("a", nodes))


def buy(usage, offer, *steps: tuple[int, str]):
    (candidate,) = build_candidates(usage, [offer], UPFRONT)
    return buy_steps([Step(candidate, month, Decimal(quantity)) for month, quantity in steps])


def test_a_month_costs_730_hours_of_its_typical_week():
    usage = build_year([1.0] * MONTHS)
    played = play(usage, [], [])
    assert played.cost == {"USD": Decimal(10) * 730 * 12}
    assert played.by_month["USD"] == (Decimal(7300),) * 12
    assert played.utilization is None


def test_months_add_up_to_the_whole():
    usage = build_year([1.0, 3.0] * 6)
    bought = buy(usage, build_offer(CLOUD_PLAN, "0.28"), (0, "7.2"), (2, "3.6"))
    played = play(usage, [], bought)
    assert sum(played.by_month["USD"]) == pytest.approx(played.cost["USD"])


def test_later_steps_are_paid_for_from_their_month_on():
    usage = build_year([2.0] * MONTHS)
    bought = buy(usage, build_offer(MACHINES, "0.5"), (0, "1"), (6, "1"))
    months = play(usage, [], bought).by_month["USD"]
    assert months[:6] == (Decimal(15 * 730),) * 6
    assert months[6:] == (Decimal(10 * 730),) * 6


def test_a_purchase_without_upfront_payment_breaks_even_at_once():
    usage = build_year([1.0] * MONTHS)
    bought = buy(usage, build_offer(MACHINES, "0.4"), (0, "1"))
    assert find_break_even(build_balance(play(usage, [], []), play(usage, [], bought), bought)) == 1


def test_a_year_paid_upfront_breaks_even_after_its_break_even_share():
    usage = build_year([1.0] * MONTHS)
    bought = buy(usage, build_offer(MACHINES, "0.4", 12, "1"), (0, "1"))
    # 0.6 of a year's use on demand is 7.2 months.
    assert find_break_even(build_balance(play(usage, [], []), play(usage, [], bought), bought)) == 8


def test_use_that_ends_early_never_breaks_even():
    usage = build_year([1.0] * 3 + [0.0] * 9)
    bought = buy(usage, build_offer(MACHINES, "0.4", 12, "1"), (0, "1"))
    assert (
        find_break_even(build_balance(play(usage, [], []), play(usage, [], bought), bought)) is None
    )
    assert find_break_even(build_balance(play(usage, [], []), play(usage, [], []), [])) is None


def test_weeks_are_summed_exactly():
    usage = build_year([1.5, 2.5])
    assert sum_weeks(usage.rows[0].micro_nodes) == [1_500_000 * 168, 2_500_000 * 168]
