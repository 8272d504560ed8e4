"""As pulumi-kubernetes: names, ids, replacements, and which cluster a kubeconfig means."""

from __future__ import annotations

import base64
import json

import pytest
import yaml
from werkzeug.test import Client

from tidegate.localclouds.contracts import UNKNOWN
from tidegate.localclouds.control import Control
from tidegate.localclouds.kubernetes.cloud import check_settings, replace_settings
from tidegate.localclouds.kubernetes.clusters import list_clusters
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.shelf import Shelf
from tidegate.localclouds.wire import Properties


def test_a_name_that_is_left_out_is_the_logical_name_and_eight_digits_and_stays(engine, body):
    made = engine.up("Namespace", body("Namespace", metadata__name=None), "Team-A")

    assert made.id == made.inputs["metadata"]["name"]
    assert made.id.startswith("team-a-")
    assert len(made.id) == len("team-a-") + 8
    again = body("Namespace", metadata__name=None, metadata__labels={"a": "b"})
    difference = engine.diff("Namespace", made, again, "Team-A")
    assert [change.place for change in difference.changes] == [
        "metadata.labels.a",
        'metadata.labels["cost-center"]',
    ]
    assert not difference.replaces


def test_an_id_is_namespace_and_name(engine, body):
    assert engine.up("Namespace", body("Namespace")).id == "team-a"
    assert engine.up("ResourceQuota", body("ResourceQuota")).id == "default/gpus"


def test_a_namespace_that_is_left_out_is_the_providers_or_default(engine_of, kubeconfig, body):
    given = body("ConfigMap", metadata={"name": "settings"})
    elsewhere = engine_of({"kubeconfig": kubeconfig, "namespace": "kube-public"})
    plain = engine_of({"kubeconfig": kubeconfig})

    assert plain.up("ConfigMap", given).id == "default/settings"
    assert elsewhere.up("ConfigMap", given).id == "kube-public/settings"


@pytest.mark.parametrize(
    ("kind", "changes", "replaced"),
    [
        ("Namespace", {"metadata__name": "team-b"}, "metadata"),
        ("ConfigMap", {"metadata__namespace": "kube-public"}, "metadata"),
        ("ConfigMap", {"data": {"a": "c"}}, None),
        ("PriorityClass", {"value": 5}, "value"),
        ("PriorityClass", {"description": "last"}, None),
        ("LocalQueue", {"spec__clusterQueue": "b"}, "spec"),
        ("LocalQueue", {"spec__stopPolicy": "Hold"}, None),
        ("ClusterQueue", {"spec__cohortName": "other"}, None),
        ("WorkloadPriorityClass", {"value": 5}, None),
        ("ResourceFlavor", {"spec__nodeLabels": {"a": "b"}}, None),
        ("Cohort", {"spec__parentName": "all"}, None),
        ("ResourceQuota", {"spec__hard": {"pods": "1"}}, None),
        ("ResourceQuota", {"spec__scopes": ["BestEffort"]}, "spec"),
        ("LimitRange", {"spec__limits": [{"type": "Pod"}]}, None),
        ("Service", {"spec__clusterIP": "10.0.0.9"}, "spec"),
        ("Deployment", {"spec__replicas": 3}, None),
        ("NodePool", {"spec__weight": 5}, None),
        (
            "NodePool",
            {"spec__template__spec__nodeClassRef": {"group": "a", "kind": "B", "name": "train"}},
            "spec",
        ),
        ("EC2NodeClass", {"spec__role": "other"}, None),
        ("ScaledObject", {"spec__maxReplicaCount": 9}, None),
        ("AdmissionCheck", {"spec__controllerName": "other"}, "spec"),
        ("ProvisioningRequestConfig", {"spec__managedResources": ["cpu"]}, None),
    ],
)
def test_what_replaces_and_what_does_not(engine, body, kind, changes, replaced):
    made = engine.up(kind, body(kind))

    difference = engine.diff(kind, made, body(kind, **changes))

    assert difference.changes
    assert difference.replaces == ({replaced} if replaced else set())


def test_a_given_name_is_deleted_before_it_is_taken_again(engine, body):
    made = engine.up("PriorityClass", body("PriorityClass"))
    auto = engine.up("PriorityClass", body("PriorityClass", metadata__name=None), "auto")

    changed = body("PriorityClass", value=5)
    assert engine.diff("PriorityClass", made, changed).delete_first
    changed = body("PriorityClass", value=5, metadata__name=None)
    assert not engine.diff("PriorityClass", auto, changed, "auto").delete_first


def test_a_removal_by_an_outside_hand_shows_in_refresh(engine, body, patch):
    made = engine.up("ClusterQueue", body("ClusterQueue"))
    path = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/a100"

    assert patch(path, {"spec": {"namespaceSelector": None}}).status_code == 200

    assert "namespaceSelector" not in engine.refresh("ClusterQueue", made)["spec"]


@pytest.mark.parametrize("form", ["mapping", "yaml", "json", "file"])
def test_a_kubeconfig_is_a_mapping_text_or_a_file(engine_of, kubeconfig, body, form, tmp_path):
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(kubeconfig), encoding="utf-8")
    given = {
        "mapping": kubeconfig,
        "yaml": yaml.safe_dump(kubeconfig),
        "json": json.dumps(kubeconfig),
        "file": str(path),
    }[form]

    assert engine_of({"kubeconfig": given}).up("Namespace", body("Namespace")).id == "team-a"


def config_for(server):
    return {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "contexts": [{"name": "x", "context": {"cluster": "c"}}],
        "current-context": "x",
    }


def test_the_address_that_the_cloud_gave_means_the_cluster_too(engine_of, body):
    server = "https://MLus-east-1.gr7.us-east-1.eks.amazonaws.com"

    assert engine_of({"kubeconfig": config_for(server)}).up("Namespace", body("Namespace")).id


def test_gke_and_aks_clusters_have_an_api_as_well(world, cloud):
    Shelf(world.store, "gcp").put(
        "container.googleapis.com/Cluster",
        "projects/acme/locations/us-central1/clusters/train",
        {"endpoint": "10.3.0.2", "createTime": "t"},
    )
    cluster_id = (
        "/subscriptions/s/resourceGroups/ml/providers/Microsoft.ContainerService/managedClusters/x"
    )
    Shelf(world.store, "azure-native").put(
        "Microsoft.ContainerService/managedClusters",
        cluster_id.lower(),
        {"id": cluster_id, "properties": {"fqdn": "x.azmk8s.io", "resourceUID": "1"}},
    )

    assert [(each.id, each.server) for each in list_clusters(world)] == [
        ("aws/ml.us-east-1", "https://mlus-east-1.gr7.us-east-1.eks.amazonaws.com"),
        ("azure/x.ml.s", "https://x.azmk8s.io:443"),
        ("gcp/train.us-central1.acme", "https://10.3.0.2"),
    ]


def test_the_kubeconfig_that_azure_gives_out_means_its_cluster(world, cloud, engine_of, body):
    from tidegate.localclouds.azure.cloud import build_azure_cloud

    azure = build_azure_cloud(world)
    aks = "Microsoft.ContainerService/managedClusters"
    place = "/subscriptions/s/resourceGroups/ml/providers"
    Shelf(world.store, "azure-native").put(
        aks,
        f"{place}/{aks}/x".lower(),
        {
            "id": f"{place}/{aks}/x",
            "name": "x",
            "properties": {"fqdn": "x.azmk8s.io", "resourceUID": "1"},
        },
    )
    ask = azure.invokes["azure-native:containerservice:listManagedClusterUserCredentials"]

    (found,) = ask({"resourceGroupName": "ml", "resourceName": "x"}, {"subscriptionId": "s"})[
        "kubeconfigs"
    ]

    text = base64.b64decode(found["value"]).decode()
    assert engine_of({"kubeconfig": text}).up("Namespace", body("Namespace")).id == "team-a"
    with pytest.raises(NotFoundError):
        ask({"resourceGroupName": "ml", "resourceName": "y"}, {"subscriptionId": "s"})


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "the provider has no kubeconfig, and none of this machine is read"),
        (
            {"kubeconfig": config_for("https://real.eks.amazonaws.com")},
            "is no cluster of the local clouds; the local clouds hold: aws/ml.us-east-1;",
        ),
        (
            {"kubeconfig": config_for("http://127.0.0.1:1/k8s/aws/other.us-east-1")},
            "is no cluster of the local clouds",
        ),
        ({"kubeconfig": config_for("x"), "context": "y"}, "the kubeconfig has no context 'y'"),
        ({"kubeconfig": "{}"}, "the kubeconfig has no clusters"),
        ({"kubeconfig": "/nowhere/config"}, "cannot be read"),
    ],
)
def test_a_cluster_that_the_local_clouds_do_not_hold_is_refused(engine_of, body, settings, reason):
    engine = engine_of(settings)
    with pytest.raises(CloudError, match="configured Kubernetes cluster is unreachable") as caught:
        engine.up("Namespace", body("Namespace"))
    assert reason in str(caught.value)


def test_what_stood_in_a_cluster_that_is_gone_is_deleted_only_on_demand(
    engine_of, engine, kubeconfig, world, body
):
    made = engine.up("Namespace", body("Namespace"))
    world.store.delete("aws", "aws:eks/cluster:Cluster", "ml")

    with pytest.raises(CloudError, match="unreachable"):
        engine.destroy("Namespace", made)
    engine_of({"kubeconfig": kubeconfig, "deleteUnreachable": True}).destroy("Namespace", made)


def test_a_preview_knows_nothing_of_a_cluster_that_is_about_to_be_made(engine_of, body):
    engine = engine_of({"kubeconfig": UNKNOWN})
    resource = engine.find("LocalQueue", "r")
    asked = body("LocalQueue", metadata__namespace=UNKNOWN)

    checked, failures = resource.check({}, asked, b"seed")

    assert failures == []
    assert resource.plan(checked, {})["metadata"] == {"name": "a100", "namespace": UNKNOWN}


def test_an_unknown_setting_of_the_provider_is_refused():
    (failure,) = check_settings({"kubeconfig": "x", "kubeConfigPath": "y", "version": "4.0.0"})

    assert failure.property == "kubeConfigPath"
    assert failure.reason.startswith("unknown provider setting 'kubeConfigPath'")


def test_another_cluster_is_another_provider_and_another_token_is_not():
    one = {"kubeconfig": config_for("https://one")}
    renewed = {"kubeconfig": {**one["kubeconfig"], "users": [{"name": "u"}]}}

    assert [*replace_settings(one, renewed)] == []
    two = {"kubeconfig": config_for("https://two")}
    assert [*replace_settings(one, two)] == ["kubeconfig"]
    assert [*replace_settings(one, {"kubeconfig": UNKNOWN})] == []
    named = {**one, "clusterIdentifier": "c"}
    assert [*replace_settings(named, {**two, "clusterIdentifier": "c"})] == []
    assert [*replace_settings(named, {**one, "clusterIdentifier": "d"})] == ["clusterIdentifier"]


def test_an_interrupted_create_is_taken_over(engine, body):
    made = engine.up("ConfigMap", body("ConfigMap"))

    again = engine.up("ConfigMap", body("ConfigMap"))

    assert again.id == made.id
    assert engine.find("ConfigMap", "r").read(made.id, Properties(made.inputs)) is not None


def test_an_aks_cluster_made_anew_is_another_and_a_changed_one_is_not(make_engine, world):
    from tidegate.localclouds.azure.cloud import build_azure_cloud

    azure = make_engine(build_azure_cloud(world), world, {"subscriptionId": "s"})
    group = {"resourceGroupName": "ml", "location": "westeurope"}
    azure.up("azure-native:resources:ResourceGroup", group, "group")
    token = "azure-native:containerservice:ManagedCluster"
    inputs = {
        "resourceGroupName": "ml",
        "resourceName": "train",
        "location": "westeurope",
        "dnsPrefix": "train",
        "identity": {"type": "SystemAssigned"},
        "agentPoolProfiles": [
            {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D4s_v5"}
        ],
    }

    def key():
        (cluster,) = list_clusters(world)
        return cluster.key

    made = azure.up(token, inputs, "train")
    first = key()
    changed = azure.change(token, made, {**inputs, "tags": {"a": "b"}}, "train")
    assert key() == first
    azure.destroy(token, changed, "train")
    azure.up(token, inputs, "train")
    assert key() != first


def test_recovery_is_told_what_a_urn_made_by_its_own_id(engine, world, cloud, body):
    made = engine.up("ConfigMap", body("ConfigMap"))
    control = Client(Control(world, [cloud]))

    urn = "urn:pulumi:dev::tests::kubernetes:core/v1:ConfigMap::r"
    (found,) = control.get("/resources", query_string={"urn": urn}).json

    assert found == {
        "cloud": "kubernetes",
        "type": "kubernetes:core/v1:ConfigMap",
        "id": made.id,
        "urn": urn,
        "answered": False,
    }
    counts = {each["type"]: each["count"] for each in control.get("/types").json}
    assert counts["kubernetes:core/v1:ConfigMap"] == 1
