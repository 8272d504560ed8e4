from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidegate.policy.event_log import read_event_log
from tidegate.vocabulary.problems import InvalidInput

RECORDED = Path(__file__).resolve().parents[2] / "data" / "engine"
HEAD = "urn:pulumi:dev::vision::aws:s3/bucket:Bucket::"
START = {"preludeEvent": {"config": {"vision:environment": "prod"}}}
END = {"summaryEvent": {"result": "succeeded", "resourceChanges": {}}}


def step(op, name, kind="resourcePreEvent", **state):
    new = {"urn": HEAD + name, "type": "aws:s3/bucket:Bucket", "custom": True, **state}
    return {kind: {"metadata": {"op": op, "urn": HEAD + name, "new": new}}}


def log_of(*events):
    return "\n".join(json.dumps(event) for event in events) + "\n"


def test_the_last_state_of_each_resource_is_read():
    log = read_event_log(
        "log",
        log_of(
            START,
            step("create", "a", inputs={"x": 1}),
            step("create", "a", "resOutputsEvent", inputs={"x": 1}, id="a-1"),
            {"resourcePreEvent": {"metadata": {"op": "delete", "urn": HEAD + "b", "new": None}}},
            END,
        ),
    )
    (only,) = log.graph.resources
    assert (only.name, only.properties, only.identifiers) == ("a", {"x": 1}, {"id": "a-1"})
    assert log.graph.stack.environment == "prod"
    assert log.graph.complete
    assert not log.graph.manifest_hidden
    assert log.stopped_by == ()


def test_an_up_that_previews_first_is_read_from_its_last_phase():
    log = read_event_log("log", log_of(START, step("create", "a"), END, START, END))
    assert log.graph.resources == ()


def test_a_run_that_policies_stopped_is_told_apart_from_one_that_crashed():
    stopped = read_event_log("log", (RECORDED / "events_violation.jsonl").read_text())
    assert stopped.stopped_by == ("no-two",)
    assert not stopped.graph.complete
    assert stopped.graph.manifest_hidden
    with pytest.raises(InvalidInput, match="failed before all resources were seen, and not by a"):
        read_event_log("log", (RECORDED / "events_pack_crash.jsonl").read_text())


def test_a_log_that_was_recorded_from_the_engine_is_read_whole():
    log = read_event_log("log", (RECORDED / "events_update.jsonl").read_text())
    found = sorted(each.name for each in log.graph.resources if each.type.startswith("tiny:"))
    assert found == [f"t{number}" for number in range(6)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no event log"),
        ("{}\n", "is no event log"),
        ("[]\n", "is no event"),
        ('{"preludeEvent": {"con', "line 1: is no JSON"),
        (log_of(START, step("create", "a")), "the log is truncated"),
        (log_of(START, {"resourcePreEvent": {"metadata": {}}}, END), "a step without urn and op"),
        (
            log_of(START, {"resourcePreEvent": {"metadata": {"op": "same", "urn": "urn:a"}}}, END),
            "has no state",
        ),
    ],
)
def test_another_text_is_refused_and_never_an_empty_stack(text, said):
    with pytest.raises(InvalidInput, match=said):
        read_event_log("log", text)
