"""`tidegate up`: the main job, a gated `pulumi up` on the local clouds, and what it came to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tidegate.cli.main_job import MainJob, run_main_job
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.up_progress import show_progress
from tidegate.cli.up_report import build_report, print_report

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tidegate up dev --format json")
def up(
    stack: Annotated[str, typer.Argument(help="The stack to bring up.")] = "prod",
    project: Annotated[
        Path, typer.Option(help="The folder that holds Pulumi.yaml.", file_okay=False)
    ] = Path(),
    state_dir: Annotated[
        Path | None,
        typer.Option(help="Where local clouds and state live (default: PROJECT/.tidegate)."),
    ] = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Bring a stack up on the local clouds, gated by policy; show what it made and costs.

    A run that was killed is recovered by the next one; a second run changes nothing. Exit code 0
    when the stack is as declared, 1 when policy or the program stopped it, 2 for bad input.
    """
    root = project.resolve()
    with show_progress(sys.stderr) as progress:
        job: MainJob = run_main_job(
            root, (state_dir or root / ".tidegate").absolute(), stack, progress
        )
    if output is OutputFormat.JSON:
        print_json(build_report(job))
    else:
        print_report(job)
    if not job.result.succeeded:
        typer.echo(job.result.explain(), err=True)
        raise typer.Exit(1)
