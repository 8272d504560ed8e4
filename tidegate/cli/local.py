"""`tidegate local`: the embedded local clouds."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
import yaml
from rich.console import Console
from rich.table import Table

from tidegate.cli.local_pulumi import build_shell_environment
from tidegate.cli.output import FormatOption, OutputFormat, build_console, print_json
from tidegate.engine.toolchain import ToolMissing, find_toolchain
from tidegate.localclouds.endpoints import Endpoints
from tidegate.localclouds.environment import KUBECONFIG_FILE
from tidegate.localclouds.faults import CLOUDS, FaultKind
from tidegate.localclouds.lifecycle import (
    LocalCloudsFault,
    local_environment,
    read_endpoints,
    reset_local_clouds,
    start_local_clouds,
    stop_local_clouds,
)
from tidegate.vocabulary.problems import refuse, suggest

app = typer.Typer(
    help="The embedded local clouds: start, look at, reset and stop them.",
    no_args_is_help=True,
    add_completion=False,
)
faults = typer.Typer(help="Make the local clouds fail on command.", no_args_is_help=True)
app.add_typer(faults, name="fault")

StateOption = Annotated[
    Path | None,
    typer.Option("--state-dir", help="Where their state lives (default: .tidegate/local)."),
]
ANSWER_SECONDS = 30.0
NOT_RUNNING_EXIT = 1


@app.command(epilog="Example: tidegate local up")
def up(state_dir: StateOption = None, output: FormatOption = OutputFormat.TABLE) -> None:
    """Start the local clouds, or find them running; wait until they answer.

    What they held is there again, also after a kill. Exit code 1 when they do not start.
    """
    endpoints = _start(_state(state_dir))
    _show(endpoints, output)


def _start(state_dir: Path) -> Endpoints:
    console = Console(stderr=True)
    try:
        if not console.is_terminal:
            return start_local_clouds(state_dir)
        with console.status("local clouds: looking") as status:
            return start_local_clouds(
                state_dir, lambda words: status.update(f"local clouds: {words}")
            )
    except LocalCloudsFault as fault:
        raise _fail(f"the local clouds did not start: {fault}") from fault


def _show(endpoints: Endpoints, output: OutputFormat) -> None:
    if output is OutputFormat.JSON:
        print_json(endpoints.to_json())
        return
    ports = ", ".join(f"{name} {port}" for name, port in endpoints.provider_ports.items())
    lines = {
        "process": f"{endpoints.pid}, since {endpoints.started_at}",
        "state": endpoints.state_dir,
        "providers": ports,
        "aws": endpoints.aws_url,
        "gcp": endpoints.gcp_url,
        "azure": endpoints.azure_url,
        "kubernetes": endpoints.kubernetes_url,
        "control": endpoints.control_url,
    }
    for name, value in lines.items():
        typer.echo(f"{name:<11} {value}")


@app.command(epilog="Example: tidegate local status --format json")
def status(state_dir: StateOption = None, output: FormatOption = OutputFormat.TABLE) -> None:
    """Show where they answer, what they hold, and what backs each type. Exit code 1 when down.

    "api": the cloud's own SDK reads and changes it. "stored": validated and kept, no more.
    """
    endpoints = _require_running(_state(state_dir))
    types = _ask(endpoints, "GET", "/types")
    if output is OutputFormat.JSON:
        print_json({**endpoints.to_json(), "types": types})
        return
    _show(endpoints, output)
    table = Table("cloud", "type", "backed by", "held", box=None)
    for item in types:
        table.add_row(item["cloud"], item["type"], item["backing"], str(item["count"]))
    build_console().print(table)
    typer.echo("every other type of the installed SDKs is validated and stored")


@app.command(epilog='Example: eval "$(tidegate local env)" && pulumi up')
def env(state_dir: StateOption = None, output: FormatOption = OutputFormat.TABLE) -> None:
    """Print what a hand-run `pulumi` or cloud SDK needs, as shell lines. Exit code 1 when down.

    Real cloud credentials of the shell are unset. Pulumi's home, state and passphrase are those
    of `tidegate up`, so that both see the same stacks.
    """
    state = _state(state_dir)
    endpoints = _require_running(state)
    try:
        wanted = build_shell_environment(state.parent, endpoints, find_toolchain(Path.cwd()))
    except ToolMissing:
        wanted = local_environment(endpoints, os.environ)  # for the SDKs alone
    changed = {name: value for name, value in wanted.items() if os.environ.get(name) != value}
    dropped = sorted(set(os.environ) - set(wanted))
    if output is OutputFormat.JSON:
        print_json({"set": dict(sorted(changed.items())), "unset": dropped})
        return
    for name in dropped:
        typer.echo(f"unset {name}")
    for name, value in sorted(changed.items()):
        typer.echo(f"export {name}={shlex.quote(value)}")


@app.command(epilog="Example: tidegate local kubeconfig --cluster aws/ml.us-east-1")
def kubeconfig(
    cluster: Annotated[
        str, typer.Option(help="Its context is the current one; the first unless stated.")
    ] = "",
    state_dir: StateOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Print a kubeconfig with a context for each cluster they hold. Exit code 1 when down.

    It is written, too, to the file that `tidegate local env` sets KUBECONFIG to.
    """
    state = _state(state_dir)
    endpoints = _require_running(state)
    document = _ask(endpoints, "GET", "/kubeconfig", url=endpoints.kubernetes_url)
    known = [context["name"] for context in document["contexts"]]
    if cluster and cluster not in known:
        reason = f"is no cluster of the local clouds{suggest(cluster, known)}"
        expected = f"one of {', '.join(known)}" if known else "a cluster that was made there"
        raise refuse("local kubeconfig", "--cluster", cluster, reason, expected)
    document["current-context"] = cluster or document["current-context"]
    text = yaml.safe_dump(document, sort_keys=False)
    (state / KUBECONFIG_FILE).write_text(text, encoding="utf-8")
    if output is OutputFormat.JSON:
        print_json(document)
    else:
        typer.echo(text, nl=False)


@app.command(epilog="Example: tidegate local down")
def down(state_dir: StateOption = None) -> None:
    """Stop the local clouds; what they hold stays for the next start."""
    try:
        was_running = stop_local_clouds(_state(state_dir))
    except LocalCloudsFault as fault:
        raise _fail(str(fault)) from fault
    typer.echo("stopped" if was_running else "not running")


@app.command(epilog="Example: tidegate local reset --yes")
def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    state_dir: StateOption = None,
) -> None:
    """Stop the local clouds and forget everything they held.

    Stacks that were brought up on them lose their resources; refresh or remove those stacks.
    """
    if not yes:
        if not sys.stdin.isatty():
            raise refuse("local reset", "--yes", None, "nobody is there to ask", "--yes")
        typer.confirm("Forget everything the local clouds hold?", abort=True)
    try:
        reset_local_clouds(_state(state_dir))
    except LocalCloudsFault as fault:
        raise _fail(str(fault)) from fault
    typer.echo("forgotten")


@faults.command("add", epilog="Example: tidegate local fault add stock-out --target '*NodeGroup'")
def add_fault(
    kind: Annotated[FaultKind, typer.Argument(help="What goes wrong.")],
    cloud: Annotated[str, typer.Option(help=f"{', '.join(CLOUDS)} or *.")] = "*",
    target: Annotated[
        str, typer.Option(help="Type tokens or API actions, as a glob ('eks:CreateNodegroup').")
    ] = "*",
    count: Annotated[int, typer.Option(help="How many times; 0 for always.")] = 1,
    seconds: Annotated[float, typer.Option(help="For latency: how long to wait.")] = 0.0,
    state_dir: StateOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Let the next matching calls fail, or wait. Lasts over a restart, until used up or cleared."""
    body = {
        "kind": kind.value,
        "cloud": cloud,
        "target": target,
        "count": count or None,
        "seconds": seconds,
    }
    added = _ask(_require_running(_state(state_dir)), "POST", "/faults", body)
    _print_faults([added], output)


@faults.command("list", epilog="Example: tidegate local fault list --format json")
def list_faults(state_dir: StateOption = None, output: FormatOption = OutputFormat.TABLE) -> None:
    """List the faults in force."""
    _print_faults(_ask(_require_running(_state(state_dir)), "GET", "/faults"), output)


@faults.command("clear", epilog="Example: tidegate local fault clear")
def clear_faults(state_dir: StateOption = None) -> None:
    """Lift all faults."""
    cleared = _ask(_require_running(_state(state_dir)), "DELETE", "/faults")
    typer.echo(f"{cleared['cleared']} faults cleared")


def _print_faults(found: list[dict[str, Any]], output: OutputFormat) -> None:
    if output is OutputFormat.JSON:
        print_json(found)
        return
    table = Table("id", "kind", "cloud", "target", "count", "seconds", box=None)
    for fault in found:
        times = "always" if fault["count"] is None else str(fault["count"])
        seconds = str(fault["seconds"] or "")
        table.add_row(
            str(fault["id"]), fault["kind"], fault["cloud"], fault["target"], times, seconds
        )
    build_console().print(table)


def _state(state_dir: Path | None) -> Path:
    return state_dir or Path.cwd() / ".tidegate" / "local"


def _require_running(state_dir: Path) -> Endpoints:
    endpoints = read_endpoints(state_dir)
    if endpoints is None:
        raise _fail("the local clouds are not running; start them with: tidegate local up")
    return endpoints


def _ask(endpoints: Endpoints, method: str, path: str, body: Any = None, *, url: str = "") -> Any:
    try:
        answer = httpx.request(
            method,
            f"{url or endpoints.control_url}{path}",
            content=json.dumps(body) if body is not None else None,
            headers={"content-type": "application/json"},
            timeout=ANSWER_SECONDS,
            trust_env=False,
        )
    except httpx.HTTPError as error:
        raise _fail(f"the local clouds do not answer: {error}") from error
    document = answer.json()
    if answer.is_error:
        raise refuse("local clouds", path, None, str(document.get("error", document)))
    return document


def _fail(words: str) -> typer.Exit:
    typer.echo(words, err=True)
    return typer.Exit(NOT_RUNNING_EXIT)
