"""A rule starts as advisory and is mandatory from a day on; the day is given."""

from __future__ import annotations

import pytest

from tidegate.policy.levels import decide_levels
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Severity


def rule(id, level):
    return Rule(id, f"a/{id}", "t", "d", Severity.LOW, level, "r", "docs")


ADVISORY, MANDATORY = rule("TG-AAA-001", Level.ADVISORY), rule("TG-AAA-002", Level.MANDATORY)
RULES = RuleSet((ADVISORY, MANDATORY))


def level_on(today, since):
    return decide_levels(RULES, {"TG-AAA-001": {"mandatoryFrom": since}}, today)["TG-AAA-001"]


def test_a_rule_is_mandatory_from_its_day_on():
    assert level_on("2027-01-30", "2027-01-31") is Level.ADVISORY
    assert level_on("2027-01-31", "2027-01-31") is Level.MANDATORY
    assert level_on("2027-02-01", "2027-01-31") is Level.MANDATORY


def test_without_a_day_or_without_a_date_levels_stay():
    assert level_on("2027-02-01", "") is Level.ADVISORY
    assert level_on("", "2027-01-31") is Level.ADVISORY
    assert decide_levels(RULES, {}, "2027-02-01") == {
        "TG-AAA-001": Level.ADVISORY,
        "TG-AAA-002": Level.MANDATORY,
    }


def test_what_is_no_day_stops_the_check():
    with pytest.raises(InvalidInput, match="is no date"):
        level_on("2027-02-01", "soon")
