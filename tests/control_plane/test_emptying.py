"""Nodes that are taken away, emptied against a real API server, its evictions and its budgets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from kubernetes import client
from support.kubelet import NAMESPACE
from support.stage import POOLS, Story

from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord
from tidegate.vocabulary.records import Outcome

pytestmark = pytest.mark.slow

SAVED = "tidegate.dev/checkpoint-at"
ASKED = "tidegate.dev/checkpoint-requested"
LABELS = {"app": "train"}


def start(story: Story, cloud: str) -> str:
    """Open a pool for work that saved itself a minute ago; return its node."""
    saved = (story.clock.now() - timedelta(seconds=60)).isoformat()
    story.ask(cloud, "train", metadata={"annotations": {SAVED: saved}}, labels=LABELS)
    story.turn()
    (node,) = story.join(cloud)
    assert story.wait_bound(cloud, "train") == [node]
    story.turn(after=15)
    return node


def warn(story: Story, cloud: str, node: str, seconds: float = 120) -> None:
    """Have the controller remember what a cloud would announce of a node's machine."""
    now = story.clock.now()
    provider_id = story.stage.kubelets[cloud].nodes()[node].spec.provider_id
    notice = Notice(
        f"{cloud}/{now}", cloud, provider_id, NoticeKind.INTERRUPTION, now,
        now + timedelta(seconds=seconds), "is taken away",
    )  # fmt: skip
    story.store.record_drill(NoticeRecord(notice, "tests", now))


@contextmanager
def budgeted(story: Story, cloud: str) -> Iterator[client.PolicyV1Api]:
    """Let no work of a cloud's cluster be evicted until the block ends, unless it is said so."""
    policy = client.PolicyV1Api(story.stage.kubelets[cloud].core.api_client)
    budget = {
        "metadata": {"name": "train"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": LABELS}},
    }
    policy.create_namespaced_pod_disruption_budget(NAMESPACE, budget)
    try:
        yield policy
    finally:
        policy.delete_namespaced_pod_disruption_budget("train", NAMESPACE)


def read_pod(story: Story, cloud: str, name: str = "train") -> Any:
    return story.stage.kubelets[cloud].core.read_namespaced_pod(name, NAMESPACE)


def save(story: Story, cloud: str, name: str = "train") -> None:
    """Have work say that it saved itself, as it was asked to."""
    note = {"metadata": {"annotations": {SAVED: story.clock.now().isoformat()}}}
    story.stage.kubelets[cloud].core.patch_namespaced_pod(name, NAMESPACE, note)


def end_pod(story: Story, cloud: str, name: str = "train") -> None:
    """End a pod whose container has stopped, as its kubelet would."""
    core = story.stage.kubelets[cloud].core
    core.delete_namespaced_pod(name, NAMESPACE, grace_period_seconds=0)


def steps(story: Story, cloud: str) -> list[tuple[str, Outcome]]:
    """Return what was done, without what was merely waited for."""
    wanted = ("interruption", "drain", "evict", "grow", "shrink", "reopen")
    found = reversed(story.store.read_decisions(POOLS[cloud], 50))
    return [
        (each.action, each.outcome)
        for each in found
        if each.action in wanted and each.outcome is not Outcome.HELD
    ]


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_a_node_that_is_taken_is_emptied_and_replaced_in_one_turn(story: Story, cloud: str) -> None:
    node = start(story, cloud)
    warn(story, cloud, node)

    story.turn(after=15)

    assert story.stage.kubelets[cloud].nodes()[node].spec.unschedulable is True
    assert datetime.fromisoformat(read_pod(story, cloud).metadata.annotations[ASKED])
    assert story.size(cloud) == 2

    save(story, cloud)
    story.turn(after=15)
    pod = read_pod(story, cloud)
    # The API server took the eviction: the pod has its own grace to end.
    assert pod.metadata.deletion_timestamp is not None
    assert pod.metadata.deletion_grace_period_seconds == 30

    end_pod(story, cloud)
    story.ask(cloud, "train-again", labels=LABELS)
    (other,) = story.join(cloud)
    assert story.wait_bound(cloud, "train-again") == [other]
    story.turn(after=15)
    assert story.leave(cloud) == [node]
    assert story.size(cloud) == 1
    assert sorted(steps(story, cloud)) == [
        ("drain", Outcome.APPLIED),
        ("evict", Outcome.APPLIED),
        ("grow", Outcome.APPLIED),
        ("grow", Outcome.APPLIED),
        ("interruption", Outcome.OBSERVED),
        ("shrink", Outcome.APPLIED),
    ]


def test_where_the_cloud_chooses_the_node_is_emptied_and_left_to_it(story: Story) -> None:
    node = start(story, "gcp")
    warn(story, "gcp", node)

    story.turn(after=15)
    save(story, "gcp")
    story.turn(after=15)
    assert read_pod(story, "gcp").metadata.deletion_timestamp is not None
    end_pod(story, "gcp")
    story.turn(after=15)

    assert story.stage.kubelets["gcp"].nodes()[node].spec.unschedulable is True


def test_a_disruption_budget_is_respected_until_it_lets_go(story: Story) -> None:
    node = start(story, "aws")
    with budgeted(story, "aws") as policy:
        warn(story, "aws", node)
        story.turn(after=15)
        save(story, "aws")
        story.turn(after=15)
        assert read_pod(story, "aws").metadata.deletion_timestamp is None
        (told,) = [e for e in story.store.read_decisions(POOLS["aws"], 50) if e.action == "evict"]
        assert told.outcome is Outcome.HELD
        assert "disruption budget" in told.detail

        # What the disruption controller would say once another replica is ready.
        status = {
            "status": {
                "disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1,
                "expectedPods": 2, "observedGeneration": 1,
            }
        }  # fmt: skip
        policy.patch_namespaced_pod_disruption_budget_status("train", NAMESPACE, status)
        story.turn(after=15)
        assert read_pod(story, "aws").metadata.deletion_timestamp is not None


def test_a_machine_that_stays_after_all_is_opened_again(story: Story) -> None:
    node = start(story, "aws")
    with budgeted(story, "aws"):
        warn(story, "aws", node)
        story.turn(after=15)
        story.turn(after=700)

    found = story.stage.kubelets["aws"].nodes()[node]
    assert not found.spec.unschedulable
    assert not [key for key in found.metadata.annotations or {} if key.startswith("tidegate.dev/")]
    assert ASKED not in (read_pod(story, "aws").metadata.annotations or {})


def test_an_urgent_class_that_does_not_preempt_itself_gets_its_seat_from_the_controller(
    story: Story,
) -> None:
    scheduling = client.SchedulingV1Api(story.stage.kubelets["aws"].core.api_client)
    scheduling.create_priority_class(
        {"metadata": {"name": "urgent"}, "value": 1000, "preemptionPolicy": "Never"}
    )
    try:
        saved = (story.clock.now() - timedelta(seconds=60)).isoformat()
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "sweep", "uid": "1"}
        pods = [f"sweep-{number}" for number in range(3)]
        for name in pods:
            metadata = {
                "annotations": {SAVED: saved},
                "ownerReferences": [{**owner, "controller": True}],
            }
            story.ask("aws", name, metadata=metadata)
        story.turn()
        story.join("aws")
        story.wait_bound("aws", *pods)
        story.turn(after=15)

        story.ask("aws", "urgent", priorityClassName="urgent")
        story.wait_refused("aws", "urgent")
        story.turn(after=15)
        asked = [
            name for name in pods if ASKED in read_pod(story, "aws", name).metadata.annotations
        ]
        assert len(asked) == 1
        save(story, "aws", asked[0])
        story.turn(after=15)

        assert read_pod(story, "aws", asked[0]).metadata.deletion_timestamp is not None
        end_pod(story, "aws", asked[0])
        (node,) = story.wait_bound("aws", "urgent")
        assert not story.stage.kubelets["aws"].nodes()[node].spec.unschedulable
    finally:
        scheduling.delete_priority_class("urgent")
