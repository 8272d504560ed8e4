"""`tidegate policies`: where the policy pack is, and what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidegate.cli.output import FormatOption, OutputFormat, print_json
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
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """List the rules of the pack.

    Example: tidegate policies list --format json
    """
    from tidegate.cli.rules_list import print_rules

    try:
        rules = load_rules(find_pack())
    except RuleEngineError as error:
        raise refuse("policy pack", "", None, str(error)) from error
    print_rules(rules, output)


@app.command("bundle")
def write_bundle(
    target: Annotated[Path, typer.Argument(help="The file to write (.tar.gz).")],
    pack: Annotated[
        Path | None, typer.Option(help="The policy pack (default: Tidegate's own).")
    ] = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Write the rules as a bundle that a central OPA loads.

    Example: tidegate policies bundle tidegate.tar.gz
    """
    from tidegate.opa.bundle import build_bundle

    try:
        found = pack or find_pack()
        load_rules(found)
        revision = build_bundle(found, target)
    except RuleEngineError as error:
        raise refuse("policy pack", "", None, str(error)) from error
    if output is OutputFormat.JSON:
        print_json({"file": str(target), "revision": revision})
        return
    typer.echo(f"{target}: revision {revision}")
