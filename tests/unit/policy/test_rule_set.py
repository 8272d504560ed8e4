from __future__ import annotations

import pytest

from tidegate.policy.rule_set import RuleSet, Scope, parse_rule
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Severity

MODULE = """# METADATA
# title: Cost labels
# description: >-
#   Two
#   lines.
# custom:
#   id: TG-LBL-001
#   severity: high
#   level: mandatory
#   remediation: Add them.
#   docs: policies/rules/labels/cost/README.md
#   parameters:
#     keys: {type: array, items: {type: string}, default: [owner]}
package tidegate.rules.labels.cost

verdicts contains "x"
"""


def problems_of(text: str, path: str = "labels/cost") -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        parse_rule(path, text)
    return [str(problem) for problem in caught.value.problems]


def test_reads_a_rule_whole():
    rule = parse_rule("labels/cost", MODULE)
    assert (rule.id, rule.path, rule.title, rule.description) == (
        "TG-LBL-001",
        "labels/cost",
        "Cost labels",
        "Two lines.",
    )
    assert (rule.severity, rule.level) == (Severity.HIGH, Level.MANDATORY)
    assert (rule.remediation, rule.docs) == ("Add them.", "policies/rules/labels/cost/README.md")
    assert rule.parameters == {
        "keys": {"type": "array", "items": {"type": "string"}, "default": ["owner"]}
    }


def test_an_advisory_rule_has_the_day_from_which_it_is_mandatory():
    rule = parse_rule("labels/cost", MODULE.replace("level: mandatory", "level: advisory"))
    assert sorted(rule.parameters) == ["keys", "mandatoryFrom"]
    assert rule.parameters["mandatoryFrom"]["default"] == ""


def test_a_package_that_is_not_its_folders_is_refused_since_nothing_runs_it():
    # open-policy-agent, pulumi-policy-opa#38: a misspelt name that never runs, without a word
    (problem,) = problems_of(MODULE.replace("labels.cost", "labels.costs"))
    assert problem == (
        "rule labels/cost: package = 'tidegate.rules.labels.costs': is not its folder's package, "
        "so that nothing would run it; expected tidegate.rules.labels.cost"
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("TG-LBL-001", "LBL-1", "is no rule id"),
        ("severity: high", "severity: urgent", "is no severity"),
        ("level: mandatory", "level: hard", "is no level"),
        ("remediation: Add them.", "cure: Add them.", "remediation: is missing"),
        ("remediation: Add them.", "cure: Add them.", "cure: is not known"),
        ("title: Cost labels", "name: Cost labels", "title: is missing"),
        ("type: array", "type: list", "is no type"),
        ("default: [owner]", "minItems: 1", "has no default"),
        ("default: [owner]", "default: [1]", "has the wrong type"),
        ("items: {type: string}", "pattern: x", "is no keyword that is checked"),
        ("# METADATA", "# METADATAS", "has no # METADATA block"),
        ("custom:", "custom: [", "has metadata that is no YAML"),
    ],
)
def test_metadata_that_is_wrong_is_refused(old, new, words):
    assert any(words in problem for problem in problems_of(MODULE.replace(old, new, 1)))


def test_two_rules_of_one_id_are_refused():
    first = parse_rule("labels/cost", MODULE)
    second = parse_rule("labels/other", MODULE.replace("labels.cost", "labels.other"))
    with pytest.raises(InvalidInput, match="is already the id of labels/cost"):
        RuleSet((first, second))


def test_no_rules_at_all_are_refused():
    with pytest.raises(InvalidInput, match="no rule was found"):
        RuleSet(())


def test_a_rule_that_says_no_scope_sees_everything():
    assert parse_rule("labels/cost", MODULE).scope is Scope.EVERYTHING
    text = MODULE.replace("#   level: ", "#   scope: resource\n#   level: ")
    assert parse_rule("labels/cost", text).scope is Scope.RESOURCE


def test_a_scope_that_does_not_exist_is_refused():
    text = MODULE.replace("#   level: ", "#   scope: some\n#   level: ")
    expected = "one of ['resource', 'stack', 'everything']"
    said = f"rule labels/cost: custom.scope = 'some': is no scope; expected {expected}"
    assert problems_of(text) == [said]
