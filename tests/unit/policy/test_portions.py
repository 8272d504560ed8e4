from __future__ import annotations

from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.portions import build_questions
from tidegate.policy.rule_set import Rule, RuleSet, Scope
from tidegate.vocabulary.verdicts import Level, Severity

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
SHARED = {"parameters": {}}


def rule(path, scope):
    number = len(path)
    return Rule(f"TG-X-{number}", path, "t", "d", Severity.LOW, Level.ADVISORY, "r", "p", {}, scope)


RULES = RuleSet(
    (
        rule("a/one", Scope.RESOURCE),
        rule("a/three", Scope.STACK),
        rule("a/eleven", Scope.EVERYTHING),
    )
)


def graph(*names, token="aws:s3/bucket:Bucket"):
    resources = tuple(
        Resource(f"urn:{name}", token, name, {"tags": {"owner": "a"}, "acl": "private"})
        for name in names
    )
    template = Resource("urn:template", TEMPLATE, "template", {})
    return ResourceGraph(StackFacts("p", "s", "prod"), (*resources, template), complete=True)


def ask(judged, portion):
    return list(build_questions(judged, RULES, SHARED, date="2026-11-30", portion=portion))


def names(question):
    return [resource["name"] for resource in question["resources"]]


def test_a_small_stack_is_one_question_for_every_rule():
    questions = ask(graph("a", "b"), 3)
    assert [names(question) for question in questions] == [["a", "b", "template"]]
    assert "asked" not in questions[0]


def test_only_rules_that_judge_one_resource_by_itself_are_asked_in_portions():
    asked = [
        (question["asked"], question["portion"], names(question))
        for question in ask(graph("a", "b"), 2)
    ]
    everything = ["a", "b", "template"]
    assert asked == [
        (["a/eleven"], False, everything),
        (["a/three"], False, everything),
        (["a/one"], True, ["a", "b"]),
        (["a/one"], True, ["template"]),
    ]


def test_every_question_names_the_rules_that_another_one_is_for():
    for question in ask(graph("a", "b"), 2):
        assert sorted(question["asked"] + question["unasked"]) == ["a/eleven", "a/one", "a/three"]


def test_what_others_refer_to_goes_with_every_portion():
    portions = [question for question in ask(graph("a", "b"), 1) if question["portion"]]
    assert [[other["name"] for other in each["others"]] for each in portions] == [["template"]] * 3


def test_who_adds_up_a_stack_sees_labels_and_no_properties():
    question = next(each for each in ask(graph("a", "b"), 2) if each["asked"] == ["a/three"])
    assert question["resources"][0] == {
        "urn": "urn:a",
        "type": "aws:s3/bucket:Bucket",
        "name": "a",
        "cloud": "aws",
        "properties": {},
        "facts": {"bucket": {}},
        "labelSites": [{"labels": {"owner": "a"}}],
    }


def test_a_type_whose_labels_nobody_knows_stays_so():
    judged = graph("a", "b", token="aws:new/thing:Thing")
    question = next(each for each in ask(judged, 2) if each["asked"] == ["a/three"])
    assert [each["labelSites"] for each in question["resources"][:2]] == [None, None]
