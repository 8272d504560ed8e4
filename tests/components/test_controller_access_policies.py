"""What the controller's roles allow, evaluated: every listed action on its pools, nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from moto.iam.access_control import IAMPolicy, PermissionResult
from tidegate_components.controller_access.conditions import (
    build_cluster_condition,
    build_tag_condition,
)
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


def evaluate_condition(expression: str, name: str, tags: dict[str, str]) -> bool:
    """Evaluate the parts of Common Expression Language that the controller's conditions use."""
    return any(_evaluate_term(term, name, tags) for term in expression.split(" || "))


def _evaluate_term(term: str, name: str, tags: dict[str, str]) -> bool:
    if found := re.fullmatch(r'resource\.name\.endsWith\("([^"]*)"\)', term):
        return name.endswith(found[1])
    if found := re.fullmatch(r'resource\.name\.extract\("([^{]*)\{\w+\}([^"]*)"\) == "(.*)"', term):
        # As IAM does: what stands between the first of the one and the next of the other.
        _, start, rest = name.partition(found[1])
        inner, end, _ = rest.partition(found[2])
        return bool(start and end) and inner == found[3]
    if found := re.fullmatch(r'resource\.matchTag\("([^"]*)", "([^"]*)"\)', term):
        return tags.get(found[1]) == found[2]
    raise AssertionError(f"not a term of these conditions: {term}")


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("projects/p/locations/us-central1/clusters/train", True),
        ("projects/p/locations/us-central1/clusters/train/nodePools/a100", True),
        ("projects/p/zones/us-central1-a/clusters/serve", True),
        ("projects/p/locations/us-central1/clusters/train-2", False),
        ("projects/p/locations/us-central1/clusters/other/nodePools/train", False),
        ("projects/p/locations/us-central1/clusters/retrain", False),
        ("", False),
    ],
)
def test_google_clusters_are_reached_by_name_alone(name, allowed):
    condition = build_cluster_condition(["train", "serve"])

    assert evaluate_condition(condition, name, {}) is allowed


@pytest.mark.parametrize(
    ("tags", "allowed"),
    [
        ({"1/pools": "scaled"}, True),
        ({"1/pools": "kept"}, False),
        ({"2/pools": "scaled"}, False),
        ({}, False),
    ],
)
def test_google_groups_are_reached_by_their_tag_alone(tags, allowed):
    condition = build_tag_condition("1/pools", "scaled")

    assert evaluate_condition(condition, "whatever", tags) is allowed


FOREIGN_TO_GOOGLE = [
    "compute.instanceGroupManagers.create",
    "compute.instanceGroupManagers.delete",
    "compute.instances.create",
    "compute.instances.delete",
    "compute.commitments.create",
    "compute.reservations.create",
    "container.clusters.create",
    "container.clusters.delete",
    "container.pods.exec",
    "iam.serviceAccounts.actAs",
    "notebooks.instances.delete",
    "pubsub.subscriptions.delete",
    "resourcemanager.projects.setIamPolicy",
]
RESOURCES = {
    ActionScope.PROJECT: ("projects/p", {}),
    ActionScope.CLUSTER: ("projects/p/locations/l/clusters/train", {}),
    ActionScope.GROUP: ("", {"1/pools": "scaled"}),
    ActionScope.QUEUE: ("projects/p/subscriptions/notices", {}),
}


@pytest.fixture
def google(record, labels):
    """Return whether the roles and bindings that are declared allow a permission on a resource."""
    from tidegate_components import ControllerAccess

    given = {
        "cloud": "gcp",
        "labels": labels,
        "gcp": {
            "project": "p",
            "clusters": ["train"],
            "group_tag": {"key": "1/pools", "value": "scaled"},
            "notice_subscriptions": ["projects/p/subscriptions/notices"],
        },
    }
    recording = record(lambda: ControllerAccess("controller", given))
    roles = {
        each.name: each.inputs["permissions"]
        for each in recording.of("projects/iAMCustomRole:IAMCustomRole")
    }
    project = recording.of("projects/iAMMember:IAMMember")
    subscriptions = recording.of("subscriptionIAMMember:SubscriptionIAMMember")

    def allows(permission: str, name: str, tags: dict[str, str]) -> bool:
        for each in project:
            condition = each.inputs.get("condition", {}).get("expression")
            held = condition is None or evaluate_condition(condition, name, tags)
            if held and permission in roles[each.inputs["role"]]:
                return True
        return any(
            each.inputs["subscription"] == name and permission in roles[each.inputs["role"]]
            for each in subscriptions
        )

    return allows


def test_each_listed_permission_of_google_is_allowed_on_its_own_resources(google):
    denied = [
        each.action
        for each in load_actions(Cloud.GCP).actions
        if not google(each.action, *RESOURCES[each.scope])
    ]

    assert denied == []


def test_permissions_of_google_are_denied_elsewhere(google):
    elsewhere = ("projects/p/locations/l/clusters/other", {"1/pools": "kept"})
    held = [
        each.action
        for each in load_actions(Cloud.GCP).actions
        if each.scope is not ActionScope.PROJECT
    ]

    assert [action for action in held if google(action, *elsewhere)] == []
    assert len(held) == 5


def test_nothing_else_is_allowed_on_google_cloud(google):
    allowed = [
        permission
        for permission in FOREIGN_TO_GOOGLE
        if any(google(permission, *resource) for resource in RESOURCES.values())
    ]

    assert allowed == []


FOREIGN_TO_AZURE = [
    ("actions", "Microsoft.ContainerService/managedClusters/agentPools/delete"),
    ("actions", "Microsoft.ContainerService/managedClusters/write"),
    ("actions", "Microsoft.ContainerService/managedClusters/listClusterAdminCredential/action"),
    ("actions", "Microsoft.Compute/virtualMachineScaleSets/delete"),
    ("actions", "Microsoft.Compute/virtualMachines/write"),
    ("actions", "Microsoft.Compute/capacityReservationGroups/write"),
    ("actions", "Microsoft.AzureFleet/fleets/delete"),
    ("actions", "Microsoft.Authorization/roleAssignments/write"),
    ("actions", "Microsoft.MachineLearningServices/workspaces/computes/delete"),
    ("actions", "Microsoft.Storage/storageAccounts/listKeys/action"),
    ("data_actions", "Microsoft.Storage/storageAccounts/queueServices/queues/messages/write"),
    ("data_actions", "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read"),
]
PLACES = {
    ActionScope.SUBSCRIPTION: "/subscriptions/s",
    ActionScope.POOL: "/subscriptions/s/resourceGroups/ml/pools/train",
    ActionScope.QUEUE: "/subscriptions/s/resourceGroups/ml/queues/notices",
    ActionScope.WORKSPACE: "/subscriptions/s/resourceGroups/ml/workspaces/w",
}


@pytest.fixture
def azure(record, labels):
    """Return whether the roles and assignments that are declared allow an action in a place."""
    from tidegate_components import ControllerAccess

    given = {
        "cloud": "azure",
        "labels": labels,
        "azure": {
            "principal_id": "me",
            "subscription": PLACES[ActionScope.SUBSCRIPTION],
            "pool_scopes": [PLACES[ActionScope.POOL]],
            "queue_scopes": [PLACES[ActionScope.QUEUE]],
            "workspace_scopes": [PLACES[ActionScope.WORKSPACE]],
        },
    }
    recording = record(lambda: ControllerAccess("controller", given))
    roles = {
        f"{each.name}-id": each.inputs["permissions"][0] for each in recording.of("RoleDefinition")
    }
    assignments = [each.inputs for each in recording.of("RoleAssignment")]

    def allows(kind: str, action: str, place: str) -> bool:
        key = "dataActions" if kind == "data_actions" else "actions"
        return any(
            (place == each["scope"] or place.startswith(f"{each['scope']}/"))
            and action in roles[each["roleDefinitionId"]].get(key, [])
            for each in assignments
        )

    return allows


def test_each_listed_action_of_azure_is_allowed_in_its_scope_and_in_no_other(azure):
    elsewhere = "/subscriptions/s/resourceGroups/other/pools/train"
    for each in load_actions(Cloud.AZURE).actions:
        kinds = ["actions", "data_actions"]
        kind = kinds.pop(each.data)

        assert azure(kind, each.action, PLACES[each.scope]), each.action
        assert not azure(kinds[0], each.action, PLACES[each.scope]), each.action
        everywhere = each.scope is ActionScope.SUBSCRIPTION
        assert azure(kind, each.action, elsewhere) is everywhere, each.action


def test_nothing_else_is_allowed_on_azure(azure):
    allowed = [
        action
        for kind, action in FOREIGN_TO_AZURE
        if any(azure(kind, action, place) for place in PLACES.values())
    ]

    assert allowed == []


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
