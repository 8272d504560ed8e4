from __future__ import annotations

import pytest

from tidegate.policy.rule_set import Rule, RuleSet, parse_rule
from tidegate.policy.scaffold import NewRule, name_rule, render_rule
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Severity

RULES = RuleSet(
    (Rule("TG-STO-003", "storage/tiers", "t", "d", Severity.LOW, Level.ADVISORY, "r", "docs"),)
)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, NewRule("TG-STO-004", "storage", "sto_004", "Rule TG-STO-004")),
        (
            {"title": "Buckets: have owners"},
            NewRule("TG-STO-004", "storage", "buckets_have_owners", "Buckets: have owners"),
        ),
        (
            {"id": "TG-NET-001", "title": "x y", "name": "own_name"},
            NewRule("TG-NET-001", "net", "own_name", "x y"),
        ),
        ({"category": "other"}, NewRule("TG-STO-004", "other", "sto_004", "Rule TG-STO-004")),
    ],
)
def test_what_is_not_given_is_told_by_id_or_title(given, rule):
    assert name_rule(RULES, **{"id": "TG-STO-004", **given}) == rule


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"id": "sto-1"}, "is no rule id"),
        ({"id": "TG-STO-003"}, "is that of storage/tiers; expected TG-STO-004, the next free"),
        ({"name": "../../etc"}, "is no name of a folder"),
        ({"category": "Storage"}, "is no name of a folder"),
        ({"name": "tiers"}, "is that of another rule"),
        ({"title": "a\nb", "name": "good"}, "is no line of text"),
    ],
)
def test_a_name_that_would_not_do_is_refused(given, said):
    with pytest.raises(InvalidInput, match=said):
        name_rule(RULES, **{"id": "TG-STO-004", **given})


def test_the_rule_is_one_whatever_its_title():
    rule = name_rule(RULES, "TG-STO-004", name="odd", title="It's: a 'title' # with {signs}")
    files = render_rule(rule)
    assert sorted(files) == ["README.md", "cases.yaml", "odd.rego", "odd_test.rego"]
    parsed = parse_rule("storage/odd", files["odd.rego"])
    assert (parsed.id, parsed.title) == ("TG-STO-004", rule.title)
