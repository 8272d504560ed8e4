"""Interruption notices on AWS: EventBridge rules into an SQS queue that the controller reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import derive_name
from tidegate_components.spot_group.naming import EVENT_RULE, QUEUE
from tidegate_components.spot_group.spec import SpotSpec

with narrow_imports("pulumi_aws.cloudwatch", "pulumi_aws.sqs"):
    from pulumi_aws.cloudwatch.event_rule import EventRule
    from pulumi_aws.cloudwatch.event_target import EventTarget
    from pulumi_aws.sqs.queue import Queue
    from pulumi_aws.sqs.queue_policy import QueuePolicy

RETENTION_SECONDS = 300
"""A warning comes two minutes before the end; one older than this is of no use to anyone."""

PATTERNS: Mapping[str, dict[str, Any]] = {
    "interruption": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Spot Instance Interruption Warning"],
    },
    "rebalance": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Instance Rebalance Recommendation"],
    },
    "state-change": {
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Instance State-change Notification"],
        "detail": {"state": ["shutting-down", "stopping", "stopped", "terminated"]},
    },
    "health": {
        "source": ["aws.health"],
        "detail-type": ["AWS Health Event"],
        "detail": {"service": ["EC2"]},
    },
}
"""Notice → EventBridge pattern. EC2's events name the instance alone, so the machines of other
groups are in the queue as well, and whoever reads it knows its own."""


def declare_notices(
    parent: pulumi.ComponentResource, spec: SpotSpec, opts: pulumi.ResourceOptions | None
) -> dict[str, pulumi.Input[str]]:
    """Declare the queue and what fills it; return the queue's identity."""
    queue = Queue(
        f"{derive_name(spec.id, QUEUE)}-interruptions",
        region=spec.region,
        message_retention_seconds=RETENTION_SECONDS,
        sqs_managed_sse_enabled=True,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Queue, named=QUEUE, suffix="-interruptions"),
    )
    rules = [_declare_rule(parent, spec, notice, queue, opts) for notice in PATTERNS]
    policy = pulumi.Output.all(queue.arn, *[rule.arn for rule in rules]).apply(
        lambda arns: build_queue_policy(arns[0], arns[1:])
    )
    QueuePolicy(
        f"{derive_name(spec.id, QUEUE)}-interruptions",
        region=spec.region,
        queue_url=queue.id,
        policy=policy,
        opts=child_options(parent, opts, QueuePolicy, named=QUEUE, suffix="-interruptions"),
    )
    return {"interruptionQueue": queue.id, "interruptionQueueArn": queue.arn}


def build_queue_policy(queue_arn: str, rule_arns: list[str]) -> str:
    """Return who may put messages into the queue: these rules, and over TLS alone."""
    statements = [
        {
            "Sid": "NoticesOfTheseRules",
            "Effect": "Allow",
            "Principal": {"Service": "events.amazonaws.com"},
            "Action": "sqs:SendMessage",
            "Resource": queue_arn,
            "Condition": {"ArnEquals": {"aws:SourceArn": rule_arns}},
        },
        {
            "Sid": "TlsAlone",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "sqs:*",
            "Resource": queue_arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        },
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def _declare_rule(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    notice: str,
    queue: Queue,
    opts: pulumi.ResourceOptions | None,
) -> EventRule:
    name = f"{derive_name(spec.id, EVENT_RULE)}-{notice}"
    rule = EventRule(
        name,
        region=spec.region,
        description=f"{notice} notices for the spot group {spec.id}",
        event_pattern=json.dumps(PATTERNS[notice]),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, EventRule, named=EVENT_RULE, suffix=f"-{notice}"),
    )
    EventTarget(
        name,
        region=spec.region,
        rule=rule.name,
        arn=queue.arn,
        opts=child_options(parent, opts, EventTarget, named=EVENT_RULE, suffix=f"-{notice}"),
    )
    return rule
