"""What a run came to, told to a person."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.engine.events import Diagnostic, PolicyViolation
from tidegate.engine.results import Outcome, RunResult

ENDED = "an unhandled error occurred: The Python program ended with exit code 1"
STACK = "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev"


def build_result(
    outcome: Outcome,
    diagnostics: Sequence[Diagnostic] = (),
    violations: Sequence[PolicyViolation] = (),
    output: str = "",
) -> RunResult:
    return RunResult(
        command="up",
        outcome=outcome,
        exit_code=0 if outcome is Outcome.SUCCEEDED else 1,
        changes={},
        steps=(),
        violations=tuple(violations),
        diagnostics=tuple(diagnostics),
        output=output,
        duration_seconds=1.0,
    )


def test_a_run_that_succeeded_needs_no_explanation() -> None:
    assert build_result(Outcome.SUCCEEDED).explain() == ""


def test_what_the_program_said_is_told_and_the_engines_echoes_are_not() -> None:
    result = build_result(
        Outcome.PROGRAM_FAILED,
        [
            Diagnostic("error", "1 problem in the configuration:\n  - pool a: is wrong"),
            Diagnostic("error", ENDED),
            Diagnostic("error", "preview failed"),
            Diagnostic("warning", "not told"),
        ],
    )
    assert result.explain() == (
        "pulumi up: the program failed\n  1 problem in the configuration:\n    - pool a: is wrong"
    )


def test_a_program_that_said_nothing_leaves_the_output_to_look_at() -> None:
    result = build_result(
        Outcome.PROGRAM_FAILED, [Diagnostic("error", ENDED, STACK)], output="first\nlast\n"
    )
    assert result.explain() == "pulumi up: the program failed\n  first\n  last"


def test_mandatory_violations_are_told_and_advice_is_not() -> None:
    urn = "urn:pulumi:dev::p::aws:s3/bucket:Bucket::data"
    result = build_result(
        Outcome.POLICY_VIOLATION,
        violations=[
            PolicyViolation("TG-LBL-001", "tidegate", "mandatory", "no owner\nadd one", urn),
            PolicyViolation("TG-TEL-001", "tidegate", "advisory", "not known yet", urn),
        ],
    )
    assert result.explain() == (
        "pulumi up: stopped by policy\n"
        "  tidegate/TG-LBL-001 (mandatory) data\n"
        "    no owner\n"
        "    add one"
    )
