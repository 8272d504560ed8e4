from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tidegate.sources.pods import Chips, read_shape
from tidegate.sources.running import read_nodes
from tidegate.vocabulary.fleet_state import ClusterNode, RunningPod

GPU = "nvidia.com/gpu"
CHIPS = Chips({GPU: ("h100-80gb", "a100-80gb")}, ("train", "serve"))
AT = "2026-11-30T12:00:00Z"
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def pod(name="job-0", *, phase="Running", node="gpu-1", requests=None, metadata=None, status=None):
    container = {"name": "main", "resources": {"requests": requests or {GPU: "8", "cpu": "500m"}}}
    return {
        "metadata": {
            "name": name, "namespace": "ml", "creationTimestamp": AT, **(metadata or {}),
        },
        "spec": {"containers": [container], "nodeName": node},
        "status": {"phase": phase, **(status or {})},
    }  # fmt: skip


def shape_of(pod):
    return read_shape(pod["metadata"], pod["spec"], CHIPS)


def kube_node(name="gpu-1", *, ready="True", annotations=None, **spec):
    return {
        "metadata": {
            "name": name, "labels": {"capacity-pool": "train"}, "annotations": annotations or {},
        },
        "spec": {"providerID": f"aws:///us-east-1a/{name}", **spec},
        "status": {
            "conditions": [{"type": "Ready", "status": ready}],
            "allocatable": {GPU: "8", "cpu": "96"},
        },
    }  # fmt: skip


def test_a_node_is_read_with_what_runs_on_it():
    saved = {"tidegate.dev/checkpoint-at": AT}
    daemon = {"ownerReferences": [{"kind": "DaemonSet", "name": "agents"}]}
    pods = [
        pod("job-0", node="gpu-1", phase="Running", metadata={"annotations": saved}),
        pod("agent", node="gpu-1", requests={"cpu": "100m"}, metadata=daemon),
        pod("done", node="gpu-1", phase="Succeeded"),
        pod("setting-up", node="gpu-1", phase="Pending", requests={GPU: "1"}),
        pod("elsewhere", node="gpu-2"),
    ]

    (found,) = read_nodes([kube_node()], pods, CHIPS, "k8s")

    assert found == ClusterNode(
        name="gpu-1",
        pool="train",
        ready=True,
        accelerators=8,
        provider_id="aws:///us-east-1a/gpu-1",
        running=(
            RunningPod(
                "k8s/ml/job-0",
                8,
                500,
                checkpoint_at=NOON,
                name="ml/job-0",
                shape=shape_of(pods[0]),
                created_at=NOON,
            ),
            RunningPod(
                "k8s/ml/agent",
                0,
                100,
                daemonset=True,
                name="ml/agent",
                owner="k8s/ml/DaemonSet/agents",
                created_at=NOON,
            ),
            RunningPod(
                "k8s/ml/setting-up",
                1,
                name="ml/setting-up",
                shape=shape_of(pods[3]),
                created_at=NOON,
            ),
        ),
    )


def test_a_node_that_a_person_closed_is_told_from_one_that_we_closed():
    by_us = {"tidegate.dev/closed": "true"}
    nodes = [
        kube_node("a", unschedulable=True),
        kube_node("b", unschedulable=True, annotations=by_us),
        kube_node("c", ready="Unknown"),
    ]

    found = read_nodes(nodes, [], CHIPS, "k8s")

    assert [(each.closed, each.closed_by_us, each.ready) for each in found] == [
        (True, False, True),
        (True, True, True),
        (False, False, False),
    ]


def test_a_node_whose_device_plugin_is_silent_tells_no_number():
    node = kube_node()
    node["status"]["allocatable"] = {"cpu": "96"}

    assert read_nodes([node], [], CHIPS, "k8s")[0].accelerators is None


def read_one(**changes):
    (found,) = read_nodes([kube_node()], [pod(**changes)], CHIPS, "k8s")
    return found.running[0]


def test_what_a_pod_says_of_itself_and_what_it_was_asked():
    found = read_one(
        metadata={
            "annotations": {
                "tidegate.dev/checkpoint-requested": AT,
                "tidegate.dev/resumed-from": AT,
            },
            "ownerReferences": [{"kind": "Job", "name": "sweep", "controller": True}],
            "deletionTimestamp": AT,
        },
        status={"startTime": AT, "conditions": [{"type": "Ready", "status": "True"}]},
    )

    assert (found.asked_at, found.resumed_from, found.started_at) == (NOON, NOON, NOON)
    assert (found.leaving, found.ready, found.owner) == (True, True, "k8s/ml/Job/sweep")
    assert found.grace_seconds == 30


@pytest.mark.parametrize(
    "label",
    [
        "jobset.sigs.k8s.io/jobset-name",
        "training.kubeflow.org/job-name",
        "ray.io/cluster",
        "kueue.x-k8s.io/pod-group-name",
    ],
)
def test_pods_that_end_together_are_one_item_of_as_many_workers(label):
    gang = {"labels": {label: "big"}}
    pods = [pod(f"big-{number}", node=f"gpu-{number}", metadata=gang) for number in range(2)]
    pods.append(pod("alone", node="gpu-1"))

    found = read_nodes([kube_node("gpu-0"), kube_node("gpu-1")], pods, CHIPS, "k8s")

    assert [(each.item, each.workers) for node in found for each in node.running] == [
        (f"k8s/ml/{label}/big", 2),
        (f"k8s/ml/{label}/big", 2),
        ("k8s/ml/alone", 1),
    ]


def test_a_pod_of_polyaxon_belongs_to_its_run():
    found = read_one(
        metadata={
            "labels": {"operation.polyaxon.com/uuid": "8f2b"},
            "annotations": {
                "operation.polyaxon.com/owner": "acme",
                "operation.polyaxon.com/project": "vision",
            },
        }
    )

    assert (found.run, found.item, found.owner) == (
        "acme/vision/8f2b",
        "k8s/polyaxon/acme/vision/8f2b",
        "k8s/polyaxon/acme/vision/8f2b",
    )


def test_a_pod_that_bears_half_of_polyaxons_marks_is_no_run():
    assert read_one(metadata={"labels": {"operation.polyaxon.com/uuid": "8f2b"}}).run == ""


@pytest.mark.parametrize("text", ["", "yesterday", "12:00", "2026-13-45T00:00:00Z", None, 7])
def test_a_note_that_is_no_time_says_nothing_and_spoils_no_other_pod(text):
    notes = {"annotations": {"tidegate.dev/checkpoint-at": text}}

    (found,) = read_nodes([kube_node()], [pod(metadata=notes), pod("other")], CHIPS, "k8s")

    assert [(each.name, each.checkpoint_at) for each in found.running] == [
        ("ml/job-0", None),
        ("ml/other", None),
    ]
