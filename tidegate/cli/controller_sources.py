"""Sources of demand, wired: clients for the queues, and a context for each cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.cli.controller_queues import Unreachable, build_chips, build_source
from tidegate.localclouds.endpoints import require_loopback
from tidegate.manifest.model import Manifest, Pool
from tidegate.ports import WorkSource
from tidegate.sources.config import KubernetesSource, PolyaxonSource, Source
from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate.vocabulary.problems import refuse
from tidegate.vocabulary.reports import SourceFault

ClusterKey = tuple[Cloud, str, str]
"""Cloud, name and region."""


@dataclass(slots=True)
class WiredSources:
    """All sources of a stack.

    Attributes:
        sources: Each asked at every tick.
        clusters: Source's name → the pools whose nodes it lists.
        closers: Pool → the cluster that closes its nodes.
    """

    sources: list[WorkSource] = field(default_factory=list)
    clusters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    closers: dict[str, Any] = field(default_factory=dict)

    def close(self, pool: str, node: str) -> bool:
        """Let nothing new start on a node; return whether it is still empty then."""
        return bool(self._closer(pool).close(node))

    def reopen(self, pool: str, node: str) -> None:
        """Undo `close` and `start_drain`."""
        self._closer(pool).reopen(node)

    def start_drain(
        self, pool: str, node: str, pods: Sequence[str], at: datetime, closed_by_us: bool
    ) -> None:
        """Close a node, and ask its work to save itself."""
        self._closer(pool).start_drain(node, pods, at, closed_by_us=closed_by_us)

    def ask_checkpoint(self, pool: str, pods: Sequence[str], at: datetime | None) -> None:
        """Ask pods to save themselves, or take that back (None)."""
        self._closer(pool).ask_checkpoint(pods, at)

    def evict(self, pool: str, node: str, pods: Mapping[str, int | None]) -> Mapping[str, str]:
        """Tell pods to end; return those that a disruption budget keeps, with its words."""
        kept: Mapping[str, str] = self._closer(pool).evict(node, pods)
        return kept

    def _closer(self, pool: str) -> Any:
        if pool not in self.closers:
            raise SourceFault(f"no cluster is known that has nodes of {pool}")
        return self.closers[pool]


def build_sources(
    manifest: Manifest,
    given: Sequence[Source],
    catalog: Catalog,
    local_urls: Mapping[str, str],
) -> WiredSources:
    """Return every configured source, and a cluster for each that the manifest names.

    Raises:
        InvalidInput: A source names a pool or a cluster that is not declared.
    """
    _refuse_strangers(manifest, given)
    wired = WiredSources()
    clusters = [source for source in given if isinstance(source, KubernetesSource)]
    for source in given:
        if not isinstance(source, KubernetesSource):
            wired.sources.append(build_source(source, manifest.pools, catalog, local_urls))
    for key, pools in group_clusters(manifest).items():
        _add_cluster(wired, key, pools, clusters, catalog, is_local=bool(local_urls))
    return wired


def group_clusters(manifest: Manifest) -> dict[ClusterKey, list[Pool]]:
    """Return the clusters that the manifest's pools belong to, with those pools."""
    found: dict[ClusterKey, list[Pool]] = {}
    for pool in manifest.pools:
        if pool.cluster:
            found.setdefault((pool.cloud, pool.cluster, pool.region), []).append(pool)
    return found


def _add_cluster(
    wired: WiredSources,
    key: ClusterKey,
    pools: Sequence[Pool],
    given: Sequence[KubernetesSource],
    catalog: Catalog,
    *,
    is_local: bool,
) -> None:
    from tidegate.sources.kubernetes import Cluster, build_api, list_contexts

    stated = next((source for source in given if _means(source, key)), None)
    name = stated.name if stated and stated.name else "/".join((key[0].value, *key[1:]))
    context = stated.context if stated else find_context(key, pools, list_contexts())
    ids = tuple(pool.id for pool in pools)
    if not context and not any(pool.scaler is Scaler.TIDEGATE for pool in pools):
        return  # nobody asks here for nodes that something else scales
    wired.clusters[name] = ids
    if not context:
        reason = f"no kubeconfig context is of cluster {name}: name one in the sources' file"
        wired.sources.append(Unreachable(name, reason))
        return
    try:
        api = build_api(context, (stated.kubeconfig or None) if stated else None)
        if is_local:
            require_loopback(str(api.configuration.host))  # no real cluster for local pools
        cluster = Cluster(name, api, build_chips(pools, catalog))
    except SourceFault as fault:
        wired.sources.append(Unreachable(name, str(fault)))
        return
    wired.sources.append(cluster)
    wired.closers.update(dict.fromkeys(ids, cluster))


def find_context(key: ClusterKey, pools: Sequence[Pool], contexts: Sequence[str]) -> str:
    """Return the context that the cloud's own CLI, or the local clouds, name so; "" without one.

    Two that fit are none: the wrong cluster would be read.
    """
    cloud, cluster, region = key
    account = next((pool.account for pool in pools if pool.account), "")
    name = re.escape(cluster)
    known = {
        Cloud.AWS: rf"arn:aws[-a-z]*:eks:{region}:{account or '[0-9]+'}:cluster/{name}",
        Cloud.GCP: rf"gke_{account or '[^_]+'}_{region}(-[a-z])?_{name}",
        Cloud.AZURE: name,
    }[cloud]
    local = rf"{cloud.value}/{name}\..*"
    fitting = [each for each in contexts if re.fullmatch(f"{known}|{local}", each)]
    return fitting[0] if len(fitting) == 1 else ""


def _means(source: KubernetesSource, key: ClusterKey) -> bool:
    cloud, cluster, region = key
    return (source.cloud, source.cluster) == (cloud, cluster) and source.region in ("", region)


def _refuse_strangers(manifest: Manifest, given: Sequence[Source]) -> None:
    pools = {pool.id for pool in manifest.pools}
    clusters = {(cloud, cluster) for cloud, cluster, _ in group_clusters(manifest)}
    for source in given:
        if isinstance(source, KubernetesSource):
            if (source.cloud, source.cluster) not in clusters:
                expected = ", ".join(sorted(f"{cloud.value}/{name}" for cloud, name in clusters))
                where = f"source {source.name or source.cluster}"
                raise refuse(where, "cluster", source.cluster, "is not declared", expected)
            continue
        named = source.pools if isinstance(source, PolyaxonSource) else [source.pool]
        for pool in named:
            if pool and pool not in pools:
                expected = ", ".join(sorted(pools))
                raise refuse(f"source {source.name}", "pool", pool, "is not declared", expected)
