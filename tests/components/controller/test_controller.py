"""What the controller's component declares in its cluster."""

from __future__ import annotations

import json

import pulumi
import pytest
import typer
import yaml
from support.in_cluster import BINDINGS, IDENTITIES, LABELS, build_manifest

from tidegate.catalog.cluster_rights import RightScope, build_rules
from tidegate.cli.controller import app as controller
from tidegate.cli.controller_leader import _PATTERN
from tidegate.manifest.bindings import read_bound_pools
from tidegate.manifest.read import read_manifest
from tidegate.sources.config import KubernetesSource, SourceList
from tidegate.sources.kubernetes import IN_CLUSTER
from tidegate.vocabulary.capacity import Cloud

STAMPED = {**LABELS, "managed-by": "tidegate"}
DATABASE = {"name": "controller", "key": "database"}
KINDS = {
    "core/v1:Namespace",
    "core/v1:ResourceQuota",
    "core/v1:ServiceAccount",
    "rbac.authorization.k8s.io/v1:ClusterRole",
    "rbac.authorization.k8s.io/v1:ClusterRoleBinding",
    "core/v1:ConfigMap",
    "core/v1:PersistentVolumeClaim",
    "networking.k8s.io/v1:NetworkPolicy",
    "apps/v1:Deployment",
    "core/v1:Service",
}


def kinds_of(recording):
    types = [each.type for each in recording.all if each.type.startswith("kubernetes:")]
    assert len(types) == len(set(types))
    return {each.removeprefix("kubernetes:") for each in types}


def pod_of(recording):
    return recording.one(":Deployment").inputs["spec"]["template"]["spec"]


def environment_of(recording):
    (container,) = pod_of(recording)["containers"]
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in container["env"]}


def test_one_pod_with_its_state_on_a_volume_is_what_there_is_unless_stated(declare):
    recording = declare()

    assert kinds_of(recording) == KINDS
    spec = recording.one(":Deployment").inputs["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})
    assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
    claim = recording.one(":PersistentVolumeClaim").inputs["spec"]
    assert claim == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    assert recording.outputs["controller"] == {
        "capacity": {key: [] for key in recording.outputs["controller"]["capacity"]},
        "bindings": {
            "controller": {
                "cloud": "aws",
                "cluster": "ml",
                "namespace": "tidegate",
                "deployment": "controller",
                "service": "controller",
                "serviceAccount": "controller",
                "clusterRole": "tidegate-controller",
            }
        },
    }


def test_every_object_and_its_pods_carry_the_cost_labels(declare):
    recording = declare(monitoring={"namespace": "metrics", "kind": "pod-monitor"})

    for each in recording.all:
        if each.type.startswith("kubernetes:"):
            assert each.inputs["metadata"]["labels"].items() >= STAMPED.items(), each.type
    template = recording.one(":Deployment").inputs["spec"]["template"]
    assert template["metadata"]["labels"].items() >= STAMPED.items()


def test_the_pod_may_do_nothing_that_it_need_not(declare):
    recording = declare()

    pod = pod_of(recording)
    (container,) = pod["containers"]
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "fsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    namespace = recording.one(":Namespace").inputs["metadata"]
    assert namespace["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    assert recording.one(":ServiceAccount").inputs["automountServiceAccountToken"] is False
    writable = {each["mountPath"] for each in container["volumeMounts"] if not each.get("readOnly")}
    assert writable == {"/tmp", "/var/lib/tidegate"}


def test_its_rights_are_the_catalogs_list_for_its_own_account(declare):
    recording = declare(namespace="ml-ops", service_account="scaler")

    role = recording.one(":ClusterRole").inputs
    binding = recording.one(":ClusterRoleBinding").inputs
    assert role["rules"] == build_rules(RightScope.CLUSTER)
    assert role["metadata"]["name"] == binding["roleRef"]["name"] == "ml-ops-controller"
    account = {"kind": "ServiceAccount", "name": "scaler", "namespace": "ml-ops"}
    assert binding["subjects"] == [account]
    assert pod_of(recording)["serviceAccountName"] == "scaler"


def test_manifest_and_bindings_reach_it_as_the_cli_would_print_them(declare):
    recording = declare(bindings=pulumi.Output.from_input(BINDINGS))

    data = recording.one(":ConfigMap").inputs["data"]
    document = json.loads(data["outputs.json"], parse_float=str)
    assert read_manifest("outputs", document) == read_manifest("args", build_manifest("aws"))
    assert read_bound_pools(document) == BINDINGS["pools"]
    (container,) = pod_of(recording)["containers"]
    assert container["args"] == [
        "controller",
        "run",
        "--outputs=/etc/tidegate/outputs.json",
        "--sources=/etc/tidegate/sources.yaml",
        "--state-dir=/var/lib/tidegate",
        "--interval=15",
        "--listen=0.0.0.0:9470",
    ]
    mount = next(each for each in container["volumeMounts"] if each["name"] == "configuration")
    assert mount == {"name": "configuration", "mountPath": "/etc/tidegate", "readOnly": True}


def test_the_cluster_around_it_is_a_source_and_others_follow(declare):
    queue = {"kind": "sqs", "name": "jobs", "region": "us-east-1", "queueUrl": "https://q"}
    work = {"vcpus": "4", "memoryGib": "8"}
    recording = declare(sources={"sources": [{**queue, "work": work}]})

    text = recording.one(":ConfigMap").inputs["data"]["sources.yaml"]
    around, other = SourceList.model_validate(yaml.safe_load(text)).sources
    assert around == KubernetesSource(
        kind="kubernetes", cloud=Cloud.AWS, cluster="ml", context=IN_CLUSTER
    )
    assert other.name == "jobs"


def test_other_sources_restart_it_and_another_manifest_does_not(record, declare):
    def annotations(**changes):
        return declare(**changes).one(":Deployment").inputs["spec"]["template"]["metadata"]

    before = annotations()
    assert annotations(capacity=build_manifest("aws", max_nodes=7)) == before
    source = {"kind": "sqs", "name": "jobs"}
    assert annotations(sources={"sources": [source]}) != before


def test_several_share_a_database_and_keep_apart(declare):
    recording = declare(replicas=2, database=DATABASE)

    assert kinds_of(recording) == KINDS - {"core/v1:PersistentVolumeClaim"} | {
        "policy/v1:PodDisruptionBudget"
    }
    spec = recording.one(":Deployment").inputs["spec"]
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}
    assert environment_of(recording)["TIDEGATE_DATABASE"] == {"secretKeyRef": DATABASE}
    budget = recording.one(":PodDisruptionBudget").inputs["spec"]
    assert budget == {"maxUnavailable": 1, "selector": spec["selector"]}
    assert "podAntiAffinity" in pod_of(recording)["affinity"]
    assert recording.one(":ResourceQuota").inputs["spec"] == {"hard": {"pods": "3"}}


def test_a_lease_of_the_cluster_may_say_which_of_several_leads(declare):
    recording = declare(replicas=2, leader="lease")

    (container,) = pod_of(recording)["containers"]
    assert container["args"][-1] == "--leader=kubernetes:tidegate/controller"
    assert recording.one("/v1:Role").inputs["rules"] == [
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]},
        {
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "verbs": ["get", "update"],
            "resourceNames": ["controller"],
        },
    ]
    assert recording.one("/v1:RoleBinding").inputs["subjects"] == [
        {"kind": "ServiceAccount", "name": "controller", "namespace": "tidegate"}
    ]
    assert {"name": "state", "emptyDir": {}} in pod_of(recording)["volumes"]
    assert recording.of(":PersistentVolumeClaim") == []


def test_the_lease_is_named_as_the_command_reads_it(declare):
    (container,) = pod_of(declare(leader="lease"))["containers"]

    assert _PATTERN.fullmatch(container["args"][-1].removeprefix("--leader=")) is not None


PRICES = """version: tidegate/prices/v1
defaults: {cloud: aws, asOf: 2026-11-01, origin: our agreement}
prices:
- {region: us-east-1, instanceType: p5.48xlarge, capacityType: on-demand, perHour: 40.10}
"""


def test_prices_of_ones_own_and_a_collector_reach_it(declare):
    recording = declare(prices=PRICES, otlp="http://collector.tracing:4318")

    (container,) = pod_of(recording)["containers"]
    assert container["args"][-2:] == [
        "--overlay=/etc/tidegate/prices.yaml",
        "--otlp=http://collector.tracing:4318",
    ]
    assert recording.one(":ConfigMap").inputs["data"]["prices.yaml"] == PRICES
    egress = recording.one(":NetworkPolicy").inputs["spec"]["egress"][1]
    assert 4318 in [each["port"] for each in egress["ports"]]


def test_every_option_is_one_that_the_command_has(declare):
    given = {"prices": PRICES, "otlp": "http://collector:4318", "leader": "lease"}
    (container,) = pod_of(declare(**given))["containers"]
    run = typer.main.get_command(controller).get_command(None, "run")

    known = {name for each in run.params for name in each.opts}
    used = {word.partition("=")[0] for word in container["args"] if word.startswith("--")}
    assert used <= known
    assert len(used) == 8


def test_secrets_are_named_and_never_written_down(declare):
    recording = declare(
        secrets={"PROMETHEUS_TOKEN": {"name": "prometheus", "key": "bearer"}},
        sources={
            "sources": [
                {
                    "kind": "prometheus",
                    "name": "queue",
                    "url": "https://prometheus.metrics:9090",
                    "tokenEnvironment": "PROMETHEUS_TOKEN",
                }
            ]
        },
    )

    told = environment_of(recording)
    assert told["TIDEGATE_CONTROLLER_TOKEN"] == {
        "secretKeyRef": {"name": "controller", "key": "token"}
    }
    assert told["PROMETHEUS_TOKEN"] == {"secretKeyRef": {"name": "prometheus", "key": "bearer"}}
    assert recording.of(":Secret") == []


def test_it_runs_on_a_pool_that_something_else_scales(declare):
    pod = pod_of(declare(pool="system"))

    assert pod["nodeSelector"] == {"capacity-pool": "system"}
    assert pod["tolerations"] == [
        {"key": "dedicated", "operator": "Equal", "value": "platform", "effect": "NoSchedule"}
    ]


def test_a_namespace_that_is_there_is_left_alone(declare):
    recording = declare(namespace="ml-ops", existing_namespace=True)

    assert kinds_of(recording) == KINDS - {"core/v1:Namespace", "core/v1:ResourceQuota"}
    assert recording.one(":Deployment").inputs["metadata"]["namespace"] == "ml-ops"


@pytest.mark.parametrize(
    ("kind", "endpoints"),
    [("PodMonitor", "podMetricsEndpoints"), ("ServiceMonitor", "endpoints")],
)
def test_prometheus_finds_it_and_shows_the_token(declare, kind, endpoints):
    name = {"PodMonitor": "pod-monitor", "ServiceMonitor": "service-monitor"}[kind]
    recording = declare(
        monitoring={"namespace": "metrics", "kind": name, "labels": {"release": "stack"}}
    )

    monitor = recording.one(f":{kind}").inputs
    assert monitor["metadata"]["labels"]["release"] == "stack"
    assert monitor["spec"][endpoints] == [
        {
            "port": "http-status",
            "path": "/metrics",
            "interval": "30s",
            "authorization": {"credentials": {"name": "controller", "key": "token"}},
        }
    ]
    service = recording.one(":Service").inputs
    selected = monitor["spec"]["selector"]["matchLabels"].items()
    assert selected <= service["metadata"]["labels"].items()
    policy = recording.one(":NetworkPolicy").inputs["spec"]
    scraper = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "metrics"}}}
    assert policy["ingress"] == [
        {"from": [scraper], "ports": [{"protocol": "TCP", "port": "http-status"}]}
    ]


def test_nobody_connects_to_it_unless_stated(declare):
    policy = declare().one(":NetworkPolicy").inputs["spec"]

    assert (policy["policyTypes"], policy["ingress"]) == (["Ingress", "Egress"], [])


def test_it_connects_to_clouds_database_and_prometheus_alone(declare):
    source = {"kind": "prometheus", "name": "queue", "url": "http://prometheus.metrics:9090"}
    recording = declare(database=DATABASE, sources={"utilisation": [source]}, egress_ports=[8443])

    egress = recording.one(":NetworkPolicy").inputs["spec"]["egress"]
    ports = [sorted({port["port"] for port in rule["ports"]}) for rule in egress]
    assert ports == [[53], [443, 5432, 6443, 8443, 9090]]


def test_kubeconfigs_of_other_clusters_come_from_a_secret(declare):
    recording = declare(
        capacity=build_manifest("aws", "gcp"),
        gcp=IDENTITIES["gcp"],
        kubeconfig={"name": "clusters", "key": "kubeconfig"},
    )

    volume = next(each for each in pod_of(recording)["volumes"] if each["name"] == "kubeconfig")
    assert volume["secret"] == {
        "secretName": "clusters",
        "items": [{"key": "kubeconfig", "path": "config"}],
        "defaultMode": 0o440,
    }
    assert environment_of(recording)["KUBECONFIG"] == "/etc/tidegate-kubeconfig/config"


def test_names_are_fixed_so_the_old_object_goes_first_and_the_namespace_comes_first(declare):
    recording = declare()

    namespace = recording.one(":Namespace").request
    for each in recording.all:
        if each.type.startswith("kubernetes:"):
            assert each.request.deleteBeforeReplace, each.type
    depending = recording.one(":Deployment").request.dependencies
    assert [urn.rsplit("::", 1)[-1] for urn in depending] == [namespace.name]
