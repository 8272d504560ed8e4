"""What the controller's roles allow on Google Cloud, with their conditions evaluated."""

from __future__ import annotations

import re

import pytest
from tidegate_components import ControllerAccess
from tidegate_components.controller_access.conditions import (
    build_cluster_condition,
    build_tag_condition,
)

from tidegate.catalog.actions import ActionScope, load_actions
from tidegate.vocabulary.capacity import Cloud


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
