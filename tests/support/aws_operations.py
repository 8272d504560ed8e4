"""Notices, access, cost alarms and snapshots on AWS, as the tests declare them."""

from __future__ import annotations

import json

RULE = "aws:cloudwatch/eventRule:EventRule"

TARGET = "aws:cloudwatch/eventTarget:EventTarget"

QUEUE = "aws:sqs/queue:Queue"

QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"

TOPIC = "aws:sns/topic:Topic"

TOPIC_POLICY = "aws:sns/topicPolicy:TopicPolicy"

PROFILE = "aws:iam/instanceProfile:InstanceProfile"

ENTRY = "aws:eks/accessEntry:AccessEntry"

CLUSTER = "aws:eks/cluster:Cluster"

MONITOR = "aws:costexplorer/anomalyMonitor:AnomalyMonitor"

SUBSCRIPTION = "aws:costexplorer/anomalySubscription:AnomalySubscription"

COST_TAG = "aws:costexplorer/costAllocationTag:CostAllocationTag"

ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"

POD_IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation"

SNAPSHOTS = "aws:dlm/lifecyclePolicy:LifecyclePolicy"

ACCOUNT = "123456789012"

NOBODY = f"arn:aws:iam::{ACCOUNT}:role/nobody"

INTERRUPTED = json.dumps(
    {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]}
)

TRUST = json.dumps({"Version": "2012-10-17", "Statement": []})


def allow(action, resource):
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": action,
        "Resource": resource,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def tags_of(pairs):
    return {pair["Key"]: pair["Value"] for pair in pairs}


def snapshots(role, **changes):
    schedule = {
        "name": "nightly",
        "copyTags": True,
        "createRule": {"interval": 24, "intervalUnit": "HOURS", "times": "03:00"},
        "retainRule": {"count": 7},
        "tagsToAdd": {"made-by": "dlm"},
    }
    details = {
        "resourceTypes": ["VOLUME"],
        "targetTags": {"capacity-pool": "notes"},
        "schedules": [schedule],
    }
    return {
        "description": "nightly",
        "executionRoleArn": role,
        "policyDetails": details,
        **changes,
    }


def alarm(**changes):
    return {
        "namespace": "AWS/Logs",
        "metricName": "IncomingBytes",
        "dimensions": {"LogGroupName": "/ml"},
        "statistic": "Sum",
        "period": 86400,
        "evaluationPeriods": 1,
        "threshold": 1.5,
        "comparisonOperator": "GreaterThanThreshold",
        **changes,
    }
