from __future__ import annotations

import pytest

from tidegate.policy.configuration import RuleConfiguration, parse_configuration
from tidegate.policy.graph import StackFacts
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Severity

KEYS = {"type": "array", "items": {"type": "string"}, "default": []}
PARAMETERS = {"requiredKeys": KEYS, "days": {"type": "integer", "default": 30}}

RULES = RuleSet(
    tuple(
        Rule(name, path, "t", "d", Severity.HIGH, Level.MANDATORY, "r", "docs", PARAMETERS)
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
            RuleConfiguration(
                levels={"TG-LBL-001": Level.ADVISORY, "TG-SCL-001": Level.MANDATORY},
                remediated=frozenset({"TG-SCL-001"}),
            ),
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
        ({"all": {"enforcementLevel": "advisory", "days": 1}}, "all: has parameters"),
        ({"TG-LBL-001": {"day": 1}}, r"TG-LBL-001.day: .*did you mean 'days'"),
        ({"TG-LBL-001": {"byStack": []}}, "TG-LBL-001.byStack: is no object"),
        (
            {"TG-LBL-001": {"byStack": {"a/b": {"days": "many"}}}},
            r"TG-LBL-001.byStack.a/b.days = 'many': has the wrong type; .* of type integer",
        ),
        (
            {"TG-LBL-001": {"byEnvironments": {"prod": "advisory"}}},
            r"TG-LBL-001.byEnvironments: .*did you mean 'byEnvironment'",
        ),
        ({"TG-LBL-001": {"byEnvironment": {"prod": "of"}}}, "byEnvironment.prod = 'of': is no l"),
    ],
)
def test_what_would_change_nothing_is_refused(document, said):
    with pytest.raises(InvalidInput, match=said):
        parse_configuration("c", document, RULES)


PROD = StackFacts("vision", "eu", "prod")


def nearest_of(**said):
    document = {"TG-LBL-001": {"requiredKeys": ["owner"], "days": 1.0, **said}}
    return parse_configuration("c", document, RULES).for_stack(PROD)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ({}, 1),
        ({"byEnvironment": {"dev": {"days": 2}}}, 1),
        ({"byEnvironment": {"prod": {"days": 2}}}, 2),
        ({"byEnvironment": {"prod": {"days": 2}}, "byStack": {"eu": {"days": 3}}}, 3),
        ({"byStack": {"eu": {"days": 3}, "vision/eu": {"days": 4}}}, 4),
        ({"byStack": {"other/eu": {"days": 5}}}, 1),
    ],
)
def test_the_nearest_word_wins_parameter_by_parameter(said, days):
    assert nearest_of(**said) == RuleConfiguration(
        {"TG-LBL-001": {"requiredKeys": ["owner"], "days": days}}
    )


@pytest.mark.parametrize(
    ("said", "level", "is_disabled"),
    [
        ({"byEnvironment": {"prod": "advisory"}}, Level.ADVISORY, False),
        ({"byEnvironment": {"prod": "disabled"}}, None, True),
        ({"byEnvironment": {"prod": "disabled"}, "byStack": {"eu": "remediate"}}, "mended", False),
        ({"enforcementLevel": "disabled", "byStack": {"eu": "mandatory"}}, Level.MANDATORY, False),
        ({"enforcementLevel": "remediate", "byStack": {"eu": "disabled"}}, None, True),
    ],
)
def test_the_nearest_level_wins(said, level, is_disabled):
    found = nearest_of(**said)
    levels = {"TG-LBL-001": Level.MANDATORY if level == "mended" else level} if level else {}
    assert found.levels == levels
    assert found.disabled == ({"TG-LBL-001"} if is_disabled else set())
    assert found.remediated == ({"TG-LBL-001"} if level == "mended" else set())


def test_what_is_said_of_all_can_differ_by_environment():
    document = {"all": {"enforcementLevel": "mandatory", "byEnvironment": {"prod": "advisory"}}}
    found = parse_configuration("c", document, RULES)
    assert set(found.for_stack(PROD).levels.values()) == {Level.ADVISORY}
    assert set(found.for_stack(StackFacts("v", "d", "dev")).levels.values()) == {Level.MANDATORY}
