"""How commands print: JSON for programs, tables of a fixed width where nobody watches."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console

QUIET_WIDTH = 160
"""Columns of a table when the output is no terminal, so that it is the same everywhere."""


class OutputFormat(StrEnum):
    """How a command prints what it found."""

    TABLE = "table"
    JSON = "json"


FormatOption = Annotated[OutputFormat, typer.Option("--format", help="table or json.")]


def build_console() -> Console:
    """Return a console on standard output, of a fixed width where that is no terminal."""
    return Console() if sys.stdout.isatty() else Console(width=QUIET_WIDTH)


def render_time(at: datetime) -> str:
    """Return a moment for people, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def print_json(document: Any) -> None:
    """Print a document as JSON on standard output."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
