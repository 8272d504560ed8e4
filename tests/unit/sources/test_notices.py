"""Announcements of machines' ends: what each cloud's messages say, and how queues are read."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.sources.notice_forms import parse_notices
from tidegate.sources.notices import collect
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.notices import Notice, NoticeKind

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
EVENT = {
    "version": "0",
    "id": "e-1",
    "detail-type": "EC2 Spot Instance Interruption Warning",
    "source": "aws.ec2",
    "account": "123456789012",
    "time": "2026-11-30T12:00:00Z",
    "region": "us-east-1",
    "resources": ["arn:aws:ec2:us-east-1a:instance/i-0abc"],
    "detail": {"instance-id": "i-0abc", "instance-action": "terminate"},
}
HEALTH = {
    **EVENT,
    "detail-type": "AWS Health Event",
    "source": "aws.health",
    "detail": {
        "eventArn": "arn:aws:health:us-east-1::event/EC2/R/1",
        "service": "EC2",
        "eventTypeCode": "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
        "eventTypeCategory": "scheduledChange",
        "statusCode": "upcoming",
        "startTime": "Thu, 3 Dec 2026 06:00:00 GMT",
        "affectedEntities": [{"entityValue": "i-0abc"}, {"entityValue": "i-0def"}],
    },
}
ENTRY = {
    "insertId": "x1",
    "timestamp": "2026-11-30T12:00:00.250000Z",
    "protoPayload": {
        "methodName": "compute.instances.preempted",
        "resourceName": "projects/acme/zones/us-central1-a/instances/spot-ab12",
    },
}
TARGET = "/subscriptions/s/resourceGroups/ml/providers/Microsoft.Compute/virtualMachines/spot_1"
ANNOTATED = {
    "id": "a-1",
    "eventType": "Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated",
    "eventTime": "2026-11-30T12:00:00Z",
    "data": {
        "resourceInfo": {
            "properties": {
                "targetResourceId": TARGET,
                "annotationName": "VirtualMachinePreempted",
                "reason": "Low priority machine preempted",
            }
        }
    },
}


def parse(cloud, body, **changes):
    return parse_notices(cloud, json.dumps({**body, **changes}))


def test_a_spot_instance_has_two_minutes_from_its_warning():
    assert parse(Cloud.AWS, EVENT) == [
        Notice(
            "e-1", "aws", "i-0abc", NoticeKind.INTERRUPTION, AT, AT + timedelta(seconds=120),
            "EC2 Spot Instance Interruption Warning: terminate",
        )
    ]  # fmt: skip


def test_an_event_may_come_by_way_of_a_topic():
    letter = {"Type": "Notification", "TopicArn": "arn:x", "Message": json.dumps(EVENT)}

    assert parse(Cloud.AWS, letter) == parse(Cloud.AWS, EVENT)
    with pytest.raises(ValueError, match="lacks"):
        parse(Cloud.AWS, {**letter, "Message": "[1]"})


def test_a_recommendation_names_no_end():
    (notice,) = parse(
        Cloud.AWS,
        EVENT,
        **{
            "detail-type": "EC2 Instance Rebalance Recommendation",
            "detail": {"instance-id": "i-0abc"},
        },
    )

    assert (notice.kind, notice.ends_at) == (NoticeKind.REBALANCE, None)


@pytest.mark.parametrize(
    ("state", "kinds"),
    [("terminated", [NoticeKind.ENDED]), ("shutting-down", [NoticeKind.ENDED]), ("running", [])],
)
def test_a_state_tells_only_of_an_end(state, kinds):
    found = parse(
        Cloud.AWS,
        EVENT,
        **{
            "detail-type": "EC2 Instance State-change Notification",
            "detail": {"instance-id": "i-0abc", "state": state},
        },
    )

    assert [notice.kind for notice in found] == kinds


def test_a_scheduled_change_is_told_for_each_machine_with_its_time():
    found = parse(Cloud.AWS, HEALTH)

    starts = datetime(2026, 12, 3, 6, 0, tzinfo=UTC)
    assert [(notice.machine, notice.kind, notice.ends_at) for notice in found] == [
        ("i-0abc", NoticeKind.MAINTENANCE, starts),
        ("i-0def", NoticeKind.MAINTENANCE, starts),
    ]
    assert len({notice.id for notice in found}) == 2


@pytest.mark.parametrize(
    "detail", [{"statusCode": "closed"}, {"eventTypeCategory": "accountNotification"}]
)
def test_a_change_that_is_over_or_none_is_of_no_machine(detail):
    assert parse(Cloud.AWS, HEALTH, detail={**HEALTH["detail"], **detail}) == []


def test_google_tells_of_a_preemption_by_its_audit_log():
    (notice,) = parse(Cloud.GCP, ENTRY)

    at = AT + timedelta(milliseconds=250)
    assert notice == Notice(
        "x1/projects/acme/zones/us-central1-a/instances/spot-ab12",
        "gcp",
        "projects/acme/zones/us-central1-a/instances/spot-ab12",
        NoticeKind.INTERRUPTION,
        at,
        at + timedelta(seconds=30),
        "was preempted",
    )


def test_azure_tells_that_a_machine_was_taken():
    (notice,) = parse(Cloud.AZURE, ANNOTATED)

    assert notice == Notice(
        "a-1", "azure", TARGET, NoticeKind.INTERRUPTION, AT, AT, "Low priority machine preempted"
    )


def test_azures_events_come_as_cloud_events_too():
    body = {key: value for key, value in ANNOTATED.items() if key[:5] != "event"}
    body |= {"type": ANNOTATED["eventType"], "time": ANNOTATED["eventTime"]}

    assert parse(Cloud.AZURE, body) == parse(Cloud.AZURE, ANNOTATED)


@pytest.mark.parametrize(("state", "count"), [("Unavailable", 1), ("Available", 0), ("Unknown", 0)])
def test_azures_status_tells_only_of_what_is_away(state, count):
    body = json.loads(json.dumps(ANNOTATED))
    body["eventType"] = body["eventType"].replace("ResourceAnnotated", "AvailabilityStatusChanged")
    body["data"]["resourceInfo"]["properties"] = {
        "targetResourceId": TARGET,
        "availabilityState": state,
    }

    assert len(parse(Cloud.AZURE, body)) == count


@pytest.mark.parametrize("cloud", list(Cloud))
@pytest.mark.parametrize(
    "text",
    ["", "no JSON", "[]", "null", "{}", '{"detail-type": "EC2 Spot Fleet Error", "detail": {}}',
     '{"protoPayload": null}', '{"eventType": "x", "data": {"resourceInfo": {"properties": 1}}}'],
)  # fmt: skip
def test_what_is_no_announcement_is_refused(cloud, text):
    with pytest.raises(ValueError, match=r"\w"):
        parse_notices(cloud, text)


@pytest.mark.parametrize("machine", [None, "", 7, ["i-1"]])
def test_a_machine_without_a_name_is_refused(machine):
    with pytest.raises(ValueError, match="as a machine"):
        parse(Cloud.AWS, EVENT, detail={"instance-id": machine, "instance-action": "stop"})


@given(
    cloud=st.sampled_from(list(Cloud)),
    body=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["detail-type", "detail", "id", "time", "protoPayload", "methodName", "data",
                 "resourceInfo", "properties", "eventType", "timestamp", "insertId"]
            ),
            inner,
            max_size=4,
        ),
        max_leaves=12,
    ),
)  # fmt: skip
def test_whatever_comes_is_read_or_refused(cloud, body):
    try:
        found = parse_notices(cloud, json.dumps(body))
    except ValueError:
        return
    assert all(isinstance(notice, Notice) for notice in found)


@pytest.mark.parametrize("machine", ["i-" + "0" * 600, "i-\0", "i-1\n"])
def test_a_name_that_nothing_could_remember_is_refused(machine):
    with pytest.raises(ValueError, match="as a machine"):
        parse(Cloud.AWS, EVENT, detail={"instance-id": machine, "instance-action": "stop"})


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
def test_a_time_that_is_none_of_ours_is_refused(time):
    with pytest.raises(ValueError, match=r"is of|lacks"):
        parse(Cloud.AWS, EVENT, time=time)


@pytest.mark.parametrize("cloud", list(Cloud))
def test_a_message_of_endless_depth_is_refused(cloud):
    with pytest.raises(ValueError, match="lacks"):
        parse_notices(cloud, '{"detail-type": ' + "[" * 200_000)


def test_what_else_a_message_says_is_made_to_fit():
    detail = {"instance-id": "i-1", "instance-action": "a\0b" + "c" * 900}

    (notice,) = parse(Cloud.AWS, EVENT, id="x" * 900, detail=detail)

    assert len(notice.id) == 64
    assert notice.text.startswith("EC2 Spot Instance Interruption Warning: abc")
    assert len(notice.text) <= 500
    assert notice == parse(Cloud.AWS, EVENT, id="x" * 900, detail=detail)[0]


def test_messages_are_taken_until_there_are_none_and_each_has_its_receipt():
    batches = [[("r1", json.dumps(EVENT)), ("r2", "nonsense")], [("r3", json.dumps(EVENT))], []]

    report = collect(Cloud.AWS, lambda: batches.pop(0))

    assert [notice.id for notice in report.notices] == ["e-1", "e-1"]
    assert report.receipts == ("r1", "r2", "r3")
    (told,) = report.refused
    assert told.startswith("a message ")
    assert told.endswith(": nonsense")


def test_a_flood_is_left_for_the_next_turn():
    report = collect(Cloud.AWS, lambda: [("r", json.dumps(EVENT))])

    assert len(report.receipts) == 50


def test_a_long_message_is_told_shortened():
    batches = [[("r", "x" * 10_000)], []]

    report = collect(Cloud.AWS, lambda: batches.pop(0))

    assert len(report.refused[0]) < 400
