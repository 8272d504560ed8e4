"""Deciding what a failed run of the CLI failed of: exit code, events and text together.

The CLI's exit code is 1 for a violation, a crash of the pack, a missing pack and wrong
configuration alike (tried with 3.274.1), so the events and then the wording decide.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Sequence

from tidegate.engine.events import Diagnostic, PolicyViolation, ResourceStep, StepState
from tidegate.engine.results import Outcome

_PACK_FAILED = re.compile(
    r"failed to run policy|policy pack \S+ failed to start|failed to load Pulumi policy project"
    r"|policy pack not found|error(?:s)? (?:in|validating|parsing) .*policy (?:pack )?config"
    r"|analyz(?:er|ing).*(?:crashed|failed)",
    re.IGNORECASE,
)
_PROGRAM_FAILED = re.compile(
    r"Program failed with an unhandled exception|an unhandled error occurred: "
    r"|The Python program (?:ended|was ended)|is no virtual environment",
)
_CONFIGURATION = re.compile(
    r"getting stack configuration|validating stack config|parsing stack config|invalid YAML file"
    r"|could not (?:load|unmarshal) .*Pulumi\.|no Pulumi\.yaml project file found"
    r"|passphrase must be set|incorrect passphrase|Missing required configuration variable",
)
_LOCKED = re.compile(r"the stack is currently locked by|Another update is currently in progress")
_UNREADABLE = re.compile(r"failed to load checkpoint|snapshot integrity failure")

_BY_EXIT_CODE = {
    2: Outcome.CONFIGURATION_ERROR,
    4: Outcome.RESOURCE_FAILED,
    5: Outcome.POLICY_VIOLATION,
    6: Outcome.STACK_NOT_FOUND,
    8: Outcome.CANCELLED,
}


def decide_outcome(
    exit_code: int,
    output: str,
    steps: Sequence[ResourceStep],
    violations: Sequence[PolicyViolation],
    diagnostics: Sequence[Diagnostic],
) -> Outcome:
    """Decide how a run ended."""
    if exit_code == 0:
        return Outcome.SUCCEEDED
    if exit_code < 0:
        stopped = -exit_code in (signal.SIGINT, signal.SIGTERM)
        return Outcome.CANCELLED if stopped else Outcome.KILLED
    errors = [message for message in diagnostics if message.severity == "error"]
    # Not all that was printed: what policies and programs say may contain any words.
    printed = [line for line in output.splitlines() if line.lstrip().startswith("error:")]
    text = "\n".join([*printed, *(message.message for message in errors)])
    by_text = _match(text, _BEFORE_JUDGEMENT)
    if by_text is not None:
        return by_text
    if any(found.level == "mandatory" for found in violations):
        return Outcome.POLICY_VIOLATION
    if any(step.state is StepState.FAILED for step in steps) or _names_resource(errors):
        return Outcome.RESOURCE_FAILED
    return _match(text, _PROGRAM) or _BY_EXIT_CODE.get(exit_code, Outcome.FAILED)


# A pack that crashed comes first: what it reported before is no judgement. A program that failed
# comes last: a refused or failed resource ends the program too.
_BEFORE_JUDGEMENT = (
    (_LOCKED, Outcome.LOCKED),
    (_UNREADABLE, Outcome.STATE_UNREADABLE),
    (_PACK_FAILED, Outcome.POLICY_PACK_FAILED),
)
_PROGRAM = (
    (_CONFIGURATION, Outcome.CONFIGURATION_ERROR),
    (_PROGRAM_FAILED, Outcome.PROGRAM_FAILED),
)


def _match(text: str, patterns: Iterable[tuple[re.Pattern[str], Outcome]]) -> Outcome | None:
    return next((outcome for pattern, outcome in patterns if pattern.search(text)), None)


def _names_resource(errors: Sequence[Diagnostic]) -> bool:
    return any(message.urn and "pulumi:pulumi:Stack" not in message.urn for message in errors)
