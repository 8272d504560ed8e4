"""A minimal cluster on each cloud, for pools to join. Yours may come from anywhere else."""

from __future__ import annotations

from aks import declare_aks
from config import Settings
from eks import declare_eks
from gke import declare_gke
from joined import Joined

from tidegate.vocabulary.labels import parse_cost_labels


def declare_clusters(settings: Settings) -> dict[str, Joined]:
    """Declare the configured clusters and return them by cloud; unused clouds load no SDK."""
    labels = parse_cost_labels(
        "clusters", {**settings.labels, "workload-class": "platform"}
    ).to_mapping()
    name = settings.cluster_name()
    joined: dict[str, Joined] = {}
    if settings.aws:
        joined["aws"] = declare_eks(name, settings.aws, labels)
    if settings.gcp:
        joined["gcp"] = declare_gke(name, settings.gcp, labels)
    if settings.azure:
        is_reserving = any(
            pool.get("cloud") == "azure" and pool.get("reservation")
            for pool in settings.components["pools"].values()
        )
        joined["azure"] = declare_aks(name, settings.azure, labels, is_reserving=is_reserving)
    return joined
