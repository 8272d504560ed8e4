from __future__ import annotations

import pytest

from tidegate.policy.facts.places import build_region
from tidegate.policy.facts.reading import absent, hidden, known
from tidegate.policy.graph import Provider, Resource
from tidegate.policy.values import UNKNOWN


@pytest.mark.parametrize(
    ("type_token", "properties", "region"),
    [
        ("aws:s3/bucket:Bucket", {"region": "eu-west-1"}, ("eu-west-1", "region")),
        (
            "aws:ebs/volume:Volume",
            {"availabilityZone": "us-gov-west-1a"},
            ("us-gov-west-1", "availabilityZone"),
        ),
        ("gcp:storage/bucket:Bucket", {"location": "US-CENTRAL1"}, ("us-central1", "location")),
        ("gcp:compute/instance:Instance", {"zone": "europe-west4-b"}, ("europe-west4", "zone")),
        (
            "gcp:compute/disk:Disk",
            {"zone": "projects/p/zones/us-central1-a"},
            ("us-central1", "zone"),
        ),
        ("azure-native:storage:StorageAccount", {"location": "East US 2"}, ("eastus2", "location")),
    ],
)
def test_a_region_is_spelt_as_the_catalog_spells_it(type_token, properties, region):
    assert build_region(Resource("urn:a", type_token, "a", properties)) == known(*region)


def test_the_providers_region_counts_where_the_resource_names_none():
    provider = Provider("urn:p", {"region": "us-west-2"})
    bucket = Resource("urn:a", "aws:s3/bucket:Bucket", "a", {}, provider=provider)
    assert build_region(bucket) == known("us-west-2", "region")
    other = Resource(
        "urn:a", "aws:s3/bucket:Bucket", "a", {"region": "us-east-1"}, provider=provider
    )
    assert build_region(other) == known("us-east-1", "region")


def test_unknown_is_hidden_and_no_cloud_has_no_region():
    assert build_region(
        Resource("urn:a", "aws:s3/bucket:Bucket", "a", {"region": UNKNOWN})
    ) == hidden("region")
    assert build_region(Resource("urn:a", "aws:s3/bucket:Bucket", "a", {"region": 1})) == hidden(
        "region"
    )
    assert build_region(Resource("urn:a", "kubernetes:core/v1:Pod", "a", {})) == absent("")
