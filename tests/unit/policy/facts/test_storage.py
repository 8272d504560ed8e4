"""Lifecycles as the providers read them (bridgecrewio/checkov#4733, #4868, #7268)."""

from __future__ import annotations

import pytest

from tidegate.policy.facts.build import build_facts
from tidegate.policy.graph import Resource
from tidegate.policy.values import UNKNOWN

LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"


def actions_of(type_token, properties):
    facts = build_facts(Resource("urn:a", type_token, "a", properties))
    found = facts.get("lifecycle") or facts["bucket"]
    return [
        (
            each["action"],
            each["of"],
            each["days"]["value"],
            each["prefix"],
            each["whole"],
            each["class"],
        )
        for each in found["actions"]
    ]


def s3(*rules):
    return actions_of(LIFECYCLE, {"bucket": "b", "rules": list(rules)})


EXPIRE = {"status": "Enabled", "expiration": {"days": 7}}


@pytest.mark.parametrize(
    "chosen",
    [{}, {"filter": {}}, {"prefix": ""}, {"filter": {"prefix": ""}}, {"filter": {"and": {}}}],
)
def test_no_filter_an_empty_one_and_an_empty_prefix_are_the_whole_bucket(chosen):
    assert s3({**EXPIRE, **chosen}) == [("expire", "current", 7, "", True, "")]


def test_a_second_rule_counts_and_one_that_is_switched_off_does_not():
    assert s3({**EXPIRE, "status": "Disabled"}, EXPIRE) == [("expire", "current", 7, "", True, "")]


@pytest.mark.parametrize(
    ("chosen", "prefix"),
    [
        ({"prefix": "tmp/"}, "tmp/"),
        ({"filter": {"prefix": "tmp/"}}, "tmp/"),
        ({"filter": {"and": {"prefix": "tmp/", "objectSizeGreaterThan": 1}}}, "tmp/"),
        ({"filter": {"tag": {"key": "a", "value": "b"}}}, ""),
    ],
)
def test_what_narrows_a_rule_leaves_the_rest_of_the_bucket(chosen, prefix):
    assert s3({**EXPIRE, **chosen}) == [("expire", "current", 7, prefix, False, "")]


def test_a_rule_whose_filter_is_hidden_is_not_taken_for_the_whole():
    assert s3({**EXPIRE, "filter": UNKNOWN}) == [("expire", "current", 7, "", False, "")]


def test_each_action_of_s3_is_read():
    rule = {
        "status": "Enabled",
        "filter": {"prefix": ""},
        "transitions": [{"days": 30, "storageClass": "STANDARD_IA"}],
        "noncurrentVersionTransitions": [{"noncurrentDays": 10, "storageClass": "GLACIER"}],
        "noncurrentVersionExpiration": {"noncurrentDays": 90},
        "abortIncompleteMultipartUpload": {"daysAfterInitiation": 3},
        "expiration": {"expiredObjectDeleteMarker": True},
    }
    assert s3(rule) == [
        ("expire", "old", 90, "", True, ""),
        ("abort", "uploads", 3, "", True, ""),
        ("move", "current", 30, "", True, "STANDARD_IA"),
        ("move", "old", 10, "", True, "GLACIER"),
    ]


def test_an_expiration_by_date_has_no_age():
    assert s3({"status": "Enabled", "expiration": {"date": "2027-01-01"}}) == [
        ("expire", "current", None, "", True, "")
    ]


def test_rules_on_the_bucket_itself_are_read():
    rule = {"enabled": True, "expiration": {"days": 7}, "abortIncompleteMultipartUploadDays": 2}
    assert actions_of("aws:s3/bucket:Bucket", {"lifecycleRules": [rule]}) == [
        ("expire", "current", 7, "", True, ""),
        ("abort", "uploads", 2, "", True, ""),
    ]


def test_each_action_of_cloud_storage_is_read():
    rules = [
        {"action": {"type": "Delete"}, "condition": {"age": 14}},
        {"action": {"type": "Delete"}, "condition": {"numNewerVersions": 3}},
        {"action": {"type": "Delete"}, "condition": {"age": 1, "matchesPrefixes": ["tmp/"]}},
        {
            "action": {"type": "SetStorageClass", "storageClass": "COLDLINE"},
            "condition": {"age": 90},
        },
        {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 7}},
        {"action": {"type": "Other"}, "condition": {}},
    ]
    assert actions_of("gcp:storage/bucket:Bucket", {"lifecycleRules": rules}) == [
        ("expire", "current", 14, "", True, ""),
        ("expire", "old", None, "", True, ""),
        ("expire", "current", 1, "tmp/", False, ""),
        ("move", "current", 90, "", True, "COLDLINE"),
        ("abort", "uploads", 7, "", True, ""),
    ]


def test_each_action_of_azure_is_read():
    def rule(filters, actions, *, enabled=True):
        return {"enabled": enabled, "definition": {"filters": filters, "actions": actions}}

    age = {"daysAfterModificationGreaterThan": 30}
    created = {"daysAfterCreationGreaterThan": 7}
    rules = [
        rule({"prefixMatch": ["data/tmp"]}, {"baseBlob": {"delete": age}}),
        rule(
            {"blobTypes": ["blockBlob"]},
            {"baseBlob": {"tierToCool": age}, "version": {"delete": created}},
        ),
        rule({}, {"baseBlob": {"delete": age}}, enabled=False),
    ]
    found = actions_of(
        "azure-native:storage:ManagementPolicy", {"accountName": "a", "policy": {"rules": rules}}
    )
    assert found == [
        ("expire", "current", 30, "data/tmp", False, ""),
        ("move", "current", 30, "", True, "Cool"),
        ("expire", "old", 7, "", True, ""),
    ]


def test_hidden_rules_leave_the_lifecycle_open():
    for type_token, properties in (
        (LIFECYCLE, {"rules": UNKNOWN}),
        (LIFECYCLE, {"rules": [UNKNOWN]}),
        ("gcp:storage/bucket:Bucket", {"lifecycleRules": UNKNOWN}),
        ("aws:s3/bucket:Bucket", {"lifecycleRules": UNKNOWN}),
    ):
        facts = build_facts(Resource("urn:a", type_token, "a", properties))
        assert (facts.get("lifecycle") or facts["bucket"])["open"] is True


def test_versioning_is_read_where_it_is_switched():
    switch = build_facts(
        Resource(
            "urn:a",
            "aws:s3/bucketVersioning:BucketVersioning",
            "a",
            {"bucket": "b", "versioningConfiguration": {"status": "Suspended"}},
        )
    )["versioning"]
    assert (switch["by"], switch["bucket"]["value"], switch["enabled"]["value"]) == (
        "bucket",
        "b",
        False,
    )
