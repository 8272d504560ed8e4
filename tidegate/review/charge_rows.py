"""FOCUS 1.x charges: what each pool and commitment was billed, and the hours of nodes in them."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from tidegate.pricing.usage import to_micro
from tidegate.review.charge_columns import (
    REQUIRED,
    read_amount,
    read_cloud,
    read_instance_type,
    read_moment,
    read_pool,
    read_seconds_per_unit,
    read_text,
)
from tidegate.review.charges import Charges, CommitmentBill, PoolBill
from tidegate.review.remarks import Remark
from tidegate.review.used_hours import HOUR, UNUSABLE, Place, hour_number
from tidegate.vocabulary.problems import refuse

_UNUSED = "unused"
_LEFT_OUT = {
    "time": ("whose period cannot be read", "their cost counts, their hours do not"),
    "hourly": (
        "of usage that span more than an hour or less, as daily exports have them",
        "their cost counts; nothing is spread over hours",
    ),
    "cost": ("whose cost is no number", "their cost is in no sum"),
    "tags": ("whose tags cannot be read or name two pools", "they count as of no pool"),
    "unit": (
        "of pools that do not count hours of nodes (cores, memory, disks, traffic)",
        "their cost counts, their quantity does not",
    ),
}


class ChargeReader:
    """Adds the charges of files up.

    An hour is covered when any charge is of it; a pool without a charge in a covered hour used
    nothing then. Hours without any charge are not measured.
    """

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._charges = Charges()
        self._left_out: Counter[str] = Counter()
        self._covered: set[int] = set()
        self._nodes: dict[Place, dict[int, Decimal]] = {}
        self._remarks: list[Remark] = []

    def read_csv(self, where: str, lines: Iterable[str]) -> None:
        """Take the charges of a CSV file; see `read`."""
        reader = csv.reader(lines, strict=True)
        try:
            self.read(where, next(reader, []), (cells for cells in reader if cells))
        except csv.Error as error:
            raise refuse(where, "", None, f"is no CSV ({error})", "a CSV file") from error
        except UnicodeDecodeError as error:
            raise refuse(where, "", None, "is not UTF-8 text", "a text file") from error

    def read(self, where: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Take the charges of one file.

        Args:
            where: The file, for messages.
            names: Its columns, of the CostAndUsage data set of FOCUS 1.0 to 1.4.
            rows: Its cells, as text.

        Raises:
            InvalidInput: When columns are missing or a row has other cells than there are columns.
        """
        missing = [name for name in REQUIRED if name not in names]
        if missing:
            expected = "the CostAndUsage data of FOCUS 1.x"
            raise refuse(where, "", None, f"has no column {missing[0]!r}", expected)
        self._index = {name: number for number, name in enumerate(names)}
        self._left_out.clear()
        before = self._charges.rows
        for number, cells in enumerate(rows, start=2):
            if len(cells) != len(names):
                reason = "has more or fewer cells than there are columns"
                raise refuse(f"{where}:{number}", "", None, reason)
            self._take(cells)
        self._remark(where, self._charges.rows - before)

    def finish(self) -> tuple[Charges, list[Remark]]:
        """Return everything, with the covered hours in which a pool used nothing."""
        for place, by_hour in self._nodes.items():
            series = self._charges.used.of(place)
            for hour in sorted(self._covered):
                nodes = by_hour.get(hour, Decimal(0))
                series.add(hour, to_micro(nodes) if nodes >= 0 else UNUSABLE)
        return self._charges, self._remarks

    def _remark(self, where: str, rows: int) -> None:
        for key, (message, consequence) in _LEFT_OUT.items():
            if self._left_out[key]:
                text = f"has {self._left_out[key]} of {rows} charges {message}"
                self._remarks.append(Remark(where, text, consequence))

    def _take(self, cells: Sequence[str]) -> None:
        self._charges.rows += 1
        pool = read_pool(self._cell(cells, "Tags"))
        self._left_out["tags"] += pool is None
        hour = self._hour(cells)
        if hour is not None:
            self._covered.add(hour)
        self._add_cost(cells, pool or "")
        if pool and self._is_used(cells):
            self._add_nodes(cells, pool, hour)

    def _cell(self, cells: Sequence[str], name: str) -> str:
        index = self._index.get(name)
        return "" if index is None else cells[index]

    def _hour(self, cells: Sequence[str]) -> int | None:
        """Return the hour that a charge is of; None where it is of no single hour."""
        start = read_moment(self._cell(cells, "ChargePeriodStart"))
        end = read_moment(self._cell(cells, "ChargePeriodEnd"))
        if start is None or end is None:
            self._left_out["time"] += 1
            return None
        if end - start != HOUR or (start.minute, start.second, start.microsecond) != (0, 0, 0):
            usage = read_text(self._cell(cells, "ChargeCategory")) == "Usage"
            self._left_out["hourly"] += usage
            return None
        return hour_number(start)

    def _add_cost(self, cells: Sequence[str], pool: str) -> None:
        billed = read_amount(self._cell(cells, "BilledCost"))
        effective = read_amount(self._cell(cells, "EffectiveCost"))
        currency = read_text(self._cell(cells, "BillingCurrency"))
        if billed is None or effective is None or not currency:
            self._left_out["cost"] += 1
            return
        bill = self._charges.pools.setdefault((pool, currency), PoolBill())
        bill.billed += billed
        bill.effective += effective
        for kind in ("CommitmentDiscount", "CapacityReservation"):
            name = read_text(self._cell(cells, f"{kind}Id"))
            if name:
                self._add_commitment(cells, kind, (name, currency), billed, effective)

    def _add_commitment(
        self,
        cells: Sequence[str],
        kind: str,
        key: tuple[str, str],
        billed: Decimal,
        effective: Decimal,
    ) -> None:
        bill = self._charges.commitments.setdefault(key, CommitmentBill())
        if kind == "CommitmentDiscount":
            bill.name = bill.name or read_text(self._cell(cells, "CommitmentDiscountName"))
            bill.kind = bill.kind or read_text(self._cell(cells, "CommitmentDiscountType"))
        bill.kind = bill.kind or "capacity reservation"
        bill.billed += billed
        if read_text(self._cell(cells, f"{kind}Status")).lower() == _UNUSED:
            bill.unused += effective
        else:
            bill.used += effective

    def _is_used(self, cells: Sequence[str]) -> bool:
        statuses = ("CommitmentDiscountStatus", "CapacityReservationStatus")
        unused = any(read_text(self._cell(cells, each)).lower() == _UNUSED for each in statuses)
        return read_text(self._cell(cells, "ChargeCategory")) == "Usage" and not unused

    def _add_nodes(self, cells: Sequence[str], pool: str, hour: int | None) -> None:
        """Add the hours of nodes of a charge; one resource is one node at most."""
        seconds = read_seconds_per_unit(self._cell(cells, "ConsumedUnit"))
        quantity = read_amount(self._cell(cells, "ConsumedQuantity"))
        if hour is None:
            return
        hours = None if seconds is None or quantity is None else quantity * seconds / 3600
        resource = read_text(self._cell(cells, "ResourceId"))
        if hours is None or (resource and hours > 1):
            self._left_out["unit"] += 1
            return
        by_hour = self._nodes.setdefault(self._place(cells, pool), {})
        by_hour[hour] = by_hour.get(hour, Decimal(0)) + hours
        currency = read_text(self._cell(cells, "BillingCurrency"))
        self._charges.pools.setdefault((pool, currency), PoolBill()).node_hours += hours

    def _place(self, cells: Sequence[str], pool: str) -> Place:
        names = ("ServiceProviderName", "HostProviderName", "ProviderName")
        provider = next((found for each in names if (found := self._cell(cells, each))), "")
        return Place(
            pool,
            read_instance_type(self._cell(cells, "SkuPriceDetails")),
            read_cloud(provider),
            read_text(self._cell(cells, "RegionId")),
        )
