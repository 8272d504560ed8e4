"""`tidegate fix`: adds the cost labels that a stack's own labels give to its configuration."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from tidegate.catalog.load import load_catalog
from tidegate.cli.check_files import read_rule_configuration, read_waivers
from tidegate.cli.check_inputs import Seen, Ways, read_stacks
from tidegate.cli.fix_config import add_labels_to_config
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.ways_options import (
    AnswersOption,
    ConfigOption,
    EnvironmentOption,
    OpaUrlOption,
    PackOption,
    PassEnvOption,
    PolicyConfigOption,
    ProgramOption,
    StackOption,
    open_pack,
    parse_pairs,
)
from tidegate.engine.config import Project, read_project, require_stack_config
from tidegate.engine.program_config import read_program_config
from tidegate.opa.central import CentralOpa, read_central_opa
from tidegate.opa.opening import open_rule_engine
from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import RuleConfiguration
from tidegate.policy.fixing import DEFAULTS, FixPlan, Left, plan_fixes
from tidegate.policy.levels import apply_levels
from tidegate.policy.parameters import build_parameters
from tidegate.policy.remedy import LABELS_RULE, read_own_labels
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.waivers import Waiver, find_waiver
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import refuse
from tidegate.vocabulary.verdicts import Level, Verdict

app = typer.Typer(add_completion=False, rich_markup_mode="rich")

ANSWER_SECONDS = 120.0
_LEFT = 1
_ERROR = 2


@dataclass(frozen=True, slots=True)
class StackFix:
    """What is done for one stack.

    Attributes:
        stack: Its name.
        path: Its configuration file.
        before: What it holds.
        after: What it is to hold.
        plan: What is added and what is left.
    """

    stack: str
    path: Path
    before: str
    after: str
    plan: FixPlan

    @property
    def diff(self) -> str:
        """The change of the file; "" where there is none."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            str(self.path),
            str(self.path),
        )
        return "".join(lines)


@app.command(epilog="Example: tidegate fix --program infra --stack prod --write")
def fix(
    program: ProgramOption = None,
    stack: StackOption = None,
    write: Annotated[bool, typer.Option("--write", help="Write what is shown.")] = False,
    environment: EnvironmentOption = "",
    waivers: Annotated[
        Path | None, typer.Option(help="Waivers (default: waivers.yaml beside the program).")
    ] = None,
    config: ConfigOption = None,
    answers: AnswersOption = None,
    pass_env: PassEnvOption = None,
    policy_config: PolicyConfigOption = None,
    pack: PackOption = None,
    opa_url: OpaUrlOption = "",
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Add missing cost labels where the stack's own labels give them, as default labels.

    Shows the change of the stack's configuration, and makes it only with --write. What cannot be
    mended is listed with its reason; nobody is invented.

    Exit code 0 when nothing mandatory fails
    any more, 1 when it does or the change is not written, 2 when nothing could be judged.
    """
    folder, rules = open_pack(pack)
    values = parse_pairs("tidegate fix", "--config", config)
    ways = Ways(
        program=program or Path(),
        stacks=tuple(stack or ()),
        environment=environment,
        values=values,
        answers=answers,
        variables=tuple(pass_env or ()),
    )
    configuration = read_rule_configuration(policy_config, rules)
    allowed = read_waivers(waivers, program or Path(), rules)
    project = read_project((program or Path()).resolve())
    for name in ways.stacks if project.stacks() else ():
        require_stack_config(project, name)
    try:
        central = read_central_opa(os.environ, opa_url)
        seen = read_stacks(ways)
        said = _judge(seen, folder, rules, configuration, central)
    except RuleEngineError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(_ERROR) from error
    fixes = [
        _plan(project, each, _unwaived(verdicts, allowed), rules, configuration, values)
        for each, verdicts in zip(seen, said, strict=True)
    ]
    if write:
        for each in fixes:
            _write(each)
    if output is OutputFormat.JSON:
        print_json([_describe(each, write=write) for each in fixes])
    else:
        typer.echo("\n".join(_render(fixes, write=write)))
    if any(_fails(each) or (each.diff and not write) for each in fixes):
        raise typer.Exit(_LEFT)


def _fails(fix: StackFix) -> bool:
    return any(each.verdict.level is Level.MANDATORY for each in fix.plan.left)


def _judge(
    seen: Sequence[Seen],
    pack: Path,
    rules: RuleSet,
    configuration: RuleConfiguration,
    central: CentralOpa | None,
) -> list[list[Verdict]]:
    """Return what the rules that are not switched off say of each stack."""
    said: list[list[Verdict]] = []
    today = datetime.now(UTC).date().isoformat()
    with open_rule_engine(pack, rules, ANSWER_SECONDS, central) as engine:
        check = StackCheck(rules, engine, load_catalog(), today)
        for each in seen:
            own = configuration.for_stack(each.graph.stack)
            check.configure(own.parameters)
            verdicts = check.judge_graph(each.graph)
            said.append(apply_levels(verdicts, own.levels, own.disabled))
    return said


def _unwaived(verdicts: Sequence[Verdict], waivers: Sequence[Waiver]) -> list[Verdict]:
    today = datetime.now(UTC).date()
    return [each for each in verdicts if find_waiver(each, waivers, today) is None]


def _plan(
    project: Project,
    seen: Seen,
    verdicts: Sequence[Verdict],
    rules: RuleSet,
    configuration: RuleConfiguration,
    values: Mapping[str, str],
) -> StackFix:
    stack = seen.graph.stack.name
    config = read_program_config(project, stack, values)
    own = read_own_labels(config.values, project.name, config.secret_keys)
    parameters: dict[str, Any] = {}
    if LABELS_RULE in rules.ids:
        given = configuration.for_stack(seen.graph.stack).parameters.get(LABELS_RULE, {})
        parameters = build_parameters(LABELS_RULE, rules.rule(LABELS_RULE).parameters, given)
    plan = plan_fixes(seen.graph, verdicts, own, parameters, rules)
    path = project.config_file(stack)
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    additions = {DEFAULTS[cloud]: labels for cloud, labels in plan.additions.items()}
    after = add_labels_to_config(str(path), before, additions) if additions else before
    return StackFix(stack, path, before, after, plan)


def _write(fix: StackFix) -> None:
    if not fix.diff:
        return
    draft = fix.path.with_name(f".{fix.path.name}.new")
    try:
        draft.write_text(fix.after, encoding="utf-8")
        draft.replace(fix.path)
    except OSError as error:
        raise refuse(str(fix.path), "", None, f"cannot be written ({error.strerror})") from error


def _describe(fix: StackFix, *, write: bool) -> dict[str, Any]:
    return {
        "stack": fix.stack,
        "file": str(fix.path),
        "additions": {
            ".".join(DEFAULTS[cloud]): labels for cloud, labels in fix.plan.additions.items()
        },
        "diff": fix.diff,
        "written": bool(write and fix.diff),
        "mended": [{"rule": each.rule, "urn": each.urn} for each in fix.plan.mended],
        "left": [
            {
                "rule": each.verdict.rule,
                "level": each.verdict.level.value,
                "urn": each.verdict.urn,
                "property": each.verdict.property,
                "message": each.verdict.message,
                "keys": list(each.keys),
                "reason": each.reason,
                "expected": each.expected,
            }
            for each in fix.plan.left
        ],
    }


def _render(fixes: Sequence[StackFix], *, write: bool) -> list[str]:
    lines: list[str] = []
    for each in fixes:
        if each.diff:
            lines.append(each.diff.rstrip("\n"))
        own = [left for left in each.plan.left if left.verdict.rule == LABELS_RULE]
        lines += [line for left in own for line in _render_left(left)]
        lines += _render_others([left for left in each.plan.left if left not in own])
        done = "written" if write and each.diff else "not written: --write does it"
        change = f"; {each.path.name}: {done}" if each.diff else ""
        lines.append(
            f"stack {each.stack}: {len(each.plan.mended)} failure(s) mended, "
            f"{len(each.plan.left)} left{change}"
        )
    return lines


def _render_left(left: Left) -> list[str]:
    verdict = left.verdict
    place = f"{verdict.source.path}:{verdict.source.line}: " if verdict.source else ""
    return [
        f"left: {verdict.rule}: {place}{verdict.message}",
        f"  because:  {left.reason}",
        f"  expected: {left.expected}",
    ]


def _render_others(left: Sequence[Left]) -> list[str]:
    """Return a few lines a rule: what is not about labels is `tidegate check`'s to tell."""
    lines: list[str] = []
    for rule in dict.fromkeys(each.verdict.rule for each in left):
        same = [each for each in left if each.verdict.rule == rule]
        lines += [
            f"left: {rule}: {len(same)} failure(s), {same[0].verdict.level.value}",
            f"  because:  {same[0].reason}",
            f"  expected: {same[0].expected}",
        ]
    return lines
