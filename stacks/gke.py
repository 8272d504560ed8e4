"""A regional GKE cluster with a pool for its own work."""

from __future__ import annotations

from typing import Any

import pulumi
from config import GcpCluster
from joined import Joined
from kubernetes_access import declare_provider
from networks import declare_gcp_subnetwork
from relations import build_group_tag

from tidegate.sdks.imports import narrow_imports


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

    def offer_tags() -> dict[str, Any]:
        return {"resource_manager_tags": declare_group_tags(cluster.project)}

    def offer_kubernetes() -> dict[str, Any]:
        server = gke.endpoint.apply(lambda address: f"https://{address}")
        certificate = gke.master_auth.cluster_ca_certificate
        provider = declare_provider(f"{name}-gcp", server, certificate, ["gke-gcloud-auth-plugin"])
        return {"kubernetes": provider}

    return Joined(
        system,
        {"project": cluster.project},
        {
            "subnetwork": offer_subnetwork,
            "resource_manager_tags": offer_tags,
            "kubernetes": offer_kubernetes,
        },
    )


def declare_group_tags(project: str) -> pulumi.Output[dict[str, str]]:
    """Declare the tag by which IAM knows the instance groups of pools; return its key and value."""
    with narrow_imports("pulumi_gcp.tags"):
        from pulumi_gcp.tags.tag_key import TagKey
        from pulumi_gcp.tags.tag_value import TagValue
    spelt = build_group_tag(project)
    key = TagKey(
        "capacity-pools",
        parent=f"projects/{project}",
        short_name=spelt["key"].partition("/")[2],
        description="What Tidegate's controller may resize",
    )
    value = TagValue("capacity-pools", parent=key.id, short_name=spelt["value"])
    return pulumi.Output.all(key.id, value.id).apply(lambda ids: {ids[0]: ids[1]})
