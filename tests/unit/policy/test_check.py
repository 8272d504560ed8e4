from __future__ import annotations

from dataclasses import replace

import pytest

from tidegate.policy.check import StackCheck
from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.policy.values import UNKNOWN
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Severity

RULE = Rule(
    "TG-LBL-001",
    "labels/cost",
    "t",
    "d",
    Severity.HIGH,
    Level.MANDATORY,
    "r",
    "docs",
    {"days": {"type": "integer", "default": 30}},
)

DAY = {"type": "string", "default": ""}


class Recorded:
    """Stands where OPA stands: keeps each document and answers one verdict a resource."""

    def __init__(self, outcome="fail", message="m"):
        self.documents = []
        self.outcome, self.message = outcome, message

    def evaluate(self, document):
        self.documents.append(document)
        return [
            {
                "rule": "labels/cost",
                "urn": resource["urn"],
                "outcome": self.outcome,
                "property": "",
                "message": self.message,
                "expected": "",
                "found": "",
            }
            for resource in document["resources"]
        ]


def bucket(name="a", properties=None, **others):
    return Resource(f"urn:{name}", "aws:s3/bucket:Bucket", name, properties or {}, **others)


def check_with(engine):
    return StackCheck(RuleSet((RULE,)), engine)


def test_parameters_reach_the_rules_over_their_defaults():
    engine = Recorded()
    check = check_with(engine)
    check.judge_resource(bucket())
    check.configure({"TG-LBL-001": {"days": 7.0}})
    check.judge_resource(bucket())
    found = [document["parameters"]["TG-LBL-001"]["days"] for document in engine.documents]
    assert found == [30, 7]


def test_a_wrong_parameter_stops_the_check():
    with pytest.raises(InvalidInput, match="has the wrong type"):
        check_with(Recorded()).configure({"TG-LBL-001": {"days": "many"}})


def test_a_misspelt_rule_stops_the_check():
    with pytest.raises(InvalidInput, match=r"TG-LBL-01: is no rule .did you mean 'TG-LBL-001'"):
        check_with(Recorded()).configure({"TG-LBL-01": {}})


@pytest.mark.parametrize(("given", "environment"), [("", "prod"), ("staging", "staging")])
def test_a_stack_without_environment_is_its_own(given, environment):
    engine = Recorded()
    check = check_with(engine)
    check.configure_stack("vision", "prod", given)
    check.judge_resource(bucket())
    assert engine.documents[0]["stack"] == {
        "project": "vision",
        "name": "prod",
        "environment": environment,
    }


def test_the_end_says_only_what_was_not_said_before():
    check = check_with(Recorded())
    assert [verdict.urn for verdict in check.judge_resource(bucket("a"))] == ["urn:a"]
    assert [v.urn for v in check.judge_stack([bucket("a"), bucket("b")])] == ["urn:b"]


def test_a_resource_that_is_shown_again_is_judged_again():
    check = check_with(Recorded())
    assert check.judge_resource(bucket()) == check.judge_resource(bucket()) != ()


def test_the_end_judges_inputs_with_identifiers_and_dependencies():
    engine = Recorded()
    check = check_with(engine)
    check.judge_resource(bucket(properties={"tags": {"owner": "a"}}))
    shown = bucket(
        properties={"id": "b-1", "tags": {"owner": "a"}, "filledIn": True},
        dependencies={"policy": ("urn:p",)},
    )
    check.judge_stack([shown])
    document = engine.documents[-1]
    (resource,) = document["resources"]
    assert document["complete"] is True
    assert resource["properties"] == {"tags": {"owner": "a"}}
    assert (resource["identifiers"], resource["dependencies"]) == (
        {"id": "b-1"},
        {"policy": ["urn:p"]},
    )


def test_launch_templates_seen_before_are_context_and_not_judged():
    engine = Recorded()
    check = check_with(engine)
    template = Resource("urn:t", "aws:ec2/launchTemplate:LaunchTemplate", "t", {})
    check.judge_resource(template)
    check.judge_resource(bucket())
    assert [each["urn"] for each in engine.documents[-1]["context"]] == ["urn:t"]
    assert [each["urn"] for each in engine.documents[-1]["resources"]] == ["urn:a"]


@pytest.mark.parametrize(
    ("outcome", "message", "said"),
    [
        ("fail", "m", True),
        ("unknown", "m", True),
        ("pass", "a remark", True),
        ("pass", "", False),
        ("not-applicable", "m", False),
    ],
)
def test_only_what_someone_should_read_is_said(outcome, message, said):
    check = check_with(Recorded(outcome, message))
    assert bool(check.judge_resource(bucket())) is said


@pytest.mark.parametrize("outcome", ["pass", "fail", "unknown", "not-applicable"])
def test_a_stack_that_is_known_as_a_whole_is_judged_in_one_query_and_every_word_is_kept(outcome):
    engine = Recorded(outcome, "")
    check = check_with(engine)
    check.configure({"TG-LBL-001": {"days": 7}})
    stack = StackFacts("vision", "prod", "live")
    verdicts = check.judge_graph(ResourceGraph(stack, (bucket("a"), bucket("b")), complete=True))
    assert [(each.urn, each.outcome.value) for each in verdicts] == [
        ("urn:a", outcome),
        ("urn:b", outcome),
    ]
    (document,) = engine.documents
    assert document["stack"]["environment"] == "live"
    assert document["complete"] is True
    assert document["parameters"] == {"TG-LBL-001": {"days": 7}}


def test_the_manifest_that_the_stack_exports_is_shown_at_the_end():
    engine = Recorded()
    check = check_with(engine)
    check.judge_resource(bucket())
    capacity = {"version": "tidegate/capacity/v1", "pools": [{"id": "a"}]}
    stack = Resource("urn:s", "pulumi:pulumi:Stack", "s", {"capacity": capacity})
    check.judge_stack([bucket(), stack])
    assert [document["manifest"] for document in engine.documents] == [None, capacity]


def test_a_rule_is_mandatory_from_its_day_on():
    advisory = replace(RULE, level=Level.ADVISORY, parameters={"mandatoryFrom": DAY})
    for today, level in (("2027-01-30", Level.ADVISORY), ("2027-01-31", Level.MANDATORY)):
        check = StackCheck(RuleSet((advisory,)), Recorded(), date=today)
        check.configure({"TG-LBL-001": {"mandatoryFrom": "2027-01-31"}})
        (verdict,) = check.judge_resource(bucket())
        assert verdict.level is level


def test_a_manifest_that_cannot_be_seen_at_the_end_is_said_to_be_hidden():
    engine = Recorded()
    stack = Resource("urn:s", "pulumi:pulumi:Stack", "s", {"capacity": UNKNOWN})
    check_with(engine).judge_stack([bucket(), stack])
    assert [document["manifestHidden"] for document in engine.documents] == [True]
