"""What GKE itself fills into clusters and node pools, so that reading back is complete.

Sources: the default scopes are those of hashicorp/terraform-provider-google, node_config.go (read
on 2026-11-30); the rest, such as the automatic taint of accelerated nodes, is general vendor
documentation, not verified. Filling twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from tidegate.localclouds.bodies import Body, fill_defaults
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.gke_rules import GPU_TAINT, TPU_TAINT

KUBERNETES_VERSION = "1.34.4-gke.1047000"
DEFAULT_SCOPES = [
    "https://www.googleapis.com/auth/devstorage.read_only",
    "https://www.googleapis.com/auth/logging.write",
    "https://www.googleapis.com/auth/monitoring",
    "https://www.googleapis.com/auth/service.management.readonly",
    "https://www.googleapis.com/auth/servicecontrol",
    "https://www.googleapis.com/auth/trace.append",
]


def fill_cluster(cluster: Body, project: str, location: str) -> None:
    """Fill a cluster's body in."""
    name = f"projects/{project}/locations/{location}/clusters/{cluster['name']}"
    network = names.last_part(cluster.get("network") or "default")
    subnetwork = names.last_part(cluster.get("subnetwork") or network)
    cluster["network"], cluster["subnetwork"] = network, subnetwork
    region = names.region_of(location)
    version = cluster.get("initialClusterVersion") or KUBERNETES_VERSION
    fill_defaults(
        cluster,
        {
            "clusterIpv4Cidr": "10.8.0.0/14",
            "createTime": names.now(),
            "currentMasterVersion": version,
            "currentNodeVersion": version,
            "endpoint": _build_address(name),
            "id": names.hexadecimal_of(name, 32),
            "labelFingerprint": names.fingerprint_of(cluster.get("resourceLabels") or {}),
            "location": location,
            "locations": names.default_zones(location),
            "loggingService": "logging.googleapis.com/kubernetes",
            "masterAuth": {"clusterCaCertificate": "bG9jYWwtY2x1c3Rlcg=="},
            "monitoringService": "monitoring.googleapis.com/kubernetes",
            "networkConfig": {
                "network": f"projects/{project}/global/networks/{network}",
                "subnetwork": f"projects/{project}/regions/{region}/subnetworks/{subnetwork}",
            },
            "releaseChannel": {"channel": "REGULAR"},
            "resourceLabels": {},
            "selfLink": f"{names.CONTAINER_URL}/{name}",
            "servicesIpv4Cidr": "34.118.224.0/20",
            "status": "RUNNING",
            "zone": location,
        },
    )
    cluster["labelFingerprint"] = names.fingerprint_of(cluster["resourceLabels"])
    cluster["etag"] = _etag(cluster)


def _build_address(cluster_name: str) -> str:
    """Return the private address of a cluster's API: seldom that of another one."""
    high, low = divmod(int(names.hexadecimal_of(cluster_name, 4), 16), 256)
    return f"10.{high}.{low}.2"


def fill_pool(
    pool: Body, cluster_name: str, cluster: Body, *, has_plain_pools: Callable[[], bool]
) -> None:
    """Fill a node pool's body in.

    Args:
        pool: The body to fill.
        cluster_name: "projects/p/locations/l/clusters/c".
        cluster: The body of its cluster.
        has_plain_pools: Tells whether the cluster has other nodes, without GPUs: GKE taints GPU
            nodes only then.
    """
    config = pool.setdefault("config", {})
    fill_defaults(
        config,
        {
            "diskSizeGb": 100,
            "diskType": "pd-balanced",
            "imageType": "COS_CONTAINERD",
            "labels": {},
            "machineType": "e2-medium",
            "metadata": {"disable-legacy-endpoints": "true"},
            "oauthScopes": list(DEFAULT_SCOPES),
            "resourceLabels": {},
            "serviceAccount": "default",
            "shieldedInstanceConfig": {"enableIntegrityMonitoring": True},
            "tags": [],
            "taints": [],
        },
    )
    sandbox = config.get("sandboxConfig") or {}
    if sandbox.get("sandboxType"):
        # The older word for the same choice.
        fill_defaults(sandbox, {"type": str(sandbox["sandboxType"]).upper()})
    _fill_accelerators(config, has_plain_pools)
    name = f"{cluster_name}/nodePools/{pool['name']}"
    fill_defaults(
        pool,
        {
            "initialNodeCount": 0,
            "locations": list(cluster["locations"]),
            "management": {"autoRepair": True, "autoUpgrade": True},
            "maxPodsConstraint": {"maxPodsPerNode": 110},
            "podIpv4CidrSize": 24,
            "selfLink": f"{names.CONTAINER_URL}/{name}",
            "status": "RUNNING",
            "upgradeSettings": _default_upgrades(config),
            "version": cluster["currentMasterVersion"],
        },
    )
    _fill_autoscaling(pool)
    pool["instanceGroupUrls"] = [
        f"{names.COMPUTE_URL}/{group}" for group in group_names(cluster_name, pool)
    ]
    pool["etag"] = _etag(pool)


def group_names(cluster_name: str, pool: Body) -> list[str]:
    """Return the names of a pool's instance groups, one a zone."""
    project, cluster = cluster_name.split("/")[1], names.last_part(cluster_name)
    digits = names.hexadecimal_of(f"{cluster_name}/{pool['name']}")
    base = f"gke-{cluster[:18].rstrip('-')}-{pool['name'][:20].rstrip('-')}-{digits}-grp"
    return [
        f"projects/{project}/zones/{zone}/instanceGroupManagers/{base}"
        for zone in pool["locations"]
    ]


def instance_template(cluster_name: str, pool: Body, zone: str) -> Body:
    """Return what the instances of a pool look like in Compute Engine."""
    config = pool["config"]
    spot = config.get("spot") is True
    url = f"{names.COMPUTE_URL}/projects/{cluster_name.split('/')[1]}/zones/{zone}"
    return {
        "machineType": f"{url}/machineTypes/{config['machineType']}",
        "labels": {
            "goog-gke-node": "",
            "goog-k8s-cluster-name": names.last_part(cluster_name),
            "goog-k8s-node-pool-name": pool["name"],
            **config["resourceLabels"],
        },
        "scheduling": {
            "provisioningModel": "SPOT" if spot else "STANDARD",
            "preemptible": spot or config.get("preemptible") is True,
        },
        "guestAccelerators": [
            {
                "acceleratorType": f"{url}/acceleratorTypes/{item['acceleratorType']}",
                "acceleratorCount": item["acceleratorCount"],
            }
            for item in config.get("accelerators", [])
        ],
    }


def _default_upgrades(config: Body) -> Body:
    if config.get("accelerators"):
        return {"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1}
    return {"strategy": "SURGE", "maxSurge": 1, "maxUnavailable": 0}


def _fill_accelerators(config: Body, has_plain_pools: Callable[[], bool]) -> None:
    machine = machines.find_machine(config["machineType"])
    if machines.chips_of(config["machineType"]) and TPU_TAINT not in config["taints"]:
        config["taints"] = [*config["taints"], dict(TPU_TAINT)]
    if not config.get("accelerators") and machine and machine.accelerator and machine.count:
        config["accelerators"] = [
            {"acceleratorType": machine.accelerator, "acceleratorCount": machine.count}
        ]
    for accelerator in config.get("accelerators", []):
        fill_defaults(accelerator, {"gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}})
    needs_taint = bool(config.get("accelerators")) and GPU_TAINT not in config["taints"]
    if needs_taint and has_plain_pools():
        config["taints"] = [*config["taints"], dict(GPU_TAINT)]


def _fill_autoscaling(pool: Body) -> None:
    scaling = pool.get("autoscaling")
    if not scaling or not scaling.get("enabled"):
        # A pool that is not autoscaled has no autoscaling object at all.
        pool.pop("autoscaling", None)
        return
    uses_totals = scaling.get("totalMaxNodeCount") or scaling.get("totalMinNodeCount")
    low = "totalMinNodeCount" if uses_totals else "minNodeCount"
    policy = "ANY" if pool["config"].get("spot") else "BALANCED"
    fill_defaults(scaling, {low: 0, "locationPolicy": policy})


def _etag(body: Body) -> str:
    stable = {key: value for key, value in body.items() if key != "etag"}
    return names.fingerprint_of(stable)
