from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tidegate.scaling.keep_alive import ENOUGH_GAPS, keep_alive_seconds
from tidegate.scaling.settings import ScalingSettings

PRICE = Decimal(80)


def test_without_history_idling_may_cost_what_a_restart_would():
    assert keep_alive_seconds(PRICE, 300, (), ScalingSettings()) == 300


def test_waiting_that_is_worth_money_keeps_nodes_longer():
    settings = ScalingSettings(wait_cost_per_hour=Decimal(160))
    assert keep_alive_seconds(PRICE, 300, (), settings) == 900


def test_short_gaps_that_recur_are_bridged():
    gaps = (100,) * 9 + (250,) * 9 + (50_000,)
    assert keep_alive_seconds(PRICE, 240, gaps, ScalingSettings()) == 250


def test_long_gaps_are_never_waited_for():
    assert keep_alive_seconds(PRICE, 240, (9000,) * 20, ScalingSettings()) == 60


def test_a_node_of_unknown_price_is_kept_for_its_boot_time():
    assert keep_alive_seconds(None, 240, (9000,) * 20, ScalingSettings()) == 240


@given(st.lists(st.integers(0, 4000), min_size=ENOUGH_GAPS, max_size=40), st.integers(60, 1200))
def test_what_was_learned_costs_least_over_the_gaps(gaps, boot):
    settings = ScalingSettings(keep_alive_min_seconds=0, keep_alive_max_seconds=10**9)
    restart = boot * PRICE

    def cost(keep: int) -> Decimal:
        return sum((min(gap, keep) * PRICE + (restart if gap > keep else 0) for gap in gaps), PRICE)

    chosen = keep_alive_seconds(PRICE, boot, gaps, settings)
    assert cost(chosen) == min(cost(keep) for keep in {0, *gaps})
