"""Recorded event logs of the real engine become values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidegate.engine.cli_process import Collector
from tidegate.engine.events import (
    Diagnostic,
    PhaseStarted,
    PolicyViolation,
    ResourceStep,
    StepState,
    Summary,
    parse_event,
)
from tidegate.engine.results import Outcome, RunResult

DATA = Path(__file__).parents[2] / "data" / "engine"


def read(name: str) -> list[dict]:
    text = (DATA / f"events_{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def collect(name: str, exit_code: int, output: str = "") -> RunResult:
    collector = Collector()
    for raw in read(name):
        collector.receive(raw)
    return collector.result("up", exit_code, output, 1.5)


def test_an_update_becomes_steps_with_identifiers_and_a_count() -> None:
    result = collect("update", 0)
    assert result.outcome is Outcome.SUCCEEDED
    assert [(step.name, step.id) for step in result.created] == [
        ("t5", "t5"),
        ("t4", "thing-" + result.created[1].id.removeprefix("thing-")),
    ]
    assert sorted(step.name for step in result.unchanged) == ["t0", "t1", "t2", "t3"]
    assert result.changes == {"create": 2, "same": 5}
    assert result.has_changes


def test_a_mandatory_violation_explains_a_failed_run() -> None:
    result = collect("violation", 1)
    assert result.outcome is Outcome.POLICY_VIOLATION
    assert result.violations == (
        PolicyViolation(
            policy="no-two",
            pack="tiny",
            level="mandatory",
            message="No things of size two\nsize two is refused",
            urn="urn:pulumi:dev::tiny::tiny:index:Thing::t2",
        ),
        PolicyViolation(
            policy="odd",
            pack="tiny",
            level="advisory",
            message="Odd\none is odd",
            urn="urn:pulumi:dev::tiny::tiny:index:Thing::t1",
        ),
    )
    assert result.explain() == (
        "pulumi up: stopped by policy\n"
        "  tiny/no-two (mandatory) t2\n"
        "    No things of size two\n"
        "    size two is refused"
    )


def test_a_pack_that_crashed_is_no_verdict() -> None:
    result = collect("pack_crash", 1)
    assert result.outcome is Outcome.POLICY_PACK_FAILED
    assert result.violations == ()
    assert "failed to run policy: Exception calling application: pack bug" in result.explain()


@pytest.mark.parametrize("name", ["update", "violation", "pack_crash"])
def test_debug_messages_and_bookkeeping_events_say_nothing(name: str) -> None:
    kinds = {type(parse_event(raw)) for raw in read(name)}
    assert kinds <= {
        type(None), Diagnostic, PhaseStarted, PolicyViolation, ResourceStep, Summary,
    }  # fmt: skip
    debug = next(e for e in read(name) if e.get("diagnosticEvent", {}).get("severity") == "debug")
    assert parse_event(debug) is None


def test_a_kind_of_event_that_a_newer_engine_adds_is_passed_over() -> None:
    assert parse_event({"sequence": 4, "timestamp": 1, "quantumEvent": {"x": 1}}) is None


def test_the_update_replaces_what_its_preview_foretold() -> None:
    collector = Collector()
    for raw in [*read("update"), *read("update")]:
        collector.receive(raw)
    once = collect("update", 0)
    assert collector.result("up", 0, "", 1.5) == once


def test_a_failed_step_is_a_failed_resource() -> None:
    raw = {
        "resOpFailedEvent": {
            "metadata": {
                "op": "create",
                "urn": "urn:pulumi:dev::p::aws:s3/bucket:Bucket::logs",
                "type": "aws:s3/bucket:Bucket",
                "old": None,
                "new": {"id": ""},
            }
        }
    }
    assert parse_event(raw) == ResourceStep(
        urn="urn:pulumi:dev::p::aws:s3/bucket:Bucket::logs",
        type="aws:s3/bucket:Bucket",
        operation="create",
        state=StepState.FAILED,
    )
