"""TPU node pools on GKE: single hosts, and slices whose hosts come and go together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components import GpuNodePool
from tidegate_components.gpu_node_pool.parse import parse_pool
from tidegate_components.gpu_node_pool.slices import DEEP, FLAT, count_chips, explain_topology

from tidegate.vocabulary.problems import InvalidInput

SLICE = {
    "accelerator": "tpu-v6e",
    "instance_types": ["ct6e-standard-4t"],
    "zones": ["us-central1-b"],
    "max_nodes": 4,
    "gcp": {"project": "acme-ml", "tpu_topology": "4x4"},
}


@pytest.fixture
def declare(record, pool_args, catalog):
    def run(**changes):
        args = pool_args("gcp", **{**SLICE, **changes})
        return record(lambda: GpuNodePool("train-tpu", args, None, catalog))

    return run


def entry(recording):
    (pool,) = recording.outputs["train-tpu"]["capacity"]["pools"]
    return pool


def test_a_slice_of_several_hosts_says_its_topology_and_comes_as_one(declare):
    recording = declare()

    pool = recording.one("nodePool:NodePool").inputs
    assert pool["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}
    assert pool["nodeConfig"]["machineType"] == "ct6e-standard-4t"
    assert "guestAccelerators" not in pool["nodeConfig"]
    assert pool["initialNodeCount"] == 0
    found = entry(recording)
    assert (found["topology"], found["nodesAtOnce"], found["acceleratorsPerNode"]) == ("4x4", 4, 4)


def test_gke_sets_the_taint_of_tpus_itself_and_the_manifest_has_it(declare):
    recording = declare()

    assert "taints" not in recording.one("nodePool:NodePool").inputs["nodeConfig"]
    assert entry(recording)["taints"] == [
        {"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}
    ]


@pytest.mark.parametrize(
    ("machine", "topology"), [("ct6e-standard-8t", "2x4"), ("ct6e-standard-4t", "2x2")]
)
def test_a_slice_of_one_host_is_decided_by_its_machine(declare, machine, topology):
    recording = declare(
        instance_types=[machine], gcp={"tpu_topology": topology}, max_nodes=7, zones=None
    )

    assert "placementPolicy" not in recording.one("nodePool:NodePool").inputs
    assert entry(recording)["nodesAtOnce"] == 1


def test_single_hosts_need_no_topology(declare):
    recording = declare(gcp=None, max_nodes=7)

    assert "placementPolicy" not in recording.one("nodePool:NodePool").inputs
    assert entry(recording)["topology"] == ""


def test_a_flex_start_slice_keeps_its_topology_and_starts_from_nothing(declare):
    gcp = {"tpu_topology": "4x4", "flex_start": True, "max_run_duration_seconds": 3600}

    pool = declare(capacity_type="on-demand", scaler="provider", gcp=gcp).one("nodePool:NodePool")

    assert pool.inputs["placementPolicy"]["tpuTopology"] == "4x4"
    assert pool.inputs["autoscaling"]["totalMaxNodeCount"] == 4
    assert "initialNodeCount" not in pool.inputs
    assert pool.inputs["nodeConfig"]["reservationAffinity"] == {
        "consumeReservationType": "NO_RESERVATION"
    }


def test_v5e_slices_are_told_by_their_machine(declare):
    recording = declare(
        accelerator="tpu-v5e",
        instance_types=["ct5lp-hightpu-4t"],
        zones=["us-west4-a"],
        region="us-west4",
    )

    found = entry(recording)
    assert (found["accelerator"], found["nodesAtOnce"]) == ("tpu-v5e", 4)


def test_a_deep_topology_joins_v5p_in_three_dimensions(declare):
    recording = declare(
        accelerator="tpu-v5p",
        instance_types=["ct5p-hightpu-4t"],
        gcp={"tpu_topology": "2x2x4"},
        max_nodes=4,
        min_nodes=4,
        zones=["us-central1-a"],
    )

    assert entry(recording)["nodesAtOnce"] == 4
    assert recording.one("nodePool:NodePool").inputs["initialNodeCount"] == 4


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        (
            {"gcp": {"tpu_topology": "3x3"}},
            "gcp.tpu_topology = '3x3': is no slice of tpu-v6e that Google offers; expected a",
        ),
        (
            {
                "capacity_type": "on-demand",
                "scaler": "provider",
                "gcp": {"tpu_topology": "axb", "queued_provisioning": True},
            },
            "gcp.tpu_topology = 'axb': is not how tpu-v6e is joined, in two dimensions",
        ),
        (
            {"gcp": {"tpu_topology": "2x2x2"}},
            "gcp.tpu_topology = '2x2x2': is not how tpu-v6e is joined, in two dimensions",
        ),
        (
            {"instance_types": ["ct6e-standard-8t"], "gcp": {"tpu_topology": "2x2"}},
            "gcp.tpu_topology = '2x2': has 4 chips, which hosts of 8 (ct6e-standard-8t) cannot",
        ),
        (
            {"instance_types": ["ct6e-standard-8t"], "max_nodes": 2},
            "gcp.tpu_topology = '4x4': needs several hosts, and a ct6e-standard-8t stands alone",
        ),
        (
            {"max_nodes": 5},
            "max_nodes = 5: is not the 4 hosts of the slice 4x4; expected 4, a pool",
        ),
        (
            {"min_nodes": 2},
            "min_nodes = 2: is a part of the slice 4x4, whose hosts come and go together",
        ),
        (
            {"zones": ["us-central1-a", "us-central1-b"]},
            "gcp.tpu_topology = '4x4': is one slice, and needs nodes in one zone",
        ),
        (
            {
                "accelerator": "h100-80gb",
                "instance_types": ["a3-highgpu-8g"],
                "zones": ["us-central1-a"],
            },
            "gcp.tpu_topology = '4x4': is for TPUs, and the accelerator is h100-80gb",
        ),
        (
            {
                "capacity_type": "on-demand",
                "scaler": "provider",
                "gcp": {"tpu_topology": "4x4", "queued_provisioning": True},
            },
            "gcp.queued_provisioning = True: excludes compact placement, which a slice of several",
        ),
    ],
)
def test_what_is_no_slice_is_refused(pool_args, catalog, changes, start):
    with pytest.raises(InvalidInput) as caught:
        parse_pool("train-tpu", pool_args("gcp", **{**SLICE, **changes}), catalog)

    lines = [line.removeprefix("pool train-tpu: ") for line in str(caught.value).splitlines()]
    assert [line for line in lines if line.startswith(start)], lines
    assert len(lines) == 1


@given(st.lists(st.integers(1, 5).map(lambda side: side * 4), min_size=3, max_size=3).map(sorted))
def test_large_deep_slices_have_sides_of_multiples_of_four(sides):
    topology = "x".join(map(str, sides))

    assert explain_topology("tpu-v5p", topology) == ""
    assert count_chips(topology) == sides[0] * sides[1] * sides[2]
    assert explain_topology("tpu-v5p", f"{sides[0] + 1}x{sides[1]}x{sides[2]}")


@given(st.text(alphabet="0123456789x", max_size=8), st.sampled_from(["tpu-v6e", *DEEP]))
def test_any_text_is_a_topology_or_is_explained(text, chip):
    reason = explain_topology(chip, text)

    assert reason or count_chips(text) > 0
    assert chip in DEEP or bool(reason) is (text not in FLAT)
