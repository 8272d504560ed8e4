"""What `tidegate simulate` tells: figures of each run as JSON, and the same as words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from rich.table import Table

from tidegate.cli.output import build_console
from tidegate.simulation.experiment import Comparison, Difference
from tidegate.simulation.metrics import (
    Use,
    actions_a_day,
    cost_per_useful_hour,
    lost_per_interruption,
    measure_overshoot,
    share_of_targets_met,
    split_time,
)
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup
from tidegate.traces.window import QueueHistory

Figures = Mapping[str, Any]
NO_WORK = "no work"


def describe_history(told: QueueHistory) -> dict[str, Any]:
    """Return what was replayed, and what of its source was not."""
    until = told.start + timedelta(seconds=told.end)
    return {
        "jobs": len(told.jobs),
        "window": {"from": f"{told.start:%Y-%m-%dT%H:%MZ}", "until": f"{until:%Y-%m-%dT%H:%MZ}"},
        "leftOut": dict(told.left_out),
        "clipped": told.clipped,
        "assumed": list(told.assumed),
    }


def describe_run(setup: Setup, result: QueueResult, bound: Decimal) -> dict[str, Any]:
    """Return the figures of one run; what is not known, or has nothing to be told of, is None."""
    split, over = split_time(setup, result), measure_overshoot(result)
    useful = Decimal(result.useful_seconds) / 3600
    return {
        "currency": setup.market.currency,
        "cost": f"{result.cost:.2f}",
        "unfinishedCost": f"{result.unfinished_cost:.2f}",
        "bound": f"{bound:.2f}",
        "ratio": round(float(result.cost) / float(bound), 4) if bound else None,
        "acceleratorHours": _round(useful, 2),
        "costPerAcceleratorHour": _round(cost_per_useful_hour(result), 4),
        "usefulAcceleratorHours": _round(split.useful.hours, 2),
        "waste": {name: _waste(use, useful) for name, use in split.waste().items()},
        "assumedPrices": any(entry.assumed for entry in setup.market.offerings),
        "waitSeconds": {
            "p50": result.wait_at(0.5),
            "p95": result.wait_at(0.95),
            "p99": result.wait_at(0.99),
            "max": result.wait_at(1.0),
            "mean": round(result.mean_wait(), 1),
        },
        "waitTargets": {
            "jobs": result.wait_targets,
            "met": result.wait_targets_met,
            "share": _round(share_of_targets_met(result), 4),
        },
        "deadlines": {"jobs": result.deadlines, "missed": result.missed},
        "nodeHours": {name: f"{hours:.2f}" for name, hours in sorted(result.paid_hours.items())},
        "commitmentUse": _commitment_use(setup, result),
        "interruptions": result.interruptions,
        "lostAcceleratorHours": round(result.lost_seconds / 3600, 2),
        "lostAcceleratorHoursPerInterruption": _round(lost_per_interruption(result), 3),
        "actions": result.actions,
        "actionsADay": _round(actions_a_day(result), 1),
        "overshoot": {
            "nodes": over.nodes,
            "share": _round(over.share, 4),
            "nodeHours": _round(over.node_hours, 2),
        },
    }


def _commitment_use(setup: Setup, result: QueueResult) -> dict[str, float | None]:
    """Return the share of each commitment that a pool draws on; None where nobody can tell."""
    drawn = sorted({entry.commitment for entry in setup.market.offerings} - {""})
    used = result.commitments
    return {name: _round(used[name].share, 4) if name in used else None for name in drawn}


def _waste(use: Use, useful: Decimal) -> dict[str, Any]:
    per_hour = use.cost / useful if useful else None
    return {
        "acceleratorHours": _round(use.hours, 2),
        "cost": f"{use.cost:.2f}",
        "costPerAcceleratorHour": _round(per_hour, 4),
    }


def _round(value: Decimal | None, places: int) -> float | None:
    return None if value is None else round(float(value), places)


def describe_comparison(found: Comparison | None) -> dict[str, Any] | None:
    """Return the experiment: the metric, its guardrails and how sure they are."""
    if found is None:
        return None
    return {
        "blocks": found.blocks,
        "baselineCostPerAcceleratorHour": round(found.baseline_cost, 4),
        "costPerAcceleratorHour": _difference(found.cost),
        "waitP95Seconds": _difference(found.wait_p95),
        "lostAcceleratorHours": _difference(found.lost),
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "difference": round(found.mean, 4),
        "low95": round(found.low, 4),
        "high95": round(found.high, 4),
        "clear": found.is_clear(),
    }


def list_figures(found: Figures) -> list[tuple[str, str]]:
    """Return the figures of one run as (what, value) for people."""
    assumed, currency = "~" if found["assumedPrices"] else "", found["currency"]
    waits = ", ".join(f"{name} {value} s" for name, value in found["waitSeconds"].items())
    useful = _or(found["costPerAcceleratorHour"], NO_WORK, f" {currency}")
    rows = [
        ("cost", f"{assumed}{found['cost']} {currency}"),
        ("of it for work not finished", f"{found['unfinishedCost']} {currency}"),
        ("lower bound (the work alone)", f"{assumed}{found['bound']} {currency}"),
        ("cost ÷ bound", _or(found["ratio"], "none: the bound is 0")),
        ("per useful accelerator hour", f"{assumed}{useful}"),
        *_waste_rows(found, assumed),
        ("waits", waits),
        ("wait targets met", _targets(found["waitTargets"])),
        ("deadlines missed", _deadlines(found["deadlines"])),
        ("node hours", _join(found["nodeHours"])),
        ("commitments used", _commitments(found["commitmentUse"])),
        ("nodes lost", str(found["interruptions"])),
        ("accelerator hours repeated", str(found["lostAcceleratorHours"])),
        (
            "of it for each node lost",
            _or(found["lostAcceleratorHoursPerInterruption"], "none was lost"),
        ),
        ("orders, stops and drains", _actions(found)),
        ("overshoot (nodes no work ran on)", _overshoot(found["overshoot"])),
    ]
    times = found.get("decisionMilliseconds")
    if times:
        rows.append(("decision time", ", ".join(f"{name} {ms} ms" for name, ms in times.items())))
    return rows


def _waste_rows(found: Figures, assumed: str) -> Iterator[tuple[str, str]]:
    words = {
        "lost": "work undone",
        "setup": "booting, going on after a stop",
        "idle": "no work on it",
    }
    for name, use in found["waste"].items():
        per_hour = _or(use["costPerAcceleratorHour"], NO_WORK)
        told = f"{assumed}{per_hour} ({use['acceleratorHours']} accelerator hours)"
        yield f"of it {name}: {words[name]}", told


def _targets(told: Figures) -> str:
    if not told["jobs"]:
        return "none stated"
    return f"{told['met']} of {told['jobs']} ({told['share']:.1%})"


def _deadlines(told: Figures) -> str:
    return f"{told['missed']} of {told['jobs']}" if told["jobs"] else "none stated"


def _commitments(told: Mapping[str, float | None]) -> str:
    unknown = "unknown (it states no size, or had ended before)"
    shares = {name: unknown if share is None else f"{share:.1%}" for name, share in told.items()}
    return _join(shares) or "none"


def _actions(found: Figures) -> str:
    a_day = found["actionsADay"]
    return f"{found['actions']}" + ("" if a_day is None else f" ({a_day} a day)")


def _overshoot(told: Figures) -> str:
    if told["share"] is None:
        return "none was ordered"
    return f"{told['nodes']} ({told['share']:.1%} of those ordered), {told['nodeHours']} node hours"


def _or(value: object, otherwise: str, unit: str = "") -> str:
    return otherwise if value is None else f"{value}{unit}"


def _join(told: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in told.items())


def list_history(found: Figures) -> list[tuple[str, str]]:
    """Return what was replayed as (what, value)."""
    window = found["window"]
    rows = [("jobs", str(found["jobs"])), ("from, until", f"{window['from']}, {window['until']}")]
    left_out = ", ".join(f"{count} {why}" for why, count in sorted(found["leftOut"].items()))
    if left_out:
        rows.append(("left out", left_out))
    if found["clipped"]:
        rows.append(("clipped", f"{found['clipped']} jobs that run over an end of the window"))
    if found["assumed"]:
        rows.append(("assumed", "; ".join(found["assumed"])))
    return rows


def print_simulation(found: Figures, runs: Mapping[str, Figures]) -> None:
    """Print what was replayed, the figures of the runs beside each other, and the experiment."""
    console = build_console()
    title = "simulated" if len(runs) == 1 else None
    table = Table(title=title, title_justify="left", show_header=len(runs) > 1)
    table.add_column("what")
    for name in runs:
        table.add_column(name, overflow="fold")
    for what, value in list_history(found):
        table.add_row(what, *[value] * len(runs))
    told = [list_figures(run) for run in runs.values()]
    for rows in zip(*told, strict=True):
        table.add_row(rows[0][0], *(value for _, value in rows))
    console.print(table)
    if "comparison" in found:
        console.print(render_comparison(found["comparison"]))
    for path in found.get("report", ()):
        console.print(f"wrote {path}", soft_wrap=True)
    if any(run["assumedPrices"] for run in runs.values()):
        console.print("~ an average or a ratio, no quote")


def render_comparison(found: Figures | None) -> str:
    """Return the experiment as lines for people; None where nothing can be said."""
    if found is None:
        return "fewer than two spans have work: nothing can be said about the difference"
    lines = [f"treatment less baseline, over {found['blocks']} paired spans (95 % confidence):"]
    for name, title in (
        ("costPerAcceleratorHour", "cost of a useful accelerator hour"),
        ("waitP95Seconds", "guardrail: p95 wait, seconds"),
        ("lostAcceleratorHours", "guardrail: accelerator hours repeated"),
    ):
        one = found[name]
        sure = "" if one["clear"] else " - no clear difference"
        between = f"{one['low95']:+.4g} to {one['high95']:+.4g}"
        lines.append(f"  {title}: {one['difference']:+.4g} ({between}){sure}")
    return "\n".join(lines)
