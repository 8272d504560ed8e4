"""What the rule engine answers, read strictly: a shape nobody expects is an error, not silence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tidegate.policy.graph import ResourceGraph
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.verdicts import Level, Outcome, Verdict


class UnreadableAnswer(Unavailable):
    """The engine answered something that is no verdict of a rule that was asked."""


_TEXTS = ("urn", "outcome", "property", "message", "expected", "found")
_KEYS = {"rule", *_TEXTS}


def parse_verdicts(
    answer: Sequence[Mapping[str, Any]],
    rules: RuleSet,
    graph: ResourceGraph,
    levels: Mapping[str, Level] | None = None,
) -> tuple[Verdict, ...]:
    """Return the verdicts of an answer, in an order that does not depend on the engine's.

    Args:
        answer: Raw verdict objects, each with `rule` (the rule's `category/name`) and texts.
        rules: The rules that were asked.
        graph: What was judged; gives the source lines.
        levels: Rule id → level that configuration sets; others keep their rule's level.

    Raises:
        UnreadableAnswer: When a verdict lacks a key, has another one, names a rule or resource
            that was not asked about, or an outcome that does not exist.
    """
    by_path = {rule.path: rule for rule in rules.rules}
    verdicts = [_parse_verdict(raw, by_path, graph, levels or {}) for raw in answer]
    return order_verdicts(verdicts)


def order_verdicts(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Return verdicts in the one order in which they are always told."""
    return tuple(sorted(verdicts, key=_order))


def _order(verdict: Verdict) -> tuple[str, ...]:
    return (
        verdict.rule,
        verdict.urn,
        verdict.property,
        verdict.outcome.value,
        verdict.message,
        verdict.found,
    )


def _parse_verdict(
    raw: Mapping[str, Any],
    by_path: Mapping[str, Rule],
    graph: ResourceGraph,
    levels: Mapping[str, Level],
) -> Verdict:
    if not isinstance(raw, Mapping) or raw.keys() != _KEYS:
        found = sorted(raw) if isinstance(raw, Mapping) else type(raw).__name__
        raise UnreadableAnswer(f"a rule answered {found}, which is no verdict ({sorted(_KEYS)})")
    rule = by_path.get(raw["rule"])
    if rule is None:
        raise UnreadableAnswer(f"the answer names the rule {raw['rule']!r}, which was not asked")
    if not all(isinstance(raw[key], str) for key in _TEXTS):
        raise UnreadableAnswer(f"a verdict of {rule.id} holds something that is no text")
    if raw["outcome"] not in tuple(Outcome):
        raise UnreadableAnswer(f"{rule.id} answered {raw['outcome']!r}, which is no outcome")
    if raw["urn"] and raw["urn"] not in graph.by_urn:
        raise UnreadableAnswer(f"{rule.id} judged {raw['urn']!r}, which was not given to it")
    resource = graph.by_urn.get(raw["urn"])
    # Ten thousands of verdicts say the same few things: each is kept once.
    return Verdict(
        rule=rule.id,
        urn=resource.urn if resource else raw["urn"],
        outcome=Outcome(raw["outcome"]),
        severity=rule.severity,
        level=levels.get(rule.id, rule.level),
        message=raw["message"],
        property=sys.intern(raw["property"]),
        expected=sys.intern(raw["expected"]),
        found=sys.intern(raw["found"]),
        source=resource.source if resource else None,
    )
