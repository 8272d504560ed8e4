"""What is behind a number of a review, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class ExplainedPrice:
    """A price behind a number."""

    what: str
    amount: Decimal | None
    currency: str
    as_of: date | None
    origin: str
    assumed: bool


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """A row of use behind a number; None where the hour was not measured."""

    hour: datetime
    pool: str
    instance_type: str
    nodes: Decimal | None


@dataclass(frozen=True, slots=True)
class ExplainedShare:
    """Coverage or utilization in one hour; None where there is nothing to share.

    Attributes:
        hour: When.
        of: A currency, or a commitment.
        share: The part, from 0 to 1.
    """

    hour: datetime
    of: str
    share: Decimal | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is behind one number.

    Attributes:
        id: What was asked for.
        title: What the number is.
        formula: How it is made.
        values: Name → figure that enters it or comes of it.
        prices: The prices that enter it.
        rows: The use that enters it, hour by hour.
        shares: The same number hour by hour, where it is a coverage or utilization.
    """

    id: str
    title: str
    formula: str
    values: Mapping[str, str]
    prices: tuple[ExplainedPrice, ...]
    rows: tuple[ExplainedRow, ...]
    shares: tuple[ExplainedShare, ...] = ()
