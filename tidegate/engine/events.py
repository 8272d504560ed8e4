"""What the Pulumi engine reports while it works, as values.

The engine sends each event as JSON (`apitype.EngineEvent`); `parse_event` keeps what a person or
a report needs. Secrets are already hidden by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class StepState(StrEnum):
    """How far one step on one resource has come."""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ResourceStep:
    """One step on one resource.

    Attributes:
        urn: The resource.
        type: Its type token.
        operation: The engine's word: create, update, same, delete, replace, create-replacement,
            delete-replaced, read, refresh, import.
        state: How far it has come.
        id: What the cloud calls it; empty before it exists.
        changed: The properties that differ, where the engine says so.
    """

    urn: str
    type: str
    operation: str
    state: StepState
    id: str = ""
    changed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The resource's name in the program."""
        return self.urn.rsplit("::", 1)[-1]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the engine, a provider or the program.

    Attributes:
        severity: "info", "info#err", "warning", "error"; debug messages are never kept.
        message: The text, without colours, trailing space removed.
        urn: The resource it is about; empty for the run as a whole.
    """

    severity: str
    message: str
    urn: str = ""


@dataclass(frozen=True, slots=True)
class PolicyViolation:
    """One violation that a policy pack reported.

    Attributes:
        policy: The policy's name in its pack.
        pack: The pack's name.
        level: "advisory", "mandatory", "remediate".
        message: The policy's text.
        urn: The resource; empty for a rule over the whole stack.
        severity: "low" to "critical" where the policy states one.
    """

    policy: str
    pack: str
    level: str
    message: str
    urn: str = ""
    severity: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """The end of one phase (a preview, an update).

    Attributes:
        is_preview: Whether nothing was really done.
        changes: How many resources by operation.
        duration_seconds: How long the phase took, whole seconds.
        failed: Whether the phase ended in an error; None where the engine does not say.
    """

    is_preview: bool
    changes: Mapping[str, int]
    duration_seconds: int
    failed: bool | None


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """The engine begins a phase: a preview, then an update."""


Event = ResourceStep | Diagnostic | PolicyViolation | Summary | PhaseStarted

_STEP_STATES = {
    "resourcePreEvent": StepState.STARTED,
    "resOutputsEvent": StepState.DONE,
    "resOpFailedEvent": StepState.FAILED,
}


def parse_event(raw: Mapping[str, Any]) -> Event | None:
    """Turn one engine event into a value; None for kinds that say nothing to a person.

    Kinds that a newer engine adds are passed over, for they must not stop a run.
    """
    for kind, state in _STEP_STATES.items():
        if kind in raw:
            return _parse_step(raw[kind]["metadata"], state)
    if "diagnosticEvent" in raw:
        return _parse_diagnostic(raw["diagnosticEvent"])
    if "policyEvent" in raw:
        return _parse_violation(raw["policyEvent"])
    if "summaryEvent" in raw:
        return _parse_summary(raw["summaryEvent"])
    if "errorEvent" in raw:
        return Diagnostic("error", str(raw["errorEvent"].get("error", "")).strip())
    if "preludeEvent" in raw:
        return PhaseStarted()
    return None


def _parse_step(metadata: Mapping[str, Any], state: StepState) -> ResourceStep:
    new = metadata.get("new") or metadata.get("old") or {}
    changed = metadata.get("diffs") or sorted(metadata.get("detailedDiff") or ())
    return ResourceStep(
        urn=metadata["urn"],
        type=metadata.get("type", ""),
        operation=metadata["op"],
        state=state,
        id=new.get("id", ""),
        changed=tuple(changed),
    )


def _parse_diagnostic(body: Mapping[str, Any]) -> Diagnostic | None:
    # An ephemeral message is a passing status ("Loading policy packs..."), not a finding.
    if body.get("severity") == "debug" or body.get("ephemeral"):
        return None
    message = str(body.get("message", "")).strip()
    if not message:
        return None
    return Diagnostic(body.get("severity", "info"), message, body.get("urn", ""))


def _parse_violation(body: Mapping[str, Any]) -> PolicyViolation:
    return PolicyViolation(
        policy=body.get("policyName", ""),
        pack=body.get("policyPackName", ""),
        level=body.get("enforcementLevel", ""),
        message=str(body.get("message", "")).strip(),
        urn=body.get("resourceUrn", ""),
        severity=body.get("severity", ""),
    )


def _parse_summary(body: Mapping[str, Any]) -> Summary:
    result = body.get("result")
    return Summary(
        is_preview=bool(body.get("isPreview", False)),
        changes=dict(body.get("resourceChanges") or {}),
        duration_seconds=int(body.get("durationSeconds", 0)),
        failed=None if result is None else result == "failed",
    )
