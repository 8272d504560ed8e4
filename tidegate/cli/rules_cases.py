"""`tidegate rules test`: the rules' own tests and cases, strictly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tidegate.catalog.load import load_catalog
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.ways_options import open_pack
from tidegate.opa.opening import open_rule_engine
from tidegate.opa.rego_tests import run_rego_tests
from tidegate.opa.rule_cases import read_cases, run_cases
from tidegate.policy.rule_set import RuleSet
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import refuse
from tidegate.vocabulary.wording import render_count

ANSWER_SECONDS = 60.0
_FAILED = 1
_ERROR = 2


@dataclass(frozen=True, slots=True)
class _Tested:
    """What tests came to: how many tests passed, how many cases ran, path → faults."""

    passed: int
    cases: int
    faults: dict[str, list[str]]


def run_tests(
    directory: Annotated[
        Path | None,
        typer.Argument(help="A pack, or a folder of rules in one (default: Tidegate's own)."),
    ] = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Run the tests and cases of rules.

    A test fails on what it expects and does not find, and on what it finds and does not expect;
    so do a test that nothing runs and a line of a rule that no test reaches. Exit code 0 when all
    hold, 1 when one does not, 2 when they cannot be run.
    """
    pack, within = _find_pack_of(directory)
    found, rules = open_pack(pack)
    paths = [rule.path for rule in rules.rules if f"{rule.path}/".startswith(within)]
    if not paths:
        raise refuse("rules", "", str(directory), "holds no rule", "a folder with rules")
    try:
        tested = _run(found, rules, paths)
    except RuleEngineError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(_ERROR) from error
    _print(tested, paths, rules, output)
    if tested.faults:
        raise typer.Exit(_FAILED)


def _find_pack_of(directory: Path | None) -> tuple[Path | None, str]:
    """Return the pack that a folder is or lies in, and where below its rules ("" for all)."""
    if directory is None:
        return None, ""
    place = directory.resolve()
    if (place / "rules").is_dir():
        return place, ""
    for above in place.parents:
        if above.name == "rules" and (above.parent / "lib").is_dir():
            return above.parent, f"{place.relative_to(above).as_posix()}/"
    if place.name == "rules" and place.is_dir():
        return place.parent, ""
    raise refuse("rules", "", str(directory), "is no folder of a policy pack", "a pack's folder")


def _run(pack: Path, rules: RuleSet, paths: list[str]) -> _Tested:
    rego = run_rego_tests(pack, paths)
    faults = {path: list(found) for path, found in rego.faults.items()}
    cases = {path: read_cases(pack / "rules" / path) for path in paths}
    if any(cases.values()):
        catalog = load_catalog()
        with open_rule_engine(pack, rules, ANSWER_SECONDS) as engine:
            for rule in rules.rules:
                folder = pack / "rules" / rule.path
                own = cases.get(rule.path, ())
                wrong = run_cases(rule, folder, own, rules, engine, catalog)
                if wrong:
                    faults.setdefault(rule.path, []).extend(wrong)
    return _Tested(rego.passed, sum(map(len, cases.values())), faults)


def _print(tested: _Tested, paths: list[str], rules: RuleSet, output: OutputFormat) -> None:
    ids = {rule.path: rule.id for rule in rules.rules}
    if output is OutputFormat.JSON:
        print_json(
            {
                "rules": len(paths),
                "testsPassed": tested.passed,
                "cases": tested.cases,
                "faults": [
                    {"rule": ids[path], "path": path, "fault": fault}
                    for path, faults in sorted(tested.faults.items())
                    for fault in faults
                ],
            }
        )
        return
    for path, faults in sorted(tested.faults.items()):
        typer.echo(f"{ids[path]} ({path})")
        for fault in faults:
            typer.echo(f"  {fault}")
    count = sum(map(len, tested.faults.values()))
    held = "all hold" if not count else f"{count} do not hold"
    counts = (
        render_count(len(paths), "rule"),
        render_count(tested.passed, "test"),
        render_count(tested.cases, "case"),
    )
    typer.echo("{}, {} passed, {}: {}".format(*counts, held))
