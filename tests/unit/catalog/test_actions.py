"""The controller's API actions: complete, justified, known to the clouds, and nothing dangerous."""

from __future__ import annotations

import re

import botocore.session
import pytest

from tidegate.catalog.actions import WIDE, ActionScope, Purpose, load_actions
from tidegate.vocabulary.capacity import Cloud

CLOUDS = list(Cloud)
LEARNING = "Microsoft.MachineLearningServices/workspaces"
SCOPES = {
    Cloud.AWS: {ActionScope.ACCOUNT, ActionScope.POOL, ActionScope.STACK},
    Cloud.GCP: {ActionScope.PROJECT, ActionScope.CLUSTER, ActionScope.GROUP, ActionScope.QUEUE},
    Cloud.AZURE: {
        ActionScope.SUBSCRIPTION,
        ActionScope.POOL,
        ActionScope.QUEUE,
        ActionScope.WORKSPACE,
    },
}
GRAMMAR = {
    Cloud.AWS: r"[a-z0-9]+:[A-Z][A-Za-z]+",
    Cloud.GCP: r"[a-z]+\.[a-zA-Z]+\.[a-zA-Z]+",
    Cloud.AZURE: r"Microsoft\.[A-Za-z]+(/[A-Za-z]+)+/(read|write|delete|action)",
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_purpose_has_its_actions_or_the_reason_why_it_has_none(cloud):
    listed = load_actions(cloud)

    served = {purpose for each in listed.actions for purpose in each.purposes}
    assert served.isdisjoint(listed.absent)
    assert served | set(listed.absent) == set(Purpose)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_action_says_why_and_where_it_is_described(cloud):
    actions = load_actions(cloud).actions

    names = [each.action for each in actions]
    assert len(names) == len(set(names))
    for each in actions:
        assert re.fullmatch(GRAMMAR[cloud], each.action), each.action
        assert each.why
        assert each.source.startswith("https://")
        assert each.scope in SCOPES[cloud]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_what_cannot_be_held_to_a_pool_says_so(cloud):
    unjustified = [
        each.action
        for each in load_actions(cloud).actions
        if each.scope is WIDE[cloud] and not each.limit
    ]

    assert unjustified == []


def test_actions_of_aws_are_operations_of_its_api():
    session = botocore.session.get_session()
    services = {"servicequotas": "service-quotas"}
    unknown = []
    for each in load_actions(Cloud.AWS).actions:
        prefix, operation = each.action.split(":")
        model = session.get_service_model(services.get(prefix, prefix))
        if operation not in model.operation_names:
            unknown.append(each.action)

    assert unknown == []


def test_only_actions_that_take_a_resource_are_held_to_a_tag():
    actions = load_actions(Cloud.AWS).actions

    held = [each for each in actions if each.scope is not ActionScope.ACCOUNT]
    assert all(each.resources for each in held)
    assert all("*" not in each.action for each in actions)


ENDING = {
    Cloud.AWS: {"sagemaker:DeleteApp"},
    Cloud.GCP: set(),
    Cloud.AZURE: {f"{LEARNING}/onlineEndpoints/deployments/delete"},
}
"""What their clouds have no other way to stop: no pool, and nothing that is saved goes with it."""


@pytest.mark.parametrize("cloud", CLOUDS)
def test_nothing_makes_or_deletes_a_pool_or_touches_identities(cloud):
    forbidden = {
        Cloud.AWS: r"iam:.*|sts:.*|.*:(Create|Delete(?!Message$)|Put|Run|Purchase|Tag|Untag).*",
        Cloud.GCP: r".*\.(create|delete|insert|setIamPolicy|actAs)$|iam\..*",
        Cloud.AZURE: r"Microsoft\.Authorization/.*|.*/delete$|.*/listKeys/action|.*\*.*",
    }[cloud]

    actions = load_actions(cloud).actions
    found = {each.action for each in actions if re.fullmatch(forbidden, each.action)}
    assert found == ENDING[cloud]
    ending = [each for each in actions if each.action in found]
    assert all(
        {*each.purposes} <= {Purpose.STOP_NOTEBOOKS, Purpose.SCALE_ENDPOINTS} for each in ending
    )
