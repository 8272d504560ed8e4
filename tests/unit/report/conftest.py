"""One report with a finding of every standing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tidegate.policy.graph import Resource, StackFacts
from tidegate.policy.judgement import Finding, Judgement, Standing
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.policy.waivers import Waiver, WaiverReview
from tidegate.report.check_report import CheckReport
from tidegate.vocabulary.verdicts import Level, Outcome, Severity, SourceLine, Verdict

HEAD = "urn:pulumi:prod::vision::"
RULE = Rule(
    "TG-LBL-001",
    "labels/mandatory_cost_labels",
    "Cost <labels>",
    "Everything that costs carries labels.",
    Severity.HIGH,
    Level.MANDATORY,
    "Add them & go.",
    "docs/labels.md",
)
OTHER = Rule(
    "TG-TEL-001", "telemetry/x", "Retention", "Why.", Severity.LOW, Level.ADVISORY, "Do.", "docs"
)


def verdict(name, outcome=Outcome.FAIL, **others):
    return Verdict(
        rule="TG-LBL-001",
        urn=f"{HEAD}aws:s3/bucket:Bucket::{name}",
        outcome=outcome,
        severity=Severity.HIGH,
        level=Level.MANDATORY,
        message=f"{name} lacks <labels>, 100% & more",
        property="tags",
        expected="owner",
        found="no labels",
        source=SourceLine("src/a b.py", 12),
        **others,
    )


WAIVER = Waiver(
    "TG-LBL-001", f"{HEAD}aws:s3/bucket:Bucket::old", "ml", "moves|soon", date(2027, 1, 31)
)
EXPIRED = replace(WAIVER, urn=f"{HEAD}aws:s3/bucket:Bucket::late", expires=date(2026, 1, 1))


@pytest.fixture
def report():
    unknown = replace(verdict("later", Outcome.UNKNOWN), source=None)
    remark = replace(verdict("spelt", Outcome.PASS), message="spelt spells owner as Owner")
    findings = (
        Finding(verdict("bare"), Standing.VIOLATION),
        Finding(unknown, Standing.ADVICE),
        Finding(verdict("old", Outcome.WAIVED), Standing.WAIVED, WAIVER),
        Finding(verdict("ancient"), Standing.BASELINE),
        Finding(remark, Standing.FINE),
        Finding(replace(verdict("fine", Outcome.PASS), message=""), Standing.FINE),
        Finding(replace(verdict("none", Outcome.NOT_APPLICABLE)), Standing.FINE),
    )
    random = Resource(f"{HEAD}random:index/id:Id::r", "random:index/id:Id", "r", {})
    judgement = Judgement(
        StackFacts("vision", "prod", "production"),
        "preview plan.json",
        8,
        findings,
        (random,),
        ("the preview was made without --show-sames",),
    )
    review = WaiverReview(expired=(EXPIRED,), unused=(), for_nothing=())
    return CheckReport((judgement,), RuleSet((OTHER, RULE)), review, "0.1.0", "infra")
