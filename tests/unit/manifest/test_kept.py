"""Buckets, telemetry and budgets in the manifest."""

from __future__ import annotations

import pytest

from tidegate.manifest.build import build_manifest
from tidegate.manifest.check import check_manifest
from tidegate.manifest.model import Manifest
from tidegate.vocabulary.problems import InvalidInput

LABELS = {
    "environment": "prod",
    "owner": "ml",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1",
}


def bucket(name, **changes):
    own = {"id": name, "cloud": "aws", "region": "us-east-1", "storageClass": "log"}
    return {"buckets": [{**own, "labels": LABELS, **changes}]}


def build(*fragments):
    return build_manifest(fragments, project="p", stack="s", catalog_digest="sha256:0")


def test_two_owners_of_one_buckets_lifecycle_are_refused_at_the_merge():
    first, second = bucket("logs", bucket="acme-logs"), bucket("more-logs", bucket="acme-logs")

    with pytest.raises(InvalidInput) as caught:
        build(first, second)

    assert str(caught.value) == (
        "bucket more-logs: bucket = 'acme-logs': has an owner of its lifecycle already: "
        "bucket logs; expected one entry for each bucket, with all of its rules"
    )


def test_buckets_of_one_name_on_two_clouds_or_with_derived_names_are_not_one():
    elsewhere = bucket("b", cloud="gcp", region="us-east1", bucket="acme-logs")

    built = build(bucket("a", bucket="acme-logs"), elsewhere, bucket("c"), bucket("d"))

    assert [entry.id for entry in built.buckets] == ["a", "b", "c", "d"]


def test_a_manifest_that_names_a_bucket_twice_is_not_sound():
    entries = bucket("a", bucket="x")["buckets"] + bucket("b", bucket="x")["buckets"]
    manifest = Manifest.model_validate(
        {"project": "p", "stack": "s", "catalogDigest": "c", "buckets": entries}
    )

    errors = [each.problem for each in check_manifest(manifest) if each.level.value == "error"]

    assert [(each.where, each.property) for each in errors] == [("bucket b", "bucket")]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"start": "2026-12-01", "end": "2026-12-01"}, ["end"]),
        ({"thresholdsPercent": [50, 50]}, ["thresholdsPercent"]),
        ({"forecastThresholdsPercent": [0]}, ["forecastThresholdsPercent"]),
    ],
)
def test_a_budget_ends_after_its_start_and_tells_at_shares_of_its_amount(changes, found):
    budget = {
        "id": "research",
        "cloud": "aws",
        "amount": "100",
        "currency": "USD",
        "labels": LABELS,
        **changes,
    }
    manifest = Manifest.model_validate(
        {"project": "p", "stack": "s", "catalogDigest": "c", "budgets": [budget]}
    )

    errors = [each.problem for each in check_manifest(manifest) if each.level.value == "error"]

    assert [each.property for each in errors] == found
