"""Kubernetes as the server runs it: behaviours by type, the REST face, the provider's settings."""

from __future__ import annotations

from collections.abc import Iterator

from tidegate.localclouds.contracts import Call, CheckFailure, Cloud, Values, World
from tidegate.localclouds.kubernetes.clusters import Cluster
from tidegate.localclouds.kubernetes.crds import load_custom_kinds
from tidegate.localclouds.kubernetes.face import KubernetesFace
from tidegate.localclouds.kubernetes.kubeconfig import (
    find_cluster,
    parse_kubeconfig,
    read_server,
)
from tidegate.localclouds.kubernetes.object_type import ObjectType
from tidegate.localclouds.kubernetes.objects import ApiServer
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.schema import derive_properties
from tidegate.vocabulary.problems import nearest

PACKAGE = "kubernetes"
# What the engine itself puts beside a provider's settings.
OF_THE_ENGINE = frozenset({"version", "pluginDownloadURL", "__internal"})


def build_kubernetes_cloud(world: World) -> Cloud:
    """Build Kubernetes over one world."""
    custom = load_custom_kinds()
    api = ApiServer(world, custom)
    return Cloud(
        package=PACKAGE,
        behaviours={token: ObjectType(api, kind) for token, kind in api.kinds.items()},
        face=KubernetesFace(api).application(),
        schemas={token: each.schema for token, each in custom.items()},
        scope=scope_of,
        tells_all=True,
        check_settings=check_settings,
        replace_settings=replace_settings,
    )


def scope_of(call: Call) -> str:
    """Return under what a provider's objects are kept: another for each cluster.

    Raises:
        CloudError: When its kubeconfig means no cluster that there is, unless it is told
            `deleteUnreachable`.
    """
    try:
        found = find_cluster(call.world, call.settings)
    except CloudError:
        if call.settings.get("deleteUnreachable") in (True, "true"):
            return f"{PACKAGE}@"
        raise
    return f"{PACKAGE}@{found.key if isinstance(found, Cluster) else ''}"


def check_settings(settings: Values) -> Iterator[CheckFailure]:
    """Refuse what the provider of pulumi-kubernetes has no setting for."""
    from pulumi_kubernetes import ProviderArgs

    known = derive_properties(ProviderArgs)
    for name in settings:
        if name not in known and name not in OF_THE_ENGINE:
            hint = nearest(name, known)
            more = f"; did you mean '{hint}'?" if hint else ""
            yield CheckFailure(name, f"unknown provider setting '{name}'{more}")


def replace_settings(old: Values, new: Values) -> Iterator[str]:
    """Name what makes it the provider of another cluster.

    A `clusterIdentifier` decides where both have one, as in pulumi-kubernetes; a kubeconfig that
    is not known yet names nothing.
    """
    before, after = old.get("clusterIdentifier"), new.get("clusterIdentifier")
    if before and after:
        if before != after:
            yield "clusterIdentifier"
    elif _server(new) not in (None, _server(old)):
        yield next(
            key for key in ("kubeconfig", "context", "cluster") if old.get(key) != new.get(key)
        )


def _server(settings: Values) -> str | None:
    """Return the server that the settings mean; None while nobody can tell."""
    given = settings.get("kubeconfig")
    try:
        return read_server(parse_kubeconfig(given), settings)
    except CloudError:
        return None
