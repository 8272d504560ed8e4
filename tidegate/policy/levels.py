"""At which level a rule holds, by day and by configuration; no rule reads a clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from tidegate.policy.rule_set import MANDATORY_FROM, Rule, RuleSet
from tidegate.vocabulary.problems import refuse
from tidegate.vocabulary.verdicts import Level, Verdict


def decide_levels(
    rules: RuleSet, parameters: Mapping[str, Mapping[str, Any]], today: str
) -> dict[str, Level]:
    """Return each rule's level on a day.

    Args:
        rules: The rules.
        parameters: Rule id → its parameters.
        today: The day in ISO 8601; "" where nobody tells it, so that no rule is mandatory by date.

    Raises:
        InvalidInput: When a day is no date.
    """
    return {
        rule.id: _decide_level(rule, parameters.get(rule.id, {}), today) for rule in rules.rules
    }


def _decide_level(rule: Rule, parameters: Mapping[str, Any], today: str) -> Level:
    since = parameters.get(MANDATORY_FROM, "")
    if not since:
        return rule.level
    try:
        day = date.fromisoformat(since)
    except ValueError as error:
        where, expected = f"rule {rule.id}", "a day such as 2027-01-31"
        raise refuse(where, MANDATORY_FROM, since, "is no date", expected) from error
    return Level.MANDATORY if today and date.fromisoformat(today) >= day else rule.level


def apply_levels(
    verdicts: Iterable[Verdict], levels: Mapping[str, Level], disabled: Collection[str] = ()
) -> list[Verdict]:
    """Return verdicts with the levels that configuration sets, without rules that it switches off.

    Args:
        verdicts: What the rules said.
        levels: Rule id → level, where it differs from the rule's own.
        disabled: Ids of rules that are switched off.
    """
    return [
        replace(verdict, level=levels.get(verdict.rule, verdict.level))
        for verdict in verdicts
        if verdict.rule not in disabled
    ]
