from __future__ import annotations

import pytest

from tidegate.policy.configuration import RuleConfiguration, parse_configuration
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Severity

RULES = RuleSet(
    tuple(
        Rule(name, path, "t", "d", Severity.HIGH, Level.MANDATORY, "r", "docs")
        for name, path in (("TG-LBL-001", "a/b"), ("TG-SCL-001", "a/c"))
    )
)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, RuleConfiguration()),
        ({"TG-LBL-001": "disabled"}, RuleConfiguration(disabled=frozenset({"TG-LBL-001"}))),
        (
            {"all": "advisory", "TG-SCL-001": "remediate"},
            RuleConfiguration(levels={"TG-LBL-001": Level.ADVISORY, "TG-SCL-001": Level.MANDATORY}),
        ),
        (
            {"TG-SCL-001": "mandatory", "all": "disabled"},
            RuleConfiguration(
                levels={"TG-SCL-001": Level.MANDATORY}, disabled=frozenset({"TG-LBL-001"})
            ),
        ),
        (
            {"TG-LBL-001": {"enforcementLevel": "advisory", "requiredKeys": ["owner"]}},
            RuleConfiguration(
                {"TG-LBL-001": {"requiredKeys": ["owner"]}}, {"TG-LBL-001": Level.ADVISORY}
            ),
        ),
        (
            {"TG-LBL-001": {"requiredKeys": ["owner"]}},
            RuleConfiguration({"TG-LBL-001": {"requiredKeys": ["owner"]}}),
        ),
    ],
)
def test_a_document_sets_levels_and_parameters(document, expected):
    assert parse_configuration("c", document, RULES) == expected


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "is no configuration of rules"),
        ({"TG-LBL-01": "advisory"}, r"is no rule .did you mean 'TG-LBL-001'"),
        ({"TG-LBL-001": "off"}, "is no level"),
        ({"TG-LBL-001": 1}, "is no level"),
        ({"TG-LBL-001": {"enforcementLevel": ""}}, "is no level"),
    ],
)
def test_what_would_change_nothing_is_refused(document, said):
    with pytest.raises(InvalidInput, match=said):
        parse_configuration("c", document, RULES)
