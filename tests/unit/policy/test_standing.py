from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tidegate.policy.baseline import build_baseline
from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.judgement import FailLevel, Finding, Standing, Threshold, decide_standing
from tidegate.policy.standing import Terms, build_judgement, review_all
from tidegate.policy.waivers import Waiver
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, Verdict

TODAY = date(2026, 11, 30)
HEAD = "urn:pulumi:prod::vision::"
URN = f"{HEAD}aws:s3/bucket:Bucket::data"
FAILURE = Verdict("TG-LBL-001", URN, Outcome.FAIL, Severity.MEDIUM, Level.MANDATORY, "m")
UNKNOWN = replace(FAILURE, outcome=Outcome.UNKNOWN)
ADVISORY = replace(FAILURE, level=Level.ADVISORY)
WAIVER = Waiver("TG-LBL-001", URN, "ml", "why", date(2027, 1, 1))
BUCKET = Resource(URN, "aws:s3/bucket:Bucket", "data", {})


def graph_of(*resources):
    return ResourceGraph(StackFacts("vision", "prod", "prod"), resources, complete=True)


def judge(*verdicts, **terms):
    return build_judgement("export", graph_of(BUCKET), verdicts, Terms(TODAY, **terms))


@pytest.mark.parametrize(
    ("verdict", "threshold", "standing"),
    [
        (FAILURE, Threshold(), Standing.VIOLATION),
        (ADVISORY, Threshold(), Standing.ADVICE),
        (ADVISORY, Threshold(FailLevel.ADVISORY), Standing.VIOLATION),
        (FAILURE, Threshold(FailLevel.NEVER), Standing.ADVICE),
        (FAILURE, Threshold(severity=Severity.HIGH), Standing.ADVICE),
        (FAILURE, Threshold(severity=Severity.MEDIUM), Standing.VIOLATION),
        (UNKNOWN, Threshold(), Standing.ADVICE),
        (UNKNOWN, Threshold(unknown_fails=True), Standing.VIOLATION),
        (UNKNOWN, Threshold(severity=Severity.HIGH, unknown_fails=True), Standing.ADVICE),
        (replace(FAILURE, outcome=Outcome.PASS), Threshold(unknown_fails=True), Standing.FINE),
        (replace(FAILURE, outcome=Outcome.NOT_APPLICABLE), Threshold(), Standing.FINE),
    ],
)
def test_the_threshold_decides_what_makes_the_check_fail(verdict, threshold, standing):
    assert decide_standing(verdict, threshold) is standing


def test_a_failure_fails_the_check_and_a_waiver_lets_it_through():
    assert judge(FAILURE).failed
    waived = judge(FAILURE, waivers=(WAIVER,))
    assert not waived.failed
    expected = Finding(replace(FAILURE, outcome=Outcome.WAIVED), Standing.WAIVED, WAIVER)
    assert waived.findings == (expected,)


def test_an_expired_waiver_lets_nothing_through():
    assert judge(FAILURE, waivers=(replace(WAIVER, expires=date(2026, 1, 1)),)).failed


def test_what_is_in_the_baseline_does_not_fail_and_passes_stay_passes():
    passing = replace(FAILURE, outcome=Outcome.PASS)
    judged = judge(FAILURE, passing, baseline=build_baseline([FAILURE]))
    assert [finding.standing for finding in judged.findings] == [Standing.BASELINE, Standing.FINE]


def test_a_waiver_goes_before_the_baseline_so_that_it_is_in_use():
    terms = Terms(TODAY, waivers=(WAIVER,), baseline=build_baseline([FAILURE]))
    judged = build_judgement("export", graph_of(BUCKET), [FAILURE], terms)
    assert judged.findings[0].waiver is WAIVER
    assert review_all([judged], [graph_of(BUCKET)], terms).unused == ()


def test_what_left_the_baseline_is_said_for_this_stack_alone():
    elsewhere = replace(FAILURE, urn="urn:pulumi:dev::vision::x::y")
    judged = judge(baseline=build_baseline([FAILURE, elsewhere]))
    assert judged.notes == ("1 of the baseline no longer occur(s): write the baseline again",)


def test_configuration_sets_levels_and_switches_rules_off():
    assert not judge(FAILURE, levels={"TG-LBL-001": Level.ADVISORY}).failed
    assert judge(FAILURE, disabled=frozenset({"TG-LBL-001"})).findings == ()


def test_a_resource_of_another_provider_is_not_covered_and_never_a_pass():
    random = Resource(f"{HEAD}random:index/id:Id::r", "random:index/id:Id", "r", {})
    component = Resource(f"{HEAD}a:b:C::c", "a:b:C", "c", {}, custom=False)
    engine = Resource(f"{HEAD}pulumi:providers:aws::p", "pulumi:providers:aws", "p", {})
    judged = Resource(
        f"{HEAD}kubernetes:core/v1:Namespace::n", "kubernetes:core/v1:Namespace", "n", {}
    )
    graph = graph_of(BUCKET, random, component, engine, judged)
    said = [replace(FAILURE, urn=judged.urn, outcome=Outcome.PASS)]
    judgement = build_judgement("export", graph, said, Terms(TODAY))
    assert judgement.not_covered == (random,)
    assert judgement.resources == 4


def test_a_chart_that_nobody_rendered_is_not_covered_and_one_with_children_is():
    kind = "kubernetes:helm.sh/v3:Chart"
    bare = Resource(f"{HEAD}{kind}::bare", kind, "bare", {}, custom=False)
    whole = Resource(f"{HEAD}{kind}::whole", kind, "whole", {}, custom=False)
    child = replace(BUCKET, urn=f"{HEAD}aws:s3/bucket:Bucket::child", parent=whole.urn)
    judgement = build_judgement("program", graph_of(bare, whole, child), [], Terms(TODAY))
    assert judgement.not_covered == (bare,)
