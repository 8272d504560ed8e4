"""`tidegate`: one command line; a command group is imported only when it is asked for."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import typer
import typer.core

from tidegate import __version__
from tidegate.vocabulary.hiding import find_secrets, hide_secrets
from tidegate.vocabulary.problems import InvalidInput, Unavailable

GROUPS: dict[str, str] = {
    "adopt": "tidegate.cli.adopt",
    "catalog": "tidegate.cli.catalog",
    "check": "tidegate.cli.check",
    "controller": "tidegate.cli.controller",
    "fix": "tidegate.cli.fix",
    "local": "tidegate.cli.local",
    "manifest": "tidegate.cli.manifest",
    "place": "tidegate.cli.place",
    "policies": "tidegate.cli.policies",
    "review": "tidegate.cli.review",
    "rules": "tidegate.cli.rules",
    "simulate": "tidegate.cli.simulate",
    "up": "tidegate.cli.up",
    "waive": "tidegate.cli.waive",
}
"""Command name → the module whose `app` implements it."""

EXTRAS: dict[str, str] = {"controller": "controller", "local": "local", "up": "local"}
"""Command name → the extra that brings what it cannot be loaded without."""

INVALID_INPUT_EXIT = 2
UNAVAILABLE_EXIT = 1


class LazyGroup(typer.core.TyperGroup):
    """Loads a group's module when its command is looked up, so that start-up stays short."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all groups, sorted as `--help` shows them."""
        return sorted({*GROUPS, *super().list_commands(ctx)})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name; None when there is none."""
        if cmd_name not in GROUPS:
            return super().get_command(ctx, cmd_name)
        try:
            group = importlib.import_module(GROUPS[cmd_name]).app
        except ModuleNotFoundError as error:
            group = build_lacking(cmd_name, error)
        command = typer.main.get_command(group)
        command.name = cmd_name
        return command


def build_lacking(name: str, error: ModuleNotFoundError) -> typer.Typer:
    """Return what stands for a group whose packages are not installed: it says how to get them.

    Args:
        name: The group's name.
        error: What could not be imported. A module of Tidegate's own is a fault, and raised.
    """
    package = str(error.name).partition(".")[0]
    if name not in EXTRAS or package == "tidegate":
        raise error
    from rich.markup import escape

    lacking = typer.Typer(add_completion=False, rich_markup_mode="rich")
    remedy = f"install tidegate[{EXTRAS[name]}]"
    taken = {"ignore_unknown_options": True, "allow_extra_args": True}

    @lacking.command(help=f"Not installed: {escape(remedy)}.", context_settings=taken)
    def refuse_to_run() -> None:
        message = f"`tidegate {name}` needs {package}: {remedy}"
        raise Unavailable(message)

    return lacking


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help=(
        "Declare, gate, run and account GPU capacity on AWS, Google Cloud and Azure.\n\n"
        "Example: [bold]tidegate up dev[/bold] runs the example stack on the local clouds."
    ),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tidegate {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Hold the options that stand before a command."""


def run() -> None:
    """Run the command line.

    Bad input ends with exit code 2, what is not available with 1, each with its message on stderr.
    """
    try:
        app()
    except InvalidInput as error:
        for problem in error.problems:
            _tell(problem)
        sys.exit(INVALID_INPUT_EXIT)
    except Unavailable as error:
        _tell(error)
        sys.exit(UNAVAILABLE_EXIT)


def _tell(error: object) -> None:
    """Say what is wrong; clouds and servers may have said it with a secret in it."""
    typer.echo(f"error: {hide_secrets(str(error), find_secrets(os.environ))}", err=True)
