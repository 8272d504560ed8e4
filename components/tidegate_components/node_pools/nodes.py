"""What the nodes of a pool carry in Kubernetes: labels and taints, cloud by cloud."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tidegate.manifest.model import Taint
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.spec import SharingSpec

POOL = "capacity-pool"
COMMITMENT = "commitment"
"""The id of the commitment that nodes consume. An EKS node group names its reservation in a
launch template alone, which nobody can see before it exists; this is seen at once."""

AKS_SPOT = "kubernetes.azure.com/scalesetpriority"
"""AKS puts this label and taint on spot nodes itself, and an update that omits it erases it
(kubernetes-sigs/cluster-api-provider-azure#3976)."""

MIG_CONFIG = "nvidia.com/mig.config"
DEVICE_PLUGIN_CONFIG = "nvidia.com/device-plugin.config"
"""How NVIDIA's GPU operator and device plugin know what to make of a node (NVIDIA's
documentation of both, as of 2026-11)."""

TAINT_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}
"""EKS and GKE spell effects unlike Kubernetes; AKS and the tags of Auto Scaling groups keep its
spelling (kubernetes/autoscaler#6481)."""

_KEY = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?"
)
_VALUE = re.compile(r"([A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?")
_KEY_RULE = "an optional DNS prefix with '/', then at most 63 letters, digits, '-', '_' or '.'"
_VALUE_RULE = "at most 63 letters, digits, '-', '_' or '.', starting and ending alphanumeric"
_RESERVED = re.compile(r"(.*\.)?(kubernetes\.io|k8s\.io|azure\.com|cloud\.google\.com)/.*")


def build_node_labels(
    read: Arguments,
    identifier: str,
    cloud: Cloud,
    accelerator: Accelerator | None,
    spot: bool,
    sharing: SharingSpec | None = None,
) -> dict[str, str]:
    """Return the Kubernetes labels of the nodes.

    Only what identifies the pool is stamped beside the user's own labels, and the commitment that
    pays for it. Cost labels stay on the cloud's resources, so that a change of owner never
    touches a node.
    """
    given = read.text_map("node_labels")
    _check_labels(read, given)
    labels = {**given, POOL: identifier}
    reservation = read.text("reservation", "")
    if reservation:
        labels[COMMITMENT] = reservation
    if cloud is Cloud.AWS and accelerator:
        # Cluster Autoscaler knows a GPU node that is not there yet by this label.
        labels["k8s.amazonaws.com/accelerator"] = accelerator.name
    if cloud is Cloud.AZURE and spot:
        labels[AKS_SPOT] = "spot"
    for key, value in build_sharing_labels(cloud, sharing).items():
        if key in given:
            reason = "is set by `sharing`"
            read.refuse(f"node_labels.{key}", given[key], reason, "leave it out")
        labels[key] = value
    return labels


def build_sharing_labels(cloud: Cloud, sharing: SharingSpec | None) -> dict[str, str]:
    """Return the labels by which NVIDIA's operator shares accelerators where the cloud does not.

    GKE shares by itself; AKS makes MIG partitions only; EKS does nothing.
    """
    if sharing is None or cloud is Cloud.GCP:
        return {}
    labels: dict[str, str] = {}
    if sharing.partition and cloud is Cloud.AWS:
        labels[MIG_CONFIG] = f"all-{sharing.partition}"
    if sharing.is_by_turns:
        labels[DEVICE_PLUGIN_CONFIG] = sharing.device_plugin_config
    return labels


def build_taints(
    read: Arguments,
    taints: Sequence[Taint],
    cloud: Cloud,
    accelerator: Accelerator | None,
    spot: bool,
) -> tuple[Taint, ...]:
    """Return every taint of the nodes, the accelerator's own first, each key and effect once."""
    own: list[Taint] = []
    if accelerator and accelerator.kubernetes_resource:
        key = accelerator.kubernetes_resource
        own.append(Taint(key=key, value="present", effect="NoSchedule"))
    if cloud is Cloud.AZURE and spot:
        own.append(Taint(key=AKS_SPOT, value="spot", effect="NoSchedule"))
    set_already = {(taint.key, taint.effect): taint for taint in own}
    for index, taint in enumerate(taints):
        _check_taint(read, index, taint)
        first = set_already.setdefault((taint.key, taint.effect), taint)
        if first.value != taint.value:
            reason = f"is set already, with the value {first.value!r}"
            read.refuse(f"taints[{index}]", taint.key, reason, "leave it out")
    return tuple(set_already.values())


def set_by_gke(taint: Taint, accelerator: Accelerator | None) -> bool:
    """Return whether GKE adds a taint itself; declaring it too is an error there."""
    return accelerator is not None and taint.key == accelerator.kubernetes_resource


def _check_labels(read: Arguments, labels: Mapping[str, str]) -> None:
    for key, value in labels.items():
        if not _KEY.fullmatch(key):
            read.refuse(f"node_labels.{key}", None, "is not a Kubernetes label key", _KEY_RULE)
        elif key in (POOL, COMMITMENT) or _RESERVED.fullmatch(key):
            reason = "is set by Tidegate or by Kubernetes and cannot be given"
            read.refuse(f"node_labels.{key}", None, reason, "leave it out")
        if not _VALUE.fullmatch(value):
            read.refuse(f"node_labels.{key}", value, "is no Kubernetes label value", _VALUE_RULE)


def _check_taint(read: Arguments, index: int, taint: Taint) -> None:
    if not _KEY.fullmatch(taint.key):
        read.refuse(f"taints[{index}].key", taint.key, "is not a Kubernetes taint key", _KEY_RULE)
    if not _VALUE.fullmatch(taint.value):
        place = f"taints[{index}].value"
        read.refuse(place, taint.value, "is no Kubernetes taint value", _VALUE_RULE)
