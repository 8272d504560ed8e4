"""What the rules say of a stack that is up: every verdict, passes included."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.opa.central import read_central_opa
from tidegate.opa.opening import open_rule_engine
from tidegate.opa.pack import find_pack, load_rules
from tidegate.policy.check import StackCheck
from tidegate.policy.export import read_export
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
    """All verdicts on one stack, and the same by rule, in the order of their ids."""

    verdicts: tuple[Verdict, ...]
    by_rule: tuple[RuleSummary, ...]


def judge_export(
    where: str, export: Mapping[str, Any], environment: str, catalog: Catalog
) -> StackVerdicts:
    """Return what every rule says today of an exported stack, priced by a catalog.

    Raises:
        RuleEngineError: When OPA cannot answer; nothing was judged then.
        InvalidInput: When the document is no export.
    """
    pack = find_pack()
    rules = load_rules(pack)
    graph = read_export(where, export, environment)
    with open_rule_engine(pack, rules, ANSWER_SECONDS, read_central_opa(os.environ)) as engine:
        check = StackCheck(rules, engine, catalog, datetime.now(UTC).date().isoformat())
        verdicts = check.judge_graph(graph)
    counts = {
        rule.id: Counter(verdict.outcome for verdict in verdicts if verdict.rule == rule.id)
        for rule in rules.rules
    }
    ordered = sorted(rules.rules, key=lambda rule: rule.id)
    summaries = tuple(RuleSummary(rule, counts[rule.id]) for rule in ordered)
    return StackVerdicts(verdicts, summaries)
