"""What a stack was before the run, told by previews and event logs."""

from __future__ import annotations

import json

import pytest

from tidegate.policy.earlier import Earlier, is_stack, read_earlier
from tidegate.policy.event_log import read_event_log
from tidegate.policy.preview import read_preview

URN = "urn:pulumi:prod::vision::pulumi:pulumi:Stack::vision-prod"
CAPACITY = {"version": "tidegate/capacity/v1", "project": "vision", "stack": "prod", "pools": []}
OLD = {"urn": URN, "type": "pulumi:pulumi:Stack", "outputs": {"capacity": CAPACITY}}
NEW = {"urn": URN, "type": "pulumi:pulumi:Stack"}


def preview(**step):
    return {"steps": [{"op": "update", "urn": URN, "newState": NEW, **step}], "changeSummary": {}}


def log(op, **metadata):
    events = [
        {"preludeEvent": {"config": {}}},
        {"resourcePreEvent": {"metadata": {"op": op, "urn": URN, "new": NEW, **metadata}}},
        {"summaryEvent": {"result": "succeeded"}},
    ]
    return "\n".join(json.dumps(event) for event in events)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (None, Earlier(exists=False)),
        (NEW, Earlier(exists=True)),
        ({**NEW, "outputs": {"other": 1}}, Earlier(exists=True)),
        (OLD, Earlier(exists=True, manifest=CAPACITY)),
    ],
)
def test_a_state_tells_whether_it_was_there_and_what_it_declared(state, expected):
    assert read_earlier(state) == expected
    step = {} if state is None else {"oldState": state}
    assert read_preview("p", preview(**step)).earlier == expected
    metadata = {} if state is None else {"old": state}
    op = "create" if state is None else "update"
    assert read_event_log("e", log(op, **metadata)).earlier == expected


def test_where_nothing_is_of_the_stack_itself_nobody_knows():
    assert read_preview("p", {"changeSummary": {}}).earlier is None


def test_secrets_of_the_state_are_taken_out():
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
    outputs = {"capacity": {**CAPACITY, "catalogDigest": {**secret, "plaintext": '"s3cr3t"'}}}
    assert "s3cr3t" not in repr(read_earlier({**NEW, "outputs": outputs}))


def test_a_stack_is_told_by_its_type_and_not_by_a_name():
    assert is_stack(URN)
    assert not is_stack("urn:pulumi:prod::vision::aws:s3/bucket:Bucket::pulumi:pulumi:Stack")
