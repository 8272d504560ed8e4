"""`tidegate simulate`: what a manifest would have cost on a queue's own history."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tidegate.catalog.load import load_catalog
from tidegate.cli.output import FormatOption, OutputFormat, build_console, print_json
from tidegate.manifest.read import read_manifest_text
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.supply import build_offerings, build_pools
from tidegate.simulation.engine import simulate as run_simulation
from tidegate.simulation.experiment import Arm, Difference
from tidegate.simulation.experiment import compare as run_experiment
from tidegate.simulation.ours import Tidegate
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Faults, Setup
from tidegate.traces.history import QueueHistory, read_history
from tidegate.vocabulary.problems import Unavailable, refuse

app = typer.Typer(add_completion=False)
DRAIN_SECONDS = 86_400
"""A simulation goes on for a day beyond the last job, so that what waits can finish."""


@app.command(
    epilog="Example: tidegate simulate jobs.csv --manifest .tidegate/manifests/prod.json. "
    "Columns: id, submitted, seconds, accelerator, accelerators; optional workers, "
    "workload_class, priority, checkpoint_seconds, restart_seconds. Of Polyaxon: "
    "polyaxon ops ls -o json > runs.json; tidegate simulate runs.json --accelerator h100-80gb "
    "--manifest …"
)
def simulate(
    history: Annotated[
        Path, typer.Argument(help="What was submitted: CSV, .parquet, or Polyaxon's runs (.json).")
    ],
    manifest: Annotated[
        Path, typer.Option(help="A manifest, or what `pulumi stack output --json` printed.")
    ],
    overlay: Annotated[
        list[Path] | None, typer.Option(help="A file of your own prices; may be repeated.")
    ] = None,
    spot_losses_per_hour: Annotated[
        float, typer.Option(min=0, help="How often a spot node is taken away.")
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Of the losses: equal seeds, equal results.")] = 1,
    compare: Annotated[
        Path | None, typer.Option(help="Another manifest: the treatment of an experiment.")
    ] = None,
    blocks: Annotated[int, typer.Option(min=2, help="Paired spans of the experiment.")] = 10,
    report: Annotated[
        Path | None, typer.Option(help="Write plots to this .html file, and a .png beside it.")
    ] = None,
    accelerator: Annotated[
        str | None, typer.Option(help="What Polyaxon's runs ran on; they do not say it.")
    ] = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Replay a queue's history against a manifest's pools, decided as the controller would."""
    told = read_history(history, accelerator)

    def build(declared: Path) -> Setup:
        chance = random.Random(seed)  # noqa: S311 - losses are to be repeatable, not secret
        faults = Faults(chance, spot_lost_per_hour=spot_losses_per_hour)
        return replace(_build_setup(told, declared, overlay), faults=faults)

    named = {path.stem if compare else "simulated": path for path in (manifest, compare) if path}
    if compare and len(named) < 2:
        named = {"baseline": manifest, "treatment": compare}
    setups = {name: build(path) for name, path in named.items()}
    bounds = {name: _bound(told, setup) for name, setup in setups.items()}
    results = {name: _replay(name, setup) for name, setup in setups.items()}
    first = next(iter(setups))
    found = _describe(told, setups[first], results[first], bounds[first])
    if compare:
        found["comparison"] = _compare(build(manifest), build(compare), blocks)
    if report:
        runs = {name: (results[name], bounds[name]) for name in setups}
        found["report"] = _write_report(report, setups[first], runs)
    if output is OutputFormat.JSON:
        print_json(found)
    else:
        _print_table(found)


def _policy() -> Tidegate:
    return Tidegate(ScalingSettings(keep_alive_min_seconds=0))


def _bound(told: QueueHistory, setup: Setup) -> Decimal:
    # Loaded here: `tidegate --help` neither has to wait for NumPy nor needs it.
    try:
        from tidegate.simulation.bounds import bound_rate
    except ModuleNotFoundError as error:
        raise Unavailable(f"simulations need {error.name}: install tidegate[simulate]") from error
    return bound_rate(told.jobs, setup.market.offerings)


def _replay(name: str, setup: Setup) -> QueueResult:
    with _show_progress(name, setup.end) as tell:
        return run_simulation(setup, _policy(), tell)


def _compare(baseline: Setup, treatment: Setup, blocks: int) -> dict[str, Any] | None:
    """Return the experiment: the metric, its guardrails and how sure they are."""
    found = run_experiment(Arm(baseline, _policy), Arm(treatment, _policy), blocks)
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


def _write_report(
    path: Path, setup: Setup, runs: dict[str, tuple[QueueResult, Decimal]]
) -> list[str]:
    """Write the plots; return the files."""
    try:
        from tidegate.report.simulation import render_simulation
    except ModuleNotFoundError as error:
        raise Unavailable("plots need Altair: install tidegate[simulate]") from error
    plots = render_simulation(setup, runs)
    picture = path.with_suffix(".png")
    try:
        path.write_text(plots.html, encoding="utf-8")
        picture.write_bytes(plots.png)
    except OSError as error:
        reason = f"cannot be written ({error.strerror})"
        raise refuse(str(path), "", None, reason, "a file in a folder that exists") from error
    return [str(path), str(picture)]


def _build_setup(told: QueueHistory, manifest: Path, overlay: list[Path] | None) -> Setup:
    """Return the simulation of a manifest; what nobody can price is refused, with its names."""
    try:
        text = manifest.read_text(encoding="utf-8")
    except OSError as error:
        reason = f"cannot be read ({error.strerror})"
        raise refuse(str(manifest), "", None, reason, "a file") from error
    declared, catalog = read_manifest_text(str(manifest), text), load_catalog(overlay)
    offerings = build_offerings(declared, catalog)
    chips = {job.shape.accelerators[0].accelerator for job in told.jobs}
    usable = [entry for entry in offerings.offerings if entry.room.accelerator in chips]
    if not usable:
        pools = sorted({entry.room.accelerator or "none" for entry in offerings.offerings})
        reason = f"has no pool with {', '.join(sorted(chips))}"
        raise refuse(str(manifest), "pools", None, reason, f"one of {', '.join(pools)} in the jobs")
    unpriced = [entry.id for entry in usable if entry.per_hour is None]
    if unpriced:
        reason = f"has offerings without a known price: {', '.join(unpriced)}"
        raise refuse(str(manifest), "pools", None, reason, "prices by --overlay")
    return Setup(
        jobs=told.jobs,
        pools=build_pools(declared, catalog),
        market=Offerings(
            tuple(usable),
            offerings.currency,
            quotas=offerings.quotas,
            commitments=offerings.commitments,
        ),
        end=told.end + DRAIN_SECONDS,
        start=told.start,
    )


@contextmanager
def _show_progress(name: str, end: int) -> Iterator[Callable[[int], None] | None]:
    """Yield what to tell the second reached; a bar appears on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"Replaying {name}", total=end)
        yield lambda second: bar.update(task, completed=second)


def _describe(
    told: QueueHistory, setup: Setup, result: QueueResult, bound: Decimal
) -> dict[str, Any]:
    useful = result.useful_seconds / 3600
    return {
        "jobs": len(told.jobs),
        "leftOut": dict(told.left_out),
        "currency": setup.market.currency,
        "cost": f"{result.cost:.2f}",
        "unfinishedCost": f"{result.unfinished_cost:.2f}",
        "bound": f"{bound:.2f}",
        "ratio": round(float(result.cost) / float(bound), 4) if bound else None,
        "acceleratorHours": round(useful, 2),
        "costPerAcceleratorHour": round(float(result.cost) / useful, 4),
        "assumedPrices": any(entry.assumed for entry in setup.market.offerings),
        "waitSeconds": {
            "p50": result.wait_at(0.5),
            "p95": result.wait_at(0.95),
            "p99": result.wait_at(0.99),
            "max": result.wait_at(1.0),
            "mean": round(result.mean_wait(), 1),
        },
        "nodeHours": {name: f"{hours:.2f}" for name, hours in sorted(result.paid_hours.items())},
        "interruptions": result.interruptions,
        "lostAcceleratorHours": round(result.lost_seconds / 3600, 2),
        "actions": result.actions,
    }


def _print_table(found: dict[str, Any]) -> None:
    console = build_console()
    table = Table(title="simulated", title_justify="left", show_header=False)
    table.add_column("what")
    table.add_column("value", overflow="fold")
    assumed = "~" if found["assumedPrices"] else ""
    waits = ", ".join(f"{name} {value} s" for name, value in found["waitSeconds"].items())
    for name, value in (
        ("jobs", found["jobs"]),
        *([("left out", _join(found["leftOut"]))] if found["leftOut"] else []),
        ("cost", f"{assumed}{found['cost']} {found['currency']}"),
        ("of it for work not finished", f"{found['unfinishedCost']} {found['currency']}"),
        ("lower bound (the work alone)", f"{assumed}{found['bound']} {found['currency']}"),
        ("cost ÷ bound", found["ratio"]),
        ("per useful accelerator hour", f"{assumed}{found['costPerAcceleratorHour']}"),
        ("waits", waits),
        ("node hours", ", ".join(f"{k} {v}" for k, v in found["nodeHours"].items())),
        ("nodes lost", found["interruptions"]),
        ("accelerator hours repeated", found["lostAcceleratorHours"]),
        ("orders, stops and drains", found["actions"]),
    ):
        table.add_row(name, str(value))
    console.print(table)
    if "comparison" in found:
        console.print(_comparison_text(found["comparison"]))
    for path in found.get("report", ()):
        console.print(f"wrote {path}", soft_wrap=True)
    if assumed:
        console.print("~ an average or a ratio, no quote")


def _join(counted: dict[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counted.items()))


def _comparison_text(found: dict[str, Any] | None) -> str:
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
