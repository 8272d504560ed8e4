"""`tidegate controller`: opens and closes the pools of a stack with the work."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from tidegate.cli.controller_building import build_controller, run_and_close
from tidegate.cli.controller_drill import drill
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
    open_store,
)
from tidegate.cli.controller_overrides import find_known, pause, resume, snooze
from tidegate.cli.controller_stack import StackChoice
from tidegate.cli.output import FormatOption, OutputFormat, build_console, print_json
from tidegate.vocabulary.problems import Unavailable, refuse

app = typer.Typer(
    help=(
        "Observe demand and pools, decide, resize, record. Only pools whose scaler is `tidegate` "
        "are ever resized; the others are observed."
    ),
    no_args_is_help=True,
    add_completion=False,
)

NOT_LEADING_EXIT = 1
REFUSED_EXIT = 1


@app.command(epilog="Example: tidegate controller plan --stack prod")
def plan(
    stack: StackOption = "prod",
    project: ProjectOption = Path(),
    outputs: OutputsOption = "",
    backend: BackendOption = "",
    sources: SourcesOption = None,
    overlay: OverlayOption = None,
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Say what would be done now, and why; change nothing. Exit code 2 on bad input."""
    choice = StackChoice(stack, project, outputs, backend, sources, overlay or (), state_dir)
    controller = build_controller(choice, database, writes=False)
    _show(run_and_close(controller, controller.plan), output, is_dry=True)


@app.command(epilog="Example: tidegate controller once --stack prod --sources sources.yaml")
def once(
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
    """Take one turn. Exit code 1 when a cloud refused, or another controller leads."""
    from tidegate.controller.logs import start_logging

    choice = StackChoice(stack, project, outputs, backend, sources, overlay or (), state_dir)
    controller = build_controller(choice, database, leader)
    start_logging(quiet=True)
    tick = run_and_close(controller, controller.tick)
    if tick is None:
        typer.echo("another controller leads; nothing was done", err=True)
        raise typer.Exit(NOT_LEADING_EXIT)
    _show(tick, output, is_dry=False)
    if any(done.kind is not None for done in (*tick.done, *tick.reaped)):
        raise typer.Exit(REFUSED_EXIT)


@app.command(
    epilog="Example: tidegate controller run --stack prod --listen 127.0.0.1:9470. A face beyond "
    "loopback needs a bearer token in TIDEGATE_CONTROLLER_TOKEN."
)
def run(
    stack: StackOption = "prod",
    project: ProjectOption = Path(),
    outputs: OutputsOption = "",
    backend: BackendOption = "",
    sources: SourcesOption = None,
    overlay: OverlayOption = None,
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
    leader: LeaderOption = "",
    interval: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds between two turns.")
    ] = 15.0,
    listen: Annotated[
        str, typer.Option(help="HOST:PORT of the page, /metrics and /healthz; empty for none.")
    ] = "127.0.0.1:9470",
    otlp: Annotated[
        str,
        typer.Option(
            envvar="OTEL_EXPORTER_OTLP_ENDPOINT",
            help="Send OpenTelemetry traces to this collector, as http://HOST:4318.",
        ),
    ] = "",
) -> None:
    """Take turns until SIGTERM or SIGINT; the turn under way is finished. Logs are JSON lines."""
    from tidegate.controller.logs import start_logging

    address = _parse_address(listen) if listen else None
    choice = StackChoice(stack, project, outputs, backend, sources, overlay or (), state_dir)
    controller = build_controller(choice, database, leader, interval=interval)
    start_logging()
    gc.freeze()  # what was loaded stays for the whole life of the process
    with ExitStack() as ending:
        if otlp:
            from tidegate.controller.tracing import start_tracing

            ending.callback(start_tracing(otlp, controller.holder))
        if address:
            ending.callback(_open_face(controller, address, interval).close)
        asyncio.run(_run(controller))


@app.command(epilog="Example: tidegate controller status --format json")
def status(
    project: ProjectOption = Path(),
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Show who leads, what the pools do, and which sources and offerings are in doubt."""
    from tidegate.cli.controller_output import print_status
    from tidegate.controller.status import describe_status

    told = describe_status(open_store(project, state_dir, database), datetime.now(UTC))
    if output is OutputFormat.JSON:
        print_json(told)
    else:
        print_status(build_console(), told)


@app.command(epilog="Example: tidegate controller explain train-aws-h100 --last 5")
def explain(
    pool: Annotated[
        str,
        typer.Argument(help="A pool, a notebook or an endpoint; 'fleet' for what concerns all."),
    ],
    last: Annotated[int, typer.Option(min=1, max=1000, help="How many decisions.")] = 10,
    project: ProjectOption = Path(),
    state_dir: StateDirOption = None,
    database: DatabaseOption = "",
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Tell the last decisions on a pool, newest first. Exit code 2 for what is not known."""
    from tidegate.cli.controller_output import explain_silence, print_decisions
    from tidegate.controller.status import describe_decision

    store = open_store(project, state_dir, database)
    found = store.read_decisions("" if pool == "fleet" else pool, last)
    if not found and pool != "fleet":
        pool = find_known(store, pool)
        found = store.read_decisions(pool, last)
    if output is OutputFormat.JSON:
        print_json([describe_decision(record) for record in found])
    elif not found:
        typer.echo(explain_silence(store, pool))
    else:
        print_decisions(build_console(), found)


app.command(epilog="Example: tidegate controller pause train-aws-h100 --owner ana --hours 4")(pause)
app.command(epilog="Example: tidegate controller snooze explore-gcp --owner ana --hours 4")(snooze)
app.command(epilog="Example: tidegate controller resume train-aws-h100")(resume)
app.command(epilog="Example: tidegate controller drill train-aws-h100 --sources sources.yaml")(
    drill
)


def _show(tick: Any, output: OutputFormat, *, is_dry: bool) -> None:
    from tidegate.cli.controller_plan import describe_tick
    from tidegate.cli.controller_plan_text import print_plan

    told = describe_tick(tick)
    if output is OutputFormat.JSON:
        print_json(told)
    else:
        print_plan(build_console(), told, is_dry=is_dry)


async def _run(controller: Any) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, controller.stop)
    await controller.run()


def _open_face(controller: Any, address: tuple[str, int], interval: float) -> Any:
    from tidegate.controller.face import TOKEN_VARIABLE, Face, Views

    patience = max(60.0, 4 * interval)
    views = Views(
        lambda: controller.explain_unready(patience),
        controller.metrics.render,
        controller.describe,
        time.monotonic,
    )
    try:
        return Face(*address, views, os.environ.get(TOKEN_VARIABLE, ""))
    except OSError as error:
        raise Unavailable(f"nothing can listen on {address[0]}:{address[1]}: {error}") from error


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise refuse("controller", "--listen", text, "is no HOST:PORT", "127.0.0.1:9470")
    return host.strip("[]"), int(port)
