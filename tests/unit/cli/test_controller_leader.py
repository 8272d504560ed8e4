from __future__ import annotations

import pytest

from tidegate.cli.controller_leader import open_led_state
from tidegate.state.elected import ElectedStore
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.problems import InvalidInput, Unavailable

KUBECONFIG = """
current-context: ops
clusters: [{name: ops, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: ops, user: {token: a-token}}]
contexts: [{name: ops, context: {cluster: ops, user: ops}}]
"""


@pytest.fixture
def url(tmp_path, monkeypatch):
    (tmp_path / "kubeconfig").write_text(KUBECONFIG)
    monkeypatch.setattr(
        "kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "kubeconfig")
    )
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return f"sqlite:///{tmp_path / 'state.db'}"


@pytest.mark.parametrize("leader", ["kubernetes:ops/tidegate", "kubernetes:ops/tidegate@ops"])
def test_a_lease_leads_by_its_context_or_the_current_one(url, leader):
    assert type(open_led_state(url, leader)) is ElectedStore


def test_without_one_the_database_leads_itself(url):
    assert type(open_led_state(url, "")) is DatabaseStore


@pytest.mark.parametrize(
    "leader",
    ["ops/tidegate", "kubernetes:tidegate", "kubernetes:Ops/tidegate", "etcd:ops/tidegate",
     "kubernetes:ops/tidegate@"],
)  # fmt: skip
def test_what_names_no_lease_is_told_with_the_form(url, leader):
    with pytest.raises(InvalidInput, match=r"names no lease.*kubernetes:NAMESPACE/NAME"):
        open_led_state(url, leader)


def test_a_context_that_no_kubeconfig_has_is_told(url):
    with pytest.raises(Unavailable, match=r"--leader kubernetes:ops/tidegate@prod: .*'prod'"):
        open_led_state(url, "kubernetes:ops/tidegate@prod")
