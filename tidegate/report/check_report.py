"""What every rendering of a check is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from tidegate.policy.judgement import Finding, Judgement, Standing, is_shown
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.policy.waivers import WaiverReview

if TYPE_CHECKING:
    # Loading it takes a tenth of a second, and few checks have costs.
    from tidegate.policy.stack_cost import StackCost

_ORDER = (
    Standing.VIOLATION,
    Standing.ADVICE,
    Standing.WAIVED,
    Standing.BASELINE,
    Standing.FINE,
)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """One check of one or more stacks.

    Attributes:
        judgements: One a stack.
        rules: The rules that judged them.
        waivers: What became of the waivers.
        tool_version: The version of Tidegate.
        folder: Where the program lies in its repository ("infra/gpu"), so that its source lines
            are found there; "" for the root.
        today: The day of the check, from which waivers have days left.
        costs: What the change of each stack costs, one a judgement; None for a stack that exports
            no manifest. Empty where nobody asked.
    """

    judgements: tuple[Judgement, ...]
    rules: RuleSet
    waivers: WaiverReview
    tool_version: str
    folder: str = ""
    today: date | None = None
    costs: tuple[StackCost | None, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether any stack fails."""
        return any(judgement.failed for judgement in self.judgements)

    def rule_of(self, finding: Finding) -> Rule:
        """Return the rule that a finding is of."""
        return self.rules.rule(finding.verdict.rule)

    def shown(self) -> Iterator[tuple[Judgement, Finding]]:
        """Yield what is for people to read, stack by stack, the worst standing first."""
        for judgement in self.judgements:
            for standing in _ORDER:
                for finding in judgement.of(standing):
                    if is_shown(finding.verdict):
                        yield judgement, finding

    def cost_of(self, judgement: Judgement) -> StackCost | None:
        """Return what the change of a stack costs; None where that is not told."""
        pairs = zip(self.judgements, self.costs, strict=False)
        return next((cost for each, cost in pairs if each is judgement), None)

    def count(self, standing: Standing) -> int:
        """Return how many findings have a standing, in all stacks."""
        return sum(len(judgement.of(standing)) for judgement in self.judgements)

    def path_of(self, finding: Finding) -> str:
        """Return the path of a finding's source in its repository, or ""."""
        source = finding.verdict.source
        if source is None:
            return ""
        return f"{self.folder}/{source.path}" if self.folder else source.path


def name_stack(judgement: Judgement) -> str:
    """Return what people call a stack: "project/stack"."""
    stack = judgement.stack
    return f"{stack.project}/{stack.name}"


def say_totals(report: CheckReport) -> str:
    """Return the one line that sums a check up."""
    resources = sum(judgement.resources for judgement in report.judgements)
    unjudged = sum(len(judgement.not_covered) for judgement in report.judgements)
    parts = [
        f"{resources} resources",
        f"{report.count(Standing.VIOLATION)} violations",
        f"{report.count(Standing.ADVICE)} advisory or not known yet",
        f"{report.count(Standing.WAIVED)} waived",
        f"{report.count(Standing.BASELINE)} in the baseline",
        f"{unjudged} not covered",
    ]
    return ", ".join(parts)


def say_remarks(report: CheckReport) -> tuple[str, ...]:
    """Return what a reader must know besides the findings, a line each."""
    lines = [
        f"{_stack(judgement)}: {note}"
        for judgement in report.judgements
        for note in judgement.notes
    ]
    for judgement in report.judgements:
        if judgement.not_covered:
            kinds = sorted({resource.type for resource in judgement.not_covered})
            lines.append(
                f"{_stack(judgement)}: {len(judgement.not_covered)} resources are of providers "
                f"that no rule covers and were not judged: {', '.join(kinds)}"
            )
    lines += [
        f"the waiver of {waiver.rule} for {waiver.urn} expired on {waiver.expires}"
        for waiver in report.waivers.expired
    ]
    lines += [
        f"the waiver of {waiver.rule} for {waiver.urn} waives nothing any more"
        for waiver in report.waivers.unused
    ]
    return tuple(lines)


def _stack(judgement: Judgement) -> str:
    return judgement.stack.name or judgement.source
