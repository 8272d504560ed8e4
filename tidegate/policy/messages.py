"""What a person reads of a verdict, where nothing but text is shown (the Pulumi CLI)."""

from __future__ import annotations

from tidegate.policy.rule_set import Rule
from tidegate.vocabulary.verdicts import Outcome, Verdict

_OPENING = {
    Outcome.FAIL: "",
    Outcome.UNKNOWN: "not known yet: ",
    Outcome.PASS: "passes, but ",
    Outcome.NOT_APPLICABLE: "not applicable: ",
    Outcome.WAIVED: "waived: ",
}


def render_violation(verdict: Verdict, rule: Rule) -> str:
    """Return the lines that help to repair a violation: what, found, expected, remedy, page."""
    lines = [f"{verdict.rule}: {_OPENING[verdict.outcome]}{verdict.message}"]
    if verdict.property:
        lines.append(f"  property: {verdict.property}")
    if verdict.found:
        lines.append(f"  found:    {verdict.found}")
    if verdict.expected:
        lines.append(f"  expected: {verdict.expected}")
    if verdict.outcome is Outcome.FAIL:
        lines.append(f"  remedy:   {rule.remediation}")
    lines.append(f"  more:     {rule.docs}")
    return "\n".join(lines)
