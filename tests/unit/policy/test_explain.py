from __future__ import annotations

from tidegate.policy.configuration import parse_configuration
from tidegate.policy.explain import Parameter, explain_parameters, explain_verdicts
from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.policy.values import SECRET, UNKNOWN
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

DAYS = {"type": "integer", "default": 1}
RULE = Rule(
    "TG-X-001", "a/b", "t", "d", Severity.LOW, Level.ADVISORY, "r", "p", {"days": DAYS, "n": DAYS}
)
STACK = StackFacts("vision", "eu", "prod")
BUCKET = Resource("urn:b", "t", "b", {"tags": {"owner": SECRET}, "rules": [{"days": UNKNOWN}]})
GRAPH = ResourceGraph(STACK, (BUCKET,), complete=True)
HIDDEN = {"state": "hidden", "value": None, "property": "size"}
DOCUMENT = {
    "resources": [
        {
            "urn": "urn:b",
            "facts": {"machines": [{"minimum": HIDDEN}], "budget": {}, "region": 1},
            "labelSites": [{"property": "tags", "labels": {"owner": SECRET}}],
        }
    ]
}


def say(outcome, urn="urn:b", property=""):
    return Verdict("TG-X-001", urn, Outcome(outcome), Severity.LOW, Level.ADVISORY, "m", property)


def explain(verdicts, modules, urn="urn:b"):
    return explain_verdicts(RULE, urn, GRAPH, DOCUMENT, verdicts, (), modules)


def test_each_parameter_says_where_it_was_said():
    entry = {"days": 2, "byEnvironment": {"prod": {"days": 3}}, "byStack": {"us": {"n": 4}}}
    configuration = parse_configuration("c", {"TG-X-001": entry}, RuleSet((RULE,)))
    values = {"days": 3, "n": 1}
    assert explain_parameters(RULE, values, configuration, STACK) == (
        Parameter("days", 3, "byEnvironment.prod"),
        Parameter("n", 1, "default"),
    )


def test_what_the_rule_and_its_library_read_is_shown_and_nothing_else():
    modules = {
        "": "import data.tidegate.lib.pools\n",
        "pools": "x := resource.facts.machines\n",
        "labels": "y := resource.labelSites\nresource.facts.budget",
    }
    found = explain([say("unknown", property="rules[0].days")], modules)
    assert found.facts == {"machines": [{"minimum": HIDDEN}]}
    assert found.label_sites is None
    assert found.properties == {"rules[0].days": UNKNOWN}
    assert found.hidden == {
        "facts.machines[0].minimum": "hidden",
        "properties.rules[0].days": "not known yet",
    }
    assert found.meaning.startswith("unknown: what it looks at cannot be seen yet")


def test_a_secret_is_said_to_be_one():
    found = explain([say("pass", property="tags.owner")], {"": "site in resource.labelSites"})
    assert found.hidden == {
        "labelSites[0].labels.owner": "secret",
        "properties.tags.owner": "secret",
    }


def test_a_path_through_what_is_hidden_is_hidden():
    found = explain([say("unknown", property="rules[0].days.more")], {"": ""})
    assert found.properties == {"rules[0].days.more": UNKNOWN}
    assert explain([say("fail", property="rules[7].x")], {"": ""}).properties == {
        "rules[7].x": None
    }


def test_a_rule_without_a_word_is_said_to_have_none():
    found = explain([say("fail", urn="urn:other")], {"": ""})
    assert found.meaning == "nothing: the resource is none of those that it is about"
    whole = explain([say("fail")], {"": ""}, urn="")
    assert whole.meaning.startswith("nothing: it does not judge the stack as a whole")


def test_the_stack_has_no_facts():
    found = explain([say("fail", urn="")], {"": "facts.machines"}, urn="")
    assert (found.facts, found.label_sites, len(found.verdicts)) == ({}, None, 1)
