"""What the rules say of a stack that is up: every verdict, passes included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidegate.opa.pack import find_pack, load_rules
from tidegate.opa.program import find_opa
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.opa.server import OpaServer
from tidegate.policy.answers import parse_verdicts
from tidegate.policy.document import build_document
from tidegate.policy.export import read_export
from tidegate.policy.parameters import build_parameters
from tidegate.policy.rule_set import Rule
from tidegate.vocabulary.verdicts import Outcome, Verdict

ANSWER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """One rule and what it says of a stack.

    Attributes:
        rule: The rule.
        counts: Outcome → number of verdicts.
    """

    rule: Rule
    counts: Mapping[Outcome, int]


@dataclass(frozen=True, slots=True)
class StackVerdicts:
    """All verdicts on one stack, and the same by rule."""

    verdicts: tuple[Verdict, ...]
    by_rule: tuple[RuleSummary, ...]


def judge_export(where: str, export: Mapping[str, Any], environment: str) -> StackVerdicts:
    """Return what every rule says of an exported stack.

    Raises:
        RuleEngineError: When OPA cannot answer; nothing was judged then.
        InvalidInput: When the document is no export.
    """
    pack = find_pack()
    rules = load_rules(pack)
    graph = read_export(where, export, environment)
    parameters = {rule.id: build_parameters(rule.id, rule.parameters, {}) for rule in rules.rules}
    with OpaServer(find_opa(), [pack / "lib", pack / "rules"]) as server:
        engine = OpaRuleEngine(server.client(ANSWER_SECONDS), rules)
        answer = engine.evaluate(build_document(graph, parameters))
    verdicts = parse_verdicts(answer, rules, graph)
    counts = {
        rule.id: Counter(verdict.outcome for verdict in verdicts if verdict.rule == rule.id)
        for rule in rules.rules
    }
    summaries = tuple(RuleSummary(rule, counts[rule.id]) for rule in rules.rules)
    return StackVerdicts(verdicts, summaries)
