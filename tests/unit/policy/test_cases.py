from __future__ import annotations

import pytest

from tidegate.policy.cases import build_case_graph, compare_case, parse_cases
from tidegate.policy.values import UNKNOWN
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict


def case(expect=(), **others):
    given = {"name": "n", "resources": [{"type": "a:b:C", "name": "x"}], "expect": list(expect)}
    (parsed,) = parse_cases("w", {"cases": [{**given, **others}]})
    return parsed


def verdict(outcome="fail", name="x", **texts):
    texts = {"message": "m", **texts}
    urn = f"urn:pulumi:prod::cases::a:b:C::{name}" if name else ""
    return Verdict("TG-X", urn, Outcome(outcome), Severity.LOW, Level.ADVISORY, **texts)


FAIL = {"resource": "x", "outcome": "fail"}


@pytest.mark.parametrize(
    ("expect", "found", "faults"),
    [
        ([], [], []),
        ([FAIL], [verdict()], []),
        ([], [verdict("pass", message="")], []),
        ([], [verdict("not-applicable")], []),
        ([{"resource": "x", "outcome": "pass"}], [verdict("pass", message="")], []),
        ([{"outcome": "fail"}], [verdict(name="")], []),
        (
            [FAIL, {**FAIL, "property": "tags"}],
            [verdict(property="tags"), verdict(property="rules")],
            [],
        ),
        ([FAIL], [], ["expected and not found: fail on x"]),
        ([FAIL, FAIL], [verdict()], ["expected and not found: fail on x"]),
        ([], [verdict()], ["found and not expected: fail on x, message 'm'"]),
        (
            [{**FAIL, "found": "1"}],
            [verdict("unknown", found="1")],
            [
                "expected and not found: fail on x, found '1'",
                "found and not expected: unknown on x, message 'm', found '1'",
            ],
        ),
        ([{**FAIL, "message": ""}], [verdict()], ["expected", "found and not"]),
        ([], [verdict("pass")], ["found and not expected: pass on x, message 'm'"]),
    ],
)
def test_a_case_fails_on_what_lacks_and_on_what_is_too_much(expect, found, faults):
    told = compare_case(case(expect), found)
    assert len(told) == len(faults)
    assert all(one.startswith(start) for one, start in zip(told, faults, strict=True))


def test_resources_are_read_as_states_are():
    resources = [
        {"type": "aws:s3/bucket:Bucket", "properties": {"tags": {"$unknown": True}}},
        {"type": "aws:s3/bucket:Bucket", "name": "kept", "protect": True},
    ]
    graph = build_case_graph("w", case(resources=resources, environment="dev"))
    assert (graph.stack.environment, graph.complete) == ("dev", True)
    it, kept = graph.resources
    assert (it.name, it.properties, kept.name, kept.protect) == (
        "it",
        {"tags": UNKNOWN},
        "kept",
        True,
    )


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (None, "has no cases"),
        ({"cases": []}, "has no cases"),
        ({"cases": {"a": 1}}, "is no list"),
        ({"cases": [1]}, "is no case"),
        ({"case": [1]}, "has no cases"),
        ({"cases": [{"name": "n", "expect": []}]}, "has no input, or several"),
        ({"cases": [{"resources": [], "expect": []}]}, "name: is missing"),
        ({"cases": [{"name": "n", "resources": []}]}, "expect: is no list"),
        ({"cases": [{"name": "n", "export": [], "expect": []}]}, "export: is no file"),
        (
            {"cases": [{"name": "n", "resources": [], "expects": [], "expect": []}]},
            "expects: is not known (did you mean 'expect'?)",
        ),
        (
            {"cases": [{"name": "n", "resources": [{"type": "a", "props": {}}], "expect": []}]},
            "resources[0].props: is not known (did you mean 'properties'?)",
        ),
        (
            {"cases": [{"name": "n", "resources": [{"name": "a"}], "expect": []}]},
            "resources[0]: is no resource",
        ),
        (
            {"cases": [{"name": "n", "resources": [], "expect": [{"outcome": "failed"}]}]},
            "expect[0].outcome = failed: is no outcome",
        ),
        (
            {"cases": [{"name": "n", "resources": [], "expect": [], "parameters": 1}]},
            "parameters: is no mapping",
        ),
    ],
)
def test_what_nobody_reads_tests_nothing_and_is_refused(document, said):
    with pytest.raises(InvalidInput) as caught:
        parse_cases("w", document)
    assert said in str(caught.value)
