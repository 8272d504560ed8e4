"""`tidegate place`: where one job could run, over all clouds, and what excluded the rest."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from tidegate.catalog.load import load_catalog
from tidegate.catalog.yaml_text import parse_yaml_text
from tidegate.cli.output import FormatOption, OutputFormat, build_console, print_json
from tidegate.cli.text_files import STDIN, read_text
from tidegate.manifest.read import read_manifest_text
from tidegate.scaling.fleet import Fleet
from tidegate.scaling.job import build_item, build_lanes, parse_job
from tidegate.scaling.place import Candidate, PlaceAnswer, place_job
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.supply import build_offerings, build_pools

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Example: tidegate place job.yaml --manifest .tidegate/manifests/prod.json. "
    "A job is YAML: id, accelerators (accelerator, perWorker), workers, checkpoint, data …"
)
def place(
    job: Annotated[str, typer.Argument(metavar="JOB", help="A job file, YAML; '-' reads stdin.")],
    manifest: Annotated[
        Path, typer.Option(help="A manifest, or what `pulumi stack output --json` printed.")
    ],
    overlay: Annotated[
        list[Path] | None, typer.Option(help="A file of your own prices; may be repeated.")
    ] = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """List where one job could run, best first. Exit code 0, 1 when nowhere, 2 on bad input."""
    answer = _answer(job, manifest, overlay)
    if output is OutputFormat.JSON:
        print_json(_answer_json(answer))
    else:
        _print_answer(answer)
    raise typer.Exit(0 if answer.candidates else 1)


def _answer(job: str, manifest: Path, overlay: list[Path] | None) -> PlaceAnswer:
    catalog, now = load_catalog(overlay), datetime.now(UTC)
    source = "standard input" if job == STDIN else job
    wanted = parse_job(source, parse_yaml_text(read_text(Path(job)), source))
    declared = read_manifest_text(str(manifest), read_text(manifest))
    ceiling = declared.hourly_ceiling
    currency = ceiling.currency if ceiling else "USD"
    offerings = build_offerings(declared, catalog, currency=currency)
    return place_job(
        build_item(wanted, catalog, now),
        Fleet(build_pools(declared, catalog), (), now),
        replace(offerings, lanes=build_lanes(wanted)),
        ScalingSettings(hourly_ceiling=ceiling.amount if ceiling else None),
        now,
    )


def _print_answer(answer: PlaceAnswer) -> None:
    console = build_console()
    if answer.candidates:
        console.print(_candidate_table(answer))
    else:
        console.print("no declared pool can run this job")
    if answer.excluded:
        console.print(_exclusion_table(answer))
    if any(entry.assumed for entry in answer.candidates):
        console.print("~ an average or a ratio, no quote")


def _candidate_table(answer: PlaceAnswer) -> Table:
    table = Table(title="candidates", title_justify="left")
    names = ("offering", "where", "nodes", "per hour", "useful hour", "whole job", "wait", "why")
    for name in names:
        table.add_column(name, overflow="fold")
    for entry in answer.candidates:
        table.add_row(
            entry.offering.id,
            f"{entry.cloud}/{entry.region}",
            str(entry.nodes),
            _amount(entry.per_hour, answer, entry),
            _amount(entry.useful_per_hour, answer, entry),
            _amount(entry.total, answer, entry),
            f"{entry.wait_seconds} s",
            entry.reason,
        )
    return table


def _exclusion_table(answer: PlaceAnswer) -> Table:
    table = Table(title="excluded", title_justify="left")
    for name in ("offering", "cause", "why"):
        table.add_column(name, overflow="fold")
    for name, cause in answer.excluded:
        table.add_row(name, cause.kind.value, cause.text)
    return table


def _amount(amount: Any, answer: PlaceAnswer, entry: Candidate) -> str:
    if amount is None:
        return "unknown"
    return f"{'~' if entry.assumed else ''}{amount:.2f} {answer.currency}"


def _answer_json(answer: PlaceAnswer) -> dict[str, Any]:
    return {
        "currency": answer.currency,
        "candidates": [_candidate_json(entry) for entry in answer.candidates],
        "excluded": [
            {"offering": name, "cause": cause.kind.value, "where": cause.where, "why": cause.text}
            for name, cause in answer.excluded
        ],
    }


def _candidate_json(entry: Candidate) -> dict[str, Any]:
    return {
        "offering": entry.offering.id,
        "pool": entry.offering.pool,
        "cloud": entry.cloud,
        "region": entry.region,
        "capacityType": entry.offering.capacity_type.value,
        "nodes": entry.nodes,
        "perHour": _text(entry.per_hour),
        "usefulPerHour": _text(entry.useful_per_hour),
        "total": _text(entry.total),
        "waitSeconds": entry.wait_seconds,
        "assumed": entry.assumed,
        "reason": entry.reason,
    }


def _text(amount: Any) -> str | None:
    return None if amount is None else f"{amount:.4f}"
