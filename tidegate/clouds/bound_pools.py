"""The declared pools, each bound to what its cloud calls it: the port that the controller uses.

Clients are made when a cloud is first spoken to, and one cloud that cannot be reached keeps no
other from being observed.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from tidegate.clouds.binding import Binding, BoundOnce
from tidegate.manifest.model import Pool
from tidegate.vocabulary.capacity import PoolKind
from tidegate.vocabulary.fleet_state import CloudRefused, PoolState, RefusalKind


class BoundPool(Protocol):
    """One pool in its cloud."""

    @property
    def can_choose(self) -> bool:
        """Return whether its cloud deletes the machines that are named."""
        ...

    def fetch_state(self) -> PoolState:
        """Return it as its cloud shows it."""
        ...

    def apply_size(self, wanted: int) -> None:
        """Set its size."""
        ...

    def apply_removal(self, machines: Sequence[str]) -> None:
        """Delete machines, and lower its size by as many."""
        ...


class BoundPools:
    """All pools of a manifest that have a size in a cloud."""

    def __init__(
        self,
        pools: Sequence[Pool],
        bindings: Mapping[str, Binding],
        local_urls: Mapping[str, str] | None = None,
    ) -> None:
        """Bind nothing yet: each pool is bound when it is first asked for.

        Args:
            pools: As declared.
            bindings: Pool id → what names it in its cloud's API.
            local_urls: Cloud ("gcp", "azure") → where a cloud on this machine answers.
        """
        self._clients = Clients(local_urls or {})
        self._bound = BoundOnce({pool.id: pool for pool in pools}, bindings, self._bind)

    def fetch_state(self, pool: str) -> PoolState:
        """Return a pool as its cloud shows it.

        Raises:
            CloudRefused: It could not be read, or nothing says what it is called.
        """
        return self._bound.find(pool).fetch_state()

    def can_choose(self, pool: str) -> bool:
        """Return whether its cloud deletes the machines that are named, and no others."""
        return self._bound.find(pool).can_choose

    def apply_size(self, pool: str, seen: int, wanted: int) -> None:
        """Set a pool's size, if it is still what it was when the decision was made.

        Raises:
            CloudRefused: Refused; CONFLICT when somebody else changed the size meanwhile.
        """
        bound = self._bound.find(pool)
        now = bound.fetch_state().target_nodes
        if now == wanted:
            return
        if now != seen:
            text = f"{pool} was changed to {now} nodes by somebody else; {seen} were seen"
            raise CloudRefused(RefusalKind.CONFLICT, text)
        bound.apply_size(wanted)

    def apply_removal(self, pool: str, machines: Sequence[str]) -> None:
        """Delete machines and lower the size by as many; those that are gone already are done.

        Raises:
            CloudRefused: Refused.
        """
        self._bound.find(pool).apply_removal(machines)

    def _bind(self, _name: str, pool: Pool, binding: Binding) -> BoundPool:
        build = BUILDERS.get(pool.kind)
        if build is None:
            text = f"{pool.kind.value} has no size that can be read"
            raise CloudRefused(RefusalKind.INVALID, text)
        return build(pool, binding, self._clients)


class Clients:
    """One client of each kind and place, made once."""

    def __init__(self, local_urls: Mapping[str, str]) -> None:
        self._urls = local_urls
        self._made: dict[tuple[str, ...], Any] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def aws(self, service: str, region: str) -> Any:
        """Return a client of one AWS service in one region."""
        from tidegate.clouds.aws.clients import build_client

        return self._keep(("aws", service, region), lambda: build_client(service, region))

    def gke(self) -> Any:
        """Return the client of GKE."""
        from tidegate.clouds.gcp.clients import build_container_client

        return self._keep_google(("gke",), lambda: build_container_client(self._url("gcp")))

    def groups(self) -> tuple[Any, Any]:
        """Return the clients of regional and zonal instance groups."""
        from tidegate.clouds.gcp.clients import build_group_clients

        found: tuple[Any, Any] = self._keep_google(
            ("groups",), lambda: build_group_clients(self._url("gcp"))
        )
        return found

    def aks(self, subscription: str) -> Any:
        """Return the client of AKS."""
        from tidegate.clouds.azure.clients import build_container_client

        url = self._url("azure")
        return self._keep(("aks", subscription), lambda: build_container_client(subscription, url))

    def compute(self, subscription: str) -> Any:
        """Return the client of Azure Compute."""
        from tidegate.clouds.azure.clients import build_compute_client

        url = self._url("azure")
        return self._keep(("vmss", subscription), lambda: build_compute_client(subscription, url))

    def _keep_google(self, key: tuple[str, ...], build: Callable[[], Any]) -> Any:
        """Keep a client of Google's, which looks for credentials when it is made.

        Raises:
            CloudRefused: There are none.
        """
        from tidegate.clouds.gcp.refusals import refusing

        with refusing("looking for Google's credentials"):
            return self._keep(key, build)

    def _url(self, cloud: str) -> str:
        return self._urls.get(cloud, "")

    def _keep(self, key: tuple[str, ...], build: Callable[[], Any]) -> Any:
        # Pools are bound side by side, and boto3 makes one client at a time.
        with self._locks[key[0]]:
            if key not in self._made:
                self._made[key] = build()
            return self._made[key]


def _bind_node_group(pool: Pool, binding: Binding, clients: Clients) -> BoundPool:
    from tidegate.clouds.aws.pools import NodeGroup, find_group

    eks = clients.aws("eks", pool.region)
    scaling = clients.aws("autoscaling", pool.region)
    return NodeGroup(pool.id, binding, scaling, eks, find_group(binding, eks))


def _bind_scaling_group(pool: Pool, binding: Binding, clients: Clients) -> BoundPool:
    from tidegate.clouds.aws.pools import ScalingGroup

    scaling = clients.aws("autoscaling", pool.region)
    return ScalingGroup(pool.id, binding["autoScalingGroup"], scaling)


def _bind_node_pool(pool: Pool, binding: Binding, clients: Clients) -> BoundPool:
    from tidegate.clouds.gcp.pools import InstanceGroup, NodePool, parse_group_url

    regional, zonal = clients.groups()

    def build_group(url: str) -> InstanceGroup:
        place, name = parse_group_url(url)
        return InstanceGroup(place, name, regional, zonal)

    return NodePool(pool.id, binding, clients.gke(), pool.max_nodes, build_group)


def _bind_spot_group(pool: Pool, binding: Binding, clients: Clients) -> BoundPool:
    from tidegate.clouds.gcp.pools import InstanceGroup, SpotGroup, parse_location

    place, made = parse_location(binding), clients.groups()
    floor = binding.get("onDemandInstanceGroupManager")
    return SpotGroup(
        pool.id,
        InstanceGroup(place, binding["instanceGroupManager"], *made),
        InstanceGroup(place, floor, *made) if floor else None,
        pool.on_demand_base_nodes,
        pool.on_demand_percent_above_base,
    )


def _bind_agent_pool(pool: Pool, binding: Binding, clients: Clients) -> BoundPool:
    from tidegate.clouds.azure.pools import AgentPool

    return AgentPool(pool.id, binding, clients.aks(_subscription(pool, binding)))


def _bind_scale_set(pool: Pool, binding: Binding, clients: Clients) -> BoundPool:
    from tidegate.clouds.azure.pools import ScaleSet

    return ScaleSet(pool.id, binding, clients.compute(_subscription(pool, binding)))


def _subscription(pool: Pool, binding: Binding) -> str:
    """Return the subscription: as the pool's id in Azure says, else as declared."""
    parts = binding.get("id", "").split("/")
    return parts[2] if len(parts) > 2 else binding.get("subscription") or pool.account


BUILDERS: Mapping[PoolKind, Callable[[Pool, Binding, Clients], BoundPool]] = {
    PoolKind.EKS_NODE_GROUP: _bind_node_group,
    PoolKind.AUTO_SCALING_GROUP: _bind_scaling_group,
    PoolKind.GKE_NODE_POOL: _bind_node_pool,
    PoolKind.INSTANCE_GROUP: _bind_spot_group,
    PoolKind.AKS_AGENT_POOL: _bind_agent_pool,
    PoolKind.SCALE_SET: _bind_scale_set,
}
"""Kind → how it is bound. A kind that is absent has no size that can be set from outside."""
