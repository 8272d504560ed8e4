"""Hourly use as whole millionths of a node, so that sums over a year are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from tidegate.vocabulary.capacity import Cloud

MICRO = 1_000_000
"""Millionths in a node, and in a unit of currency."""

Hours = npt.NDArray[np.int64]
"""One whole number an hour; its unit stands in the name of whatever holds it."""

Known = npt.NDArray[np.bool_]
"""Whether an hour was measured."""

HALF_BITS = 31
"""Where a whole number is cut in two, so that each half can be summed over years of hours."""


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one pool used of one instance type.

    Attributes:
        pool: The id of the pool.
        cloud: Where it stands.
        region: Where it stands there.
        instance_type: The machine, as its cloud spells it.
        family: What instruments of families look at ("p5", "a3").
        accelerated: Whether the machine has accelerators.
        micro_nodes: Millionths of a node an hour; 0 in hours that were not measured.
        price: What a node costs an hour on demand; None where no price is known.
        currency: The currency of the price.
        price_as_of: The day of the price.
        price_origin: Where it stands, or why there is none.
        assumed: True when the price is no quote.
        eligible: Whether a commitment may cover it; none covers spot.
    """

    pool: str
    cloud: Cloud
    region: str
    instance_type: str
    family: str
    accelerated: bool
    micro_nodes: Hours
    price: Decimal | None
    currency: str = "USD"
    price_as_of: date | None = None
    price_origin: str = ""
    assumed: bool = False
    eligible: bool = True

    @property
    def id(self) -> str:
        """Return what names the row: the pool and the machine."""
        return f"{self.pool}/{self.instance_type}"


@dataclass(frozen=True, slots=True)
class Usage:
    """Use of every pool over the same hours.

    Attributes:
        start: The first hour, in UTC.
        known: Whether each hour was measured; the others are left out of every sum.
        rows: One a pool and instance type, sorted by their ids.
        simulated: Whether a simulation made it, and nothing was measured.
    """

    start: datetime
    known: Known
    rows: tuple[UsageRow, ...]
    simulated: bool = False

    @property
    def hours(self) -> int:
        """Return the number of hours, measured or not."""
        return len(self.known)

    @property
    def known_hours(self) -> int:
        """Return the number of hours that were measured."""
        return int(np.count_nonzero(self.known))


def build_usage(start: datetime, known: Known, rows: Sequence[UsageRow]) -> Usage:
    """Return use with its rows in the order of their ids, so that their order is moot."""
    return Usage(start, known, tuple(sorted(rows, key=lambda row: row.id)))


def to_micro(amount: Decimal) -> int:
    """Return an amount in whole millionths, rounded half even."""
    return int((amount * MICRO).to_integral_value())


def sum_exactly(values: Hours) -> int:
    """Return the sum as a whole number of any size; numpy alone would overflow silently."""
    high, low = values >> HALF_BITS, values & ((1 << HALF_BITS) - 1)
    return (int(high.sum()) << HALF_BITS) + int(low.sum())


def family_of(cloud: Cloud, instance_type: str) -> str:
    """Return the family of a machine, as instruments name it."""
    if cloud is Cloud.AWS:
        return instance_type.partition(".")[0]
    if cloud is Cloud.GCP:
        return instance_type.partition("-")[0]
    return instance_type
