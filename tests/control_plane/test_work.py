"""Pods, nodes and gangs as a real API server and a real scheduler have them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kubernetes import client
from support.kubelet import NAMESPACE
from support.stage import POOLS, SYSTEM, Story

from tidegate.vocabulary.records import Outcome

pytestmark = pytest.mark.slow

IDLE = 400
"""Seconds after which an idle node is not kept any more."""


@pytest.fixture
def budget(story: Story) -> Iterator[None]:
    """No worker may be evicted: what a gang cannot do without."""
    policy = client.PolicyV1Api(story.stage.clusters["aws"].api)
    spec = {"minAvailable": 2, "selector": {"matchLabels": {"gang": "train"}}}
    body = {"metadata": {"name": "gang"}, "spec": spec}
    policy.create_namespaced_pod_disruption_budget(NAMESPACE, body)
    yield
    policy.delete_namespaced_pod_disruption_budget("gang", NAMESPACE)


def test_a_gang_of_two_opens_two_nodes_and_holds_both(story: Story, budget: None) -> None:
    for worker in ("worker-0", "worker-1"):
        story.ask("aws", worker, labels={"gang": "train"})
    story.turn()
    assert story.size("aws") == 2

    joined = story.join("aws")
    assert sorted(story.wait_bound("aws", "worker-0", "worker-1")) == sorted(joined)
    for _ in range(3):
        story.turn(after=IDLE)
    assert story.size("aws") == 2

    story.stage.kubelets["aws"].set_phase("worker-0", "Succeeded")
    story.turn(after=15)
    story.turn(after=IDLE)
    assert story.size("aws") == 1
    (left,) = set(joined) - set(story.leave("aws"))
    assert story.stage.kubelets["aws"].node_of("worker-1") == left


def test_work_that_no_pool_can_take_is_told_with_its_cause(story: Story) -> None:
    story.ask("aws", "huge", gpus=4)

    story.turn()

    assert [story.size(cloud) for cloud in POOLS] == [0, 0, 0]
    assert story.figure("unmet_items") == 1
    (unmet,) = story.unmet()
    assert unmet.startswith("1 item of 1 worker, aws/default/huge: ")
    zones = ", ".join(f"dev-aws-l4/g6.xlarge/us-east-1{zone}" for zone in "bc")
    assert f"{zones}: one worker is larger than a node of g6.xlarge" in unmet


def test_work_without_accelerators_opens_no_pool_of_them(story: Story) -> None:
    story.ask("aws", "web", gpus=0)
    assert story.wait_bound("aws", "web") == [SYSTEM]
    story.ask("aws", "large", gpus=0, cpu="7500m")
    assert "1 Insufficient cpu" in story.wait_refused("aws", "large")

    story.turn()

    assert [story.size(cloud) for cloud in POOLS] == [0, 0, 0]
    (unmet,) = story.unmet()
    pools = ", ".join(sorted(POOLS.values()))
    assert f"{pools}: work without accelerators stays off accelerator nodes" in unmet


def test_a_daemonset_holds_no_node(story: Story) -> None:
    kubelets = story.stage.kubelets["aws"]
    story.ask("aws", "train")
    story.turn()
    (node,) = story.join("aws")
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "exporter", "uid": "1"}
    exporter = {"ownerReferences": [{**owner, "controller": True}]}
    story.ask("aws", "exporter", gpus=0, metadata=exporter, nodeName=node)
    story.wait_bound("aws", "train", "exporter")
    story.turn(after=15)
    kubelets.set_phase("train", "Succeeded")

    story.turn(after=15)
    story.turn(after=IDLE)

    assert story.size("aws") == 0
    assert story.leave("aws") == [node]


def test_a_node_whose_device_plugin_is_late_is_not_bought_twice(story: Story) -> None:
    story.ask("aws", "train")
    story.turn()
    (node,) = story.join("aws", gpus=None)
    assert "Insufficient nvidia.com/gpu" in story.wait_refused("aws", "train")

    for _ in range(4):
        story.turn(after=30)
    assert story.size("aws") == 1

    story.stage.kubelets["aws"].report(node, 1)
    assert story.wait_bound("aws", "train") == [node]
    story.turn(after=30)
    assert story.decisions("aws") == [("grow", 0, 1, Outcome.APPLIED)]


def test_a_node_that_a_person_closed_is_replaced_and_left_to_them(story: Story) -> None:
    kubelets = story.stage.kubelets["aws"]
    story.ask("aws", "first")
    story.turn()
    (closed,) = story.join("aws")
    story.wait_bound("aws", "first")
    kubelets.core.patch_node(closed, {"spec": {"unschedulable": True}})
    story.ask("aws", "second")

    story.turn(after=15)
    assert story.size("aws") == 2
    (fresh,) = story.join("aws")
    assert story.wait_bound("aws", "second") == [fresh]
    story.turn(after=IDLE)

    assert story.size("aws") == 2
    assert kubelets.nodes()[closed].spec.unschedulable
    assert kubelets.node_of("first") == closed


def test_pods_beyond_the_maximum_wait_and_are_told(story: Story) -> None:
    for number in range(5):
        story.ask("aws", f"train-{number}")

    story.turn()

    assert story.size("aws") == story.stage.declared("aws").max_nodes == 3
    (unmet,) = story.unmet()
    assert unmet.startswith("2 items of 1 worker, aws/default/train-3 first: ")
    assert "dev-aws-l4: has 3 of at most 3 nodes" in unmet
    assert "dev-gcp-l4: only dev-aws-l4 are asked for" in unmet
