"""The real rules under the real OPA, fed with what Pulumi's protocol carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from support.ways_in import READERS, can_carry, play_to_pack, read_by

from tidegate.catalog.load import load_catalog
from tidegate.opa.pack import find_pack, load_rules
from tidegate.opa.program import find_opa
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.opa.server import OpaServer
from tidegate.policy.answers import parse_verdicts
from tidegate.policy.check import StackCheck
from tidegate.policy.document import build_document
from tidegate.policy.graph import Provider, Resource, ResourceGraph, StackFacts
from tidegate.policy.parameters import build_parameters
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.values import decode_properties
from tidegate.vocabulary.verdicts import Verdict

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""How the engine writes a value that is not known yet."""

Judge = Callable[..., Sequence[Verdict]]


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    return load_rules(find_pack())


@pytest.fixture(scope="session")
def engine(rules: RuleSet) -> Iterator[OpaRuleEngine]:
    pack = find_pack()
    with OpaServer(find_opa(), [pack / "lib", pack / "rules"]) as server:
        yield OpaRuleEngine(server.client(30.0), rules)


@pytest.fixture(scope="session")
def judge(judge_directly: Judge) -> Judge:
    """Return what judges resources; a module may put `judge_every_way` in its place."""
    return judge_directly


@pytest.fixture(scope="session")
def judge_directly(rules: RuleSet, engine: OpaRuleEngine) -> Judge:
    """Return what judges resources: `judge(*resources, rule=…, complete=…, **parameters)`."""

    catalog = load_catalog()

    def run(
        *resources: Resource, rule: str, complete: bool = False, **parameters: Any
    ) -> Sequence[Verdict]:
        graph = ResourceGraph(StackFacts("vision", "prod", "prod"), resources, complete)
        given = {
            each.id: build_parameters(
                each.id, each.parameters, parameters if each.id == rule else {}
            )
            for each in rules.rules
        }
        document = build_document(graph, given, catalog=catalog, date="2026-11-30")
        answer = engine.evaluate(document)
        return [each for each in parse_verdicts(answer, rules, graph) if each.rule == rule]

    return run


@pytest.fixture(scope="session")
def judge_every_way(rules: RuleSet, engine: OpaRuleEngine, judge_directly: Judge) -> Judge:
    """Return what judges as `judge` does, after every way in that can carry it said the same."""
    catalog = load_catalog()

    def start(rule: str, parameters: dict[str, Any]) -> StackCheck:
        check = StackCheck(rules, engine, catalog, "2026-11-30")
        check.configure({rule: parameters})
        return check

    def run(
        *resources: Resource, rule: str, complete: bool = False, **parameters: Any
    ) -> Sequence[Verdict]:
        # Every way shows a whole stack.
        expected = _say(judge_directly(*resources, rule=rule, complete=True, **parameters), rule)
        for way in READERS:
            if can_carry(way, resources):
                verdicts = start(rule, parameters).judge_graph(read_by(way, resources))
                assert _say(verdicts, rule) == expected, way
        shown = _say(play_to_pack(start(rule, parameters), resources), rule)
        worth = {said for said in expected if said[0] in ("fail", "unknown")}
        missed = {said for said in shown if said[0] == "fail"} ^ {
            said for said in expected if said[0] == "fail"
        }
        assert (missed, worth - shown) == (set(), set()), "pack"
        return judge_directly(*resources, rule=rule, complete=complete, **parameters)

    return run


def _say(verdicts: Sequence[Verdict], rule: str) -> set[tuple[str, str, str]]:
    return {
        (verdict.outcome.value, verdict.urn, verdict.property)
        for verdict in verdicts
        if verdict.rule == rule and "pulumi:providers:" not in verdict.urn
    }


@pytest.fixture(scope="session")
def make() -> Callable[..., Resource]:
    """Return what builds a resource from properties as the protocol carries them."""

    def build(
        type_token: str,
        properties: Mapping[str, Any],
        name: str = "it",
        provider: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> Resource:
        return Resource(
            urn=f"urn:pulumi:prod::vision::{type_token}::{name}",
            type=type_token,
            name=name,
            properties=decode_properties(properties),
            provider=Provider("urn:provider", decode_properties(provider or {})),
            **others,
        )

    return build
