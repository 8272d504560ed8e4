"""Cloud Logging's query language, as sinks and exclusions use it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.localclouds.gcp.log_filter import FilterError, parse_filter

ENTRY: dict[str, Any] = {
    "logName": "projects/p/logs/cloudaudit.googleapis.com%2Fsystem_event",
    "severity": "WARNING",
    "insertId": "abc",
    "resource": {"type": "gce_instance", "labels": {"zone": "us-central1-a"}},
    "protoPayload": {"methodName": "compute.instances.preempted"},
    "jsonPayload": {"attempts": 3, "done": True, "steps": [{"name": "a"}, {"name": "b"}]},
    "labels": {"k8s-pod/app": "train"},
}

HOLD = [
    "",
    'protoPayload.methodName="compute.instances.preempted"',
    'resource.type="gce_instance" AND severity>=INFO',
    'resource.type="gce_instance" severity>=INFO',
    "resource.type=gce_instance\nseverity=WARNING",
    'protoPayload.methodName:"preempted"',
    'protoPayload.methodName=~"preempted$"',
    'protoPayload.methodName!="compute.instances.insert"',
    'protoPayload.methodName!~"insert"',
    'NOT severity="ERROR"',
    '-severity="ERROR"',
    'severity="ERROR" OR severity="WARNING"',
    'severity=("ERROR" OR "WARNING")',
    '(severity="ERROR" OR severity="WARNING") AND resource.labels.zone="us-central1-a"',
    # OR binds closer than AND.
    'severity="ERROR" OR severity="WARNING" AND insertId="abc"',
    "preempted",
    '"compute.instances"',
    "jsonPayload.attempts>=3 jsonPayload.attempts<10",
    "jsonPayload.attempts=3",
    "jsonPayload.done=true",
    'jsonPayload.steps.name="b"',
    'labels."k8s-pod/app"="train"',
    "jsonPayload.attempts:*",
    'log_id("cloudaudit.googleapis.com/system_event")',
    "sample(insertId, 1)",
    'severity="WARNING" -- a comment\nAND insertId="abc"',
    'absent.field!="x"',
]
FAIL = [
    'protoPayload.methodName="compute.instances.insert"',
    'resource.type="gce_instance" AND severity>=ERROR',
    'NOT resource.type="gce_instance"',
    'absent.field="x"',
    "absent.field:*",
    "jsonPayload.attempts>3",
    'severity=("ERROR" AND "WARNING")',
    'log_id("syslog")',
    "sample(insertId, 0)",
    "kubernetes",
    'insertId="abc" AND severity="ERROR" OR severity="INFO"',
]


@pytest.mark.parametrize("text", HOLD)
def test_filter_lets_the_entry_through(text: str) -> None:
    assert parse_filter(text)(ENTRY)


@pytest.mark.parametrize("text", FAIL)
def test_filter_stops_the_entry(text: str) -> None:
    assert not parse_filter(text)(ENTRY)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a="b', "unparseable"),
        ('a="b" AND', "expected"),
        ('(a="b"', r"expected '\)'"),
        ('a="b")', "unexpected"),
        ('a=~"["', "invalid regular expression"),
        ('ip_in_net(a, "10.0.0.0/8")', "do not evaluate the function 'ip_in_net'"),
        ("sample(insertId)", "a field and a fraction"),
        ("sample(insertId, much)", "fraction"),
    ],
)
def test_unreadable_filter_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(FilterError, match=words):
        parse_filter(text)


WORD = st.text("abcxyz01", min_size=1, max_size=5).filter(str.isalpha)


@given(field=WORD, value=st.text(min_size=0, max_size=12), other=st.text(max_size=12))
def test_equality_of_any_text_holds_exactly_for_that_text(
    field: str, value: str, other: str
) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    test = parse_filter(f'{field}="{quoted}"')
    assert test({field: value})
    assert test({field: other}) == (other.casefold() == value.casefold())


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        test = parse_filter(text)
    except FilterError:
        return
    assert test(ENTRY) in (True, False)


@given(st.text("abc", min_size=1, max_size=8), st.floats(0, 1), st.floats(0, 1))
def test_a_greater_sample_holds_whatever_a_smaller_one_does(
    key: str, one: float, two: float
) -> None:
    low, high = sorted((one, two))
    small = parse_filter(f"sample(insertId, {low:f})")({"insertId": key})
    assert small <= parse_filter(f"sample(insertId, {high:f})")({"insertId": key})
