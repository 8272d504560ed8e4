"""A cost difference as rows of texts, before they are a table or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.pricing.difference import Compared, CostDifference, LineChange, UnknownSide
from tidegate.pricing.figures import NOTHING, Figures
from tidegate.pricing.lines import LineKind

BASES = {"minimum": "at minimum", "declared": "expected", "maximum": "at maximum"}
"""The figures that are shown, by what they are called. Expected is the declared utilisation."""

KINDS = {
    LineKind.POOL: "pools beyond commitments",
    LineKind.COMMITMENT: "commitments",
    LineKind.NOTEBOOK: "notebooks",
    LineKind.BUCKET: "storage",
    LineKind.TELEMETRY: "telemetry",
}
ASSUMED, INCOMPLETE = "~", "*"
LEGEND = {
    ASSUMED: "rests on assumed prices, averages or ratios rather than quotes",
    INCOMPLETE: "leaves something out whose price is not known, listed as not counted",
}
NO_NODES = "no nodes"
SHOWN_CHANGES = 50


@dataclass(frozen=True, slots=True)
class CostRow:
    """One row: what it is about and a text for each of `BASES`.

    Attributes:
        group: "all", "by cloud", "by capacity type", "by kind" or "changed".
        name: Of what in the group.
        cells: What it costs a month: "before → after (change)".
    """

    group: str
    name: str
    cells: tuple[str, ...]


def list_currencies(difference: CostDifference) -> list[str]:
    """Return the currencies of the rows, sorted; one where nothing is declared at all."""
    return sorted(difference.totals())


def build_rows(difference: CostDifference, currency: str) -> Iterator[CostRow]:
    """Yield the rows of one currency: everything, its parts, and each thing that changed."""
    compared = difference.is_compared
    yield CostRow("all", "all", _cells(difference.totals()[currency], compared))
    groups: tuple[tuple[str, Mapping[Any, Compared]], ...] = (
        ("by cloud", difference.by_cloud()),
        ("by capacity type", difference.by_capacity_type()),
        ("by kind", difference.by_kind()),
    )
    for group, parts in groups:
        named = {_name(key): part for (key, unit), part in parts.items() if unit == currency}
        for name in sorted(named):
            yield CostRow(group, name, _cells(named[name], compared))
    for line in difference.changed[:SHOWN_CHANGES]:
        if currency in _currencies(line):
            yield CostRow("changed", name_line(line), _line_cells(line))


def name_line(line: LineChange) -> str:
    """Return what a declared thing is called, with how it is bought."""
    bought = [
        side.capacity_type.value
        for side in (line.before, line.after)
        if side and side.capacity_type
    ]
    said = " → ".join(dict.fromkeys(bought))
    where = line.after or line.before
    cloud = f"{where.cloud.value} " if where else ""
    return f"{cloud}{line.kind.value} {line.id}" + (f" ({said})" if said else "")


def say_remainder(difference: CostDifference) -> str:
    """Return how many changed things the rows leave out, or ""."""
    left = len(difference.changed) - SHOWN_CHANGES
    return f"and {left} more that changed" if left > 0 else ""


def say_unknown(entry: UnknownSide) -> str:
    """Return what a sum leaves out, and why."""
    bases = ", ".join(name for basis, name in BASES.items() if basis in entry.bases)
    of = f" ({bases})" if bases else ""
    return f"not counted {entry.side} the change{of}: {entry.kind.value} {entry.id}: {entry.reason}"


def say_prices(difference: CostDifference) -> str:
    """Return from when the prices are, and how many of them are no quotes."""
    days = difference.price_days()
    if days is None:
        return "no price was needed"
    oldest, newest = days
    span = str(oldest) if oldest == newest else f"{oldest} to {newest}"
    assumed = sum(price.assumed for price in difference.prices)
    said = f", {assumed} of them assumed" if assumed else ""
    count = len(difference.prices)
    return f"{count} price{'' if count == 1 else 's'} of {span}{said}; 730 hours a month"


def say_legend(rows: list[CostRow]) -> list[str]:
    """Return the meaning of the marks that rows carry."""
    cells = [cell for row in rows for cell in row.cells]
    return [
        f"{mark} {meaning}"
        for mark, meaning in LEGEND.items()
        if any(cell.endswith((mark, f"{mark}{INCOMPLETE}")) for cell in cells)
    ]


def _name(key: Any) -> str:
    if key is None:
        return NO_NODES
    return KINDS[key] if isinstance(key, LineKind) else str(key.value)


def _currencies(line: LineChange) -> set[str]:
    return {side.currency for side in (line.before, line.after) if side}


def _cells(compared: Compared, is_compared: bool) -> tuple[str, ...]:
    return tuple(
        _render_cell(
            getattr(compared.before, basis) if is_compared else None,
            getattr(compared.after, basis),
            getattr(compared.change, basis),
            is_compared=is_compared,
        )
        + (ASSUMED if basis in compared.assumed else "")
        + (INCOMPLETE if basis in compared.incomplete else "")
        for basis in BASES
    )


def _line_cells(line: LineChange) -> tuple[str, ...]:
    before, after = _monthly(line.before), _monthly(line.after)
    assumed = {
        basis
        for side in (line.before, line.after)
        if side
        for basis, part in side.assumed_part().items()
        if part
    }
    return tuple(
        _render_cell(
            getattr(before, basis),
            getattr(after, basis),
            getattr(line.change, basis),
            is_compared=True,
        )
        + (ASSUMED if basis in assumed else "")
        for basis in BASES
    )


def _monthly(side: Any) -> Figures:
    return Figures(NOTHING, NOTHING, NOTHING, NOTHING) if side is None else side.monthly


def _render_cell(
    before: Decimal | None, after: Decimal | None, change: Decimal | None, *, is_compared: bool
) -> str:
    if not is_compared:
        return _amount(after)
    if before == after and change == NOTHING:
        return f"{_amount(after)} (no change)"
    said = "change not known" if change is None else f"{change:+,.2f}"
    return f"{_amount(before)} → {_amount(after)} ({said})"


def _amount(amount: Decimal | None) -> str:
    return "not known" if amount is None else f"{amount:,.2f}"
