"""The cost of a change for people: aligned lines, and Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.policy.stack_cost import StackCost
from tidegate.pricing.difference import CostDifference
from tidegate.report.cost_rows import (
    BASES,
    CostRow,
    build_rows,
    list_currencies,
    say_legend,
    say_prices,
    say_remainder,
    say_unknown,
)
from tidegate.report.escaping import plain_text


def render_cost_lines(stack: str, cost: StackCost) -> list[str]:
    """Return the cost of a stack as lines for a terminal."""
    difference = cost.difference
    if difference is None:
        return [f"monthly cost of {stack}: not known: {cost.reason}"]
    lines: list[str] = []
    for currency in list_currencies(difference):
        rows = list(build_rows(difference, currency))
        lines.append(f"monthly cost of {stack}, {currency}: {_title(difference)}")
        lines += _align(rows)
        lines += [f"  {meaning}" for meaning in say_legend(rows)]
    if not difference.lines:
        lines.append(f"monthly cost of {stack}: nothing is declared that costs")
    return [*lines, *(f"  {said}" for said in _say_rest(cost, difference))]


def render_cost_markdown(stack: str, cost: StackCost) -> list[str]:
    """Return the cost of a stack as lines of Markdown, with what changed folded away."""
    difference = cost.difference
    if difference is None:
        return [f"### Monthly cost of {plain_text(stack)}", "", _not_known(cost), ""]
    lines = [f"### Monthly cost of {plain_text(stack)}", ""]
    if not difference.lines:
        lines += ["Nothing is declared that costs.", ""]
    for currency in list_currencies(difference):
        rows = list(build_rows(difference, currency))
        lines += _table(f"{currency}, {_title(difference)}", rows)
        lines += [f"`{meaning[0]}` {meaning[2:]}" for meaning in say_legend(rows)]
        lines.append("")
    said = [f"- {plain_text(each)}" for each in _say_rest(cost, difference)]
    return [*lines, *said, ""]


def _title(difference: CostDifference) -> str:
    return "before → after (change)" if difference.is_compared else "after the change"


def _not_known(cost: StackCost) -> str:
    return f"Not known: {plain_text(cost.reason)}."


def _say_rest(cost: StackCost, difference: CostDifference) -> list[str]:
    said = [say_remainder(difference), *(say_unknown(each) for each in difference.unknown)]
    said += [f"no change is shown: {cost.reason}" if cost.reason else "", say_prices(difference)]
    return [each for each in (*said, *cost.notes) if each]


def _align(rows: Sequence[CostRow]) -> list[str]:
    heads = ("", *BASES.values())
    shown = [heads, *((_indent(row), *row.cells) for row in rows)]
    widths = [max(len(cells[index]) for cells in shown) for index in range(len(heads))]
    lines: list[str] = []
    group = ""
    for row, cells in zip((None, *rows), shown, strict=True):
        if row is not None and row.group not in ("all", group):
            lines.append(f"  {row.group}")
        group = row.group if row is not None else ""
        first, *others = cells
        aligned = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  " + "  ".join([first.ljust(widths[0]), *aligned]))
    return lines


def _indent(row: CostRow) -> str:
    return row.name if row.group == "all" else f"  {row.name}"


def _table(title: str, rows: Sequence[CostRow]) -> list[str]:
    head = [
        f"| {plain_text(title)} | {' | '.join(BASES.values())} |",
        f"| --- |{' ---: |' * len(BASES)}",
    ]
    total, *parts = rows
    lines = [*head, _row(total, strong=True)]
    lines += [_row(row) for row in parts if row.group == "changed"]
    folded = [row for row in parts if row.group != "changed"]
    if not folded:
        return lines
    lines += ["", "<details><summary>By cloud, capacity type and kind</summary>", "", *head]
    return [*lines, *(_row(row) for row in folded), "", "</details>", ""]


def _row(row: CostRow, *, strong: bool = False) -> str:
    name = f"{row.group}: {row.name}" if row.group.startswith("by ") else row.name
    cells = [plain_text(cell) for cell in (name, *row.cells)]
    return f"| {' | '.join(f'**{cell}**' if strong else cell for cell in cells)} |"
