from __future__ import annotations

import pytest
from tidegate_components import ExistingPool
from tidegate_components.existing_pool.parse import IDENTIFIERS, parse_existing

from tidegate.catalog.load import load_catalog
from tidegate.manifest.adopt import build_adoption
from tidegate.manifest.model import Fragment
from tidegate.vocabulary.capacity import CapacityType, Cloud, PoolKind, Scaler
from tidegate.vocabulary.observed import ObservedPool
from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture
def args(labels):
    def build(**changes):
        given = {
            "cloud": "aws",
            "kind": "eks-node-group",
            "region": "us-east-1",
            "cluster": "train",
            "instance_types": ["p4d.24xlarge"],
            "capacity_type": "on-demand",
            "max_nodes": 4,
            "scaler": "cluster-autoscaler",
            "identifiers": {"nodeGroup": "gpu", "cluster": "train"},
            "labels": labels,
        }
        return {key: value for key, value in {**given, **changes}.items() if value is not None}

    return build


@pytest.fixture
def refused(args, catalog):
    def run(**changes):
        with pytest.raises(InvalidInput) as caught:
            parse_existing("train-a100", args(**changes), catalog)
        return {problem.property: problem.reason for problem in caught.value.problems}

    return run


def test_an_existing_pool_enters_the_manifest_and_registers_no_cloud_resource(
    record, args, catalog, labels
):
    recording = record(lambda: ExistingPool("train-a100", args(), None, catalog))

    assert [each.type for each in recording.all] == ["tidegate:index:ExistingPool"]
    outputs = recording.outputs["train-a100"]
    (pool,) = Fragment.model_validate(outputs["capacity"]).pools
    assert (pool.id, pool.kind, pool.adopted) == ("train-a100", PoolKind.EKS_NODE_GROUP, True)
    assert (pool.accelerator, pool.accelerators_per_node) == ("a100-40gb", 8)
    assert (pool.min_nodes, pool.max_nodes) == (0, 4)
    assert pool.labels == {**labels, "capacity-pool": "train-a100", "managed-by": "tidegate"}
    assert outputs["bindings"] == {
        "train-a100": {
            "cloud": "aws",
            "region": "us-east-1",
            "nodeGroup": "gpu",
            "cluster": "train",
        }
    }


@pytest.mark.parametrize("kind", list(IDENTIFIERS), ids=lambda kind: kind.value)
def test_every_kind_asks_for_what_names_it_in_its_cloud(refused, kind):
    cloud, keys = IDENTIFIERS[kind]

    found = refused(cloud=cloud.value, kind=kind.value, identifiers={})

    assert {f"identifiers.{key}" for key in keys} <= set(found)


def test_a_kind_belongs_to_its_cloud(refused):
    found = refused(kind="gke-node-pool")

    assert found["kind"] == "is no kind of pool on aws"


@pytest.mark.parametrize(
    ("kind", "scaler"),
    [
        ("eks-node-group", "provider"),
        ("eks-node-group", "karpenter"),
        ("karpenter-node-pool", "tidegate"),
        ("karpenter-node-pool", "cluster-autoscaler"),
    ],
)
def test_a_scaler_resizes_only_what_it_can(refused, kind, scaler):
    names = {"nodeGroup": "gpu", "cluster": "train", "nodePool": "gpu"}

    found = refused(kind=kind, scaler=scaler, identifiers=names)

    assert found["scaler"] == f"cannot resize kind {kind}"


def test_machines_of_several_shapes_are_no_one_pool(refused):
    found = refused(instance_types=["p4d.24xlarge", "g6.xlarge"])

    assert found["instance_types"].startswith("differ in their accelerators")


def test_an_unknown_machine_is_refused_unless_the_caller_vouches_for_it(refused, args, catalog):
    assert "instance_types" in refused(instance_types=["p99.metal"])

    vouched = args(instance_types=["p99.metal"], accelerator="a100-40gb", accelerators_per_node=8)
    pool = parse_existing("train-a100", vouched, catalog).pool
    assert (pool.accelerator, pool.accelerators_per_node) == ("a100-40gb", 8)


def test_a_count_without_an_accelerator_is_a_contradiction(refused):
    found = refused(instance_types=["p99.metal"], accelerators_per_node=8)

    assert found["accelerators_per_node"] == "does not fit accelerator none"


def test_all_faults_are_told_at_once(refused):
    found = refused(max_nodes=-1, scaler="nobody", region=None, labels={"owner": "ml"})

    assert {"max_nodes", "scaler", "region", "labels.environment"} <= set(found)


@pytest.mark.parametrize("cloud", list(Cloud), ids=lambda cloud: cloud.value)
def test_what_adopt_writes_is_what_the_component_takes(cloud, labels):
    catalog = load_catalog()
    kind, type_name, names = {
        Cloud.AWS: (PoolKind.EKS_NODE_GROUP, "g5.xlarge", IDENTIFIERS[PoolKind.EKS_NODE_GROUP][1]),
        Cloud.GCP: (
            PoolKind.GKE_NODE_POOL,
            "g2-standard-4",
            IDENTIFIERS[PoolKind.GKE_NODE_POOL][1],
        ),
        Cloud.AZURE: (
            PoolKind.AKS_AGENT_POOL,
            "Standard_NC4as_T4_v3",
            IDENTIFIERS[PoolKind.AKS_AGENT_POOL][1],
        ),
    }[cloud]
    found = ObservedPool(
        cloud=cloud,
        kind=kind,
        name="own",
        cluster="train",
        region="here-1",
        account="a",
        zones=(),
        instance_types=(type_name,),
        capacity_type=CapacityType.SPOT,
        min_nodes=0,
        max_nodes=2,
        desired_nodes=0,
        tags=labels,
        scaler=Scaler.TIDEGATE,
        identifiers=dict.fromkeys(names, "x"),
    )
    adoption = build_adoption(found, catalog)
    spelt = {_snake(key): value for key, value in adoption.entry.items()}

    pool = parse_existing(adoption.id, spelt, catalog).pool

    assert adoption.missing == ()
    assert (pool.id, pool.kind, pool.max_nodes) == ("train-own", kind, 2)
    assert pool.accelerators_per_node == 1


def _snake(key):
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in key)
