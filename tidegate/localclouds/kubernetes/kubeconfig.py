"""Kubeconfigs: the ones that reach the local clusters, and which cluster a given one means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tidegate.localclouds.contracts import Unknown, Values, World
from tidegate.localclouds.kubernetes.clusters import Cluster, find_by_server, list_clusters
from tidegate.localclouds.refusals import CloudError

USER = "tidegate-local"


def build_kubeconfig(url: str, clusters: Iterable[Cluster]) -> dict[str, Any]:
    """Return a kubeconfig with a context for each cluster; the first is the current one.

    Args:
        url: Where the local face answers, without a trailing slash.
        clusters: Those to name.
    """
    listed = list(clusters)
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": each.id, "cluster": {"server": f"{url}{each.path}"}} for each in listed
        ],
        "users": [{"name": USER, "user": {"token": USER}}],
        "contexts": [
            {"name": each.id, "context": {"cluster": each.id, "user": USER}} for each in listed
        ],
        "current-context": listed[0].id if listed else "",
    }


def find_cluster(world: World, settings: Mapping[str, Any]) -> Cluster | Unknown:
    """Return the cluster that a provider's settings mean; UNKNOWN while they are not known.

    Raises:
        CloudError: When they name none, or one that the local clouds do not hold.
    """
    given = settings.get("kubeconfig")
    if isinstance(given, Unknown):
        return given
    held = ", ".join(each.id for each in list_clusters(world)) or "none"
    hint = f"the local clouds hold: {held}; `tidegate local kubeconfig` prints what reaches them"
    if given is None or given == "":
        raise unreachable(
            f"the provider has no kubeconfig, and none of this machine is read; {hint}"
        )
    server = read_server(parse_kubeconfig(given), settings)
    found = find_by_server(world, server)
    if not found:
        raise unreachable(f"{server} is no cluster of the local clouds; {hint}")
    if len(found) > 1:
        several = " and ".join(each.id for each in found)
        raise unreachable(f"{server} is the address of {several}; {hint}")
    return found[0]


def unreachable(why: str) -> CloudError:
    """Return the error for a cluster that cannot be reached."""
    return CloudError("Unreachable", f"configured Kubernetes cluster is unreachable: {why}", 503)


def parse_kubeconfig(given: Any) -> Mapping[str, Any]:
    """Return a kubeconfig from a mapping, its YAML or JSON text, or the path of its file.

    Raises:
        CloudError: When it is none of these.
    """
    document = given
    if isinstance(given, str):
        text = given if "\n" in given or "{" in given else _read_file(given)
        try:
            document = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise unreachable(f"the kubeconfig is not YAML: {error}") from error
    if not isinstance(document, Mapping) or "clusters" not in document:
        raise unreachable("the kubeconfig has no clusters")
    return document


def _read_file(path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except OSError as error:
        raise unreachable(f"the kubeconfig {path!r} cannot be read: {error}") from error


def read_server(config: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return the server of the context that holds, the provider's own settings first.

    Raises:
        CloudError: When a name leads nowhere.
    """
    context = settings.get("context") or config.get("current-context") or ""
    wanted = settings.get("cluster")
    if not wanted:
        wanted = _named(config, "contexts", "context", str(context)).get("cluster")
    server = _named(config, "clusters", "cluster", str(wanted)).get("server")
    if not isinstance(server, str):
        raise unreachable(f"cluster {wanted!r} of the kubeconfig has no server")
    return server


def _named(config: Mapping[str, Any], section: str, key: str, name: str) -> Values:
    for entry in config.get(section) or []:
        if entry.get("name") == name:
            return dict(entry.get(key) or {})
    raise unreachable(f"the kubeconfig has no {key} {name!r}")
