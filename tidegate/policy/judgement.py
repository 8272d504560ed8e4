"""What a check of one stack comes to: verdicts with their standing, and what nobody judged."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.waivers import Waiver
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Standing(StrEnum):
    """What becomes of a verdict in this run."""

    VIOLATION = "violation"
    """It makes the check fail."""
    ADVICE = "advice"
    """A failure, or what is not known, below the level at which the check fails."""
    WAIVED = "waived"
    """Somebody answers for it, until a day."""
    BASELINE = "baseline"
    """It was there when the baseline was written."""
    FINE = "fine"
    """A pass, or a rule that does not apply."""


class FailLevel(StrEnum):
    """From which level on a failure makes the check fail."""

    ADVISORY = "advisory"
    MANDATORY = "mandatory"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict and its standing.

    Attributes:
        verdict: What a rule said.
        standing: What becomes of it.
        waiver: What waives it.
    """

    verdict: Verdict
    standing: Standing
    waiver: Waiver | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One stack, judged.

    Attributes:
        stack: The stack.
        source: What was read ("program vision", "preview plan.json").
        resources: How many resources were judged.
        findings: Every verdict, in a fixed order.
        not_covered: Resources of providers that no rule covers, which nobody judged.
        notes: What a reader must know of the input.
    """

    stack: StackFacts
    source: str
    resources: int
    findings: tuple[Finding, ...]
    not_covered: tuple[Resource, ...] = ()
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def failed(self) -> bool:
        """Whether anything makes the check fail."""
        return any(finding.standing is Standing.VIOLATION for finding in self.findings)

    def of(self, standing: Standing) -> tuple[Finding, ...]:
        """Return the findings of one standing."""
        return tuple(finding for finding in self.findings if finding.standing is standing)


@dataclass(frozen=True, slots=True)
class Threshold:
    """What makes a check fail.

    Attributes:
        level: From which level on a failure does.
        severity: Below which nothing does.
        unknown_fails: Whether what is not known counts as a failure of its rule.
    """

    level: FailLevel = FailLevel.MANDATORY
    severity: Severity = Severity.LOW
    unknown_fails: bool = False


def decide_standing(verdict: Verdict, threshold: Threshold) -> Standing:
    """Return what becomes of a verdict that nobody waived."""
    counts = verdict.outcome is Outcome.FAIL or (
        verdict.outcome is Outcome.UNKNOWN and threshold.unknown_fails
    )
    if counts and _reaches(verdict, threshold):
        return Standing.VIOLATION
    if verdict.outcome in (Outcome.FAIL, Outcome.UNKNOWN):
        return Standing.ADVICE
    return Standing.FINE


def find_not_covered(graph: ResourceGraph, verdicts: Sequence[Verdict]) -> tuple[Resource, ...]:
    """Return what a provider makes that no rule said anything of: not judged is not passed.

    A chart or a file of manifests whose provider has rendered nothing yet is among it.
    """
    judged = {verdict.urn for verdict in verdicts}
    parents = {resource.parent for resource in graph.resources}
    return tuple(
        resource
        for resource in graph.resources
        if resource.urn not in judged
        and (_is_uncovered(resource) or _is_unrendered(resource, parents))
    )


def _is_uncovered(resource: Resource) -> bool:
    is_own = resource.type.startswith("pulumi:")
    return resource.custom and resource.cloud is None and not is_own


def _is_unrendered(resource: Resource, parents: Container[str]) -> bool:
    is_rendered = not resource.custom and resource.type.startswith("kubernetes:")
    return is_rendered and resource.urn not in parents


def is_shown(verdict: Verdict) -> bool:
    """Return whether a verdict is for people to read, passes with a remark included."""
    if verdict.outcome is Outcome.PASS:
        return bool(verdict.message)
    return verdict.outcome is not Outcome.NOT_APPLICABLE


def count_outcomes(findings: Iterable[Finding]) -> dict[str, int]:
    """Return outcome → number of verdicts, every outcome named."""
    counts = dict.fromkeys((outcome.value for outcome in Outcome), 0)
    for finding in findings:
        counts[finding.verdict.outcome.value] += 1
    return counts


def _reaches(verdict: Verdict, threshold: Threshold) -> bool:
    if threshold.level is FailLevel.NEVER:
        return False
    if threshold.level is FailLevel.MANDATORY and verdict.level is not Level.MANDATORY:
        return False
    return _RANKS[verdict.severity] >= _RANKS[threshold.severity]
