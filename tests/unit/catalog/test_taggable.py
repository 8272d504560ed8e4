from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tidegate.catalog.taggable import LabelPlace, PlaceShape, load_taggable

TOOL = Path(__file__).resolve().parents[3] / "tools" / "catalog" / "build_taggable.py"


def test_the_table_says_what_the_installed_sdks_say():
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)

    assert done.returncode == 0, f"run {TOOL.name} anew: {done.stderr}"


def test_every_type_of_the_three_providers_has_a_row():
    counts = Counter(token.partition(":")[0] for token in load_taggable())

    assert counts == {"aws": 1748, "gcp": 1495, "azure-native": 2288}


def test_types_that_are_taggable_by_rule_are_counted_by_cloud():
    by_rule = Counter(
        token.partition(":")[0]
        for token, places in load_taggable().items()
        if any(place.by_rule for place in places)
    )

    assert by_rule == {"aws": 862, "gcp": 322, "azure-native": 955}


def test_no_type_has_two_places_by_rule():
    assert [
        token
        for token, places in load_taggable().items()
        if sum(place.by_rule for place in places) > 1
    ] == []


@pytest.mark.parametrize(
    ("token", "path", "shape"),
    [
        ("aws:autoscaling/group:Group", "tags", "tag-list"),
        ("aws:ec2/launchTemplate:LaunchTemplate", "tagSpecifications", "tag-specifications"),
        ("aws:ec2/instance:Instance", "volumeTags", "map"),
        ("aws:inspector/resourceGroup:ResourceGroup", "tags", "selector"),
        (
            "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
            "rules[].filter.and.tags",
            "selector",
        ),
        ("gcp:container/nodePool:NodePool", "nodeConfig.resourceLabels", "map"),
        ("gcp:container/nodePool:NodePool", "nodeConfig.tags", "strings"),
        ("gcp:sql/databaseInstance:DatabaseInstance", "settings.userLabels", "map"),
        ("gcp:monitoring/alertPolicy:AlertPolicy", "userLabels", "map"),
        ("gcp:monitoring/notificationChannel:NotificationChannel", "labels", "selector"),
        ("gcp:bigquery/dataset:Dataset", "resourceTags", "resource-manager-tags"),
        ("azure-native:containerservice:ManagedCluster", "agentPoolProfiles[].tags", "map"),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "", "none"),
    ],
)
def test_odd_shapes_have_rows_of_their_own(token, path, shape):
    assert LabelPlace(token, path, PlaceShape(shape), by_rule=False) in load_taggable()[token]


def test_google_kubernetes_engine_labels_clusters_under_another_name():
    places = load_taggable()["gcp:container/cluster:Cluster"]

    assert [place.property for place in places if place.by_rule] == ["resourceLabels"]


def test_a_type_that_no_sdk_has_is_not_known():
    assert "aws:nothing/nothing:Nothing" not in load_taggable()
