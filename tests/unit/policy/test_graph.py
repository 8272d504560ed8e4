from __future__ import annotations

import pytest

from tidegate.policy.graph import cloud_of_type, normalize_type
from tidegate.vocabulary.capacity import Cloud


@pytest.mark.parametrize(
    ("token", "normal"),
    [
        ("azure-native:compute:Disk", "azure-native:compute:Disk"),
        ("azure-native:compute/v20240701:Disk", "azure-native:compute:Disk"),
        ("azure-native:compute/v20240701preview:Disk", "azure-native:compute:Disk"),
        ("azure-native_compute_v20240701:compute:Disk", "azure-native:compute:Disk"),
        ("aws:s3/bucket:Bucket", "aws:s3/bucket:Bucket"),
        ("kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:Deployment"),
    ],
)
def test_types_lose_azures_api_version_and_nothing_else(token, normal):
    assert normalize_type(token) == normal


@pytest.mark.parametrize(
    ("token", "cloud"),
    [
        ("aws:s3/bucket:Bucket", Cloud.AWS),
        ("gcp:storage/bucket:Bucket", Cloud.GCP),
        ("azure-native:storage:StorageAccount", Cloud.AZURE),
        ("aws-native:s3:Bucket", None),
        ("pulumi:providers:aws", None),
        ("tidegate:gpu:GpuNodePool", None),
        ("awsx:ec2:Vpc", None),
    ],
)
def test_only_the_three_providers_are_covered(token, cloud):
    assert cloud_of_type(token) == cloud
