"""What a rule says of a resource, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a failure is, for sorting and thresholds."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Level(StrEnum):
    """What a failure does: advise, or stop the change."""

    ADVISORY = "advisory"
    MANDATORY = "mandatory"


class Outcome(StrEnum):
    """What a rule says of one resource. UNKNOWN is never a pass."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    FAIL = "fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"
    WAIVED = "waived"


@dataclass(frozen=True, slots=True, order=True)
class SourceLine:
    """Where in the program a resource is declared: path inside the project, 1-based line."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """One rule's word on one resource (or on the stack, when `urn` is empty).

    Attributes:
        rule: The rule's id ("TG-LBL-001").
        urn: The resource's URN; empty for a rule that judges the whole stack.
        outcome: Pass, fail, unknown, not applicable or waived.
        severity: The rule's severity.
        level: What a failure does in this run.
        message: One sentence for people, naming resource, property, value and remedy.
        property: The property judged, as a path; empty for the whole resource.
        expected: What the rule wants, rendered.
        found: What it found, rendered and redacted.
        source: The program line that declares the resource, where known.
    """

    rule: str
    urn: str
    outcome: Outcome
    severity: Severity
    level: Level
    message: str
    property: str = ""
    expected: str = ""
    found: str = ""
    source: SourceLine | None = None
