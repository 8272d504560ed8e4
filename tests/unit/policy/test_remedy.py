from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.policy.graph import Provider, Resource, ResourceGraph, StackFacts
from tidegate.policy.remedy import add_labels, find_missing_labels, read_own_labels
from tidegate.policy.values import SECRET_SIGNATURE, SIGNATURE_KEY, decode_properties

OWN = {"owner": "ml", "cost-center": "cc-1"}
PARAMETERS = {"requiredKeys": ["owner", "cost-center", "team"], "aliases": {}}
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
SECRET = {SIGNATURE_KEY: SECRET_SIGNATURE, "value": "plaintext"}

BUCKET = "aws:s3/bucket:Bucket"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "azure-native:containerservice:ManagedCluster"


def mend(token, properties, own=OWN, parameters=PARAMETERS, provider=None):
    """Return (properties after, whether each place was added to)."""
    given = copy.deepcopy(properties)
    resource = Resource(
        "urn:x", token, "x", decode_properties(given), provider=provider and Provider("p", provider)
    )
    graph = ResourceGraph(StackFacts(), (resource,), complete=False)
    missing = find_missing_labels(resource, graph, parameters)
    return given, [add_labels(given, each, own) for each in missing]


@pytest.mark.parametrize(
    ("token", "before", "after"),
    [
        (BUCKET, {}, {"tags": OWN}),
        (BUCKET, {"tags": None}, {"tags": OWN}),
        (BUCKET, {"tags": {"owner": "a"}}, {"tags": {"owner": "a", "cost-center": "cc-1"}}),
        (
            BUCKET,
            {"tags": {"CostCentre": "7", "Owner": ""}},
            {"tags": {"CostCentre": "7", "Owner": "ml"}},
        ),
        (
            BUCKET,
            {"tags": {"owner": SECRET, "cost-center": UNKNOWN, "team": "a"}},
            {"tags": {"owner": SECRET, "cost-center": UNKNOWN, "team": "a"}},
        ),
        (BUCKET, {"tags": SECRET}, {"tags": SECRET}),
        (BUCKET, {"tags": UNKNOWN}, {"tags": UNKNOWN}),
        (
            POOL,
            {"nodeConfig": {"labels": {"a": "b"}}},
            {"nodeConfig": {"labels": {"a": "b"}, "resourceLabels": OWN}},
        ),
        (POOL, {}, {"nodeConfig": {"resourceLabels": OWN}}),
        (POOL, {"nodeConfig": SECRET}, {"nodeConfig": SECRET}),
        (
            CLUSTER,
            {"tags": {**OWN, "team": "a"}, "agentPoolProfiles": [{"tags": {"owner": "b"}}, {}]},
            {
                "tags": {**OWN, "team": "a"},
                "agentPoolProfiles": [
                    {"tags": {"owner": "b", "cost-center": "cc-1"}},
                    {"tags": OWN},
                ],
            },
        ),
        (
            GROUP,
            {"tags": [{"key": "owner", "value": "a", "propagateAtLaunch": False}]},
            {
                "tags": [
                    {"key": "owner", "value": "a", "propagateAtLaunch": False},
                    {"key": "cost-center", "value": "cc-1", "propagateAtLaunch": True},
                ]
            },
        ),
        (
            GROUP,
            {},
            {
                "tags": [
                    {"key": "owner", "value": "ml", "propagateAtLaunch": True},
                    {"key": "cost-center", "value": "cc-1", "propagateAtLaunch": True},
                ]
            },
        ),
        (
            TEMPLATE,
            {
                "tags": {**OWN, "team": "a"},
                "tagSpecifications": [{"resourceType": "volume", "tags": {"owner": "b"}}],
            },
            {
                "tags": {**OWN, "team": "a"},
                "tagSpecifications": [
                    {"resourceType": "volume", "tags": {"owner": "b", "cost-center": "cc-1"}},
                    {"resourceType": "instance", "tags": OWN},
                    {"resourceType": "network-interface", "tags": OWN},
                ],
            },
        ),
        ("azure-native:insights:DiagnosticSetting", {}, {}),
        ("random:index/id:Id", {}, {}),
    ],
)
def test_what_the_stack_gives_is_added_and_all_else_stays(token, before, after):
    assert mend(token, before)[0] == after


def test_a_key_that_the_stack_does_not_give_is_not_invented():
    assert mend(BUCKET, {"tags": {"cost-center": "1"}}, own={"team": "a"}) == (
        {"tags": {"cost-center": "1", "team": "a"}},
        [True],
    )
    assert mend(BUCKET, {}, own={}) == ({}, [False])


def test_what_the_providers_default_labels_give_is_not_missing():
    provider = {"defaultTags": {"tags": {"owner": "p", "cost-center": "1"}}}
    assert mend(BUCKET, {}, provider=provider) == ({}, [False])


def test_an_alias_of_the_parameters_counts_as_its_key():
    parameters = {"requiredKeys": ["CostCenter"], "aliases": {"KST": "cost-center"}}
    assert mend(BUCKET, {"tags": {"kst": "4"}}, parameters=parameters)[1] == []
    assert mend(BUCKET, {}, parameters=parameters)[0] == {"tags": {"CostCenter": "cc-1"}}


@given(st.dictionaries(st.sampled_from(["owner", "Owner", "cost-center", "x"]), st.text()))
def test_no_declared_value_is_ever_changed(tags):
    after, _ = mend(BUCKET, {"tags": tags})
    for key, value in tags.items():
        assert not value.strip() or after["tags"][key] == value
    assert mend(BUCKET, after)[0] == after


@pytest.mark.parametrize(
    ("config", "own"),
    [
        ({}, {}),
        ({"vision:labels": json.dumps({"CostCentre": "cc-1"})}, {"cost-center": "cc-1"}),
        ({"vision:labels": {"owner": "a"}, "tidegate:labels": {"owner": "b"}}, {"owner": "a"}),
        ({"tidegate:labels": {"owner": "b"}, "other:labels": {"team": "c"}}, {"owner": "b"}),
        ({"tidegate:environment": "prod"}, {"environment": "prod"}),
        ({"vision:environment": UNKNOWN}, {}),
        ({"vision:labels": {"owner": {"secure": "v1:"}, "team": 4}}, {}),
        ({"vision:labels": {"owner": "not a label"}}, {}),
        ({"vision:labels": {"owner": "a", "Owner": "b"}}, {}),
        ({"vision:labels": "[1]"}, {}),
        ({"vision:labels": "{"}, {}),
    ],
)
def test_the_stacks_own_labels_are_what_its_configuration_says_in_plain_text(config, own):
    assert read_own_labels(config, "vision") == own


def test_secret_configuration_gives_no_label():
    config = {"vision:labels": '{"owner": "a"}', "vision:environment": "prod"}
    assert read_own_labels(config, "vision", config) == {}
