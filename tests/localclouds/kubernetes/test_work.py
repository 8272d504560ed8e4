"""The controller's cluster source on the local Kubernetes, by the real client."""

from __future__ import annotations

from kubernetes import client

from tidegate.sources.kubernetes import Cluster
from tidegate.sources.pods import Chips

CHIPS = Chips({"nvidia.com/gpu": ("h100-80gb",)}, ("train",))


def make_pod(api, name, **spec):
    container = {"name": "m", "image": "x", "resources": {"requests": {"nvidia.com/gpu": "8"}}}
    body = {"metadata": {"name": name}, "spec": {"containers": [container], **spec}}
    client.CoreV1Api(api).create_namespaced_pod("default", body)


def test_pods_that_wait_and_nodes_that_work_are_read(api):
    core = client.CoreV1Api(api)
    labels = {"capacity-pool": "train"}
    spec = {"providerID": "aws:///us-east-1a/i-1"}
    core.create_node({"metadata": {"name": "gpu-1", "labels": labels}, "spec": spec})
    make_pod(api, "waits")
    make_pod(api, "runs", nodeName="gpu-1")

    report = Cluster("k8s", api, CHIPS).fetch()

    assert [item.id for item in report.items] == ["k8s/default/waits"]
    assert [need.per_worker for item in report.items for need in item.shape.accelerators] == [8]
    (node,) = report.nodes
    assert (node.pool, node.ready, node.provider_id) == ("train", True, "aws:///us-east-1a/i-1")
    assert [pod.item for pod in node.running] == ["k8s/default/runs"]


def test_a_node_is_closed_and_opened_again(api):
    core = client.CoreV1Api(api)
    core.create_node({"metadata": {"name": "gpu-1", "labels": {"capacity-pool": "train"}}})
    cluster = Cluster("k8s", api, CHIPS)

    assert cluster.close("gpu-1") is True
    closed = cluster.fetch().nodes[0]
    cluster.reopen("gpu-1")
    opened = cluster.fetch().nodes[0]

    assert (closed.closed, closed.closed_by_us) == (True, True)
    assert (opened.closed, opened.closed_by_us) == (False, False)


def test_a_node_on_which_work_started_is_not_empty(api):
    core = client.CoreV1Api(api)
    core.create_node({"metadata": {"name": "gpu-1", "labels": {"capacity-pool": "train"}}})
    make_pod(api, "late", nodeName="gpu-1")

    assert Cluster("k8s", api, CHIPS).close("gpu-1") is False
