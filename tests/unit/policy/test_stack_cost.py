"""The cost of a stack's change, from two manifests or from what is missing of them."""

from __future__ import annotations

from decimal import Decimal

from tidegate.catalog.load import load_catalog
from tidegate.policy.earlier import Earlier
from tidegate.policy.stack_cost import (
    EXPORTED_NONE,
    NOT_COMPARED,
    NOT_SHOWN,
    StackCost,
    build_stack_cost,
)

CATALOG = load_catalog()


def manifest(**pool):
    entry = {
        "id": "train",
        "cloud": "gcp",
        "region": "us-central1",
        "kind": "gke-node-pool",
        "accelerator": "h100-80gb",
        "acceleratorsPerNode": 8,
        "instanceTypes": ["a3-highgpu-8g"],
        "capacityType": "on-demand",
        "minNodes": 0,
        "maxNodes": 4,
        "declaredNodes": "2",
        "bootSeconds": 300,
        "labels": {},
        "interruptionTolerance": "tolerant",
        "workloadClasses": ["training"],
        "scaler": "tidegate",
        **pool,
    }
    return {
        "version": "tidegate/capacity/v1",
        "project": "vision",
        "stack": "prod",
        "catalogDigest": "sha256:0",
        "pools": [entry],
    }


def cost(after, earlier):
    return build_stack_cost("vision/prod", after, earlier, CATALOG)


def test_two_more_nodes_add_their_price():
    found = cost(manifest(declaredNodes="4"), Earlier(exists=True, manifest=manifest()))
    compared = found.difference.totals()["USD"]
    assert found.reason == ""
    assert compared.change.declared == compared.before.declared == compared.after.declared / 2
    assert compared.change.maximum == Decimal(0)


def test_a_new_stack_adds_all_of_itself():
    found = cost(manifest(), Earlier(exists=False))
    compared = found.difference.totals()["USD"]
    assert (compared.change, found.reason) == (compared.after, "")


def test_without_a_state_before_nothing_is_compared_and_the_reason_is_told():
    for earlier, reason in ((None, NOT_COMPARED), (Earlier(exists=True), EXPORTED_NONE)):
        found = cost(manifest(), earlier)
        assert (found.difference.is_compared, found.reason) == (False, reason)


def test_a_preview_that_does_not_show_outputs_says_so_where_there_was_a_manifest():
    assert cost(None, Earlier(exists=True, manifest=manifest())) == StackCost(None, NOT_SHOWN)


def test_a_stack_that_never_exported_one_has_no_cost_to_tell():
    assert [cost(None, each) for each in (None, Earlier(exists=True), Earlier(exists=False))] == [
        *(None, None, None)
    ]


def test_a_manifest_that_cannot_be_read_is_no_cost_of_zero():
    newer = {**manifest(), "version": "tidegate/capacity/v9"}
    found = cost(newer, Earlier(exists=False))
    assert found.difference is None
    assert "was written by a newer Tidegate" in found.reason
    other = cost(manifest(), Earlier(exists=True, manifest=manifest(minNodes=-1)))
    assert not other.difference.is_compared
    assert "vision/prod before the change" in other.reason
