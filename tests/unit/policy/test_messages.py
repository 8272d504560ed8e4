from __future__ import annotations

from tidegate.policy.messages import render_violation
from tidegate.policy.rule_set import Rule
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

RULE = Rule("TG-X-001", "a/b", "t", "d", Severity.HIGH, Level.MANDATORY, "Do it.", "docs/b.md")


def verdict(outcome, **others):
    return Verdict(
        "TG-X-001", "urn", outcome, Severity.HIGH, Level.MANDATORY, "it lacks x", **others
    )


def test_a_failure_says_what_where_found_expected_remedy_and_page():
    failed = verdict(Outcome.FAIL, property="tags", expected="x", found="none")
    assert render_violation(failed, RULE).splitlines() == [
        "TG-X-001: it lacks x",
        "  property: tags",
        "  found:    none",
        "  expected: x",
        "  remedy:   Do it.",
        "  more:     docs/b.md",
    ]


def test_a_doubt_says_so_and_asks_for_nothing():
    assert render_violation(verdict(Outcome.UNKNOWN), RULE).splitlines() == [
        "TG-X-001: not known yet: it lacks x",
        "  more:     docs/b.md",
    ]
