"""A sum of prices is as old as its older part and as sure as its less sure one."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.catalog.prices import add_prices, find_price
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.money import Money, Price

OLD = Price(Money(Decimal(3)), date(2026, 6, 18), "list A", assumed=True)
NEW = Price(Money(Decimal(4)), date(2026, 11, 1), "list B", negotiated=True)


@pytest.mark.parametrize(("first", "second"), [(OLD, NEW), (NEW, OLD)])
def test_a_sum_keeps_the_older_day_and_every_mark(first: Price, second: Price) -> None:
    assert add_prices(first, second) == Price(
        Money(Decimal(7)),
        date(2026, 6, 18),
        f"{first.origin}; {second.origin}",
        assumed=True,
        negotiated=True,
    )


def test_a_sum_with_something_unknown_is_unknown() -> None:
    missing = UnknownPrice("nobody says")
    assert add_prices(OLD, missing) == missing
    assert add_prices(missing, OLD) == missing


def test_a_sum_of_two_currencies_is_unknown_not_a_number() -> None:
    euro = Price(Money(Decimal(3), "EUR"), date(2026, 6, 18), "list A")
    assert add_prices(OLD, euro) == UnknownPrice(
        "machine and accelerator are priced in two currencies"
    )


def test_no_spot_price_is_assumed_of_what_is_not_sold_as_spot() -> None:
    catalog = load_catalog()
    blocks_only = replace(
        catalog.instance_type("aws", "p5.48xlarge"), purchase=("capacity-block", "on-demand")
    )
    found = find_price(
        catalog.price_table,
        blocks_only,
        "us-east-1",
        CapacityType.SPOT,
        catalog.spot_assumption,
    )
    assert found == UnknownPrice("p5.48xlarge is not sold as spot")


@given(
    first=st.decimals(0, 1000, places=6, allow_nan=False),
    second=st.decimals(0, 1000, places=6, allow_nan=False),
)
def test_a_sum_is_exact(first: Decimal, second: Decimal) -> None:
    day = date(2026, 11, 1)
    whole = add_prices(Price(Money(first), day, "a"), Price(Money(second), day, "b"))
    assert isinstance(whole, Price)
    assert whole.per_hour.amount == first + second
