"""`tidegate check`: what the rules say of a program, a preview, an export or an event log."""

from __future__ import annotations

import gc
import json
import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tidegate.catalog.load import load_catalog
from tidegate.cli.check_comment import find_pull_request, leave_comment
from tidegate.cli.check_files import read_baseline, read_rule_configuration, read_waivers
from tidegate.cli.check_inputs import Ways, read_stacks
from tidegate.cli.check_run import Checked, Prices, run_check
from tidegate.opa.central import CentralOpa, read_central_opa
from tidegate.opa.pack import find_pack, load_rules
from tidegate.policy.baseline import build_baseline, dump_baseline
from tidegate.policy.judgement import FailLevel, Threshold
from tidegate.policy.standing import Terms
from tidegate.report.formats import RENDERERS
from tidegate.vocabulary.problems import Unavailable, refuse
from tidegate.vocabulary.verdicts import Severity

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

VIOLATION_EXIT = 1
ERROR_EXIT = 2


class ReportFormat(StrEnum):
    """How the findings are printed."""

    TABLE = "table"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    GITLAB = "gitlab"
    MARKDOWN = "markdown"


_Reading = "What is read"
_Weighing = "What makes it fail"
_Program = "How a program is run"
_Costs = "What it costs"


@app.command(
    epilog="Example: tidegate check --program infra --stack prod --before state.json --comment"
)
def check(
    program: Annotated[
        Path | None,
        typer.Option(help="The folder of a program.", rich_help_panel=_Reading),
    ] = None,
    preview: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What `pulumi preview --json --show-sames` printed; '-' reads standard input.",
            rich_help_panel=_Reading,
        ),
    ] = None,
    export: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="What `pulumi stack export` printed.", rich_help_panel=_Reading
        ),
    ] = None,
    events: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="An engine's event log.", rich_help_panel=_Reading),
    ] = None,
    declared: Annotated[
        Path | None,
        typer.Option(
            help="The program or manifest behind a preview, which shows no outputs itself.",
            rich_help_panel=_Reading,
        ),
    ] = None,
    stack: Annotated[
        list[str] | None,
        typer.Option(
            help="A stack of the program; may be repeated (default: each that has a file).",
            rich_help_panel=_Reading,
        ),
    ] = None,
    environment: Annotated[
        str,
        typer.Option(
            help="The environment (default: <project>:environment, else the stack's name).",
            rich_help_panel=_Reading,
        ),
    ] = "",
    fail_level: Annotated[
        FailLevel,
        typer.Option(help="From which level on a failure fails.", rich_help_panel=_Weighing),
    ] = FailLevel.MANDATORY,
    severity: Annotated[
        Severity,
        typer.Option(help="Below which nothing fails.", rich_help_panel=_Weighing),
    ] = Severity.LOW,
    unknown_fails: Annotated[
        bool,
        typer.Option("--unknown-fails", help="So does unknown.", rich_help_panel=_Weighing),
    ] = False,
    waivers: Annotated[
        Path | None,
        typer.Option(
            help="Waivers (default: waivers.yaml beside the program).", rich_help_panel=_Weighing
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="What failed before.", rich_help_panel=_Weighing),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(help="Write what fails now and end well.", rich_help_panel=_Weighing),
    ] = None,
    policy_config: Annotated[
        Path | None,
        typer.Option(
            help="Levels and parameters of rules, as Pulumi takes them.",
            rich_help_panel=_Weighing,
        ),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Configuration over the stack's; may be repeated.",
            rich_help_panel=_Program,
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Answers of provider functions and other stacks.", rich_help_panel=_Program
        ),
    ] = None,
    pass_env: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An environment variable that the program may see; may be repeated.",
            rich_help_panel=_Program,
        ),
    ] = None,
    cost: Annotated[
        bool,
        typer.Option(
            "--cost/--no-cost",
            help="The monthly cost before and after, of a stack that exports its manifest.",
            rich_help_panel=_Costs,
        ),
    ] = True,
    before: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A stack before the change: its export, a preview or its manifest.",
            rich_help_panel=_Costs,
        ),
    ] = None,
    overlay: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of your own prices; repeat it to lay several on top.",
            rich_help_panel=_Costs,
        ),
    ] = None,
    pack: Annotated[
        Path | None, typer.Option(help="The policy pack (default: Tidegate's own).")
    ] = None,
    opa_url: Annotated[
        str,
        typer.Option(help="A central OPA that has the rules (default: one of our own)."),
    ] = "",
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to print what is found.")
    ] = ReportFormat.TABLE,
    report: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT=FILE", help="Write a report as well; may be repeated."),
    ] = None,
    comment: Annotated[
        bool,
        typer.Option(
            "--comment",
            help="Keep one comment of the pull request up to date, else the job's summary.",
        ),
    ] = False,
    folder: Annotated[
        str, typer.Option(help="Where the program lies in its repository, for source lines.")
    ] = "",
) -> None:
    """Judge a program, a preview, an export or an event log by the policy pack.

    Without an input it is the program in the working directory, run by itself: no Pulumi CLI, no
    credentials, no network. Exit code 0 when nothing fails, 1 on violations, 2 when anything kept
    the check from being made.
    """
    # A check keeps nearly all that it reads until its end: looking for garbage costs a fifth.
    gc.set_threshold(200_000, 50, 100)
    ways = Ways(
        program=program,
        preview=preview,
        export=export,
        events=events,
        stacks=tuple(stack or ()),
        environment=environment,
        values=_parse_pairs("--config", config),
        answers=answers,
        variables=tuple(pass_env or ()),
        declared=declared,
    )
    reports = _parse_reports(report)
    threshold = Threshold(fail_level, severity, unknown_fails)
    surroundings = find_pull_request() if comment else None
    prices = Prices(load_catalog(overlay), tuple(before or ()) if cost else None)
    try:
        central = read_central_opa(os.environ, opa_url)
        files = (waivers, baseline, policy_config)
        checked = _check(ways, threshold, pack, files, folder, central, prices=prices)
    except Unavailable as error:
        # Nothing was judged: neither clean nor violated.
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(ERROR_EXIT) from error
    for name, path in reports.items():
        _write(path, RENDERERS[name](checked.report))
    if write_baseline is not None:
        document = dump_baseline(build_baseline(checked.verdicts))
        _write(write_baseline, json.dumps(document, indent=1) + "\n")
    typer.echo(RENDERERS[output.value](checked.report), nl=False)
    if surroundings is not None:
        leave_comment(surroundings, checked.report)
    if checked.report.failed and write_baseline is None:
        raise typer.Exit(VIOLATION_EXIT)


def _check(
    ways: Ways,
    threshold: Threshold,
    pack: Path | None,
    files: tuple[Path | None, Path | None, Path | None],
    folder: str,
    central: CentralOpa | None,
    *,
    prices: Prices,
) -> Checked:
    found = pack or find_pack()
    if not (found / "rules").is_dir():
        raise refuse("--pack", "", str(found), "is no policy pack", "a folder with rules")
    rules = load_rules(found)
    waivers, baseline, policy_config = files
    configuration = read_rule_configuration(policy_config, rules)
    terms = Terms(
        today=datetime.now(UTC).date(),
        threshold=threshold,
        waivers=read_waivers(waivers, ways.program or Path(), rules),
        baseline=read_baseline(baseline),
    )
    seen = read_stacks(ways)
    place = folder.strip("/")
    return run_check(seen, found, rules, configuration, terms, place, central, prices=prices)


def _parse_pairs(option: str, given: list[str] | None) -> dict[str, str]:
    pairs = [each.partition("=") for each in given or ()]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise refuse("tidegate check", option, key, "is no pair", "KEY=VALUE")
    return {key: value for key, _, value in pairs}


def _parse_reports(given: list[str] | None) -> dict[str, Path]:
    reports = _parse_pairs("--report", given)
    for name in reports:
        if name not in RENDERERS:
            expected = f"one of {', '.join(RENDERERS)}"
            raise refuse("tidegate check", "--report", name, "is no format", expected)
    return {name: Path(path) for name, path in reports.items()}


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise refuse(str(path), "", None, f"cannot be written ({error.strerror})") from error
