from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.sources.pods import Chips, find_unread_targets, read_pending, sum_requests
from tidegate.sources.quantities import parse_quantity, to_mebibytes, to_milli
from tidegate.sources.workloads import read_workloads
from tidegate.vocabulary.capacity import InterruptionTolerance, WorkloadClass
from tidegate.vocabulary.demand import AcceleratorNeed, PlacementNeed, WorkItem, WorkShape

GPU = "nvidia.com/gpu"
CHIPS = Chips({GPU: ("h100-80gb", "a100-80gb")}, ("train", "serve"))
AT = "2026-11-30T12:00:00Z"


def pod(name="job-0", *, phase="Pending", node=None, requests=None, metadata=None, **spec):
    container = {"name": "main", "resources": {"requests": requests or {GPU: "8", "cpu": "500m"}}}
    return {
        "metadata": {
            "name": name, "namespace": "ml", "creationTimestamp": AT, **(metadata or {}),
        },
        "spec": {"containers": [container], **({"nodeName": node} if node else {}), **spec},
        "status": {"phase": phase},
    }  # fmt: skip


def test_a_pending_pod_asks_for_any_chip_of_its_cluster_and_for_no_other_cluster():
    toleration = {"key": "team", "operator": "Exists"}

    (item,) = read_pending(
        [pod(nodeSelector={"disk": "fast"}, tolerations=[toleration], priority=100)], CHIPS, "k8s"
    )

    assert item == WorkItem(
        id="k8s/ml/job-0",
        shape=WorkShape(
            accelerators=(AcceleratorNeed("h100-80gb", 8), AcceleratorNeed("a100-80gb", 8)),
            vcpus_milli=500,
            workload_class=WorkloadClass.INFERENCE,
            priority=100,
            placement=PlacementNeed(
                pools=("train", "serve"), software=(("disk", "fast"),), tolerations=("team",)
            ),
        ),
        queued_at=datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
    )


def test_a_pod_that_names_its_pool_accepts_how_that_is_bought():
    (item,) = read_pending([pod(nodeSelector={"capacity-pool": "train"})], CHIPS, "k8s")

    assert item.shape.placement == PlacementNeed(pools=("train",))
    assert item.shape.interruption_tolerance is InterruptionTolerance.TOLERANT


@pytest.mark.parametrize(
    ("metadata", "wanted"),
    [
        ({"labels": {"workload-class": "notebook"}}, WorkloadClass.NOTEBOOK),
        ({"ownerReferences": [{"kind": "Job"}]}, WorkloadClass.TRAINING),
        ({"labels": {"workload-class": "nonsense"}}, WorkloadClass.INFERENCE),
        ({}, WorkloadClass.INFERENCE),
    ],
    ids=["its label", "a job", "a label that is none", "nothing"],
)
def test_the_class_of_a_pod(metadata, wanted):
    (item,) = read_pending([pod(metadata=metadata)], CHIPS, "k8s")

    assert item.shape.workload_class is wanted


@pytest.mark.parametrize(
    "other",
    [
        pod(node="gpu-1"),
        pod(phase="Succeeded"),
        pod(metadata={"deletionTimestamp": AT}),
        pod(schedulingGates=[{"name": "kueue.x-k8s.io/admission"}]),
    ],
    ids=["bound", "ended", "leaving", "gated by Kueue"],
)
def test_what_does_not_wait_for_a_node(other):
    assert read_pending([other], CHIPS, "k8s") == []


@pytest.mark.parametrize(
    ("stated", "seconds", "unread"),
    [("30", 30, []), ("0", 0, []), ("-1", None, ["ml/job-0"]), ("5m", None, ["ml/job-0"])],
)
def test_a_pod_says_how_long_it_may_wait_and_what_is_no_number_is_told(stated, seconds, unread):
    asked = pod(metadata={"annotations": {"tidegate.dev/wait-target-seconds": stated}})

    (item,) = read_pending([asked, pod(node="gpu-1")], CHIPS, "k8s")

    assert item.shape.wait_target_seconds == seconds
    assert find_unread_targets([asked, pod()]) == unread


def test_a_larger_container_that_starts_first_counts():
    first = {"resources": {"requests": {"cpu": "4", "memory": "1Gi"}}}
    asked = sum_requests({**pod()["spec"], "initContainers": [first]})

    assert asked == {GPU: 8, "cpu": 4, "memory": 2**30}


def workload(name="w", conditions=(), count=4):
    template = {"spec": pod()["spec"], "metadata": {"labels": {"workload-class": "training"}}}
    return {
        "metadata": {"name": name, "namespace": "ml", "creationTimestamp": AT},
        "spec": {"podSets": [{"name": "main", "count": count, "template": template}]},
        "status": {
            "conditions": [
                {"type": each, "status": "True", "lastTransitionTime": AT} for each in conditions
            ]
        },
    }


def test_a_workload_with_quota_that_waits_for_nodes_starts_whole():
    items, without_quota = read_workloads([workload(conditions=["QuotaReserved"])], CHIPS, "k8s")

    assert [(item.id, item.shape.workers) for item in items] == [("k8s/ml/w/main", 4)]
    assert items[0].shape.workload_class is WorkloadClass.TRAINING
    assert without_quota == 0


@pytest.mark.parametrize(
    ("conditions", "waiting"),
    [((), 1), (("QuotaReserved", "Admitted"), 0), (("Finished",), 0)],
    ids=["no quota yet", "admitted", "finished"],
)
def test_workloads_that_no_node_would_help(conditions, waiting):
    assert read_workloads([workload(conditions=conditions)], CHIPS, "k8s") == ([], waiting)


@pytest.mark.parametrize(
    ("text", "number"),
    [("500m", "0.5"), ("8", "8"), ("2Gi", str(2**31)), ("1k", "1000"), ("1e3", "1000")],
)
def test_quantities_are_read(text, number):
    assert parse_quantity(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", "-1", "8 GPUs", "NaN", "Gi", None])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError, match="no quantity"):
        parse_quantity(text)


@given(st.integers(0, 10**9))
def test_rounding_never_asks_for_less(number):
    quantity = parse_quantity(f"{number}n")

    assert Decimal(to_milli(quantity)) / 1000 >= quantity
    assert to_mebibytes(Decimal(number)) * 2**20 >= number
