"""`tidegate manifest`: show, check and compare capacity manifests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from tidegate.cli.output import FormatOption, OutputFormat, build_console, print_json
from tidegate.cli.text_files import STDIN, read_text
from tidegate.manifest.build import SECTIONS, dump_manifest
from tidegate.manifest.check import Finding, FindingLevel, check_manifest
from tidegate.manifest.diff import Change, diff_manifests
from tidegate.manifest.model import Manifest, Pool
from tidegate.manifest.read import read_manifest_text
from tidegate.manifest.schema import read_published_schema
from tidegate.vocabulary.problems import refuse

app = typer.Typer(
    help="Show, check and compare capacity manifests.", no_args_is_help=True, add_completion=False
)


Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A manifest, or what `pulumi stack output --json` printed; '-' reads standard input.",
    ),
]


@app.command(epilog="Example: pulumi stack output --json | tidegate manifest show -")
def show(source: Source, output: FormatOption = OutputFormat.TABLE) -> None:
    """Show what a manifest declares. Exit code 0, or 2 when it cannot be read."""
    manifest = _read(source)
    if output is OutputFormat.JSON:
        print_json(dump_manifest(manifest))
        return
    console = build_console()
    ceiling = manifest.hourly_ceiling
    limit = f"{ceiling.amount} {ceiling.currency} an hour" if ceiling else "no hourly ceiling"
    console.print(f"{manifest.project}/{manifest.stack}: {manifest.version}, {limit}")
    if manifest.pools:
        console.print(_pool_table(manifest.pools))
    for section in SECTIONS:
        entries = getattr(manifest, section)
        if section != "pools" and entries:
            console.print(_entry_table(section, entries))


@app.command(epilog="Example: tidegate manifest validate .tidegate/manifests/prod.json")
def validate(source: Source, output: FormatOption = OutputFormat.TABLE) -> None:
    """Check references, bounds, zones and labels. Exit code 0, 1 on errors, 2 when unreadable."""
    findings = check_manifest(_read(source))
    errors = sum(finding.level is FindingLevel.ERROR for finding in findings)
    if output is OutputFormat.JSON:
        print_json({"valid": errors == 0, "findings": [_finding_json(each) for each in findings]})
    else:
        for finding in findings:
            typer.echo(f"{finding.level.value}: {finding.problem}")
        warnings = len(findings) - errors
        typer.echo(f"{source}: {errors} errors, {warnings} warnings")
    raise typer.Exit(1 if errors else 0)


@app.command(epilog="Example: tidegate manifest diff old.json new.json --format json")
def diff(old: Source, new: Source, output: FormatOption = OutputFormat.TABLE) -> None:
    """Say what changed, by id and property. Exit code 0 when equal, 1 when not, 2 unreadable."""
    if old == new == "-":
        raise refuse("tidegate manifest diff", "", "-", "was given twice", "one file and one '-'")
    changes = diff_manifests(_read(old), _read(new))
    if output is OutputFormat.JSON:
        print_json({"changes": [_change_json(change) for change in changes]})
    else:
        for change in changes:
            typer.echo(_change_line(change))
        plural = "" if len(changes) == 1 else "s"
        typer.echo(f"{len(changes)} change{plural}" if changes else "no changes")
    raise typer.Exit(1 if changes else 0)


@app.command(epilog="Example: tidegate manifest schema > capacity-v1.json")
def schema() -> None:
    """Print the published JSON Schema of the newest manifest version."""
    print_json(read_published_schema())


def _read(source: str) -> Manifest:
    where = "standard input" if source == STDIN else source
    return read_manifest_text(where, read_text(Path(source)))


def _pool_table(pools: list[Pool]) -> Table:
    table = Table(title="pools", title_justify="left")
    names = ("id", "where", "nodes of", "accelerator", "bought", "min", "max", "scaler", "class")
    for name in names:
        table.add_column(name, overflow="fold")
    for pool in pools:
        table.add_row(
            pool.id,
            f"{pool.cloud.value}/{pool.region}",
            ", ".join(pool.instance_types),
            f"{pool.accelerators_per_node} x {pool.accelerator}" if pool.accelerator else "none",
            pool.capacity_type.value + (f" ({pool.reservation})" if pool.reservation else ""),
            str(pool.min_nodes),
            str(pool.max_nodes),
            pool.scaler.value,
            ", ".join(workload.value for workload in pool.workload_classes),
        )
    return table


def _entry_table(section: str, entries: list[Any]) -> Table:
    """Return the other sections as id, place and what is particular to each."""
    table = Table(title=section, title_justify="left")
    for name in ("id", "where", "declared"):
        table.add_column(name, overflow="fold")
    for entry in entries:
        values = dump_manifest(entry)
        place = f"{values.pop('cloud')}/{values.pop('region', '')}".rstrip("/")
        for key in ("id", "labels", "account"):
            values.pop(key, None)
        shown = [
            f"{key}={_render(value)}" for key, value in values.items() if value not in ("", [])
        ]
        table.add_row(entry.id, place, " ".join(shown))
    return table


def _finding_json(finding: Finding) -> dict[str, str]:
    problem = finding.problem
    return {
        "level": finding.level.value,
        "where": problem.where,
        "property": problem.property,
        "value": problem.value,
        "reason": problem.reason,
        "expected": problem.expected,
    }


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "section": change.section,
        "id": change.id,
        "property": change.property,
        "before": change.before,
        "after": change.after,
    }


def _change_line(change: Change) -> str:
    place = ".".join(part for part in (change.section, change.id, change.property) if part)
    if not change.property:
        return f"{change.kind.value} {place}"
    before = "nothing" if change.before is None else _render(change.before)
    after = "nothing" if change.after is None else _render(change.after)
    return f"{change.kind.value} {place}: {before} -> {after}"


def _render(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
