"""`container.googleapis.com` v1 as `google.cloud.container_v1` calls it over REST.

REST bodies leave zeros out: a size of 0 arrives as an empty object.
"""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.gke import Gke
from tidegate.localclouds.gcp.gke_fill import KUBERNETES_VERSION
from tidegate.localclouds.gcp.gke_operations import GkeOperations
from tidegate.localclouds.gcp.messages import parse_message
from tidegate.localclouds.routes import Answer, Asked, Route

SDK = "google.cloud.container_v1"
PARENT = "/v1/projects/{project}/locations/{location}"
CLUSTERS = f"{PARENT}/clusters"
ONE_CLUSTER = f"{CLUSTERS}/{{cluster}}"
POOLS = f"{ONE_CLUSTER}/nodePools"
ONE_POOL = f"{POOLS}/{{pool}}"

# `UpdateNodePoolRequest` field → where it stands in a node pool.
POOL_UPDATES: dict[str, str] = {
    "accelerators": "config.accelerators",
    "bootDisk": "config.bootDisk",
    "confidentialNodes": "config.confidentialNodes",
    "consolidationDelay": "config.consolidationDelay",
    "containerdConfig": "config.containerdConfig",
    "diskSizeGb": "config.diskSizeGb",
    "diskType": "config.diskType",
    "fastSocket": "config.fastSocket",
    "flexStart": "config.flexStart",
    "gcfsConfig": "config.gcfsConfig",
    "gvnic": "config.gvnic",
    "imageType": "config.imageType",
    "kubeletConfig": "config.kubeletConfig",
    "labels": "config.labels",
    "linuxNodeConfig": "config.linuxNodeConfig",
    "locations": "locations",
    "loggingConfig": "config.loggingConfig",
    "machineType": "config.machineType",
    "maxRunDuration": "config.maxRunDuration",
    "nodeDrainConfig": "nodeDrainConfig",
    "nodeNetworkConfig": "networkConfig",
    "nodeVersion": "version",
    "queuedProvisioning": "queuedProvisioning",
    "resourceLabels": "config.resourceLabels",
    "resourceManagerTags": "config.resourceManagerTags",
    "storagePools": "config.storagePools",
    "tags": "config.tags",
    "taintConfig": "config.taintConfig",
    "taints": "config.taints",
    "upgradeSettings": "upgradeSettings",
    "windowsNodeConfig": "config.windowsNodeConfig",
    "workloadMetadataConfig": "config.workloadMetadataConfig",
}
# These arrive wrapped in an object of one field, so that an empty list can be told from absence.
WRAPPED = {
    "labels": "labels",
    "resourceLabels": "labels",
    "tags": "tags",
    "taints": "taints",
}
# `ClusterUpdate` field → where it stands in a cluster, for those whose names do not tell.
CLUSTER_UPDATES = {
    "desiredClusterAutoscaling": "autoscaling",
    "desiredMasterVersion": "currentMasterVersion",
    "desiredNodeVersion": "currentNodeVersion",
}


class GkeFace:
    """The routes of GKE's REST API."""

    def __init__(self, gke: Gke, operations: GkeOperations) -> None:
        self._gke = gke
        self._operations = operations

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        return [
            Route("GET", f"{PARENT}/serverConfig", self._server_config),
            Route("GET", f"{PARENT}/operations", self._list_operations),
            Route("GET", f"{PARENT}/operations/{{operation}}", self._get_operation),
            Route("POST", f"{PARENT}/operations/{{operation}}:cancel", self._cancel_operation),
            Route("GET", CLUSTERS, self._list_clusters),
            Route("POST", CLUSTERS, self._create_cluster),
            Route("GET", ONE_CLUSTER, self._get_cluster),
            Route("PUT", ONE_CLUSTER, self._update_cluster),
            Route("DELETE", ONE_CLUSTER, self._delete_cluster),
            Route("POST", f"{ONE_CLUSTER}:setResourceLabels", self._set_labels),
            Route("GET", POOLS, self._list_pools),
            Route("POST", POOLS, self._create_pool),
            Route("GET", ONE_POOL, self._get_pool),
            Route("PUT", ONE_POOL, self._update_pool),
            Route("DELETE", ONE_POOL, self._delete_pool),
            Route("POST", f"{ONE_POOL}:setSize", self._set_size),
            Route("POST", f"{ONE_POOL}:setAutoscaling", self._set_autoscaling),
            Route("POST", f"{ONE_POOL}:setManagement", self._set_management),
        ]

    def _server_config(self, asked: Asked, **_: str) -> Answer:
        del asked
        versions = [KUBERNETES_VERSION]
        return Answer(
            {
                "defaultClusterVersion": KUBERNETES_VERSION,
                "validMasterVersions": versions,
                "validNodeVersions": versions,
                "defaultImageType": "COS_CONTAINERD",
                "validImageTypes": ["COS_CONTAINERD", "UBUNTU_CONTAINERD"],
            }
        )

    def _list_operations(self, asked: Asked, project: str, location: str) -> Answer:
        del asked
        parent = f"projects/{project}/locations/{location}"
        return Answer({"operations": self._operations.find(parent)})

    def _get_operation(self, asked: Asked, **_: str) -> Answer:
        return Answer(self._operations.get(_name(asked)))

    def _cancel_operation(self, asked: Asked, **_: str) -> Answer:
        self._operations.get(_name(asked))
        return Answer({})

    def _list_clusters(self, asked: Asked, project: str, location: str) -> Answer:
        del asked
        parent = f"projects/{project}/locations/{location}"
        return Answer({"clusters": self._gke.list_clusters(parent)})

    def _get_cluster(self, asked: Asked, **_: str) -> Answer:
        return Answer(self._gke.get_cluster(_name(asked)))

    def _create_cluster(self, asked: Asked, project: str, location: str) -> Answer:
        parent = f"projects/{project}/locations/{location}"
        cluster = parse_message(SDK, "Cluster", asked.body.get("cluster", {}))
        target = f"{parent}/clusters/{cluster.get('name', '')}"
        work = lambda: self._gke.create_cluster(parent, cluster)  # noqa: E731 - one call's work
        return Answer(self._operations.run("CreateCluster", target, work, grows=True))

    def _update_cluster(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked)
        update = parse_message(SDK, "ClusterUpdate", asked.body.get("update", {}))
        changes = {_cluster_place(field): value for field, value in update.items()}

        def work() -> None:
            self._gke.change_cluster(name, lambda cluster: cluster.update(changes))

        return Answer(self._operations.run("UpdateCluster", name, work))

    def _delete_cluster(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked)
        work = lambda: self._gke.delete_cluster(name)  # noqa: E731 - one call's work
        return Answer(self._operations.run("DeleteCluster", name, work))

    def _set_labels(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked).removesuffix(":setResourceLabels")
        labels = asked.body.get("resourceLabels", {})

        def change(cluster: Body) -> None:
            if asked.body.get("labelFingerprint") != cluster["labelFingerprint"]:
                raise invalid("Labels could not be set due to fingerprint mismatch.")
            cluster["resourceLabels"] = labels

        work = lambda: self._gke.change_cluster(name, change)  # noqa: E731 - one call's work
        return Answer(self._operations.run("SetLabels", name, work))

    def _list_pools(self, asked: Asked, **_: str) -> Answer:
        cluster = _name(asked).removesuffix("/nodePools")
        return Answer({"nodePools": self._gke.list_pools(cluster)})

    def _get_pool(self, asked: Asked, **_: str) -> Answer:
        return Answer(self._gke.get_pool(_name(asked)))

    def _create_pool(self, asked: Asked, **_: str) -> Answer:
        cluster = _name(asked).removesuffix("/nodePools")
        pool = parse_message(SDK, "NodePool", asked.body.get("nodePool", {}))
        target = f"{cluster}/nodePools/{pool.get('name', '')}"
        work = lambda: self._gke.create_pool(cluster, pool)  # noqa: E731 - one call's work
        grows = bool(pool.get("initialNodeCount"))
        return Answer(self._operations.run("CreateNodePool", target, work, grows=grows))

    def _update_pool(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked)
        request = parse_message(SDK, "UpdateNodePoolRequest", asked.body)

        def change(pool: Body) -> None:
            _refuse_accelerators(pool, request)
            for field, value in request.items():
                if field in POOL_UPDATES:
                    _place(pool, POOL_UPDATES[field], _unwrap(field, value))

        work = lambda: self._gke.change_pool(name, change)  # noqa: E731 - one call's work
        return Answer(self._operations.run("UpdateNodePool", name, work))

    def _delete_pool(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked)
        work = lambda: self._gke.delete_pool(name)  # noqa: E731 - one call's work
        return Answer(self._operations.run("DeleteNodePool", name, work))

    def _set_size(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked).removesuffix(":setSize")
        request = parse_message(SDK, "SetNodePoolSizeRequest", asked.body)
        count = int(request.get("nodeCount", 0))
        grows = self._gke.is_growth(name, count)
        work = lambda: self._gke.set_pool_size(name, count)  # noqa: E731 - one call's work
        return Answer(self._operations.run("SetNodePoolSize", name, work, grows=grows))

    def _set_autoscaling(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked).removesuffix(":setAutoscaling")
        request = parse_message(SDK, "SetNodePoolAutoscalingRequest", asked.body)
        scaling = request.get("autoscaling", {})
        work = lambda: self._gke.change_pool(  # noqa: E731 - one call's work
            name, lambda pool: pool.update(autoscaling=scaling)
        )
        return Answer(self._operations.run("SetNodePoolAutoscaling", name, work))

    def _set_management(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked).removesuffix(":setManagement")
        request = parse_message(SDK, "SetNodePoolManagementRequest", asked.body)
        given = request.get("management", {})
        # A false is left out of the body, and must not be filled with the default.
        management = {"autoRepair": False, "autoUpgrade": False, **given}
        work = lambda: self._gke.change_pool(  # noqa: E731 - one call's work
            name, lambda pool: pool.update(management=management)
        )
        return Answer(self._operations.run("SetNodePoolManagement", name, work))


def _refuse_accelerators(pool: Body, request: Body) -> None:
    """Refuse what GKE never changes in place (magic-modules#18493): type and count."""
    if "accelerators" not in request:
        return
    keys = ("acceleratorType", "acceleratorCount")
    before, after = (
        [[item.get(key) for key in keys] for item in items]
        for items in (pool["config"].get("accelerators", []), request["accelerators"])
    )
    if before != after:
        raise invalid(f"Accelerators {before} should not be updated; {after} was asked for.")


def _name(asked: Asked) -> str:
    return asked.path.removeprefix("/v1/")


def _cluster_place(field: str) -> str:
    if field in CLUSTER_UPDATES:
        return CLUSTER_UPDATES[field]
    bare = field.removeprefix("desired")
    return bare[0].lower() + bare[1:]


def _unwrap(field: str, value: Any) -> Any:
    if field not in WRAPPED:
        return value
    empty: Any = {} if WRAPPED[field] == "labels" else []
    return value.get(WRAPPED[field], empty)


def _place(body: Body, path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for parent in parents:
        body = body.setdefault(parent, {})
    body[last] = value
