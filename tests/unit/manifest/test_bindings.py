from __future__ import annotations

import json

import pytest

from tidegate.manifest.bindings import (
    read_bound_commitments,
    read_bound_pools,
    read_bound_reapables,
)


def test_commitments_are_known_by_every_name_of_their_cloud():
    outputs = {
        "capacity": {},
        "bindings": {
            "pools": {"serve": {"arn": "arn:pool"}},
            "commitments": {
                "held": {
                    "arn": "arn:aws:ec2:us-east-1:1:capacity-reservation/CR-7",
                    "cloud": "aws",
                    "region": "us-east-1",
                }
            },
        },
    }
    assert read_bound_commitments(json.dumps(outputs)) == {
        "arn:aws:ec2:us-east-1:1:capacity-reservation/cr-7": "held",
        "cr-7": "held",
    }


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"bindings": []}', '{"bindings": {"commitments": {"a": "b"}}}']
)
def test_a_manifest_alone_binds_nothing(text):
    assert read_bound_commitments(text) == {}


def test_pools_are_bound_whatever_section_they_stand_in():
    outputs = {
        "bindings": {
            "pools": {"train": {"nodeGroup": "train-1", "cloud": "aws"}},
            "spotGroups": {"sweep": {"scaleSet": "sweep-2"}},
            "existingPools": {"legacy": {"autoScalingGroup": "old"}},
            "buckets": {"data": {"bucket": "b"}},
            "cpuPools": "[secret]",
        }
    }

    assert read_bound_pools(outputs) == {
        "train": {"nodeGroup": "train-1", "cloud": "aws"},
        "sweep": {"scaleSet": "sweep-2"},
        "legacy": {"autoScalingGroup": "old"},
    }


@pytest.mark.parametrize("document", [None, [], {}, {"bindings": []}, {"bindings": {"pools": 1}}])
def test_without_bindings_no_pool_is_bound(document):
    assert read_bound_pools(document) == {}


def test_notebooks_and_endpoints_are_told_apart_by_what_they_are():
    outputs = {
        "bindings": {
            "notebooks": {"chat": {"instance": "chat-1", "zone": "us-central1-a"}},
            "endpoints": {"chat": {"endpoint": "chat-2"}},
            "pools": {"train": {"nodeGroup": "train-1"}},
        }
    }

    assert read_bound_reapables(outputs) == {
        "notebook/chat": {"instance": "chat-1", "zone": "us-central1-a"},
        "endpoint/chat": {"endpoint": "chat-2"},
    }
    assert read_bound_reapables([]) == {}
