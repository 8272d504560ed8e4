"""The controller's manifests, applied by the official client to a cluster that checks strictly."""

from __future__ import annotations

import yaml
from kubernetes import client, dynamic
from support.in_cluster import build_args
from tidegate_components.controller.render import render_manifests


def test_a_cluster_takes_every_manifest_of_the_controller(api):
    args = build_args(monitoring={"namespace": "metrics", "kind": "pod-monitor"})
    cluster = dynamic.DynamicClient(api)

    made = []
    for body in yaml.safe_load_all(render_manifests("controller", args)):
        kind = cluster.resources.get(api_version=body["apiVersion"], kind=body["kind"])
        made.append(kind.create(body, namespace=body["metadata"].get("namespace")).kind)

    assert len(made) == len(set(made)) == 11
    pods = client.AppsV1Api(api).read_namespaced_deployment("controller", "tidegate").spec.template
    (container,) = pods.spec.containers
    assert container.security_context.read_only_root_filesystem is True
