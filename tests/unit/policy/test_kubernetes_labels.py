"""Kubernetes objects in the label table: namespaces and workloads split a cluster's bill."""

from __future__ import annotations

from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.policy.label_sites import LabelSite, build_label_sites
from tidegate.policy.label_table import KUBERNETES, Scope


def sites(token, properties):
    resource = Resource(f"urn:{token}", token, "r", properties)
    return build_label_sites(resource, ResourceGraph(StackFacts(), (resource,), complete=True))


def test_a_namespace_is_labelled_in_its_metadata():
    properties = {"metadata": {"name": "team", "labels": {"cost-center": "cc-1"}}}

    assert sites("kubernetes:core/v1:Namespace", properties) == (
        LabelSite(Scope.RESOURCE, "metadata.labels", {"cost-center": "cc-1"}),
    )


def test_a_namespace_without_labels_is_known_to_have_none():
    (site,) = sites("kubernetes:core/v1:Namespace", {"metadata": {"name": "team"}})

    assert (site.labels, site.declared, site.open) == ({}, False, False)


def test_what_karpenter_makes_is_tagged_by_its_node_class():
    token = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"

    (site,) = sites(token, {"spec": {"tags": {"owner": "ml"}}})

    assert (site.scope, site.property, site.labels) == (Scope.NODES, "spec.tags", {"owner": "ml"})


def test_what_only_steers_is_known_to_be_on_no_bill():
    for token, carriers in KUBERNETES.items():
        if "kueue" in token or "Quota" in token or "PriorityClass" in token:
            assert carriers == ()
            assert sites(token, {"metadata": {"labels": {"a": "b"}}}) == ()
