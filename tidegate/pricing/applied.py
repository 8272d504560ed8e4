"""Instruments applied to hourly use, in the order in which their clouds apply them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from tidegate.catalog.instruments import Instrument, Scope, Unit
from tidegate.pricing.usage import MICRO, Hours, Usage, UsageRow, sum_exactly, to_micro
from tidegate.vocabulary.capacity import Cloud

_ONE = Decimal(1)
_Index = Mapping[tuple[Cloud, str], Sequence[UsageRow]]


@dataclass(frozen=True, slots=True)
class Purchase:
    """Something bought of an instrument, for a span of hours.

    Attributes:
        id: What names it.
        instrument: What was bought; tells what it covers and when it applies.
        quantity: Machines, or an amount of money an hour.
        discount: How much cheaper than on demand it is.
        region: Where it applies; empty for every region.
        target: The instance type or family that it covers; empty for everything of its cloud.
        price: What a machine costs an hour where that is stated; else the discount tells it.
        first_hour: The first hour that it applies to.
        end_hour: The hour before which it ends; None where it lasts.
        pools: The only pools that it covers; empty for all.
        currency: The currency of its price.
        family_discounts: Family → its discount, where it differs from `discount`.
    """

    id: str
    instrument: Instrument
    quantity: Decimal
    discount: Decimal
    region: str = ""
    target: str = ""
    price: Decimal | None = None
    first_hour: int = 0
    end_hour: int | None = None
    pools: tuple[str, ...] = ()
    currency: str = "USD"
    family_discounts: Mapping[str, Decimal] = field(default_factory=dict)

    def covers(self, row: UsageRow) -> bool:
        """Return whether it applies to a row whose price is known in its currency."""
        if row.cloud is not self.instrument.cloud or row.price is None or not row.eligible:
            return False
        if row.currency != self.currency or (self.pools and row.pool not in self.pools):
            return False
        if row.accelerated and not self.instrument.accelerators:
            return False
        if self.region and row.region != self.region:
            return False
        by_scope = {Scope.INSTANCE_TYPE: row.instance_type, Scope.FAMILY: row.family}
        return not self.target or by_scope.get(self.instrument.scope, "") == self.target

    def discount_of(self, row: UsageRow) -> Decimal:
        """Return how much cheaper than on demand it makes a row."""
        return self.family_discounts.get(row.family, self.discount)

    def rate(self, row: UsageRow) -> Decimal:
        """Return what it takes for a node of the row an hour, to a millionth.

        Instruments publish rates of few decimals; a fixed number of them keeps whole numbers
        whole from here on.
        """
        price = row.price or Decimal(0)
        return (price * (_ONE - self.discount_of(row))).quantize(Decimal("0.000001"))


@dataclass(frozen=True, slots=True)
class PurchaseUse:
    """What became of a purchase.

    Attributes:
        purchase: What was bought.
        used: Hour by hour, millionths of a machine, or of a unit of currency.
        size: The most that could be used in each hour, in the same unit; 0 outside its span.
        cost: What it cost over the measured hours, used or not.
        covered: Row id → millionths of a node that it covered, hour by hour.
    """

    purchase: Purchase
    used: Hours
    size: Hours
    cost: Decimal
    covered: Mapping[str, Hours]

    @property
    def utilization(self) -> Decimal | None:
        """Return the used part of what was bought; None where nothing was bought."""
        bought = sum_exactly(self.size)
        return None if bought == 0 else Decimal(sum_exactly(self.used)) / Decimal(bought)


@dataclass(frozen=True, slots=True)
class Applied:
    """Use with every instrument applied.

    Attributes:
        uses: One a purchase, in the order of application.
        uncovered: Row id → millionths of a node that are paid for on demand, hour by hour.
        billed: Row id → millionths of a node that are paid for at all: use, or what reservations
            hold where that is more.
        on_demand_cost: Currency → what is paid on demand.
        purchase_cost: Currency → what the purchases cost, amortised.
        list_cost: Currency → the same use, all bought on demand without any reservation.
        unpriced: Ids of rows without a price, which no sum holds.
    """

    uses: tuple[PurchaseUse, ...]
    uncovered: Mapping[str, Hours]
    billed: Mapping[str, Hours]
    on_demand_cost: Mapping[str, Decimal]
    purchase_cost: Mapping[str, Decimal]
    list_cost: Mapping[str, Decimal]
    unpriced: tuple[str, ...]

    def total(self, currency: str = "USD") -> Decimal:
        """Return everything that is paid in one currency."""
        return self.totals().get(currency, Decimal(0))

    def totals(self) -> dict[str, Decimal]:
        """Return currency → everything that is paid in it."""
        return _add(self.on_demand_cost, self.purchase_cost)


def _add(one: Mapping[str, Decimal], other: Mapping[str, Decimal]) -> dict[str, Decimal]:
    zero = Decimal(0)
    return {key: one.get(key, zero) + other.get(key, zero) for key in sorted({*one, *other})}


def apply_purchases(usage: Usage, purchases: Sequence[Purchase]) -> Applied:
    """Return what each purchase covers and what is left to be paid on demand.

    Within a cloud instruments apply by their order, the deeper discount first and then by id. An
    instrument of money takes the use with the highest savings first, and of equal ones the one
    with the lowest rate, as AWS states it; what it covers is rounded down to a millionth of a
    node, in disfavour of who bought it.
    """
    index = _index_rows(usage.rows)
    left = {row.id: np.where(usage.known, row.micro_nodes, 0) for row in usage.rows}
    list_cost = _sum_cost(usage.rows, left)
    reservations = [each for each in purchases if each.instrument.pays_on_demand]
    uses = [_hold(each, usage, index, left) for each in sorted(reservations, key=_by_order)]
    billed = {key: hours.copy() for key, hours in left.items()}
    others = [each for each in purchases if not each.instrument.pays_on_demand]
    uses += [_apply(each, usage, index, left) for each in sorted(others, key=_by_order)]
    costs: dict[str, Decimal] = {}
    for use in uses:
        currency = use.purchase.currency
        costs[currency] = costs.get(currency, Decimal(0)) + use.cost
    return Applied(
        uses=tuple(uses),
        uncovered=left,
        billed=billed,
        on_demand_cost=_sum_cost(usage.rows, left),
        purchase_cost=costs,
        list_cost=list_cost,
        unpriced=tuple(row.id for row in usage.rows if row.price is None),
    )


def _by_order(purchase: Purchase) -> tuple[str, int, Decimal, str]:
    instrument = purchase.instrument
    return (instrument.cloud.value, instrument.order, -purchase.discount, purchase.id)


def _active(purchase: Purchase, usage: Usage) -> Hours:
    """Return 1 for each measured hour of the purchase's span, else 0."""
    active = usage.known.astype(np.int64)
    active[: max(purchase.first_hour, 0)] = 0
    if purchase.end_hour is not None:
        active[max(purchase.end_hour, 0) :] = 0
    return active


def _hold(purchase: Purchase, usage: Usage, index: _Index, left: dict[str, Hours]) -> PurchaseUse:
    """Raise what is billed to what a reservation holds: the empty part costs as much."""
    size = _active(purchase, usage) * to_micro(purchase.quantity)
    free = size.copy()
    covered: dict[str, Hours] = {}
    rows = _covered_rows(purchase, index)
    for row in rows:
        covered[row.id] = np.minimum(left[row.id], free)
        free -= covered[row.id]
    if rows:
        left[rows[0].id] = left[rows[0].id] + free
    # Its nodes are billed with those of the pool; without a pool it is paid for by itself.
    held = Decimal(0) if rows else _price(purchase, rows) * sum_exactly(size) / MICRO
    return PurchaseUse(purchase, size - free, size, held, covered)


def _apply(purchase: Purchase, usage: Usage, index: _Index, left: dict[str, Hours]) -> PurchaseUse:
    active = _active(purchase, usage)
    size = active * to_micro(purchase.quantity)
    rows = _covered_rows(purchase, index)
    covered: dict[str, Hours] = {}
    by_money = purchase.instrument.unit is Unit.AMOUNT
    free = size * MICRO if by_money else size.copy()
    for row in rows:
        rate = to_micro(purchase.rate(row)) if by_money else 1
        taken = np.minimum(left[row.id], free // rate if rate else left[row.id])
        free -= taken * rate
        left[row.id] = left[row.id] - taken
        covered[row.id] = taken
    used = size - (free // MICRO if by_money else free)
    cost = _price(purchase, rows) * purchase.quantity * int(active.sum())
    return PurchaseUse(purchase, used, size, cost, covered)


def _index_rows(rows: Sequence[UsageRow]) -> _Index:
    """Return the rows by what a purchase can be for: a type, a family, or a whole cloud."""
    index: dict[tuple[Cloud, str], list[UsageRow]] = {}
    for row in rows:
        for target in dict.fromkeys((row.instance_type, row.family, "")):
            index.setdefault((row.cloud, target), []).append(row)
    return index


def _covered_rows(purchase: Purchase, index: _Index) -> list[UsageRow]:
    near = index.get((purchase.instrument.cloud, purchase.target), ())
    rows = [row for row in near if purchase.covers(row)]
    return sorted(rows, key=lambda row: (-purchase.discount_of(row), purchase.rate(row), row.id))


def _price(purchase: Purchase, rows: Sequence[UsageRow]) -> Decimal:
    """Return what a unit of the purchase costs an hour.

    A discounted machine that covers no use has no row to take its price from: whoever buys it
    states the price.
    """
    if purchase.instrument.unit is Unit.AMOUNT:
        return _ONE
    if purchase.price is not None:
        return purchase.price
    if not rows:
        raise ValueError(f"purchase {purchase.id} states no price and covers no use")
    return purchase.rate(rows[0])


def _sum_cost(rows: Sequence[UsageRow], micro_nodes: Mapping[str, Hours]) -> dict[str, Decimal]:
    totals: dict[str, Decimal] = {}
    for row in rows:
        if row.price is not None:
            amount = row.price * sum_exactly(micro_nodes[row.id]) / MICRO
            totals[row.currency] = totals.get(row.currency, Decimal(0)) + amount
    return totals
