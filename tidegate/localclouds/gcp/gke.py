"""GKE on this machine: clusters, node pools and their sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import CheckFailure, World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.compute import RESERVATION, Compute
from tidegate.localclouds.gcp.errors import exists, invalid, missing, unmet
from tidegate.localclouds.gcp.gke_fill import (
    fill_cluster,
    fill_pool,
    group_names,
    instance_template,
)
from tidegate.localclouds.gcp.gke_rules import MAX_NODES_PER_ZONE, check_cluster, check_pool
from tidegate.localclouds.gcp.instance_groups import GROUP
from tidegate.localclouds.gcp.references import find_account, find_resource_policy
from tidegate.localclouds.shelf import Shelf

CLUSTER = "container.googleapis.com/Cluster"
POOL = "container.googleapis.com/NodePool"


class Gke:
    """What the GKE face and the Pulumi types both call."""

    def __init__(self, world: World, compute: Compute) -> None:
        self._compute = compute
        self.shelf = Shelf(world.store, "gcp")

    # Clusters

    def create_cluster(self, parent: str, body: Mapping[str, Any]) -> Body:
        """Create a cluster, with a default pool when it has an initial node count.

        Args:
            parent: "projects/p/locations/l".
            body: The `Cluster` message as JSON.
        """
        _, project, _, location = parent.split("/")
        cluster: Body = {**body, "location": location}
        raise_first(check_cluster(cluster))
        name = f"{parent}/clusters/{cluster.get('name', '')}"
        if self.shelf.get(CLUSTER, name):
            raise exists(f"Already exists: {name}.")
        self._check_network(cluster, project, location)
        pools = [dict(pool) for pool in cluster.pop("nodePools", [])]
        if cluster.get("initialNodeCount"):
            default = {"name": "default-pool", "initialNodeCount": cluster["initialNodeCount"]}
            pools.append({**default, "config": dict(cluster.get("nodeConfig") or {})})
        for pool in pools:
            self._check_reservation(name, {"locations": names.default_zones(location)}, pool)
        with self.shelf.transaction():
            fill_cluster(cluster, project, location)
            self.shelf.put(CLUSTER, name, cluster)
            for pool in pools:
                self.create_pool(name, pool)
        return cluster

    def _check_network(self, cluster: Body, project: str, location: str) -> None:
        region = names.region_of(location)
        network = names.last_part(cluster.get("network") or "default")
        subnetwork = names.last_part(cluster.get("subnetwork") or "default")
        if not self._compute.network_exists(f"projects/{project}/global/networks/{network}"):
            raise invalid(f'Network "{network}" does not exist in project "{project}".')
        place = f"projects/{project}/regions/{region}/subnetworks/{subnetwork}"
        if not self._compute.subnetwork_exists(place):
            raise invalid(f'Subnetwork "{subnetwork}" does not exist in region "{region}".')

    def get_cluster(self, name: str) -> Body:
        """Return a cluster with its node pools.

        Raises:
            NotFoundError: When there is none.
        """
        cluster = self._stored_cluster(name)
        pools = self.list_pools(name)
        cluster["nodePools"] = pools
        cluster["currentNodeCount"] = sum(self.pool_size(name, pool) for pool in pools)
        cluster["instanceGroupUrls"] = [url for pool in pools for url in pool["instanceGroupUrls"]]
        return cluster

    def list_clusters(self, parent: str) -> list[Body]:
        """Return the clusters of a location; "-" stands for every location."""
        prefix = parent.removesuffix("-") if parent.endswith("/-") else f"{parent}/clusters/"
        return [self.get_cluster(name) for name, _ in self.shelf.items(CLUSTER, prefix)]

    def change_cluster(self, name: str, change: Callable[[Body], None]) -> Body:
        """Change a cluster's body, check it again and keep it."""
        with self.shelf.transaction():
            cluster = self._stored_cluster(name)
            change(cluster)
            counted = {"initialNodeCount": cluster.get("initialNodeCount") or 1}
            raise_first(check_cluster({**cluster, **counted}))
            fill_cluster(cluster, name.split("/")[1], name.split("/")[3])
            self.shelf.put(CLUSTER, name, cluster)
        return cluster

    def delete_cluster(self, name: str) -> None:
        """Delete a cluster and all in it."""
        with self.shelf.transaction():
            self._stored_cluster(name)
            for pool in self.list_pools(name):
                self._drop_pool(name, pool)
            self.shelf.delete(CLUSTER, name)

    def _stored_cluster(self, name: str) -> Body:
        cluster = self.shelf.get(CLUSTER, name)
        if cluster is None:
            raise missing(f"Not found: {name}.")
        return cluster

    # Node pools

    def create_pool(self, cluster_name: str, body: Mapping[str, Any]) -> Body:
        """Create a node pool and the instance groups of its zones."""
        with self.shelf.transaction():
            cluster = self._stored_cluster(cluster_name)
            pool: Body = dict(body)
            name = f"{cluster_name}/nodePools/{pool.get('name', '')}"
            if self.shelf.get(POOL, name):
                raise exists(f"Already exists: {name}.")
            self._settle_pool(cluster_name, cluster, pool)
            size = int(pool["initialNodeCount"])
            for group in group_names(cluster_name, pool):
                template = instance_template(cluster_name, pool, group.split("/")[3])
                self._compute.groups.create(group, template, size)
            self.shelf.put(POOL, name, pool)
        return pool

    def get_pool(self, name: str) -> Body:
        """Return a node pool.

        Raises:
            NotFoundError: When there is none.
        """
        pool = self.shelf.get(POOL, name)
        if pool is None:
            self._stored_cluster(name.split("/nodePools/")[0])
            raise missing(f"Not found: {name}.")
        return pool

    def list_pools(self, cluster_name: str) -> list[Body]:
        """Return a cluster's node pools by name."""
        self._stored_cluster(cluster_name)
        return self.shelf.find(POOL, f"{cluster_name}/nodePools/")

    def change_pool(self, name: str, change: Callable[[Body], None]) -> Body:
        """Change a node pool's body, check it again, move its groups and keep it."""
        with self.shelf.transaction():
            pool = self.get_pool(name)
            cluster_name = name.split("/nodePools/")[0]
            sizes = self._group_sizes(cluster_name, pool)
            change(pool)
            self._settle_pool(cluster_name, self._stored_cluster(cluster_name), pool)
            wanted = group_names(cluster_name, pool)
            for group in sizes.keys() - set(wanted):
                self._compute.groups.delete(group)
            for group in wanted:
                template = instance_template(cluster_name, pool, group.split("/")[3])
                if group in sizes:
                    self._compute.groups.set_properties(group, template)
                else:
                    self._compute.groups.create(group, template, int(pool["initialNodeCount"]))
            self.shelf.put(POOL, name, pool)
        return pool

    def set_pool_size(self, name: str, count: int) -> Body:
        """Set the number of nodes of each zone.

        The pool's initial node count follows, as GKE's does when a pool is resized by hand.
        """
        if not 0 <= count <= MAX_NODES_PER_ZONE:
            raise invalid(f"node_count {count} is out of range: 0 to {MAX_NODES_PER_ZONE}.")
        with self.shelf.transaction():
            pool = self.get_pool(name)
            for group in group_names(name.split("/nodePools/")[0], pool):
                self._compute.groups.set_size(group, count)
            pool["initialNodeCount"] = count
            self.shelf.put(POOL, name, pool)
        return pool

    def pool_size(self, cluster_name: str, pool: Body) -> int:
        """Return how many nodes a pool has, over all zones."""
        return sum(self._group_sizes(cluster_name, pool).values())

    def is_growth(self, name: str, count: int) -> bool:
        """Tell whether a node count for each zone asks for more machines than there are."""
        pool = self.get_pool(name)
        sizes = self._group_sizes(name.split("/nodePools/")[0], pool)
        return count * len(pool["locations"]) > sum(sizes.values())

    def delete_pool(self, name: str) -> None:
        """Delete a node pool and its instance groups."""
        with self.shelf.transaction():
            pool = self.get_pool(name)
            self._drop_pool(name.split("/nodePools/")[0], pool)

    def _drop_pool(self, cluster_name: str, pool: Body) -> None:
        for group in group_names(cluster_name, pool):
            self._compute.groups.delete(group)
        self.shelf.delete(POOL, f"{cluster_name}/nodePools/{pool['name']}")

    def _group_sizes(self, cluster_name: str, pool: Body) -> dict[str, int]:
        found = {group: self.shelf.get(GROUP, group) for group in group_names(cluster_name, pool)}
        return {group: int(body["targetSize"]) for group, body in found.items() if body}

    def _settle_pool(self, cluster_name: str, cluster: Body, pool: Body) -> None:
        raise_first(check_pool(pool, cluster["location"]))
        if not pool.get("name"):
            raise invalid("NodePool.name must be set.")
        self._check_reservation(cluster_name, cluster, pool)
        self._check_named(cluster_name, pool)
        fill_pool(
            pool,
            cluster_name,
            cluster,
            has_plain_pools=lambda: self._has_plain_pools(cluster_name, pool),
        )

    def _has_plain_pools(self, cluster_name: str, pool: Body) -> bool:
        others = self.list_pools(cluster_name)
        return any(
            not other["config"].get("accelerators")
            for other in others
            if other["name"] != pool["name"]
        )

    def _check_reservation(self, cluster_name: str, cluster: Body, pool: Body) -> None:
        affinity = pool.get("config", {}).get("reservationAffinity") or {}
        if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
            return
        project = cluster_name.split("/")[1]
        zones = pool.get("locations") or cluster["locations"]
        for value in affinity.get("values", []):
            short = names.last_part(value)
            found = [
                self.shelf.get(RESERVATION, f"projects/{project}/zones/{zone}/reservations/{short}")
                for zone in zones
            ]
            if not any(found):
                raise invalid(
                    f"Reservation '{short}' does not exist in {', '.join(zones)} of project "
                    f"{project}."
                )
            self._check_reserved_machine(short, found, pool)

    def _check_named(self, cluster_name: str, pool: Body) -> None:
        """Refuse a placement policy or a service account that does not exist."""
        named = (
            (look(pool, "placementPolicy.policyName"), find_resource_policy),
            (look(pool, "config.serviceAccount"), find_account),
        )
        for value, find in named:
            reason = find(self.shelf, cluster_name, value) if value else ""
            if reason:
                raise missing(reason)

    def _check_reserved_machine(self, name: str, found: list[Body | None], pool: Body) -> None:
        machine = pool["config"].get("machineType", "e2-medium")
        for reservation in filter(None, found):
            properties = reservation["specificReservation"].get("instanceProperties", {})
            reserved = properties.get("machineType", machine)
            if reserved != machine:
                raise unmet(
                    f"Reservation '{name}' holds machines of type '{reserved}', the node pool "
                    f"asks for '{machine}'."
                )


def raise_first(failures: Iterator[CheckFailure]) -> None:
    """Raise the first failure as Google's INVALID_ARGUMENT."""
    for failure in failures:
        raise invalid(f"{failure.reason} (at {failure.property})")
