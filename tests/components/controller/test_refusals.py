"""What the controller's component refuses, before anything is registered."""

from __future__ import annotations

import copy

import pulumi
import pytest
from support.in_cluster import IDENTITIES, build_args, build_manifest
from tidegate_components import Controller
from tidegate_components.controller.files import MAX_CONFIGURATION, render_outputs
from tidegate_components.controller.parse import parse_controller

from tidegate.vocabulary.problems import InvalidInput

KUBECONFIG = {"name": "clusters", "key": "kubeconfig"}
QUEUE = {"kind": "sqs", "name": "jobs"}
REFUSED = [
    ({"cluster": "mll"}, "cluster", "is the cluster of no pool on aws (did you mean 'ml'?)"),
    ({"capacity": {"version": "tidegate/capacity/v9"}}, "capacity", "v9"),
    ({"capacity": None}, "capacity", "is required and is missing"),
    ({"token": None}, "token", "is required and is missing"),
    ({"token": {"name": "Controller", "key": "t"}}, "token.name", "is no name of a Secret"),
    ({"replicas": 2}, "replicas", "share no database that says which of them leads"),
    ({"leader": "leas"}, "leader", "is not known (did you mean 'lease'?)"),
    ({"replicas": 0}, "replicas", "is out of range"),
    ({"storage": {"size_gib": 0}}, "storage.size_gib", "is out of range"),
    (
        {"storage": {}, "database": {"name": "a", "key": "b"}},
        "storage",
        "is of no use: the state of one pod with SQLite alone is on a volume",
    ),
    ({"database_port": 5433}, "database_port", "is of no use without `database`"),
    ({"interval_seconds": 7200}, "interval_seconds", "is out of range"),
    ({"pool": "train"}, "pool", "is resized by the controller itself"),
    ({"pool": "systm"}, "pool", "is no pool of its cluster (did you mean 'system'?)"),
    ({"prices": "prices: 3"}, "prices", "prices"),
    ({"otlp": "collector:4318"}, "otlp", "is no URL"),
    ({"cpu": "fast"}, "cpu", "is no quantity of Kubernetes"),
    ({"namespace": "ML"}, "namespace", "is no name that Kubernetes takes"),
    ({"service_account": "1st"}, "service_account", "is no name that Kubernetes takes"),
    ({"egress_ports": [70000]}, "egress_ports[0]", "is no port"),
    ({"monitoring": {"namespace": "m", "kind": "pod"}}, "monitoring.kind", "is not known"),
    ({"secrets": {"token": {"name": "a", "key": "b"}}}, "secrets.token", "is no environment"),
    ({"secrets": {"TOKEN": {"name": "a"}}}, "secrets.TOKEN.key", "is required and is missing"),
    ({"sources": {"sources": [{"name": "x"}]}}, "sources.sources[0]", "has no kind"),
    (
        {"sources": {"sources": [{"kind": "csv", "name": "x", "path": "y"}]}},
        "sources.sources[0]",
        "is a file, which the pod does not have",
    ),
    (
        {"sources": {"sources": [{"kind": "kubernetes", "cloud": "aws", "cluster": "ml"}]}},
        "sources.sources[0]",
        "is the cluster around the controller",
    ),
    (
        {"sources": {"sources": [{**QUEUE, "tokenEnvironment": "TOKEN"}]}},
        "sources.sources[0]",
        "takes its token from TOKEN, which is not set",
    ),
    ({"sources": [QUEUE]}, "sources", "is not an object of lists of objects"),
    ({"aws": None}, "aws", "is missing: nobody could resize train"),
    (
        {
            "capacity": build_manifest("aws", "gcp"),
            "kubeconfig": KUBECONFIG,
            "gcp": {"service_account": "a@b"},
        },
        "gcp.identity_provider",
        "is required and is missing",
    ),
    (
        {"capacity": build_manifest("aws", "azure"), "azure": IDENTITIES["azure"]},
        "kubeconfig",
        "is missing: it resizes pools of azure/ml, where it does not run",
    ),
    ({"labels": {}}, "labels", "is a required cost label"),
    ({"image": None}, "image", "is required and is missing"),
    ({"imagee": "x"}, "imagee", "is not an argument (did you mean 'image'?)"),
]


@pytest.mark.parametrize(("changes", "key", "reason"), REFUSED)
def test_what_cannot_work_is_refused_before_anything_is_registered(record, changes, key, reason):
    given = copy.deepcopy(build_args())
    given.update(changes)
    given = {name: value for name, value in given.items() if value is not None}

    def program():
        with pytest.raises(InvalidInput) as caught:
            Controller("controller", given)
        problems = {each.property: each.reason for each in caught.value.problems}
        found = [name for name in problems if name.startswith(key)]
        assert found, problems
        assert any(reason in f"{problems[name]}" or reason in str(caught.value) for name in found)

    assert record(program).all == []


@pytest.mark.parametrize("name", ["1st", "Controller", "a" * 64])
def test_an_id_that_no_service_could_have_is_refused(name):
    with pytest.raises(InvalidInput, match="is no name that Kubernetes takes for a Service"):
        parse_controller(name, build_args())


def test_a_manifest_that_is_an_output_is_refused(record):
    def program():
        given = build_args(capacity=pulumi.Output.from_input({}))
        with pytest.raises(InvalidInput) as caught:
            parse_controller("controller", given)
        assert [each.property for each in caught.value.problems] == ["capacity"]

    record(program)


def test_every_fault_is_told_at_once():
    with pytest.raises(InvalidInput) as caught:
        parse_controller("controller", build_args(replicas=3, cpu="x", pool="nothing"))

    assert [each.property for each in caught.value.problems] == ["replicas", "pool", "cpu"]


def test_a_misspelt_cluster_is_one_fault():
    with pytest.raises(InvalidInput) as caught:
        parse_controller("controller", build_args(cluster="mll"))

    assert [each.property for each in caught.value.problems] == ["cluster"]


def test_a_manifest_without_a_cluster_of_the_cloud_says_what_is_needed():
    manifest = build_manifest("aws", cluster="", scaler="provider")
    manifest["pools"] = [each for each in manifest["pools"] if each["id"] == "train"]

    with pytest.raises(InvalidInput, match="expected a manifest with pools in a cluster of aws"):
        parse_controller("controller", build_args(capacity=manifest))


def test_more_than_a_config_map_takes_is_refused():
    spec = parse_controller("controller", build_args())

    with pytest.raises(InvalidInput, match="more than a ConfigMap takes"):
        render_outputs(spec, {"pools": {"train": "x" * MAX_CONFIGURATION}})
