"""Lists are chosen by the fields that the real API server knows, and by no other."""

from __future__ import annotations

import pytest
from kubernetes import client
from kubernetes.client.exceptions import ApiException


@pytest.fixture
def core(api):
    """Two nodes, one of them closed; a pod on it, a pod elsewhere and one that waits."""
    core = client.CoreV1Api(api)
    for name, spec in (("gpu-1", {"unschedulable": True}), ("gpu-2", {})):
        core.create_node({"metadata": {"name": name}, "spec": spec})
    for name, node in (("here", "gpu-1"), ("there", "gpu-2"), ("waits", None)):
        spec = {"containers": [{"name": "m", "image": "x"}], **({"nodeName": node} if node else {})}
        core.create_namespaced_pod("default", {"metadata": {"name": name}, "spec": spec})
    return core


def names(listed):
    return sorted(item.metadata.name for item in listed.items)


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ("spec.nodeName=gpu-1", ["here"]),
        ("spec.nodeName==gpu-2", ["there"]),
        ("spec.nodeName!=gpu-1", ["there", "waits"]),
        ("spec.nodeName=", ["waits"]),
        ("spec.nodeName=gpu-1,metadata.name=there", []),
        ("metadata.namespace=default,metadata.name!=here", ["there", "waits"]),
    ],
)
def test_pods_are_chosen_by_their_fields(core, selector, chosen):
    assert names(core.list_pod_for_all_namespaces(field_selector=selector)) == chosen


@pytest.mark.parametrize(("value", "chosen"), [("true", ["gpu-1"]), ("false", ["gpu-2"])])
def test_nodes_are_chosen_by_whether_they_are_closed(core, value, chosen):
    assert names(core.list_node(field_selector=f"spec.unschedulable={value}")) == chosen


@pytest.mark.parametrize("selector", ["spec.priority=1", "spec.unschedulable=true"])
def test_a_field_that_the_real_server_does_not_choose_pods_by_is_refused(core, selector):
    with pytest.raises(ApiException, match="field label not supported") as refused:
        core.list_pod_for_all_namespaces(field_selector=selector)

    assert refused.value.status == 400
