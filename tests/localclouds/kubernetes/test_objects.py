"""The local Kubernetes: what Pulumi makes, the official Python client reads whole and changes."""

from __future__ import annotations

from typing import Any

import pytest
from kubernetes import client

from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.kubernetes.clusters import list_clusters
from tidegate.localclouds.kubernetes.kubeconfig import build_kubeconfig
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.wire import Properties


def quota(flavor, nominal):
    resource = {"name": "nvidia.com/gpu", "nominalQuota": nominal}
    return {"name": flavor, "resources": [resource]}


def group(*flavors):
    return [{"coveredResources": ["nvidia.com/gpu"], "flavors": [*flavors]}]


KUEUE = ("kueue.x-k8s.io", "v1beta2")
ADDED = {"uid", "creationTimestamp", "resourceVersion", "generation"}


def test_every_kind_is_read_back_whole_and_shows_no_drift(engine, read, body, any_kind):
    asked = body(any_kind)
    made = engine.up(any_kind, asked)

    found = read(any_kind, made.id)

    assert contains(found, asked)
    assert set(found["metadata"]) >= ADDED
    assert engine.refresh(any_kind, made) == made.inputs
    assert engine.diff(any_kind, made, asked).changes == []


def contains(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return all(key in whole and contains(whole[key], value) for key, value in part.items())
    return whole == part


def test_the_typed_classes_of_the_client_read_what_pulumi_made(engine, api, body):
    engine.up("Namespace", body("Namespace"))
    engine.up("ResourceQuota", body("ResourceQuota", metadata__namespace="team-a"))
    engine.up("PriorityClass", body("PriorityClass"))
    engine.up("Deployment", body("Deployment"))
    core = client.CoreV1Api(api)

    namespace = core.read_namespace("team-a")
    (one,) = core.list_namespaced_resource_quota("team-a").items
    urgent = client.SchedulingV1Api(api).read_priority_class("urgent")
    deployment = client.AppsV1Api(api).read_namespaced_deployment("web", "default")

    assert namespace.metadata.labels == {
        "cost-center": "cc-1",
        "kubernetes.io/metadata.name": "team-a",
    }
    assert one.status.hard == {"requests.nvidia.com/gpu": "8", "pods": "50"}
    assert (urgent.value, urgent.preemption_policy) == (1000, "PreemptLowerPriority")
    assert (deployment.status.ready_replicas, deployment.spec.revision_history_limit) == (1, 10)
    named = core.list_namespace(label_selector="cost-center=cc-1").items
    assert [each.metadata.name for each in named] == ["team-a"]


def test_what_a_client_changed_shows_in_refresh_and_an_update_undoes_only_that(
    engine, api, custom, body
):
    engine.up("ResourceFlavor", body("ResourceFlavor"))
    queue = engine.up("ClusterQueue", body("ClusterQueue"))
    web = engine.up("Deployment", body("Deployment"))
    groups = group(quota("spot", 16))

    custom.patch_cluster_custom_object(
        *KUEUE, "clusterqueues", "a100", {"spec": {"resourceGroups": groups, "stopPolicy": "Hold"}}
    )
    scaled = client.AppsV1Api(api).patch_namespaced_deployment_scale(
        "web", "default", {"spec": {"replicas": 3}}
    )

    assert (scaled.spec.replicas, scaled.status.replicas) == (3, 3)
    assert engine.refresh("Deployment", web)["spec"]["replicas"] == 3
    drifted = engine.refresh("ClusterQueue", queue)["spec"]
    assert drifted["resourceGroups"] == groups
    assert "stopPolicy" not in drifted  # nobody asked for it: no drift

    other = {"reclaimWithinCohort": "LowerPriority"}
    engine.change("ClusterQueue", queue, body("ClusterQueue", spec__preemption=other))
    live = custom.get_cluster_custom_object(*KUEUE, "clusterqueues", "a100")["spec"]
    assert live["preemption"]["reclaimWithinCohort"] == "LowerPriority"
    assert (live["stopPolicy"], live["resourceGroups"]) == ("Hold", groups)


def test_an_object_that_a_client_deleted_is_gone_after_refresh(engine, api, body):
    made = engine.up("ConfigMap", body("ConfigMap"))

    client.CoreV1Api(api).delete_namespaced_config_map("settings", "default")

    assert engine.refresh("ConfigMap", made) is None


def test_patches_in_three_forms(engine, api, body):
    engine.up("Deployment", body("Deployment"))
    apps = client.AppsV1Api(api)

    image = {"containers": [{"name": "web", "image": "web:2"}]}
    apps.patch_namespaced_deployment("web", "default", {"spec": {"template": {"spec": image}}})
    operations = [
        {"op": "test", "path": "/spec/replicas", "value": 1},
        {"op": "replace", "path": "/spec/replicas", "value": 2},
        {"op": "add", "path": "/metadata/labels", "value": {"a/b": "c"}},
        {"op": "remove", "path": "/metadata/labels/a~1b"},
    ]
    patched = apps.patch_namespaced_deployment("web", "default", operations)

    (container,) = patched.spec.template.spec.containers
    assert (container.image, patched.spec.replicas) == ("web:2", 2)
    assert not patched.metadata.labels
    with pytest.raises(client.ApiException) as caught:
        apps.patch_namespaced_deployment("web", "default", [{"op": "remove", "path": "/no/way"}])
    assert caught.value.status == 422


WITH_ANOTHER_LABEL = {"app": "web", "b": "c"}


@pytest.mark.parametrize(
    ("kind", "path", "change", "place"),
    [
        (
            "Deployment",
            "/apis/apps/v1/namespaces/default/deployments/web",
            {
                "spec": {
                    "selector": {"matchLabels": WITH_ANOTHER_LABEL},
                    "template": {"metadata": {"labels": WITH_ANOTHER_LABEL}},
                }
            },
            "spec.selector",
        ),
        (
            "PriorityClass",
            "/apis/scheduling.k8s.io/v1/priorityclasses/urgent",
            {"value": 2000},
            "value",
        ),
        (
            "LocalQueue",
            "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues/a100",
            {"spec": {"clusterQueue": "other"}},
            "spec.clusterQueue",
        ),
    ],
)
def test_a_client_is_refused_what_is_immutable(engine, patch, kind, path, change, place, body):
    engine.up(kind, body(kind))

    answer = patch(path, change)

    assert answer.status_code == 422
    assert answer.json()["message"].endswith(f"is invalid: {place}: field is immutable")


def test_an_update_of_an_outdated_object_is_a_conflict(engine, api, body):
    engine.up("ConfigMap", body("ConfigMap"))
    core = client.CoreV1Api(api)
    first = core.read_namespaced_config_map("settings", "default")
    core.patch_namespaced_config_map("settings", "default", {"data": {"a": "c"}})

    with pytest.raises(client.ApiException) as caught:
        core.replace_namespaced_config_map("settings", "default", first)

    assert caught.value.status == 409


def test_kueue_accepts_absent_flavors_and_queues_and_says_that_they_are_inactive(
    engine, custom, body
):
    engine.up("ClusterQueue", body("ClusterQueue"))
    engine.up("LocalQueue", body("LocalQueue"))

    def active(plural, name, namespace=""):
        found = (
            custom.get_namespaced_custom_object(*KUEUE, namespace, plural, name)
            if namespace
            else custom.get_cluster_custom_object(*KUEUE, plural, name)
        )
        (condition,) = found["status"]["conditions"]
        return condition["status"], condition["reason"], condition["message"]

    missing = "Can't admit new workloads: references missing ResourceFlavor(s): spot."
    assert active("clusterqueues", "a100") == ("False", "FlavorNotFound", missing)
    assert active("localqueues", "a100", "default")[1] == "ClusterQueueIsInactive"

    engine.up("ResourceFlavor", body("ResourceFlavor"))
    assert active("clusterqueues", "a100")[:2] == ("True", "Ready")
    assert active("localqueues", "a100", "default")[:2] == ("True", "Ready")

    lost = body("LocalQueue", metadata__name="lost", spec__clusterQueue="nowhere")
    engine.up("LocalQueue", lost, "lost")
    assert active("localqueues", "lost", "default")[1] == "ClusterQueueDoesNotExist"


def test_karpenter_accepts_an_absent_node_class_and_says_that_it_is_not_ready(engine, body):
    pool = engine.up("NodePool", body("NodePool"))
    conditions = {each["type"]: each["status"] for each in pool.outputs["status"]["conditions"]}
    assert (conditions["NodeClassReady"], conditions["Ready"]) == ("False", "False")

    engine.up("EC2NodeClass", body("EC2NodeClass"))
    found = engine.find("NodePool", "r").read(pool.id, Properties(pool.inputs))
    conditions = {each["type"]: each["status"] for each in found[1][0]["status"]["conditions"]}
    assert (conditions["NodeClassReady"], conditions["Ready"]) == ("True", "True")


def test_keda_accepts_an_absent_target_and_refuses_a_second_owner(engine, body):
    first = engine.up("ScaledObject", body("ScaledObject"))
    (ready,) = first.outputs["status"]["conditions"]
    assert (ready["status"], ready["reason"]) == ("False", "ScaledObjectCheckFailed")

    with pytest.raises(CloudError, match="already managed by the ScaledObject 'web'"):
        engine.up("ScaledObject", body("ScaledObject", metadata__name="again"), "again")


def test_a_flavor_in_use_stays_until_its_queues_let_go(engine, custom, body):
    flavor = engine.up("ResourceFlavor", body("ResourceFlavor"))
    queue = engine.up("ClusterQueue", body("ClusterQueue"))

    with pytest.raises(CloudError, match="in use by ClusterQueue a100"):
        engine.destroy("ResourceFlavor", flavor)
    custom.delete_cluster_custom_object(*KUEUE, "resourceflavors", "spot")
    terminating = custom.get_cluster_custom_object(*KUEUE, "resourceflavors", "spot")
    assert "deletionTimestamp" in terminating["metadata"]

    engine.destroy("ClusterQueue", queue)
    with pytest.raises(client.ApiException) as caught:
        custom.get_cluster_custom_object(*KUEUE, "resourceflavors", "spot")
    assert caught.value.status == 404


def test_a_namespace_takes_what_stands_in_it_along(engine, api, body):
    namespace = engine.up("Namespace", body("Namespace"))
    inside = engine.up("ConfigMap", body("ConfigMap", metadata__namespace="team-a"))

    engine.destroy("Namespace", namespace)

    assert engine.refresh("ConfigMap", inside) is None
    with pytest.raises(client.ApiException) as caught:
        client.CoreV1Api(api).delete_namespace("default")
    assert caught.value.status == 403


def test_an_absent_namespace_is_not_found(engine, api, body):
    with pytest.raises(NotFoundError, match='namespaces "nowhere" not found'):
        engine.up("ResourceQuota", body("ResourceQuota", metadata__namespace="nowhere"))
    lost = body("ConfigMap", metadata__namespace="nowhere")
    with pytest.raises(client.ApiException) as caught:
        client.CoreV1Api(api).create_namespaced_config_map("nowhere", lost)
    assert caught.value.status == 404


def test_a_name_is_taken_once(engine, body):
    engine.up("Namespace", body("Namespace"))

    with pytest.raises(CloudError, match='namespaces "team-a" already exists'):
        engine.up("Namespace", body("Namespace"), "again")


def test_objects_come_out_of_import_as_they_were_asked_for(engine, custom, body):
    custom.create_cluster_custom_object(*KUEUE, "resourceflavors", body("ResourceFlavor"))

    adopted = engine.adopt("ResourceFlavor", "spot")

    assert adopted == body("ResourceFlavor")


def test_two_clusters_hold_objects_of_one_name(engine_of, world, cloud, serve, eks, body):
    world.store.put(eks("serve", "eu-west-1"))
    whole = build_kubeconfig(serve(cloud), list_clusters(world))
    first, second = (
        engine_of({"kubeconfig": whole, "context": name})
        for name in ("aws/ml.us-east-1", "aws/serve.eu-west-1")
    )
    one = first.up("Namespace", body("Namespace"))
    two = second.up("Namespace", body("Namespace", metadata__labels={"a": "b"}))

    assert one.id == two.id == "team-a"
    first.destroy("Namespace", one)

    assert first.refresh("Namespace", one) is None
    assert second.refresh("Namespace", two) == two.inputs


def test_a_cluster_made_anew_is_empty(engine, world, eks, body):
    made = engine.up("Namespace", body("Namespace"))
    world.store.put(eks("ml", born="2026-12-01"))

    assert engine.refresh("Namespace", made) is None


def test_a_command_to_fail_reaches_the_client(engine, api, world, body):
    engine.up("ConfigMap", body("ConfigMap"))
    world.faults.add(Fault(FaultKind.THROTTLING, "kubernetes", "configmaps/*"))
    core = client.CoreV1Api(api)

    with pytest.raises(client.ApiException) as caught:
        core.patch_namespaced_config_map("settings", "default", {"data": {"a": "c"}})
    assert caught.value.status == 429
    core.patch_namespaced_config_map("settings", "default", {"data": {"a": "c"}})


def test_what_the_api_does_not_answer_is_said(api):
    core = client.CoreV1Api(api)
    with pytest.raises(client.ApiException, match="no label selector such as"):
        core.list_namespace(label_selector="!a")
    with pytest.raises(client.ApiException, match="answers no watch"):
        core.list_namespace(watch=True)
    with pytest.raises(client.ApiException, match="is not answered by the local Kubernetes"):
        core.list_persistent_volume()
    assert client.VersionApi(api).get_code().git_version.endswith("tidegate-local")
    assert "kueue.x-k8s.io" in [each.name for each in client.ApisApi(api).get_api_versions().groups]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "Secret"}, "the kind of the object (Secret) is not ConfigMap"),
        ({"metadata": {"name": "other"}}, "the name of the object (other) does not match"),
        ({"metadata": {"namespace": "other"}}, "the namespace of the object (other) does not"),
    ],
)
def test_an_object_is_what_its_path_says(engine, patch, body, change, said):
    engine.up("ConfigMap", body("ConfigMap"))

    answer = patch("/api/v1/namespaces/default/configmaps/settings", change)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(said)
