"""A local Kubernetes in this process, with one EKS cluster, and valid objects to start from."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from kubernetes import client, config

from tidegate.localclouds.kubernetes.cloud import build_kubernetes_cloud
from tidegate.localclouds.kubernetes.clusters import EKS_CLUSTER, list_clusters
from tidegate.localclouds.kubernetes.kubeconfig import build_kubeconfig
from tidegate.localclouds.store import Record

OBJECTS: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent / "objects.yaml").read_text(encoding="utf-8")
)
TOKENS = {token.rpartition(":")[2]: token for token in OBJECTS}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `any_kind` once for each kind."""
    if "any_kind" in metafunc.fixturenames:
        metafunc.parametrize("any_kind", sorted(TOKENS))


@pytest.fixture
def body():
    """Return the inputs of a valid object.

    A keyword such as `spec__role` replaces inside; a value of None removes what stands there.
    """

    def build(kind, **changes):
        version = TOKENS[kind].removeprefix("kubernetes:").removeprefix("core/").rpartition(":")[0]
        made = {**copy.deepcopy(OBJECTS[TOKENS[kind]]), "apiVersion": version, "kind": kind}
        for path, value in changes.items():
            *parents, last = path.split("__")
            inside = made
            for step in parents:
                inside = inside[step]
            inside.pop(last, None)
            if value is not None:
                inside[last] = value
        return made

    return build


@pytest.fixture
def eks():
    """Return the record of an EKS cluster as the local AWS keeps it."""

    def build(name, region="us-east-1", born="2026-11-30"):
        outputs = {
            "arn": f"arn:aws:eks:{region}:123456789012:cluster/{name}",
            "endpoint": f"https://{name}{region}.gr7.{region}.eks.amazonaws.com",
            "createdAt": born,
        }
        return Record("aws", EKS_CLUSTER, name, "urn", {}, outputs)

    return build


@pytest.fixture
def cloud(world, eks):
    world.store.put(eks("ml"))
    return build_kubernetes_cloud(world)


@pytest.fixture
def kubeconfig(world, cloud, serve):
    return build_kubeconfig(serve(cloud), list_clusters(world))


@pytest.fixture
def engine_of(make_engine, cloud, world):
    """Return the engine's way in with given provider settings; kinds stand for type tokens."""

    class ByKind(make_engine):
        def find(self, token, name):
            return super().find(TOKENS.get(token, token), name)

    return lambda settings: ByKind(cloud, world, settings)


@pytest.fixture
def engine(engine_of, kubeconfig):
    return engine_of({"kubeconfig": kubeconfig})


@pytest.fixture
def api(kubeconfig):
    settings = client.Configuration()
    config.load_kube_config_from_dict(kubeconfig, client_configuration=settings)
    with client.ApiClient(settings) as made:
        yield made


@pytest.fixture
def custom(api):
    return client.CustomObjectsApi(api)


@pytest.fixture
def read(api, custom):
    """Read an object through the class of the official client that serves its kind."""
    classes = {
        "v1": client.CoreV1Api,
        "apps": client.AppsV1Api,
        "scheduling": client.SchedulingV1Api,
    }

    def get(kind, identifier):
        version, _, _ = (
            TOKENS[kind].removeprefix("kubernetes:").removeprefix("core/").rpartition(":")
        )
        namespace, _, name = identifier.rpartition("/")
        typed = classes.get(version.partition("/")[0].partition(".")[0])
        if typed is not None:
            snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in kind)
            verb = getattr(typed(api), f"read{'_namespaced' if namespace else ''}{snake}")
            return api.sanitize_for_serialization(
                verb(name, namespace) if namespace else verb(name)
            )
        place = (*version.split("/"),)
        plural = f"{kind.lower()}{'es' if kind.endswith('s') else 's'}".replace("ys", "ies")
        if namespace:
            return custom.get_namespaced_custom_object(*place, namespace, plural, name)
        return custom.get_cluster_custom_object(*place, plural, name)

    return get


@pytest.fixture
def patch(kubeconfig):
    """Send a merge patch to a path of the cluster's API; return the answer."""
    server = kubeconfig["clusters"][0]["cluster"]["server"]
    headers = {"Content-Type": "application/merge-patch+json"}
    return lambda path, change: httpx.patch(f"{server}{path}", json=change, headers=headers)
