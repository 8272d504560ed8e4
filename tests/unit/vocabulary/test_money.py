"""Money: exact, in one currency, never a float."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.vocabulary.money import CurrencyMismatch, Money

AMOUNTS = st.decimals(min_value=0, max_value=10**9, places=6)


def test_refuses_to_add_two_currencies() -> None:
    with pytest.raises(CurrencyMismatch, match="cannot add EUR to USD"):
        Money(Decimal(1)) + Money(Decimal(1), "EUR")


@pytest.mark.parametrize("amount", [1, 1.5, "1"])
def test_refuses_amounts_that_are_not_decimal(amount: object) -> None:
    with pytest.raises(TypeError, match="Decimal"):
        Money(amount)  # type: ignore[arg-type]


@pytest.mark.parametrize("amount", ["NaN", "Infinity", "-Infinity"])
def test_refuses_amounts_that_are_not_finite(amount: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        Money(Decimal(amount))


@given(st.lists(AMOUNTS, min_size=1))
def test_sums_are_exact_whatever_the_order(amounts: list[Decimal]) -> None:
    forward = backward = Money(Decimal(0))
    for amount in amounts:
        forward += Money(amount)
    for amount in reversed(amounts):
        backward += Money(amount)
    assert forward == backward == Money(sum(amounts, Decimal(0)))


def test_shows_two_places_and_the_currency() -> None:
    assert str(Money(Decimal("1234567.891"), "EUR")) == "1,234,567.89 EUR"
