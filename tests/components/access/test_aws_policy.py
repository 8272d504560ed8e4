"""What the controller's policy allows on AWS, evaluated by moto: its pools, nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from moto.iam.access_control import IAMPolicy, PermissionResult
from tidegate_components.controller_access.parse import parse_access
from tidegate_components.controller_access.policy import build_policy, render_policy

from tidegate.catalog.actions import ActionScope, load_actions
from tidegate.vocabulary.capacity import Cloud

ACCOUNT = "123456789012"
POOL = "aws:ResourceTag/capacity-pool"
MANAGED = "aws:ResourceTag/managed-by"


FOREIGN_TO_AWS = [
    "autoscaling:CreateAutoScalingGroup",
    "autoscaling:DeleteAutoScalingGroup",
    "autoscaling:UpdateAutoScalingGroup",
    "autoscaling:CreateOrUpdateTags",
    "ec2:RunInstances",
    "ec2:TerminateInstances",
    "ec2:CreateCapacityReservation",
    "ec2:PurchaseCapacityBlock",
    "eks:CreateNodegroup",
    "eks:DeleteNodegroup",
    "eks:TagResource",
    "iam:PassRole",
    "iam:CreatePolicyVersion",
    "sagemaker:CreateEndpoint",
    "sagemaker:DeleteNotebookInstance",
    "savingsplans:CreateSavingsPlan",
    "servicequotas:RequestServiceQuotaIncrease",
    "sqs:PurgeQueue",
    "sqs:SendMessage",
    "sts:AssumeRole",
]


@pytest.fixture
def policy(labels) -> IAMPolicy:
    spec = parse_access(
        "controller",
        {
            "cloud": "aws",
            "account": ACCOUNT,
            "labels": labels,
            "aws": {
                "pools": ["train-h100", "sweep"],
                "regions": ["us-east-1"],
                "principal_arns": ["arn:aws:iam::123456789012:role/host"],
            },
        },
    )
    return IAMPolicy(render_policy(build_policy(spec)))


def is_allowed(policy: IAMPolicy, action: str, resource: str, tags: dict[str, str]) -> bool:
    """Evaluate one request; moto passes over a tag that is not told, so every tag is."""
    told = {POOL: "", MANAGED: "", **tags}
    result = policy.is_action_permitted(action, resource, incoming_condition_values=told)
    return result is PermissionResult.PERMITTED


def resource_of(action: Any, region: str = "us-east-1", account: str = ACCOUNT) -> str:
    pattern = action.resources[-1] if action.resources else "*"
    filled = pattern.format(partition="aws", region=region, account=account)
    return filled.replace("*", "a") if action.resources else filled


AWS_ACTIONS = load_actions(Cloud.AWS).actions


@pytest.mark.parametrize("action", AWS_ACTIONS, ids=lambda each: each.action)
def test_each_listed_action_is_allowed_on_its_own_pools(policy, action):
    tags = {POOL: "sweep", MANAGED: "tidegate"}

    assert is_allowed(policy, action.action, resource_of(action), tags)


@pytest.mark.parametrize(
    "action",
    [each for each in AWS_ACTIONS if each.scope is ActionScope.POOL],
    ids=lambda each: each.action,
)
@pytest.mark.parametrize("pool", ["", "another", "sweep-2"])
def test_pools_that_are_not_named_and_what_carries_no_tag_stay_out_of_reach(policy, action, pool):
    tags = {POOL: pool, MANAGED: "tidegate"}

    assert not is_allowed(policy, action.action, resource_of(action), tags)


@pytest.mark.parametrize(
    "action",
    [each for each in AWS_ACTIONS if each.scope is ActionScope.STACK],
    ids=lambda each: each.action,
)
def test_endpoints_and_notebooks_that_tidegate_does_not_manage_stay_out_of_reach(policy, action):
    assert not is_allowed(policy, action.action, resource_of(action), {POOL: "sweep"})


@pytest.mark.parametrize(
    "action", [each for each in AWS_ACTIONS if each.resources], ids=lambda each: each.action
)
@pytest.mark.parametrize("place", [{"region": "eu-west-1"}, {"account": "999999999999"}])
def test_other_regions_and_accounts_stay_out_of_reach(policy, action, place):
    tags = {POOL: "sweep", MANAGED: "tidegate"}

    assert not is_allowed(policy, action.action, resource_of(action, **place), tags)


@pytest.mark.parametrize("action", FOREIGN_TO_AWS)
def test_nothing_else_is_allowed_on_aws(policy, action):
    tags = {POOL: "sweep", MANAGED: "tidegate"}

    assert not is_allowed(policy, action, "*", tags)


def test_no_statement_holds_an_action_by_a_pattern(policy):
    for statement in policy._policy_json["Statement"]:
        assert statement["Effect"] == "Allow"
        assert not [action for action in statement["Action"] if "*" in action]


def test_a_policy_of_another_partition_names_its_resources(labels):
    spec = parse_access(
        "controller",
        {
            "cloud": "aws",
            "labels": labels,
            "aws": {"pools": ["a"], "regions": ["cn-north-1"], "principal_arns": ["arn"]},
        },
    )

    (_, _, pools, _) = json.loads(render_policy(build_policy(spec)))["Statement"]
    assert pools["Resource"] == [
        "arn:aws-cn:eks:cn-north-1:*:nodegroup/*/*/*",
        "arn:aws-cn:autoscaling:cn-north-1:*:autoScalingGroup:*:autoScalingGroupName/*",
        "arn:aws-cn:sqs:cn-north-1:*:*",
    ]
