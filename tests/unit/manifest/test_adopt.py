from __future__ import annotations

from dataclasses import replace

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.manifest.adopt import build_adoption, derive_id, is_declared
from tidegate.vocabulary.capacity import CapacityType, Cloud, PoolKind, Scaler
from tidegate.vocabulary.labels import REQUIRED_KEYS
from tidegate.vocabulary.observed import ObservedPool, ObservedTaint

TAGS = {
    "Environment": "prod",
    "owner": "ml-platform",
    "bu": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "CostCentre": "cc-1001",
}
POOL = ObservedPool(
    cloud=Cloud.AWS,
    kind=PoolKind.EKS_NODE_GROUP,
    name="gpu_A100",
    cluster="train",
    region="us-east-1",
    account="123456789012",
    zones=("us-east-1a",),
    instance_types=("p4d.24xlarge",),
    capacity_type=CapacityType.ON_DEMAND,
    min_nodes=0,
    max_nodes=4,
    desired_nodes=1,
    node_labels={"tier": "gold", "eks.amazonaws.com/nodegroup": "gpu_A100"},
    taints=(ObservedTaint("nvidia.com/gpu", "true", "NoSchedule"),),
    tags=TAGS,
    scaler=Scaler.CLUSTER_AUTOSCALER,
    identifiers={"nodeGroup": "gpu_A100", "cluster": "train"},
)


@pytest.fixture(scope="module")
def catalog():
    return load_catalog()


def test_a_pool_becomes_an_entry_that_says_what_its_cloud_shows(catalog):
    adoption = build_adoption(POOL, catalog)

    assert adoption.id == "train-gpu-a100"
    assert adoption.missing == ()
    assert adoption.entry == {
        "cloud": "aws",
        "kind": "eks-node-group",
        "account": "123456789012",
        "region": "us-east-1",
        "zones": ["us-east-1a"],
        "cluster": "train",
        "instanceTypes": ["p4d.24xlarge"],
        "capacityType": "on-demand",
        "minNodes": 0,
        "maxNodes": 4,
        "nodeLabels": {"tier": "gold"},
        "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
        "accelerator": "a100-40gb",
        "acceleratorsPerNode": 8,
        "scaler": "cluster-autoscaler",
        "labels": {
            "environment": "prod",
            "owner": "ml-platform",
            "business-unit": "research",
            "platform-project": "vision",
            "workload-class": "training",
            "cost-center": "cc-1001",
        },
        "identifiers": {"nodeGroup": "gpu_A100", "cluster": "train"},
    }


def test_what_the_cloud_does_not_show_is_asked_for_and_never_invented(catalog):
    bare = replace(POOL, scaler=None, max_nodes=None, tags={})

    adoption = build_adoption(bare, catalog)

    assert adoption.missing == (
        "maxNodes",
        "scaler",
        *(f"labels.{key}" for key in REQUIRED_KEYS),
    )
    assert {"maxNodes", "scaler"} & set(adoption.entry) == set()
    assert adoption.entry["labels"] == {}


def test_labels_of_the_stack_need_not_stand_on_the_entry(catalog):
    bare = replace(POOL, tags={"workload-class": "training"})

    adoption = build_adoption(bare, catalog, shared=[*REQUIRED_KEYS[:4], "cost-center"])

    assert adoption.missing == ()
    assert adoption.entry["labels"] == {"workload-class": "training"}


def test_a_pools_own_labels_go_before_those_given(catalog):
    adoption = build_adoption(POOL, catalog, labels={"owner": "someone-else", "team": "red"})

    assert adoption.entry["labels"]["owner"] == "ml-platform"
    assert adoption.entry["labels"]["team"] == "red"


def test_a_label_that_no_cloud_would_take_is_told_and_left_out(catalog):
    odd = replace(POOL, tags={**TAGS, "owner": "ML Platform!"})

    adoption = build_adoption(odd, catalog)

    assert adoption.missing == ("labels.owner",)
    assert any(note.startswith("label owner: 'ML Platform!'") for note in adoption.notes)


def test_two_spellings_that_disagree_are_told(catalog):
    odd = replace(POOL, tags={**TAGS, "cost-center": "cc-2"})

    notes = build_adoption(odd, catalog).notes

    assert "label cost-center says cc-2, another spelling cc-1001" in notes


def test_who_resizes_the_pool_is_the_clouds_word_before_the_callers(catalog):
    adoption = build_adoption(POOL, catalog, scaler=Scaler.TIDEGATE)

    assert adoption.entry["scaler"] == "cluster-autoscaler"
    assert any("tidegate is not taken" in note for note in adoption.notes)
    unknown = build_adoption(replace(POOL, scaler=None), catalog, scaler=Scaler.TIDEGATE)
    assert unknown.entry["scaler"] == "tidegate"


def test_an_attached_accelerator_is_found_by_its_clouds_own_name(catalog):
    attached = replace(
        POOL,
        cloud=Cloud.GCP,
        kind=PoolKind.GKE_NODE_POOL,
        instance_types=("n1-standard-8",),
        accelerator="nvidia-tesla-t4",
        accelerators_per_node=2,
    )

    entry = build_adoption(attached, catalog).entry

    assert (entry["accelerator"], entry["acceleratorsPerNode"]) == ("t4", 2)


def test_machines_that_differ_in_their_accelerator_are_no_one_pool(catalog):
    mixed = replace(POOL, instance_types=("p4d.24xlarge", "g6.xlarge"))

    adoption = build_adoption(mixed, catalog)

    assert adoption.missing == ("accelerator",)
    assert "has machines with different accelerators, which no pool can mix" in adoption.notes


def test_a_reserved_pool_asks_for_what_it_consumes(catalog):
    reserved = replace(POOL, capacity_type=CapacityType.RESERVED)

    assert build_adoption(reserved, catalog).missing == ("reservation",)


def test_a_pool_of_the_components_is_known_by_its_labels():
    tags = {"managed-by": "tidegate", "capacity-pool": "train-a100"}

    assert is_declared(replace(POOL, tags=tags))
    assert not is_declared(POOL)
    assert derive_id(replace(POOL, tags=tags)) == "train-a100"


@pytest.mark.parametrize("name", ["UPPER_case", "-odd-", "x" * 80])
def test_every_id_is_one_that_the_manifest_takes(name):
    import re

    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", derive_id(replace(POOL, name=name)))
