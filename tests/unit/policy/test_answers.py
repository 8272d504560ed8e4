from __future__ import annotations

import itertools

import pytest

from tidegate.policy.answers import UnreadableAnswer, parse_verdicts
from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, SourceLine, Verdict

RULE = Rule("TG-LBL-001", "labels/cost", "t", "d", Severity.HIGH, Level.MANDATORY, "r", "docs")
RULES = RuleSet((RULE,))
SOURCE = SourceLine("stacks/__main__.py", 9)
GRAPH = ResourceGraph(
    StackFacts(),
    (Resource("urn:a", "t", "a", {}, source=SOURCE), Resource("urn:b", "t", "b", {})),
    True,
)
RAW = {
    "rule": "labels/cost",
    "urn": "urn:a",
    "outcome": "fail",
    "property": "tags",
    "message": "m",
    "expected": "e",
    "found": "f",
}


def test_reads_a_verdict_whole():
    assert parse_verdicts([RAW], RULES, GRAPH) == (
        Verdict(
            rule="TG-LBL-001",
            urn="urn:a",
            outcome=Outcome.FAIL,
            severity=Severity.HIGH,
            level=Level.MANDATORY,
            message="m",
            property="tags",
            expected="e",
            found="f",
            source=SOURCE,
        ),
    )


def test_a_configured_level_comes_before_the_rules():
    (verdict,) = parse_verdicts([RAW], RULES, GRAPH, {"TG-LBL-001": Level.ADVISORY})
    assert verdict.level is Level.ADVISORY


def test_a_verdict_on_the_whole_stack_has_no_urn():
    (verdict,) = parse_verdicts([{**RAW, "urn": ""}], RULES, GRAPH)
    assert (verdict.urn, verdict.source) == ("", None)


def test_the_order_does_not_depend_on_the_engines():
    raws = [{**RAW, "urn": urn, "property": path} for urn in ("urn:a", "urn:b") for path in "xy"]
    orders = {parse_verdicts(order, RULES, GRAPH) for order in itertools.permutations(raws)}
    assert len(orders) == 1


@pytest.mark.parametrize(
    "raw",
    [
        {key: value for key, value in RAW.items() if key != "found"},
        {**RAW, "extra": ""},
        {**RAW, "rule": "labels/other"},
        {**RAW, "urn": "urn:c"},
        {**RAW, "outcome": "passed"},
        {**RAW, "outcome": None},
        {**RAW, "found": 3},
        "fail",
        {},
    ],
)
def test_any_other_shape_is_an_error(raw):
    with pytest.raises(UnreadableAnswer):
        parse_verdicts([raw], RULES, GRAPH)
