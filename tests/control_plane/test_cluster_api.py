"""What the controller asks of a cluster, asked of a real API server and its admission."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from kubernetes import client
from support.control_plane import Cluster, run_clusters
from support.kubelet import NAMESPACE, Kubelets
from support.stage import wait_for

from tidegate.sources import kubernetes as source
from tidegate.sources.pods import Chips
from tidegate.vocabulary.demand import AcceleratorNeed

pytestmark = pytest.mark.slow

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LABELS = {"capacity-pool": "train", "app": "job"}
KEPT = "Cannot evict pod as it would violate the pod's disruption budget."


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with run_clusters(tmp_path_factory.mktemp("clusters"), ["ml"]) as clusters:
        yield clusters["ml"]


@pytest.fixture
def kubelets(cluster: Cluster) -> Iterator[Kubelets]:
    made = Kubelets(cluster.core)
    made.join("node-a", "aws:///us-east-1a/i-1", LABELS, gpus=2)
    yield made
    made.clear()


@pytest.fixture
def ml(cluster: Cluster) -> source.Cluster:
    """The same cluster, as the controller knows it."""
    return source.Cluster("ml", cluster.api, Chips({"nvidia.com/gpu": ("l4",)}, ("train",)))


def run_pod(kubelets: Kubelets, name: str, **labels: str) -> None:
    kubelets.ask(name, labels={"app": name, **labels})
    wait_for(lambda: kubelets.node_of(name) == "node-a", f"{name} bound")
    kubelets.set_phase(name, "Running")


@pytest.fixture
def budget(cluster: Cluster) -> Iterator:
    """Return what makes a disruption budget and plays its controller: so many may go now."""
    policy = client.PolicyV1Api(cluster.api)

    def make(name: str, selector: dict[str, str], allowed: int) -> None:
        spec = {"minAvailable": 1, "selector": {"matchLabels": selector}}
        body = {"metadata": {"name": name}, "spec": spec}
        made = policy.create_namespaced_pod_disruption_budget(NAMESPACE, body)
        counts = {"disruptionsAllowed": allowed, "currentHealthy": 1 + allowed}
        status = {**counts, "desiredHealthy": 1, "expectedPods": 1 + allowed}
        status["observedGeneration"] = made.metadata.generation
        policy.patch_namespaced_pod_disruption_budget_status(name, NAMESPACE, {"status": status})

    yield make
    policy.delete_collection_namespaced_pod_disruption_budget(NAMESPACE)


def test_a_budget_keeps_its_pod_and_lets_another_go(kubelets, ml, budget):
    run_pod(kubelets, "kept")
    run_pod(kubelets, "free")
    budget("kept", {"app": "kept"}, 0)
    budget("free", {"app": "free"}, 1)

    ml.start_drain("node-a", ["default/kept", "default/free"], NOW, closed_by_us=True)
    refused = ml.evict("node-a", {"default/kept": 30, "default/free": 30, "default/gone": 30})

    assert refused == {"default/kept": KEPT}
    (node,) = ml.fetch().nodes
    assert (node.closed, node.closed_by_us, node.drained_since, node.evicting) == (
        True, True, NOW, True,
    )  # fmt: skip
    assert {pod.name: (pod.asked_at, pod.leaving) for pod in node.running} == {
        "default/kept": (NOW, False),
        "default/free": (NOW, True),
    }


def test_a_pod_of_two_budgets_is_kept_and_no_fault(kubelets, ml, budget):
    run_pod(kubelets, "both")
    budget("one", {"app": "both"}, 1)
    budget("two", {"app": "both"}, 1)

    refused = ml.evict("node-a", {"default/both": None})

    assert list(refused) == ["default/both"]
    assert "more than one PodDisruptionBudget" in refused["default/both"]


def test_a_node_on_which_a_pod_landed_before_it_was_closed_is_not_empty(kubelets, ml):
    assert ml.close("node-a")
    ml.reopen("node-a")
    run_pod(kubelets, "late")

    assert not ml.close("node-a")

    kubelets.ask("later")
    wait_for(lambda: bool(kubelets.refusal_of("later")), "the scheduler's word")
    assert "1 node(s) were unschedulable" in kubelets.refusal_of("later")
    ml.reopen("node-a")
    wait_for(lambda: kubelets.node_of("later") == "node-a", "later bound")


GATE = {"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}
QUOTA = {
    "type": "QuotaReserved", "status": "True", "reason": "QuotaReserved", "message": "",
    "lastTransitionTime": "2026-11-30T11:00:00Z",
}  # fmt: skip
TRUST = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture
def kueue(cluster: Cluster) -> Iterator:
    """Install Kueue's workloads as a kind; return what makes one."""
    extensions = client.ApiextensionsV1Api(cluster.api)
    objects = client.CustomObjectsApi(cluster.api)
    version = {
        "name": "v1beta1", "served": True, "storage": True, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": TRUST, "status": TRUST},
        }},
    }  # fmt: skip
    names = {"kind": "Workload", "plural": "workloads", "singular": "workload"}
    spec = {"group": "kueue.x-k8s.io", "scope": "Namespaced", "names": names}
    name = "workloads.kueue.x-k8s.io"
    definition = {"metadata": {"name": name}, "spec": {**spec, "versions": [version]}}
    extensions.create_custom_resource_definition(definition)

    def is_served() -> bool:
        found = extensions.read_custom_resource_definition(name).status
        return any(each.type == "Established" and each.status == "True"
                   for each in found.conditions or ())  # fmt: skip

    wait_for(is_served, "Kueue's kind")
    where = ("kueue.x-k8s.io", "v1beta1", NAMESPACE, "workloads")

    def make(name: str, workers: int, *conditions: dict[str, str]) -> None:
        container = {"name": "main", "resources": {"requests": {"nvidia.com/gpu": "2"}}}
        template = {"metadata": {"labels": {"workload-class": "training"}},
                    "spec": {"containers": [container]}}  # fmt: skip
        sets = [{"name": "main", "count": workers, "template": template}]
        body = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload",
                "metadata": {"name": name}, "spec": {"podSets": sets}}  # fmt: skip
        objects.create_namespaced_custom_object(*where, body)
        status = {"status": {"conditions": list(conditions)}}
        objects.patch_namespaced_custom_object_status(*where, name, status)

    yield make
    extensions.delete_custom_resource_definition(name)

    def is_gone() -> bool:
        listed = extensions.list_custom_resource_definition().items
        return name not in {each.metadata.name for each in listed}

    # Its workloads go first, and until then the next test would see them.
    wait_for(is_gone, "the end of Kueue's kind")


def test_what_kueue_gave_quota_waits_for_nodes_and_its_gated_pods_are_not_counted_twice(
    kubelets, ml, kueue
):
    kueue("admitted", 4, QUOTA, {**QUOTA, "type": "Admitted"})
    kueue("queued", 3)
    kueue("reserved", 2, QUOTA)
    for worker in range(2):
        kubelets.ask(f"worker-{worker}", gpus=2, **GATE)

    report = ml.fetch()

    (item,) = report.items
    assert item.id == "ml/default/reserved/main"
    assert item.shape.workers == 2
    assert item.shape.accelerators == (AcceleratorNeed("l4", 2),)
    assert item.queued_at == datetime(2026, 11, 30, 11, 0, tzinfo=UTC)
    assert report.notes == ("1 workloads of Kueue wait for quota, not for nodes",)


def test_without_kueue_there_are_no_workloads(kubelets, ml):
    assert ml.fetch().notes == ()
