"""Notices, access, cost alarms and snapshots on AWS: what is refused, what replaces."""

from __future__ import annotations

import json

import pytest
from support.aws_operations import (
    ACCOUNT,
    ALARM,
    COST_TAG,
    ENTRY,
    MONITOR,
    NOBODY,
    POD_IDENTITY,
    PROFILE,
    QUEUE_POLICY,
    RULE,
    SNAPSHOTS,
    SUBSCRIPTION,
    TARGET,
    TOPIC,
    TOPIC_POLICY,
    TRUST,
    alarm,
    snapshots,
)

from tidegate.localclouds.refusals import CloudError, NotFoundError


@pytest.mark.parametrize(
    ("token", "inputs", "place", "words"),
    [
        (RULE, {}, "eventPattern", "one of eventPattern, scheduleExpression"),
        (RULE, {"eventPattern": "{"}, "eventPattern", "invalid JSON"),
        (RULE, {"eventPattern": "{}", "state": "ON"}, "state", "ENABLED"),
        (TARGET, {"rule": "r"}, "arn", "missing required"),
        (TARGET, {"rule": "r", "arn": "queue"}, "arn", "expected an ARN"),
        (
            TARGET,
            {"rule": "r", "arn": "arn:aws:sqs:x:1:q", "ecsTarget": {"taskDefinitionArn": "t"}},
            "ecsTarget",
            "do not emulate",
        ),
        (QUEUE_POLICY, {"queueUrl": "u"}, "policy", "missing required"),
        (TOPIC, {"tracingConfig": "On"}, "tracingConfig", "PassThrough"),
        (TOPIC, {"name": "a b"}, "name", "does not match"),
        (TOPIC_POLICY, {"policy": "{}"}, "arn", "missing required"),
        (PROFILE, {"path": "ml"}, "path", "begins and ends with a slash"),
        (ENTRY, {"clusterName": "c"}, "principalArn", "missing required"),
        (
            ENTRY,
            {"clusterName": "c", "principalArn": NOBODY, "type": "NODE"},
            "type",
            "EC2_LINUX",
        ),
        (MONITOR, {}, "monitorType", "missing required"),
        (MONITOR, {"monitorType": "ANY"}, "monitorType", "CUSTOM"),
        (SUBSCRIPTION, {"frequency": "DAILY"}, "subscribers", "missing required"),
        (
            SUBSCRIPTION,
            {"frequency": "HOURLY", "monitorArnLists": ["m"], "subscribers": []},
            "frequency",
            "IMMEDIATE",
        ),
        (COST_TAG, {"tagKey": "k"}, "status", "missing required"),
        (COST_TAG, {"tagKey": "k", "status": "On"}, "status", "Inactive"),
        (ALARM, {"metricName": "m"}, "namespace", "missing required"),
        (ALARM, alarm(statistic="Median"), "statistic", "Maximum"),
        (ALARM, alarm(period=90), "period", "a multiple of 60"),
        (ALARM, alarm(extendedStatistic="p99"), "statistic", "exactly one of"),
        (POD_IDENTITY, {"clusterName": "c"}, "roleArn", "missing required"),
        (
            POD_IDENTITY,
            {"clusterName": "c", "namespace": "n", "serviceAccount": "s", "roleArn": "r"},
            "roleArn",
            "ARN of an IAM role",
        ),
        (SNAPSHOTS, {"description": "d"}, "policyDetails", "missing required"),
        (SNAPSHOTS, snapshots("r", state="ON"), "state", "ENABLED"),
    ],
)
def test_refuses_what_is_missing_or_out_of_range(aws, token, inputs, place, words):
    assert words in aws.refusals(token, inputs)[place]


def test_refuses_references_to_what_does_not_exist(aws, entered, topic):
    mail = [{"type": "EMAIL", "address": "ml@example.com"}]
    watch = {
        "frequency": "DAILY",
        "subscribers": mail,
        "monitorArnLists": ["arn:aws:ce::1:monitor/none"],
    }
    queue = f"https://sqs.us-east-1.amazonaws.com/{ACCOUNT}/nowhere"
    pod = {"namespace": "n", "serviceAccount": "s", "roleArn": NOBODY}
    cases = [
        (POD_IDENTITY, {**pod, "clusterName": entered}, "nobody"),
        (POD_IDENTITY, {**pod, "clusterName": "nowhere"}, "No cluster found for name"),
        (TARGET, {"rule": "nowhere", "arn": "arn:aws:sqs:us-east-1:1:q"}, "does not exist"),
        (QUEUE_POLICY, {"queueUrl": queue, "policy": TRUST}, "does not exist"),
        (TOPIC_POLICY, {"arn": f"{topic.id}-not", "policy": TRUST}, "not exist"),
        (PROFILE, {"role": "nobody"}, "nobody"),
        (ENTRY, {"clusterName": "nowhere", "principalArn": NOBODY}, "No cluster found for name"),
        (ENTRY, {"clusterName": entered, "principalArn": NOBODY}, "invalid principal"),
        (SUBSCRIPTION, watch, "arn:aws:ce::1:monitor/none"),
        (SNAPSHOTS, snapshots(NOBODY), "nobody"),
    ]
    for index, (token, inputs, words) in enumerate(cases):
        with pytest.raises(CloudError) as refused:
            aws.up(token, inputs, f"refers-{index}")
        assert words in str(refused.value)
    with pytest.raises(NotFoundError):
        aws.up(ENTRY, {"clusterName": "nowhere", "principalArn": NOBODY}, "absent")


def test_a_cluster_of_the_config_map_alone_takes_no_access_entries(aws, base):
    inputs = {"clusterName": base.cluster, "principalArn": base.role}

    with pytest.raises(CloudError, match=r"must be set to one of \[API, API_AND_CONFIG_MAP\]"):
        aws.up(ENTRY, inputs, "config-map")


@pytest.mark.parametrize(
    ("frequency", "kind", "words"),
    [("IMMEDIATE", "EMAIL", "SNS subscribers only"), ("WEEKLY", "SNS", "EMAIL subscribers only")],
)
def test_an_alert_at_once_goes_to_a_topic_and_a_summary_by_mail(aws, topic, frequency, kind, words):
    watched = json.dumps({"Tags": {"Key": "k", "Values": ["v"]}})
    monitor = {"monitorType": "CUSTOM", "monitorSpecification": watched}
    arn = aws.up(MONITOR, monitor, f"to-{kind}").id
    inputs = {
        "frequency": frequency,
        "monitorArnLists": [arn],
        "subscribers": [{"type": kind, "address": topic.id}],
    }

    with pytest.raises(CloudError, match=words):
        aws.up(SUBSCRIPTION, inputs, f"to-{kind}")


@pytest.mark.parametrize(
    ("token", "old", "new", "replaced"),
    [
        (RULE, {"eventPattern": "{}"}, {"eventPattern": '{"a": ["b"]}'}, set()),
        (RULE, {"eventBusName": "a"}, {"eventBusName": "b"}, {"eventBusName"}),
        (TARGET, {"arn": "a"}, {"arn": "b"}, set()),
        (TARGET, {"rule": "a"}, {"rule": "b"}, {"rule"}),
        (QUEUE_POLICY, {"queueUrl": "a"}, {"queueUrl": "b"}, {"queueUrl"}),
        (TOPIC, {"name": "a"}, {"name": "b"}, {"name"}),
        (TOPIC_POLICY, {"arn": "a"}, {"arn": "b"}, {"arn"}),
        (PROFILE, {"role": "a"}, {"role": "b"}, set()),
        (PROFILE, {"path": "/a/"}, {"path": "/b/"}, {"path"}),
        (ENTRY, {"principalArn": "a"}, {"principalArn": "b"}, {"principalArn"}),
        (ENTRY, {"type": "STANDARD"}, {"type": "EC2_LINUX"}, {"type"}),
        (MONITOR, {"name": "a"}, {"name": "b"}, set()),
        (MONITOR, {"monitorType": "CUSTOM"}, {"monitorType": "DIMENSIONAL"}, {"monitorType"}),
        (SUBSCRIPTION, {"frequency": "DAILY"}, {"frequency": "WEEKLY"}, set()),
        (SUBSCRIPTION, {"name": "a"}, {"name": "b"}, {"name"}),
        (COST_TAG, {"tagKey": "a"}, {"tagKey": "b"}, {"tagKey"}),
        (ALARM, {"threshold": 1}, {"threshold": 2}, set()),
        (ALARM, {"name": "a"}, {"name": "b"}, {"name"}),
        (POD_IDENTITY, {"roleArn": "a"}, {"roleArn": "b"}, set()),
        (POD_IDENTITY, {"namespace": "a"}, {"namespace": "b"}, {"namespace"}),
        (SNAPSHOTS, {"description": "a"}, {"description": "b"}, set()),
        (SNAPSHOTS, {"defaultPolicy": "VOLUME"}, {"defaultPolicy": "INSTANCE"}, {"defaultPolicy"}),
    ],
)
def test_replaces_where_aws_cannot_change(aws, token, old, new, replaced):
    assert aws.find(token, "r").diff("id", old, new).replaces == replaced
