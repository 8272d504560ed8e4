"""A regional GKE cluster with a pool for its own work."""

from __future__ import annotations

from typing import Any

from config import GcpCluster
from joined import Joined
from networks import declare_gcp_subnetwork
from tidegate_components.sdk_imports import narrow_imports


def declare_gke(name: str, cluster: GcpCluster, labels: dict[str, str]) -> Joined:
    """Declare the cluster and its system pool."""
    with narrow_imports("pulumi_gcp.container"):
        from pulumi_gcp.container.cluster import Cluster
        from pulumi_gcp.container.node_pool import NodePool
    gke = Cluster(
        name,
        name=name,
        project=cluster.project,
        location=cluster.region,
        node_locations=cluster.zones,
        # GKE makes a first pool with every cluster; pools are declared apart.
        remove_default_node_pool=True,
        initial_node_count=1,
        deletion_protection=False,
        release_channel={"channel": "REGULAR"},
        resource_labels=labels,
    )
    # The cluster's own work needs nodes, and GKE taints accelerated pools only where a plain pool
    # stands beside them (terraform-google-kubernetes-engine#703).
    system = NodePool(
        f"{name}-system",
        name="system",
        cluster=gke.name,
        project=cluster.project,
        location=cluster.region,
        node_locations=cluster.zones[:1],
        node_count=1,
        management={"auto_repair": True, "auto_upgrade": True},
        node_config={
            "machine_type": cluster.system_machine_type,
            "oauth_scopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "resource_labels": labels,
        },
    )

    def offer_subnetwork() -> dict[str, Any]:
        subnetwork = declare_gcp_subnetwork(name, cluster.project, cluster.region)
        return {"subnetwork": subnetwork.id}

    return Joined(system, {"project": cluster.project}, {"subnetwork": offer_subnetwork})
