"""What one more node costs an hour, and totals of several currencies in one."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.model import CurrencyRate
from tidegate.pricing.convert import convert_totals
from tidegate.pricing.figures import Figures, same_everywhere
from tidegate.pricing.marginal import (
    MarginalPrice,
    SpotRisk,
    price_on_demand,
    price_spot,
    price_within_commitment,
)
from tidegate.vocabulary.money import Money, Price
from tidegate.vocabulary.problems import InvalidInput

TEN = Price(Money(Decimal(10)), date(2026, 11, 1), "test")
EUR = CurrencyRate("EUR", Decimal("1.10"), date(2026, 11, 27), "ECB")
JPY = CurrencyRate("JPY", Decimal("0.0064"), date(2026, 11, 26), "BoJ")


def test_a_node_within_a_commitment_costs_nothing_more() -> None:
    assert price_within_commitment("EUR") == MarginalPrice(
        Money(Decimal(0), "EUR"), within_commitment=True
    )


def test_an_on_demand_node_costs_its_price() -> None:
    assert price_on_demand(TEN) == MarginalPrice(Money(Decimal(10)))


def test_spot_pays_for_the_work_that_interruptions_undo() -> None:
    # One loss in 10 hours costs 15 minutes of rework and 9 of restart: 4 % of the time.
    risk = SpotRisk(Decimal("0.1"), checkpoint_interval_seconds=1800, restart_seconds=540)
    assert risk.useful_share() == Decimal("0.96")
    assert price_spot(TEN, risk).per_hour == Money(Decimal(10) / Decimal("0.96"))


def test_writing_checkpoints_takes_its_share_of_the_time() -> None:
    risk = SpotRisk(Decimal(0), 900, restart_seconds=0, checkpoint_write_seconds=100)
    assert risk.useful_share() == Decimal("0.9")


def test_spot_that_never_gets_anything_done_has_no_price() -> None:
    risk = SpotRisk(Decimal(4), checkpoint_interval_seconds=3600, restart_seconds=600)
    assert price_spot(TEN, risk) == MarginalPrice(None)


def test_an_unknown_interruption_rate_leaves_the_bare_price_and_says_so() -> None:
    assert price_spot(TEN, None) == MarginalPrice(Money(Decimal(10)), risk_known=False)


@given(
    rate=st.decimals(0, 1, places=3),
    interval=st.integers(0, 7200),
    restart=st.integers(0, 3600),
    write=st.integers(0, 600),
)
def test_risk_never_makes_spot_cheaper(
    rate: Decimal, interval: int, restart: int, write: int
) -> None:
    share = SpotRisk(rate, interval, restart, write).useful_share()
    assert 0 <= share <= 1


def test_currencies_become_one_only_by_dated_rates_that_are_named() -> None:
    totals = {"USD": same_everywhere(Decimal(11)), "JPY": same_everywhere(Decimal(1000))}
    converted = convert_totals(totals, {"EUR": EUR, "JPY": JPY}, "EUR")
    exact = Decimal(11) / Decimal("1.10") + 1000 * (Decimal("0.0064") / Decimal("1.10"))
    assert converted.monthly == same_everywhere(exact)
    assert set(converted.rates) == {EUR, JPY}


def test_nothing_is_converted_when_all_is_in_that_currency() -> None:
    figures = Figures(Decimal(1), None, Decimal(3), Decimal(4))
    converted = convert_totals({"EUR": figures}, {}, "EUR")
    assert converted.rates == ()
    assert converted.monthly == Figures(Decimal(1), Decimal(0), Decimal(3), Decimal(4))


def test_a_missing_rate_is_an_error_that_names_the_currency() -> None:
    with pytest.raises(InvalidInput, match="currency = 'JPY': has no rate; expected a dated rate"):
        convert_totals({"JPY": same_everywhere(Decimal(1))}, {"EUR": EUR}, "EUR")
