from __future__ import annotations

import pytest

from tidegate.policy.fixing import plan_fixes
from tidegate.policy.graph import Provider, Resource, ResourceGraph, StackFacts
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

PARAMETERS = {"requiredKeys": ["owner", "cost-center"], "aliases": {}}
RULES = RuleSet(
    tuple(
        Rule(name, path, "t", "d", Severity.LOW, Level.MANDATORY, f"mend {name}", "docs")
        for name, path in (("TG-LBL-001", "a/b"), ("TG-STO-001", "a/c"))
    )
)
BUCKET = "aws:s3/bucket:Bucket"
GCP_BUCKET = "gcp:storage/bucket:Bucket"
GROUP = "azure-native:resources:ResourceGroup"
POOL = "gcp:container/nodePool:NodePool"
HEAD = "urn:pulumi:prod::vision::pulumi:providers:aws::"


def plan(token, properties, own, *, at="tags", provider="", outcome="fail", rule="TG-LBL-001"):
    resource = Resource("urn:x", token, "x", properties, provider=Provider(provider))
    graph = ResourceGraph(StackFacts(), (resource,), complete=True)
    verdict = Verdict(
        rule, "urn:x", Outcome(outcome), Severity.LOW, Level.MANDATORY, "m", property=at
    )
    found = plan_fixes(graph, [verdict], own, PARAMETERS, RULES)
    assert bool(found.mended) == (not found.left and outcome == "fail")
    return dict(found.additions), [(left.keys, left.reason) for left in found.left]


OWN = {"owner": "ml", "cost-center": "cc-1", "team": "a"}


@pytest.mark.parametrize("provider", ["", f"{HEAD}default", f"{HEAD}default_7_12_0"])
def test_what_lacks_goes_to_the_default_labels_of_the_default_provider(provider):
    given = plan(BUCKET, {"tags": {"Owner": "a"}}, OWN, provider=provider)
    assert given == ({Cloud.AWS: {"cost-center": "cc-1"}}, [])


def test_google_has_default_labels_too():
    assert plan(GCP_BUCKET, {}, OWN, at="labels") == (
        {Cloud.GCP: {"owner": "ml", "cost-center": "cc-1"}},
        [],
    )


def test_nobody_is_invented():
    assert plan(BUCKET, {}, {"cost-center": "cc-1"}) == (
        {Cloud.AWS: {"cost-center": "cc-1"}},
        [(("owner",), "the stack's own labels do not give owner; nothing is invented")],
    )


@pytest.mark.parametrize(
    ("token", "properties", "others", "reason"),
    [
        (GROUP, {}, {}, "azure-native has no default labels"),
        (
            POOL,
            {},
            {"at": "nodeConfig.resourceLabels"},
            "default labels do not reach nodeConfig.resourceLabels",
        ),
        (
            BUCKET,
            {},
            {"provider": f"{HEAD}own"},
            "its provider own is declared by the program, not by configuration",
        ),
        (
            BUCKET,
            {},
            {"provider": f"{HEAD}default_eu"},
            "its provider default_eu is declared by the program, not by configuration",
        ),
    ],
)
def test_what_configuration_does_not_reach_is_left_with_the_reason(
    token, properties, others, reason
):
    assert plan(token, properties, OWN, **others) == ({}, [(("owner", "cost-center"), reason)])


def test_an_empty_value_in_the_program_goes_before_default_labels():
    additions, left = plan(BUCKET, {"tags": {"Owner": ""}}, OWN)
    assert additions == {Cloud.AWS: {"cost-center": "cc-1"}}
    assert [keys for keys, _ in left] == [("owner",)]


def test_an_empty_value_alone_adds_nothing():
    additions, left = plan(BUCKET, {"tags": {"owner": " ", "cost-center": "c"}}, OWN)
    assert (additions, [keys for keys, _ in left]) == ({}, [("owner",)])


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"rule": "TG-STO-001"}, "is not about a missing label"),
        ({"at": "tags.owner"}, "lacks no label that could be added there"),
    ],
)
def test_other_failures_are_left_with_what_their_rule_advises(others, reason):
    assert plan(BUCKET, {}, OWN, **others) == ({}, [((), reason)])


@pytest.mark.parametrize("outcome", ["pass", "unknown", "not-applicable", "waived"])
def test_only_failures_are_mended(outcome):
    assert plan(BUCKET, {}, OWN, outcome=outcome) == ({}, [])
