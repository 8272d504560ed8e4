"""`gcp:container` clusters and node pools for the engine."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.gke import Gke
from tidegate.localclouds.gcp.gke_fill import group_names
from tidegate.localclouds.gcp.gke_rules import GPU_TAINT, TPU_TAINT, check_cluster, check_pool
from tidegate.localclouds.gcp.gke_shape import CLUSTER, NODE_CONFIG, NODE_POOL
from tidegate.localclouds.gcp.google_type import GoogleType, is_same_case, is_same_resource
from tidegate.localclouds.gcp.instance_groups import GROUP
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.rest_shape import build_properties
from tidegate.localclouds.store import Record

CLUSTER_PATH = re.compile(r"(?:^|/)projects/[^/]+/locations/[^/]+/clusters/[^/]+$")


class ClusterType(GoogleType):
    """`gcp:container/cluster:Cluster`."""

    shape = CLUSTER
    spelled_freely: ClassVar[Mapping[str, Callable[[str, str], bool]]] = {
        "location": is_same_case,
        "network": is_same_resource,
        "subnetwork": is_same_resource,
    }

    def __init__(self, gke: Gke) -> None:
        self._gke = gke

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/locations/l/clusters/c"."""
        project = names.project_of(inputs, call.settings)
        return (
            f"projects/{project}/locations/{find_location(inputs, call)}/clusters/{inputs['name']}"
        )

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what GKE and the provider refuse."""
        yield from check_cluster({"location": find_location(inputs, call), **body})
        if inputs.get("removeDefaultNodePool") is True and not inputs.get("initialNodeCount"):
            yield CheckFailure(
                "initialNodeCount",
                "remove_default_node_pool needs initial_node_count of at least 1: GKE creates the "
                "default pool before it is removed.",
            )

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create the cluster, and remove its default pool when that was asked for."""
        body.pop("location", None)
        body["name"] = names.last_part(name)
        self._gke.create_cluster(name.split("/clusters/")[0], body)
        if inputs.get("removeDefaultNodePool") is True:
            self._gke.delete_pool(f"{name}/nodePools/default-pool")
        return self._gke.get_cluster(name)

    def load(self, name: str) -> Body:
        """Return the cluster with its pools."""
        return self._gke.get_cluster(name)

    def save(self, name: str, body: Body) -> Body:
        """Keep the changed cluster; its pools are kept apart."""
        kept = {key: value for key, value in body.items() if key != "nodePools"}

        def change(cluster: Body) -> None:
            cluster.clear()
            cluster.update(kept)

        self._gke.change_cluster(name, change)
        return self._gke.get_cluster(name)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete the cluster unless it is protected, which it is when nothing else was said."""
        if inputs.get("deletionProtection") is not False:
            raise CloudError(
                "DELETION_PROTECTED",
                "Cannot destroy cluster because deletionProtection is set to true. Set it to false "
                "to proceed with cluster deletion.",
            )
        self._gke.delete_cluster(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return versions; node pools and their configuration only where they were asked for."""
        outputs: Values = {
            "masterVersion": body["currentMasterVersion"],
            "nodeVersion": body["currentNodeVersion"],
            "project": name.split("/")[1],
            "deletionProtection": inputs.get("deletionProtection", True),
        }
        for key in ("nodePools", "nodeConfig", "minMasterVersion", "initialNodeCount"):
            if key not in inputs:
                outputs[key] = None
        return outputs


class NodePoolType(GoogleType):
    """`gcp:container/nodePool:NodePool`."""

    shape = NODE_POOL

    def __init__(self, gke: Gke) -> None:
        self._gke = gke

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/locations/l/clusters/c/nodePools/n"."""
        return f"{find_cluster(inputs, call)}/nodePools/{inputs['name']}"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Say what GKE and the provider refuse."""
        if inputs.get("nodeCount") is not None and inputs.get("initialNodeCount") is not None:
            yield CheckFailure(
                "nodeCount", "Cannot set both initial_node_count and node_count on node pool."
            )
        yield from super().check(inputs, call)

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what GKE refuses."""
        cluster = inputs.get("cluster")
        if isinstance(cluster, str) and "/" in cluster and not CLUSTER_PATH.search(cluster):
            yield CheckFailure(
                "cluster",
                f"Invalid cluster '{cluster}': expected its name or "
                "projects/p/locations/l/clusters/c.",
            )
            return
        yield from check_pool(body, known_location(inputs, call))
        count = inputs.get("nodeCount")
        if isinstance(count, int) and count < 0:
            yield CheckFailure("nodeCount", f"node_count {count} is negative.")

    def build_body(self, inputs: Values) -> Body:
        """Return the body; a block of autoscaling means that it is on."""
        body = super().build_body(inputs)
        if isinstance(body.get("autoscaling"), dict):
            body["autoscaling"] = {"enabled": True, **body["autoscaling"]}
        return body

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create the pool with the nodes that were asked for."""
        if inputs.get("nodeCount") is not None:
            body["initialNodeCount"] = inputs["nodeCount"]
        return self._gke.create_pool(name.split("/nodePools/")[0], body)

    def load(self, name: str) -> Body:
        """Return the pool."""
        return self._gke.get_pool(name)

    def save(self, name: str, body: Body) -> Body:
        """Keep the changed pool."""

        def change(pool: Body) -> None:
            pool.clear()
            pool.update(body)

        return self._gke.change_pool(name, change)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change the pool; a changed node count resizes it."""
        outputs = super().update(record, old, new, call)
        count = new.get("nodeCount")
        if count is not None and count != old.get("nodeCount"):
            pool = self._gke.set_pool_size(record.id, count)
            outputs = self.build_outputs(record.id, pool, new)
        return outputs

    def remove(self, name: str, inputs: Values) -> None:
        """Delete the pool; with a cluster that is gone it is gone too."""
        del inputs
        self._gke.delete_pool(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return the sizes and groups, and the taints that were asked for apart from all."""
        cluster_name = name.split("/nodePools/")[0]
        groups = group_names(cluster_name, body)
        managers = [self._gke.shelf.get(GROUP, group) for group in groups]
        nodes = self._gke.pool_size(cluster_name, body)
        return {
            "cluster": inputs.get("cluster", names.last_part(cluster_name)),
            "location": name.split("/")[3],
            "project": name.split("/")[1],
            "nodeCount": nodes // max(1, len(groups)),
            "managedInstanceGroupUrls": [
                manager["instanceGroup"] for manager in managers if manager
            ],
            "nodeConfig": _show_taints(body, inputs),
            "initialNodeCount": body["initialNodeCount"],
        }


def _show_taints(body: Body, inputs: Values) -> Values:
    """Return the node configuration; GKE's own taint is among the effective ones alone."""
    config = build_properties(NODE_CONFIG, body["config"])
    asked: Any = (inputs.get("nodeConfig") or {}).get("taints") or []
    taints = config.get("taints") or []
    config["effectiveTaints"] = taints
    config["taints"] = [
        taint for taint in taints if taint not in (GPU_TAINT, TPU_TAINT) or taint in asked
    ]
    return config


def find_location(inputs: Values, call: Call) -> str:
    """Return a resource's location: its own, else the provider's zone or region."""
    given = inputs.get("location")
    if isinstance(given, str):
        return given
    zone = call.settings.get("zone")
    return str(zone) if zone else names.region_setting(call.settings)


def known_location(inputs: Values, call: Call) -> str:
    """Return where a pool's cluster stands, empty while a preview cannot know it."""
    cluster, given = inputs.get("cluster"), inputs.get("location")
    if isinstance(cluster, str) and "/" in cluster:
        return find_cluster(inputs, call).split("/")[3]
    if given is UNKNOWN or (given is None and cluster is UNKNOWN):
        return ""
    return find_location(inputs, call)


def find_cluster(inputs: Values, call: Call) -> str:
    """Return the full name of a pool's cluster, given as a name or as a path."""
    cluster = str(inputs["cluster"])
    if "/" in cluster:
        return names.relative_name(cluster)
    project = names.project_of(inputs, call.settings)
    return f"projects/{project}/locations/{find_location(inputs, call)}/clusters/{cluster}"
