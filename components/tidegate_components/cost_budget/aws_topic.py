"""A topic on AWS that budgets and anomaly detection may publish to."""

from __future__ import annotations

import json
import re
from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.cost_budget.spec import BudgetSpec

with narrow_imports("pulumi_aws.sns"):
    from pulumi_aws.sns.topic import Topic
    from pulumi_aws.sns.topic_policy import TopicPolicy

SENDERS = ("budgets.amazonaws.com", "costalerts.amazonaws.com")


def declare_topic(
    parent: pulumi.ComponentResource,
    spec: BudgetSpec,
    opts: pulumi.ResourceOptions | None,
) -> tuple[pulumi.Output[str], pulumi.Resource]:
    """Declare the topic and who may publish to it; return its ARN, and what comes before its use.

    Without the policy a budget with the topic is refused, and anomalies are never told.
    """
    topic = Topic(spec.id, tags=spec.cost_labels, opts=child_options(parent, opts, Topic))
    policy = TopicPolicy(
        spec.id,
        arn=topic.arn,
        policy=topic.arn.apply(lambda arn: json.dumps(build_policy(arn, spec.account))),
        opts=child_options(parent, opts, TopicPolicy),
    )
    return topic.arn, policy


def build_policy(arn: str, account: str) -> dict[str, Any]:
    """Return who may publish; of an account that is known, only for that account."""
    statement: dict[str, Any] = {
        "Sid": "CostAlerts",
        "Effect": "Allow",
        "Principal": {"Service": list(SENDERS)},
        "Action": "sns:Publish",
        "Resource": arn,
    }
    if re.fullmatch(r"\d{12}", account):
        # Another account's budget could name this topic too.
        statement["Condition"] = {"StringEquals": {"aws:SourceAccount": account}}
    return {"Version": "2012-10-17", "Statement": [statement]}
