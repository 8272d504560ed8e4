"""Money: a Decimal amount in one currency, and prices that know where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

HOURS_PER_MONTH = Decimal(730)
"""Hours in a month as the clouds' own calculators count them (8,760 / 12)."""


class CurrencyMismatch(ValueError):
    """Two currencies met in one sum; conversion needs a dated rate and is never silent."""


@dataclass(frozen=True, slots=True, order=False)
class Money:
    """An amount in one currency (ISO 4217 code). Sums refuse to mix currencies."""

    amount: Decimal
    currency: str = "USD"

    def __post_init__(self) -> None:
        # A float would carry a binary fraction into every later sum.
        if not isinstance(self.amount, Decimal):
            raise TypeError(f"Money needs a Decimal amount, not {type(self.amount).__name__}")
        if not self.amount.is_finite():
            raise ValueError(f"Money needs a finite amount, not {self.amount}")

    def __add__(self, other: Money) -> Money:
        if other.currency != self.currency:
            raise CurrencyMismatch(f"cannot add {other.currency} to {self.currency}")
        return Money(self.amount + other.amount, self.currency)

    def __mul__(self, factor: Decimal | int) -> Money:
        return Money(self.amount * factor, self.currency)

    def __str__(self) -> str:
        return f"{self.amount:,.2f} {self.currency}"


@dataclass(frozen=True, slots=True)
class Price:
    """A price per hour of one node or unit, with its date and origin.

    Attributes:
        per_hour: The price of one unit for one hour.
        as_of: The day for which the source stated it.
        origin: Where it was stated, for people ("AWS price list, us-east-1").
        assumed: True when it is an average or a ratio rather than a quote; every total that
            it enters is marked so.
        negotiated: True when a user's overlay replaced the public price.
    """

    per_hour: Money
    as_of: date
    origin: str
    assumed: bool = False
    negotiated: bool = False
