"""What the main job shows in the end, for a person and for a program."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.cli.main_job import MainJob, StackState
from tidegate.cli.up_report import build_report, print_report, render_changes
from tidegate.cli.verdicts import RuleSummary, StackVerdicts
from tidegate.engine.recovery import Recovery
from tidegate.engine.results import Outcome as RunOutcome
from tidegate.engine.results import RunResult
from tidegate.localclouds.endpoints import Endpoints
from tidegate.manifest.model import Manifest
from tidegate.opa.pack import find_pack, load_rules
from tidegate.pricing.plan import build_plan_cost
from tidegate.vocabulary.verdicts import Outcome

ENDPOINTS = Endpoints(1, {}, "", "", "", "", "", "2026-11-30T00:00:00+00:00", "/state", "")


def build_result(outcome: RunOutcome = RunOutcome.SUCCEEDED, **changes: int) -> RunResult:
    return RunResult("up", outcome, 0, changes, (), (), (), "", 1.0)


@pytest.fixture
def state(tmp_path: Path) -> StackState:
    labels = {"environment": "prod", "capacity-pool": "train"}
    pool = {
        "id": "train",
        "cloud": "gcp",
        "region": "us-central1",
        "kind": "gke-node-pool",
        "accelerator": "a100-80gb",
        "acceleratorsPerNode": 8,
        "instanceTypes": ["a2-ultragpu-8g"],
        "capacityType": "spot",
        "minNodes": 0,
        "maxNodes": 4,
        "declaredNodes": "0.5",
        "bootSeconds": 300,
        "labels": labels,
        "interruptionTolerance": "tolerant",
        "workloadClasses": ["training"],
        "scaler": "tidegate",
    }
    cold = {
        "id": "cold",
        "cloud": "aws",
        "region": "us-east-1",
        "storageClass": "log",
        "tiers": [{"afterDays": 0, "storageClass": "INTELLIGENT_TIERING"}],
        "expireAfterDays": 400,
        "expectedGib": "10",
        "labels": {},
    }
    manifest = Manifest.model_validate(
        {"project": "p", "stack": "prod", "catalogDigest": "x", "pools": [pool], "buckets": [cold]}
    )
    rule = load_rules(find_pack()).rule("TG-SCL-001")
    resources: list[dict[str, Any]] = [
        {"type": "pulumi:pulumi:Stack", "custom": False},
        {"type": "pulumi:providers:gcp", "custom": True},
        {"type": "gcp:container/nodePool:NodePool", "custom": True},
    ]
    return StackState(
        manifest=manifest,
        manifest_path=tmp_path / "prod.json",
        export={"deployment": {"resources": resources}},
        verdicts=StackVerdicts((), (RuleSummary(rule, {Outcome.PASS: 1}),)),
        cost=build_plan_cost(manifest, load_catalog()),
        review=tmp_path / "commitments.html",
    )


def test_the_document_counts_what_was_made_and_keeps_amounts_as_strings(state: StackState) -> None:
    recovery = Recovery(notes=["Removed the lock of a run that is gone: 7"])
    document = build_report(MainJob("prod", ENDPOINTS, recovery, build_result(create=1), state))
    assert document["changes"] == {"create": 1}
    assert document["recovered"] == recovery.notes
    assert document["resources"] == [
        {"cloud": "gcp", "type": "gcp:container/nodePool:NodePool", "count": 1}
    ]
    assert document["verdicts"] == [
        {
            "rule": "TG-SCL-001",
            "title": "Scale-to-zero minimums",
            "level": "mandatory",
            "pass": 1,
            "fail": 0,
            "unknown": 0,
            "not-applicable": 0,
            "waived": 0,
        }
    ]
    total = document["monthlyCost"]["USD"]["total"]
    assert Decimal(total["minimum"]) == 0
    assert Decimal(total["maximum"]) > Decimal(total["on_demand"]) > Decimal(total["declared"]) > 0
    assert [entry["id"] for entry in document["unknownCosts"]] == ["cold"]


def test_a_person_sees_pools_verdicts_cost_what_is_not_counted_and_what_to_try(
    state: StackState, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(MainJob("prod", ENDPOINTS, Recovery(), build_result(create=1), state))
    shown = capsys.readouterr().out
    for part in ("1 created", "8 × a100-80gb", "TG-SCL-001", "all on-demand", "no price of"):
        assert part in shown
    assert "\x1b[" not in shown
    assert f"tidegate manifest show {state.manifest_path}" in shown
    assert "tidegate controller plan --stack prod " in shown
    assert f"Commitment review, on sample use: {state.review}" in " ".join(shown.split())


def test_rules_that_concern_nothing_of_the_stack_are_counted_and_not_listed(
    state: StackState, capsys: pytest.CaptureFixture[str]
) -> None:
    idle = RuleSummary(load_rules(find_pack()).rule("TG-TEL-001"), {Outcome.NOT_APPLICABLE: 2})
    verdicts = StackVerdicts((), (*state.verdicts.by_rule, idle))
    job = MainJob("prod", ENDPOINTS, Recovery(), build_result(), replace(state, verdicts=verdicts))

    print_report(job)

    shown = capsys.readouterr().out
    assert "TG-TEL-001" not in shown
    assert "1 more rules found nothing here that they concern." in shown
    assert [each["rule"] for each in build_report(job)["verdicts"]] == ["TG-SCL-001", "TG-TEL-001"]


def test_a_run_that_was_refused_shows_no_cost(capsys: pytest.CaptureFixture[str]) -> None:
    job = MainJob("prod", ENDPOINTS, Recovery(), build_result(RunOutcome.POLICY_VIOLATION), None)
    print_report(job)
    assert capsys.readouterr().out == ""
    assert build_report(job) == {
        "stack": "prod",
        "outcome": "policy-violation",
        "changes": {},
        "recovered": [],
        "violations": [],
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"create": 147}, "147 created"),
        ({"same": 147}, "no changes (147 unchanged)"),
        ({"same": 2, "update": 1, "delete": 3}, "3 deleted, 1 updated (2 unchanged)"),
        ({}, "no changes"),
    ],
)
def test_changes_are_said_in_one_phrase(changes: dict[str, int], said: str) -> None:
    assert render_changes(build_result(**changes)) == said
