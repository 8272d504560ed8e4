"""What a run of the Pulumi CLI came to, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tidegate.engine.events import Diagnostic, PolicyViolation, ResourceStep, StepState


class Outcome(StrEnum):
    """How a run ended. The CLI's exit code alone does not tell most of these apart."""

    SUCCEEDED = "succeeded"
    POLICY_VIOLATION = "policy-violation"
    POLICY_PACK_FAILED = "policy-pack-failed"
    PROGRAM_FAILED = "program-failed"
    RESOURCE_FAILED = "resource-failed"
    CONFIGURATION_ERROR = "configuration-error"
    STACK_NOT_FOUND = "stack-not-found"
    STATE_UNREADABLE = "state-unreadable"
    LOCKED = "locked"
    CANCELLED = "cancelled"
    KILLED = "killed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunResult:
    """One run of the CLI.

    Attributes:
        command: "up", "preview", "refresh", "destroy", "import".
        outcome: How it ended.
        exit_code: The CLI's own; negative when a signal ended it.
        changes: Resources by operation, of the last phase that ended.
        steps: The last known step of each resource, in the order they began.
        violations: What policies found, each once, mandatory first.
        diagnostics: Messages of the engine, providers and the program, each once.
        output: What the CLI printed, both streams.
        duration_seconds: Wall-clock time, start-up included.
    """

    command: str
    outcome: Outcome
    exit_code: int
    changes: Mapping[str, int]
    steps: tuple[ResourceStep, ...]
    violations: tuple[PolicyViolation, ...]
    diagnostics: tuple[Diagnostic, ...]
    output: str
    duration_seconds: float

    @property
    def succeeded(self) -> bool:
        """Whether all that was asked for was done."""
        return self.outcome is Outcome.SUCCEEDED

    @property
    def created(self) -> tuple[ResourceStep, ...]:
        """The resources that exist now and did not before (in a preview: would)."""
        return self._done("create", "create-replacement", "import")

    @property
    def updated(self) -> tuple[ResourceStep, ...]:
        """The resources that were changed in place."""
        return self._done("update")

    @property
    def replaced(self) -> tuple[ResourceStep, ...]:
        """The resources that were made anew."""
        return self._done("replace")

    @property
    def deleted(self) -> tuple[ResourceStep, ...]:
        """The resources that are gone."""
        return self._done("delete", "delete-replaced")

    @property
    def unchanged(self) -> tuple[ResourceStep, ...]:
        """The resources that were as declared."""
        return self._done("same")

    @property
    def has_changes(self) -> bool:
        """Whether anything differs, by the engine's own count."""
        return any(count for operation, count in self.changes.items() if operation != "same")

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The messages that made it fail."""
        return tuple(message for message in self.diagnostics if message.severity == "error")

    def explain(self) -> str:
        """Say for a person why it did not succeed; empty when it did."""
        if self.succeeded:
            return ""
        lines = [f"pulumi {self.command}: {_SAY[self.outcome]}"]
        lines += [
            _render_violation(found) for found in self.violations if found.level != "advisory"
        ]
        told = [message for message in self.errors if not _is_echo(message.message)]
        lines += [_render_error(message) for message in told]
        if not told and not self.violations:
            lines += [f"  {line}" for line in self.output.strip().splitlines()[-20:]]
        return "\n".join(lines)

    def _done(self, *operations: str) -> tuple[ResourceStep, ...]:
        return tuple(
            step
            for step in self.steps
            if step.state is StepState.DONE
            and step.operation in operations
            and not step.type.startswith("pulumi:")  # the stack itself, its providers
        )


_SAY = {
    Outcome.SUCCEEDED: "done",
    Outcome.POLICY_VIOLATION: "stopped by policy",
    Outcome.POLICY_PACK_FAILED: "the policy pack failed, so nothing was judged",
    Outcome.PROGRAM_FAILED: "the program failed",
    Outcome.RESOURCE_FAILED: "a resource failed",
    Outcome.CONFIGURATION_ERROR: "the configuration is wrong",
    Outcome.STACK_NOT_FOUND: "there is no such stack",
    Outcome.STATE_UNREADABLE: "the stack's state cannot be read",
    Outcome.LOCKED: "another run holds the stack",
    Outcome.CANCELLED: "cancelled",
    Outcome.KILLED: "killed",
    Outcome.FAILED: "failed",
}


def _render_violation(found: PolicyViolation) -> str:
    place = f" {found.urn.rsplit('::', 1)[-1]}" if found.urn else ""
    message = "\n    ".join(found.message.splitlines())
    return f"  {found.pack}/{found.policy} ({found.level}){place}\n    {message}"


def _render_error(message: Diagnostic) -> str:
    name = message.urn.rsplit("::", 1)[-1]
    text = "\n  ".join(message.message.splitlines())
    return f"  {name}: {text}" if name else f"  {text}"


_ECHOES = frozenset({"preview failed", "update failed", "refresh failed", "destroy failed"})
# What the program itself said stands before it.
_PROGRAM_ENDED = "an unhandled error occurred: The Python program ended with exit code"


def _is_echo(message: str) -> bool:
    """Whether the engine only repeats that something else failed."""
    return message in _ECHOES or message.startswith(_PROGRAM_ENDED)
