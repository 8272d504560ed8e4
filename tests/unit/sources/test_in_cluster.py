"""A controller that runs as a pod: it reaches the cluster around it by its service account."""

from __future__ import annotations

import datetime as dt

import pytest
from kubernetes.config import incluster_config

from tidegate.sources.kubernetes import IN_CLUSTER, build_api
from tidegate.vocabulary.reports import SourceFault


@pytest.fixture
def pod(tmp_path, monkeypatch):
    """Return the token's file of a pod's service account."""
    token, certificate = tmp_path / "token", tmp_path / "ca.crt"
    token.write_text("first")
    certificate.write_text("an authority")
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(token))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(certificate))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    return token


def test_a_pod_reaches_its_cluster_without_a_kubeconfig(pod):
    found = build_api(IN_CLUSTER).configuration

    assert (found.host, found.ssl_ca_cert) == ("https://10.0.0.1:443", str(pod.parent / "ca.crt"))
    assert found.auth_settings()["BearerToken"]["value"] == "bearer first"


def test_a_token_that_the_kubelet_renewed_is_taken_up(pod, monkeypatch):
    found = build_api(IN_CLUSTER).configuration
    pod.write_text("second")
    now = dt.datetime.now
    later = type("Later", (), {"now": lambda: now() + dt.timedelta(minutes=2)})
    monkeypatch.setattr(incluster_config.datetime, "datetime", later)

    assert found.auth_settings()["BearerToken"]["value"] == "bearer second"


def test_outside_of_a_pod_the_fault_names_the_context(monkeypatch):
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)

    with pytest.raises(SourceFault, match="'in-cluster' cannot be used"):
        build_api(IN_CLUSTER)
