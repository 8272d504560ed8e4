from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.manifest.build import build_manifest, dump_manifest
from tidegate.manifest.read import read_manifest
from tidegate.vocabulary.problems import InvalidInput

HEAD = {"project": "tidegate", "stack": "dev", "catalog_digest": "sha256:0"}


def test_merges_the_fragments_of_all_components_sorted_by_id(pool, commitment):
    fragments = [
        {"pools": [pool("train-b")]},
        {"commitments": [commitment()]},
        {"pools": [pool("train-a")]},
    ]

    manifest = build_manifest(fragments, **HEAD)

    assert [entry.id for entry in manifest.pools] == ["train-a", "train-b"]
    assert [entry.id for entry in manifest.commitments] == ["serve-h100"]


def test_a_pool_declared_twice_is_refused_and_the_message_names_both(pool):
    other = pool(cloud="aws", region="us-east-2", kind="eks-node-group")

    with pytest.raises(InvalidInput) as caught:
        build_manifest([{"pools": [pool()]}, {"pools": [other]}], **HEAD)

    assert str(caught.value) == (
        "pool train-a100: id = 'train-a100': is declared twice: as gcp/us-central1/gke-node-pool "
        "and as aws/us-east-2/eks-node-group; expected one id for each, unique over the stack"
    )


def test_a_fragment_that_breaks_the_model_names_entry_property_and_value(pool):
    with pytest.raises(InvalidInput) as caught:
        build_manifest([{"pools": [pool(minNodes=-1, maxnodes=3)]}], **HEAD)

    lines = str(caught.value).splitlines()
    assert lines == [
        "capacity fragment: pool train-a100: minNodes = -1: should be greater than or equal to 0",
        (
            "capacity fragment: pool train-a100: maxnodes: is not a key of the manifest "
            "(did you mean 'maxNodes'?); expected only the keys of the published schema"
        ),
    ]


def test_amounts_are_published_as_decimal_strings_never_as_json_numbers(manifest_of):
    document = dump_manifest(manifest_of())

    assert document["hourlyCeiling"] == {"amount": "500", "currency": "USD"}


@given(order=st.permutations(["a", "b", "c", "d"]))
def test_the_order_of_declaration_never_shows(order):
    labels = {
        "environment": "dev",
        "owner": "o",
        "business-unit": "b",
        "platform-project": "p",
        "workload-class": "training",
        "cost-center": "c",
    }
    buckets = {
        name: {
            "buckets": [
                {
                    "id": name,
                    "cloud": "aws",
                    "region": "us-east-2",
                    "storageClass": "scratch",
                    "labels": labels,
                }
            ]
        }
        for name in order
    }

    manifest = build_manifest([buckets[name] for name in order], **HEAD)

    assert manifest == build_manifest([buckets[name] for name in sorted(order)], **HEAD)
    assert read_manifest("round trip", dump_manifest(manifest)) == manifest
