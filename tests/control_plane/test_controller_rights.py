"""The controller's manifests on a real API server: taken, admitted, and enough but no more."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from kubernetes import client, dynamic
from support.control_plane import Cluster as RealCluster
from support.control_plane import run_clusters
from support.in_cluster import build_args
from tidegate_components.controller.render import render_manifests

from tidegate.sources.kubernetes import Cluster
from tidegate.sources.lease import KubernetesLease
from tidegate.sources.pods import Chips

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ARGS = build_args(replicas=2, leader="lease")
POD = {
    "metadata": {"name": "job", "namespace": "default"},
    "spec": {"nodeName": "node-1", "containers": [{"name": "job", "image": "job:1"}]},
}
FORBIDDEN = 403


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A cluster with every manifest of the controller, a node, and work on it."""
    with run_clusters(tmp_path_factory.mktemp("clusters"), ["ml"]) as clusters:
        cluster = clusters["ml"]
        objects = dynamic.DynamicClient(cluster.api)
        for body in yaml.safe_load_all(render_manifests("controller", ARGS)):
            kind = objects.resources.get(api_version=body["apiVersion"], kind=body["kind"])
            place = {"namespace": body["metadata"].get("namespace")}
            kind.create(body, **place, field_validation="Strict")
        cluster.core.create_node({"metadata": {"name": "node-1"}})
        cluster.core.create_namespaced_pod("default", POD)
        yield cluster


@pytest.fixture(scope="module")
def account(real: RealCluster) -> Iterator[client.ApiClient]:
    """A client with a token of the controller's own service account."""
    request = {"spec": {"expirationSeconds": 3600}}
    made = real.core.create_namespaced_service_account_token("controller", "tidegate", request)
    settings = client.Configuration(host=real.url)
    settings.ssl_ca_cert = real.api.configuration.ssl_ca_cert
    settings.api_key = {"BearerToken": f"Bearer {made.status.token}"}
    with client.ApiClient(settings) as api:
        yield api


def test_its_rights_are_enough_for_all_that_it_does(real, account):
    cluster = Cluster("ml", account, Chips({}, ()))

    report = cluster.fetch()
    assert [node.name for node in report.nodes] == ["node-1"]
    cluster.close("node-1")
    assert real.core.read_node("node-1").spec.unschedulable is True
    cluster.start_drain("node-1", ["default/job"], NOW, closed_by_us=True)
    assert cluster.evict("node-1", {"default/job": 0}) == {}
    cluster.reopen("node-1")
    assert not real.core.read_node("node-1").spec.unschedulable

    lease = KubernetesLease(account, "tidegate", "controller")
    assert lease.take("me", 0.0, 0) == 1
    lease.renew(1)


def refuse(call: Any, *arguments: Any) -> int:
    """Return the status with which a call is refused."""
    with pytest.raises(client.ApiException) as caught:
        call(*arguments)
    return int(caught.value.status)


def test_its_rights_are_for_nothing_else(account):
    core, leases = client.CoreV1Api(account), client.CoordinationV1Api(account)
    other = {"metadata": {"name": "other"}, "spec": {}}

    assert {
        refuse(core.list_secret_for_all_namespaces),
        refuse(core.read_namespaced_secret, "controller", "tidegate"),
        refuse(core.delete_node, "node-1"),
        refuse(core.create_node, {"metadata": {"name": "node-2"}}),
        refuse(core.create_namespaced_pod, "tidegate", POD),
        refuse(core.delete_namespaced_pod, "job", "default"),
        refuse(core.patch_namespaced_config_map, "controller", "tidegate", {"data": {}}),
        refuse(leases.create_namespaced_lease, "default", other),
        refuse(leases.replace_namespaced_lease, "other", "tidegate", other),
        refuse(leases.delete_namespaced_lease, "controller", "tidegate"),
        refuse(client.RbacAuthorizationV1Api(account).list_cluster_role),
        refuse(client.AppsV1Api(account).read_namespaced_deployment, "controller", "tidegate"),
    } == {FORBIDDEN}


def test_its_pod_is_admitted_where_only_restricted_ones_are(real):
    deployment = client.AppsV1Api(real.api).read_namespaced_deployment("controller", "tidegate")
    template = real.api.sanitize_for_serialization(deployment.spec.template)
    own = {"metadata": {**template["metadata"], "name": "own"}, "spec": template["spec"]}

    made = real.core.create_namespaced_pod("tidegate", own)
    assert made.spec.security_context.run_as_non_root is True

    careless = {**POD, "metadata": {"name": "careless"}}
    assert refuse(real.core.create_namespaced_pod, "tidegate", careless) == FORBIDDEN


def test_its_namespace_takes_no_more_pods_than_it_needs(real):
    quota = real.core.read_namespaced_resource_quota("controller", "tidegate")

    assert quota.spec.hard == {"pods": "3"}
