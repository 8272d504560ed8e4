"""`tidegate controller drill`: one node interrupted on purpose, and what that shows."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tidegate.cli.controller_leader import LeaderOption
from tidegate.cli.controller_options import (
    BackendOption,
    DatabaseOption,
    OutputsOption,
    OverlayOption,
    ProjectOption,
    SourcesOption,
    StackOption,
    StateDirOption,
)
from tidegate.cli.output import FormatOption, OutputFormat, build_console, print_json
from tidegate.vocabulary.problems import refuse

if TYPE_CHECKING:
    from tidegate.controller.drilling import Drilled, Planned

BROKEN_EXIT = 1
LOOK_SECONDS = 5.0


def drill(
    pool: Annotated[str, typer.Argument(help="The pool to interrupt a node of.")],
    node: Annotated[
        str, typer.Option("--node", help="Its node; the one with the least work unless stated.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    owner: Annotated[str, typer.Option("--owner", help="Who wants it; you, unless stated.")] = "",
    timeout: Annotated[
        float, typer.Option(min=1, max=86400, help="Seconds after which work counts as lost.")
    ] = 1800.0,
    interval: Annotated[
        float, typer.Option(min=0.1, max=300, help="Seconds from one look to the next.")
    ] = LOOK_SECONDS,
    stack: StackOption = "prod",
    project: ProjectOption = Path(),
    outputs: OutputsOption = "",
    backend: BackendOption = "",
    sources: SourcesOption = None,
    overlay: OverlayOption = None,
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
    leader: LeaderOption = "",
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Interrupt one node on purpose, and hold its work against what the pool declares.

    Exit code 1 when that does not hold, or nobody tells; 2 for a pool that is not interrupted on
    purpose.
    """
    from tidegate.cli.controller_building import SystemClock, build_controller, run_and_close
    from tidegate.cli.controller_stack import StackChoice
    from tidegate.controller.drilling import Driller
    from tidegate.controller.logs import start_logging

    choice = StackChoice(stack, project, outputs, backend, sources, overlay or (), state_dir)
    controller = build_controller(choice, database, leader)
    start_logging(quiet=True)
    driller = Driller(controller, controller.require_store(), SystemClock(), interval)

    async def go() -> Drilled | None:
        planned = await driller.plan(pool, node)
        if not _is_wanted(planned, yes=yes):
            return None
        return await driller.run(planned, owner or getpass.getuser(), timeout, _tell)

    done = run_and_close(controller, go)
    if done is None:
        typer.echo("nothing was interrupted", err=True)
        return
    if output is OutputFormat.JSON:
        print_json(describe_drill(done))
    else:
        print_drill(build_console(), done)
    if not done.holds():
        raise typer.Exit(BROKEN_EXIT)


def describe_drill(done: Drilled) -> dict[str, Any]:
    """Return what a drill found, as JSON."""
    return {
        "pool": done.planned.pool.id,
        "node": done.planned.node.name,
        "seconds": done.seconds,
        "holds": done.holds(),
        "checks": [
            {
                "check": check.name,
                "item": check.item,
                "verdict": check.held.value,
                "measuredSeconds": check.measured_seconds,
                "limitSeconds": check.limit_seconds,
                "why": check.why,
            }
            for check in done.checks
        ],
    }


def print_drill(console: Console, done: Drilled) -> None:
    """Print what a drill found."""
    table = Table("check", "work", "verdict", "measured", "limit", "why")
    for check in done.checks:
        measured, limit = (_seconds(each) for each in (check.measured_seconds, check.limit_seconds))
        table.add_row(check.name, check.item, check.held.value, measured, limit, check.why)
    console.print(table)
    verdict = "holds" if done.holds() else "does not hold, or is not shown to"
    place = f"{done.planned.node.name} of {done.planned.pool.id}"
    console.print(f"{place}: what is declared {verdict} ({done.seconds} s)")


def _seconds(number: int | None) -> str:
    return "" if number is None else f"{number} s"


def _is_wanted(planned: Planned, *, yes: bool) -> bool:
    work = ", ".join(pod.name for pod in planned.node.work())
    what = f"{planned.node.name} of {planned.pool.id} is interrupted; it runs {work}"
    if yes:
        typer.echo(what, err=True)
        return True
    if not _can_answer():
        raise refuse(
            "drill", "--yes", None, f"is missing: {what}", "--yes, where nobody can answer"
        )
    return typer.confirm(f"{what}. Go on?", err=True)


def _can_answer() -> bool:
    return sys.stdin.isatty()


def _tell(line: str) -> None:
    if sys.stderr.isatty():
        typer.echo(line, err=True)
