"""`tidegate policies`: where the policy pack is, and what is in it."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from tidegate.opa.pack import find_pack, load_rules
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import refuse

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help=(
        "The policy pack and its rules.\n\n"
        "Example: [bold]pulumi preview --policy-pack $(tidegate policies path)[/bold]"
    ),
)


class Format(StrEnum):
    """How a list is printed."""

    TABLE = "table"
    JSON = "json"


@app.command("path")
def show_path() -> None:
    """Print the directory of the policy pack, for `pulumi --policy-pack`.

    Example: pulumi up --policy-pack "$(tidegate policies path)"
    """
    try:
        typer.echo(find_pack())
    except RuleEngineError as error:
        raise refuse("policy pack", "", None, str(error)) from error


@app.command("list")
def list_rules(
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TABLE,
) -> None:
    """List the rules of the pack.

    Example: tidegate policies list --format json
    """
    try:
        rules = load_rules(find_pack()).rules
    except RuleEngineError as error:
        raise refuse("policy pack", "", None, str(error)) from error
    rows = [
        {
            "id": rule.id,
            "severity": rule.severity.value,
            "level": rule.level.value,
            "title": rule.title,
            "docs": rule.docs,
        }
        for rule in sorted(rules, key=lambda rule: rule.id)
    ]
    if output is Format.JSON:
        typer.echo(json.dumps(rows, indent=2))
        return
    _print_table(rows)


def _print_table(rows: list[dict[str, str]]) -> None:
    # Rich is imported where it is used: `tidegate policies path` runs inside other commands.
    from rich.console import Console
    from rich.table import Table

    table = Table("Rule", "Severity", "Level", "Title")
    for row in rows:
        table.add_row(row["id"], row["severity"], row["level"], row["title"])
    Console().print(table)
