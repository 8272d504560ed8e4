"""One exit code, many reasons: wording as pulumi 3.274.1 prints it (recorded 2026-11-30)."""

from __future__ import annotations

import pytest

from tidegate.engine.events import Diagnostic, PolicyViolation, ResourceStep, StepState
from tidegate.engine.outcomes import decide_outcome
from tidegate.engine.results import Outcome

BUCKET = "urn:pulumi:dev::p::aws:s3/bucket:Bucket::logs"
STACK = "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev"
MANDATORY = PolicyViolation("labels", "tidegate", "mandatory", "owner is missing", BUCKET)
ADVISORY = PolicyViolation("labels", "tidegate", "advisory", "owner is missing", BUCKET)
FAILED = ResourceStep(BUCKET, "aws:s3/bucket:Bucket", "create", StepState.FAILED)


@pytest.mark.parametrize(
    ("exit_code", "output", "outcome"),
    [
        (0, "", Outcome.SUCCEEDED),
        (-9, "", Outcome.KILLED),
        (-2, "", Outcome.CANCELLED),
        (8, "", Outcome.CANCELLED),
        (6, "error: no stack named 'nosuch' found", Outcome.STACK_NOT_FOUND),
        (
            1,
            "error: getting stack configuration: invalid YAML file: yaml: line 1: did not find",
            Outcome.CONFIGURATION_ERROR,
        ),
        (1, "error: failed to load checkpoint: EOF", Outcome.STATE_UNREADABLE),
        (
            1,
            "error: the stack is currently locked by 1 lock(s). Either wait for the other",
            Outcome.LOCKED,
        ),
        (
            1,
            'error: failed to load Pulumi policy project located at "nopack": open nopack',
            Outcome.POLICY_PACK_FAILED,
        ),
        (
            1,
            'error: policy pack "policies" failed to start: policies (analyzer) plugin',
            Outcome.POLICY_PACK_FAILED,
        ),
        (1, "error: Program failed with an unhandled exception:", Outcome.PROGRAM_FAILED),
        (1, "error: something new", Outcome.FAILED),
    ],
)
def test_text_and_exit_code_decide(exit_code: int, output: str, outcome: Outcome) -> None:
    assert decide_outcome(exit_code, output, (), (), ()) is outcome


def test_a_refused_resource_is_policy_even_when_the_program_ends_with_an_error() -> None:
    output = "error: an unhandled error occurred: The Python program ended with exit code 1"
    assert decide_outcome(1, output, (), (MANDATORY,), ()) is Outcome.POLICY_VIOLATION


def test_advice_alone_never_explains_a_failure() -> None:
    assert decide_outcome(1, "", (FAILED,), (ADVISORY,), ()) is Outcome.RESOURCE_FAILED


def test_a_crash_of_the_pack_outweighs_what_it_reported_before() -> None:
    crash = Diagnostic("error", "failed to run policy: Exception calling application: bug", STACK)
    assert decide_outcome(1, "", (), (MANDATORY,), (crash,)) is Outcome.POLICY_PACK_FAILED


def test_what_a_policy_says_does_not_decide() -> None:
    said = "    mandatory: failed to run policy is what this message says"
    assert decide_outcome(1, said, (), (MANDATORY,), ()) is Outcome.POLICY_VIOLATION


def test_an_error_on_a_resource_is_the_resources() -> None:
    refused = Diagnostic("error", "tiny resource has a problem: at most 100", BUCKET)
    assert decide_outcome(1, "", (), (), (refused,)) is Outcome.RESOURCE_FAILED
