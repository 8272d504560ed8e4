"""The tables of docs/evaluation.md, rendered from docs/simulation.json."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
DATA, PAGE = DOCS / "simulation.json", DOCS / "evaluation.md"
Row = Mapping[str, Any]
WHOLE = "the whole trace in one run"


def render_page() -> None:
    """Put each table between its markers in the page."""
    page = PAGE.read_text(encoding="utf-8")
    for name, table in render_tables(json.loads(DATA.read_text(encoding="utf-8"))).items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, rest = page.split(begin, 1)
        page = before + begin + table + rest[rest.index(end) :]
    PAGE.write_text(page, encoding="utf-8")


def render_tables(data: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """Return each table by the name of its markers, of the families that were measured."""
    every = (
        ("queues", "simulation queues", _queues),
        ("queues", "simulation clusters", _clusters),
        ("helios", "simulation helios", _helios),
        ("spot", "simulation spot", _helios),
        ("deadlines", "simulation deadlines", _deadlines),
        ("foresight", "simulation foresight", _foresight),
        ("serving", "simulation serving", _serving),
        ("idle", "simulation idle", _idle),
    )
    tables = {name: render(data[family]) for family, name, render in every if family in data}
    whole = [row for row in data.get("queues", ()) if row["case"] == WHOLE]
    return {**tables, "simulation whole": _whole(whole)} if whole else tables


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def _told(row: Row) -> str:
    told = ", ".join(f"{name} {_value(value)}" for name, value in row["parameters"].items())
    return told or "defaults"


def _judged(row: Row) -> list[object]:
    """Return which policy it was, with what parameters, and what it came to."""
    return [row["policy"], _told(row), f"{row['ratio']:.4f}"]


def _value(value: object) -> str:
    return "none" if value == [] else str(value).strip("[]")


def _waits(row: Row) -> list[object]:
    return [row["wait_p50"], row["wait_p95"], row["wait_p99"], row["wait_max"], row["wait_mean"]]


def _queues(rows: Sequence[Row]) -> str:
    shown = [row for row in rows if row["case"] != WHOLE]
    head = ("fleet", "policy", "tuned", "R", "wait p50", "p95", "p99", "max", "mean", "lost GPU h")
    changes = {"actions_a_day": "actions a day", "overshoot_nodes": "nodes no work ran on"}
    # Data that was measured before they were counted has none of them.
    told = [name for name in changes if all(name in row for row in shown)]
    return _table(
        (*head, *(changes[name] for name in told)),
        (
            [
                row["case"],
                *_judged(row),
                *_waits(row),
                row["lost_gpu_hours"],
                *(row[name] for name in told),
            ]
            for row in sorted(shown, key=lambda row: (row["case"], row["ratio"]))
        ),
    )


def _whole(rows: Sequence[Row]) -> str:
    head = ("jobs", "decisions", "CPU seconds", "seconds", "R", "p95")
    names = ("jobs", "decisions", "cpu_seconds", "seconds", "ratio", "wait_p95")
    return _table(head, ([row[name] for name in names] for row in rows))


def _clusters(rows: Sequence[Row]) -> str:
    ours = next(row for row in rows if row["policy"] == "ours" and "clusters" in row)
    head = (
        "virtual cluster",
        "GPU h",
        "R to work",
        "whole nodes ÷ work",
        "nobody below, each wait ≤ 300 s",
        "nobody below, mean wait ≤ peers'",
        "p95",
    )
    return _table(
        head,
        (
            [
                name,
                one["gpu_hours"],
                one["ratio"],
                one["ceiling_to_work"],
                one["bound_of_each_wait_to_work"],
                f"{one['bound_of_mean_to_work']} ({one['peers_wait_mean']} s)",
                one["wait_p95"],
            ]
            for name, one in sorted(
                ours["clusters"].items(), key=lambda entry: -entry[1]["gpu_hours"]
            )
        ),
    )


def _helios(rows: Sequence[Row]) -> str:
    head = (
        "policy",
        "tuned",
        "R",
        "R with the wait",
        "p95",
        "p99",
        "max",
        "mean",
        "stalled h",
        "lost GPU h",
    )
    return _table(
        head,
        (
            [
                *_judged(row),
                f"{row['ratio_with_wait']:.4f}",
                *_waits(row)[1:],
                row["stalled_hours"],
                row["lost_gpu_hours"],
            ]
            for row in sorted(rows, key=lambda row: row["ratio"])
        ),
    )


def _deadlines(rows: Sequence[Row]) -> str:
    head = (
        "case",
        "policy",
        "tuned",
        "R",
        "1.1 ×",
        "1.25 ×",
        "1.5 ×",
        "2 ×",
        "p50",
        "p90",
        "max",
        "missed",
    )
    return _table(
        head,
        (
            [
                row["case"],
                *_judged(row),
                *(f"{value:.4f}" for value in row["by_factor"].values()),
                row["job_p50"],
                row["job_p90"],
                row["job_max"],
                row["missed"],
            ]
            for row in rows
        ),
    )


def _foresight(rows: Sequence[Row]) -> str:
    names = ("first_half", "second_half", "whole")
    return _table(
        ("what is known", "first half", "second half", "both"),
        ([row["knows"], *(f"{row[name]:.4f}" for name in names)] for row in rows),
    )


def _serving(rows: Sequence[Row]) -> str:
    head = ("trace", "policy", "tuned", "R", "served in time", "changes a day")
    return _table(
        head,
        (
            [
                row["case"],
                *_judged(row),
                f"{100 * row['served']:.2f} %",
                row["changes_a_day"],
            ]
            for row in rows
        ),
    )


def _idle(rows: Sequence[Row]) -> str:
    head = ("policy", "tuned", "R", "paid share of the time", "wakes a day and endpoint")
    return _table(
        head,
        (
            [*_judged(row), f"{100 * row['paid_share']:.1f} %", row["wakes_a_day"]]
            for row in sorted(rows, key=lambda row: row["ratio"])
        ),
    )


if __name__ == "__main__":
    render_page()
