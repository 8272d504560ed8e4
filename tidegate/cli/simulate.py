"""`tidegate simulate`: what a manifest would have cost on a queue's own history."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
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
from tidegate.simulation.bounds import bound_rate
from tidegate.simulation.engine import simulate as run_simulation
from tidegate.simulation.ours import Tidegate
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Faults, Setup
from tidegate.traces.history import QueueHistory, read_history
from tidegate.vocabulary.problems import refuse

app = typer.Typer(add_completion=False)
DRAIN_SECONDS = 86_400
"""A simulation goes on for a day beyond the last job, so that what waits can finish."""


@app.command(
    epilog="Example: tidegate simulate jobs.csv --manifest .tidegate/manifests/prod.json. "
    "Columns: id, submitted, seconds, accelerator, accelerators; optional workers, "
    "workload_class, priority, checkpoint_seconds, restart_seconds."
)
def simulate(
    history: Annotated[Path, typer.Argument(help="What was submitted: CSV or .parquet.")],
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
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Replay a queue's history against a manifest's pools, decided as the controller would."""
    told = read_history(history)
    faults = Faults(random.Random(seed), spot_lost_per_hour=spot_losses_per_hour)  # noqa: S311
    setup = replace(_build_setup(told, manifest, overlay), faults=faults)
    with _show_progress(setup.end) as report:
        result = run_simulation(setup, Tidegate(ScalingSettings(keep_alive_min_seconds=0)), report)
    found = _describe(told, setup, result)
    if output is OutputFormat.JSON:
        print_json(found)
    else:
        _print_table(found)


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
def _show_progress(end: int) -> Iterator[Callable[[int], None] | None]:
    """Yield what to tell the second reached; a bar appears on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Replaying", total=end)
        yield lambda second: bar.update(task, completed=second)


def _describe(told: QueueHistory, setup: Setup, result: QueueResult) -> dict[str, Any]:
    bound = bound_rate(told.jobs, setup.market.offerings)
    useful = result.useful_seconds / 3600
    return {
        "jobs": len(told.jobs),
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
    if assumed:
        console.print("~ an average or a ratio, no quote")
