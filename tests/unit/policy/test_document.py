from __future__ import annotations

import json

from tidegate.catalog.load import load_catalog
from tidegate.policy.document import build_document
from tidegate.policy.facts.reading import absent
from tidegate.policy.graph import (
    Provider,
    Resource,
    ResourceGraph,
    StackFacts,
    find_manifest,
)
from tidegate.policy.values import SECRET, SECRET_SIGNATURE, SIGNATURE_KEY, decode_properties
from tidegate.vocabulary.labels import DEFAULT_ALIASES, KNOWN_KEYS, LabelAliases

MARK = "plaintext-of-a-secret"
WIRE_SECRET = {SIGNATURE_KEY: SECRET_SIGNATURE, "value": MARK}


def graph_of(*resources):
    return ResourceGraph(StackFacts("vision", "prod", "prod"), resources, complete=False)


def test_a_resource_stands_in_the_document_whole():
    bucket = Resource(
        "urn:a",
        "aws:s3/bucket:Bucket",
        "a",
        {"tags": {"owner": "x"}},
        identifiers={"id": "a-1"},
        provider=Provider("urn:p", {"defaultTags": json.dumps({"tags": {"team": "y"}})}),
        parent="urn:parent",
        protect=True,
        ignore_changes=("tags",),
        dependencies={"policy": ("urn:b",)},
    )
    document = build_document(graph_of(bucket), {"TG-LBL-001": {"requiredKeys": ["owner"]}})
    assert document == {
        "stack": {"project": "vision", "name": "prod", "environment": "prod"},
        "date": "",
        "complete": False,
        "manifest": None,
        "manifestHidden": False,
        "storageClasses": {},
        "parameters": {"TG-LBL-001": {"requiredKeys": ["owner"]}},
        "labelKeys": list(KNOWN_KEYS),
        "labelSpellings": document["labelSpellings"],
        "labelAliases": dict(DEFAULT_ALIASES),
        "context": [],
        "resources": [
            {
                "urn": "urn:a",
                "type": "aws:s3/bucket:Bucket",
                "name": "a",
                "cloud": "aws",
                "parent": "urn:parent",
                "protect": True,
                "ignoreChanges": ["tags"],
                "operation": "",
                "properties": {"tags": {"owner": "x"}},
                "facts": {
                    "bucket": {
                        "versioned": absent("versioning.enabled"),
                        "apart": True,
                        "actions": [],
                        "open": False,
                    }
                },
                "identifiers": {"id": "a-1"},
                "dependencies": {"policy": ["urn:b"]},
                "labelSites": [
                    {
                        "scope": "resource",
                        "property": "tags",
                        "labels": {"team": "y", "owner": "x"},
                        "open": False,
                        "declared": True,
                        "elsewhere": "",
                    }
                ],
            }
        ],
    }


def test_unknown_types_and_types_without_labels_differ():
    resources = [
        Resource("urn:a", "aws:odd/thing:Thing", "a", {}),
        Resource("urn:b", "aws:s3/bucketPolicy:BucketPolicy", "b", {}),
    ]
    document = build_document(graph_of(*resources), {})
    assert [each["labelSites"] for each in document["resources"]] == [None, []]


def test_no_secret_reaches_the_document_from_any_place():
    secret_defaults = {SIGNATURE_KEY: SECRET_SIGNATURE, "value": json.dumps({"tags": {"a": MARK}})}
    resources = [
        Resource(
            f"urn:{name}",
            type_token,
            name,
            decode_properties(properties),
            provider=Provider("urn:p", decode_properties(provider)),
        )
        for name, type_token, properties, provider in (
            ("a", "aws:s3/bucket:Bucket", {"tags": {"owner": WIRE_SECRET}}, {"secretKey": MARK}),
            ("b", "aws:s3/bucket:Bucket", {"tags": WIRE_SECRET}, {"defaultTags": secret_defaults}),
            (
                "c",
                "aws:autoscaling/group:Group",
                {"tags": [{"key": "owner", "value": WIRE_SECRET, "propagateAtLaunch": True}]},
                {},
            ),
            (
                "d",
                "gcp:storage/bucket:Bucket",
                {},
                {"defaultLabels": json.dumps({"a": WIRE_SECRET})},
            ),
            (
                "e",
                "aws:ec2/launchTemplate:LaunchTemplate",
                {"userData": WIRE_SECRET, "tagSpecifications": [{"tags": {"owner": WIRE_SECRET}}]},
                {},
            ),
        )
    ]
    document = build_document(graph_of(*resources), {})
    assert MARK not in json.dumps(document)
    assert document["resources"][0]["labelSites"][0]["labels"] == {"owner": SECRET}


def test_the_rules_spell_keys_as_the_vocabulary_does():
    document = build_document(graph_of(), {}, aliases={"KST": "cost-center"})
    assert document["labelAliases"] == {"kst": "cost-center"}
    assert document["labelSpellings"]["cost-center"] == ["cost-center", "kst"]
    assert document["labelSpellings"]["owner"] == ["owner"]
    assert LabelAliases().spellings == build_document(graph_of(), {})["labelAliases"]


def test_the_catalogs_storage_classes_and_prices_stand_in_the_document():
    pool = Resource(
        "urn:a",
        "aws:eks/nodeGroup:NodeGroup",
        "a",
        {"region": "us-east-1", "instanceTypes": ["p5.48xlarge"], "capacityType": "SPOT"},
    )
    document = build_document(graph_of(pool), {}, catalog=load_catalog(), date="2026-11-30")
    assert document["date"] == "2026-11-30"
    assert document["storageClasses"]["aws"]["STANDARD_IA"] == {
        "minimumDays": 30,
        "earliestDays": 30,
    }
    (machines,) = document["resources"][0]["facts"]["machines"]
    assert machines["price"]["currency"] == "USD"


def test_the_manifest_keeps_one_entry_an_id():
    outputs = {
        "capacity": {
            "version": "tidegate/capacity/v1",
            "pools": [{"id": "a", "maxNodes": 1}, {"id": "a", "maxNodes": 2}, {"id": {}}, 3],
        }
    }
    assert find_manifest(outputs) == {
        "version": "tidegate/capacity/v1",
        "pools": [{"id": "a", "maxNodes": 1}],
    }


def test_what_is_no_capacity_manifest_is_none():
    for outputs in ({}, {"capacity": 4}, {"capacity": {"version": "other/v1"}}):
        assert find_manifest(outputs) is None
