"""Closing, asking and evicting, by the Kubernetes client over HTTP."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from support.kube_server import BUDGET, KubeServer

from tidegate.sources.kubernetes import Cluster
from tidegate.sources.pods import Chips
from tidegate.vocabulary.reports import SourceFault

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CHIPS = Chips({"nvidia.com/gpu": ("h100-80gb",)}, ("train",))


@pytest.fixture
def kube():
    made = KubeServer()
    made.add_node("a")
    made.add_pod("job", "a")
    yield made
    made.close()


@pytest.fixture
def cluster(kube):
    with kube.api() as api:
        yield Cluster("k8s", api, CHIPS)


def look(cluster):
    (node,) = cluster.fetch().nodes
    return node


def test_a_node_that_is_emptied_is_closed_and_its_work_is_asked_to_save_itself(cluster):
    cluster.start_drain("a", ["ml/job"], NOW, closed_by_us=True)

    node = look(cluster)
    assert (node.closed, node.closed_by_us, node.drained_since, node.evicting) == (
        True,
        True,
        NOW,
        False,
    )
    assert [pod.asked_at for pod in node.running] == [NOW]


def test_a_node_that_a_person_closed_stays_theirs(cluster, kube):
    kube.nodes["a"]["spec"]["unschedulable"] = True

    cluster.start_drain("a", ["ml/job"], NOW, closed_by_us=False)

    assert (look(cluster).closed, look(cluster).closed_by_us) == (True, False)


def test_a_pod_that_is_gone_meanwhile_is_asked_and_evicted_in_vain(cluster, kube):
    cluster.start_drain("a", ["ml/gone"], NOW, closed_by_us=True)

    assert cluster.evict("a", {"ml/gone": None}) == {}
    assert kube.evictions == []


def test_an_evicted_pod_gets_its_own_grace_or_what_is_left(cluster, kube):
    kube.add_pod("other", "a")

    assert cluster.evict("a", {"ml/job": None, "ml/other": 12}) == {}

    assert kube.evictions == [{"pod": "ml/job"}, {"pod": "ml/other", "gracePeriodSeconds": 12}]
    assert look(cluster).evicting


@pytest.mark.parametrize(
    "refusal",
    [(429, BUDGET), (500, "This pod has more than one PodDisruptionBudget, which is …")],
    ids=["its budget is used up", "two budgets select it"],
)
def test_a_budget_keeps_its_pod_and_no_other(cluster, kube, refusal):
    kube.add_pod("other", "a")
    kube.refused["ml/job"] = refusal

    assert cluster.evict("a", {"ml/job": None, "ml/other": None}) == {"ml/job": refusal[1]}

    assert kube.evictions == [{"pod": "ml/other"}]


def test_a_pod_gives_way_while_its_node_stays_open(cluster, kube):
    cluster.ask_checkpoint(["ml/job"], NOW)
    cluster.evict("", {"ml/job": None})

    node = look(cluster)
    assert (node.closed, node.evicting, node.running) == (False, False, ())


def test_what_was_asked_can_be_taken_back(cluster):
    cluster.start_drain("a", ["ml/job"], NOW, closed_by_us=True)
    cluster.evict("a", {})

    cluster.reopen("a")
    cluster.ask_checkpoint(["ml/job"], None)

    node = look(cluster)
    assert (node.closed, node.closed_by_us, node.drained_since, node.evicting) == (
        False,
        False,
        None,
        False,
    )
    assert node.running[0].asked_at is None


@pytest.mark.parametrize("refusal", [(403, "forbidden"), (500, "etcd is away")])
def test_another_refusal_is_a_fault_of_the_cluster(cluster, kube, refusal):
    kube.refused["ml/job"] = refusal

    with pytest.raises(SourceFault, match=f"k8s answers {refusal[0]}"):
        cluster.evict("a", {"ml/job": None})


def test_a_cluster_that_is_away_is_a_fault(cluster, kube):
    kube.down = True

    with pytest.raises(SourceFault, match="k8s answers 503"):
        cluster.start_drain("a", [], NOW, closed_by_us=True)
