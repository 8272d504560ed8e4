"""How several pods share one accelerator: what each cloud does, and what it leaves to others."""

from __future__ import annotations

from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud, SharingStrategy
from tidegate_components.arguments import Arguments
from tidegate_components.gpu_node_pool.args import SharingArgs
from tidegate_components.gpu_node_pool.partitions import (
    PARTITIONS,
    find_aks_partition,
    find_aks_profile,
    find_gke_partitions,
)
from tidegate_components.node_pools.hardware import Hardware
from tidegate_components.node_pools.spec import SharingSpec

MAX_CLIENTS = 48
"""The most containers that share one GPU on GKE, and the fewest is 2 (Google Cloud
documentation, ComputeClass `gpuSharing`)."""


def read_sharing(
    read: Arguments, hardware: Hardware, profile: str
) -> tuple[SharingSpec | None, str]:
    """Return how accelerators are shared, and AKS's own profile for it.

    Args:
        read: The pool's arguments.
        hardware: The pool's machines.
        profile: The MIG profile given in AKS's spelling; empty when none.
    """
    own = read.nested("sharing", SharingArgs)
    accelerator = hardware.accelerator
    if accelerator is None or (own is None and not profile):
        return None, ""
    cloud = hardware.instance_types[0].cloud
    if own is None:
        return _from_profile(read, accelerator, profile), profile
    found = _read(own, cloud, accelerator)
    if cloud is not Cloud.AZURE or not found.partition:
        return found, profile
    aks = find_aks_profile(accelerator.name, found.partition)
    if not aks and found.partition in PARTITIONS.get(accelerator.name, {}):
        reason = "is no partition that AKS makes: of each size it has the one with the most parts"
        own.refuse("partition", found.partition, reason, "another partition")
    if profile and profile != aks:
        reason = f"is not what sharing.partition {found.partition!r} means"
        read.refuse("azure.gpu_instance_profile", profile, reason, "one of the two")
    return found, aks


def _from_profile(read: Arguments, accelerator: Accelerator, profile: str) -> SharingSpec | None:
    partition = find_aks_partition(accelerator.name, profile)
    if not partition:
        reason = f"is no part into which {accelerator.name} can be cut"
        read.refuse("azure.gpu_instance_profile", profile, reason, _partitions(accelerator))
        return None
    parts = PARTITIONS[accelerator.name][partition]
    return SharingSpec(SharingStrategy.MIG, partition, parts, 1)


def _read(read: Arguments, cloud: Cloud, accelerator: Accelerator) -> SharingSpec:
    strategy = read.choice("strategy", SharingStrategy)
    if accelerator.vendor != "nvidia":
        reason = f"is not for {accelerator.name}: only NVIDIA's accelerators are shared so"
        read.refuse("strategy", strategy.value, reason, "no sharing")
    partition = read.text("partition", "")
    parts = _count_parts(read, cloud, accelerator, partition)
    if strategy is SharingStrategy.MIG:
        _check_mig(read, partition)
        return SharingSpec(strategy, partition, parts, 1)
    if strategy is SharingStrategy.MPS and partition and cloud is not Cloud.GCP:
        reason = "cannot be shared by NVIDIA's device plugin with mps"
        read.refuse("partition", partition, reason, "time-sharing, or whole accelerators")
    clients = read.whole("clients_per_accelerator", minimum=2)
    if clients > MAX_CLIENTS:
        reason = "is more than may share one accelerator"
        read.refuse("clients_per_accelerator", clients, reason, f"2 to {MAX_CLIENTS}")
    config = read.text("device_plugin_config", "")
    _check_operator(read, cloud, config)
    return SharingSpec(strategy, partition, parts, clients, config)


def _count_parts(read: Arguments, cloud: Cloud, accelerator: Accelerator, partition: str) -> int:
    if not partition:
        return 1
    known = PARTITIONS.get(accelerator.name, {})
    offered = find_gke_partitions(accelerator.name) if cloud is Cloud.GCP else list(known)
    if partition not in known:
        reason = f"is no part into which {accelerator.name} can be cut"
        read.refuse("partition", partition, reason, _partitions(accelerator))
    elif partition not in offered:
        reason = f"is no part into which GKE cuts {accelerator.name}"
        read.refuse("partition", partition, reason, f"one of {', '.join(offered)}")
    return known.get(partition, 1)


def _check_mig(read: Arguments, partition: str) -> None:
    if not partition:
        reason = "is needed by strategy mig and is missing"
        read.refuse("partition", None, reason, "a MIG profile such as 1g.10gb")
    if read.has("clients_per_accelerator"):
        reason = "is decided by the partition; with more, turns are taken"
        read.refuse("clients_per_accelerator", None, reason, "strategy time-sharing or mps")
    if read.has("device_plugin_config"):
        reason = "is not what makes partitions"
        read.refuse("device_plugin_config", None, reason, "leave it out")


def _check_operator(read: Arguments, cloud: Cloud, config: str) -> None:
    """GKE shares by itself; elsewhere NVIDIA's device plugin does, as its configuration says."""
    if cloud is Cloud.GCP and config:
        read.refuse("device_plugin_config", config, "is GKE's own affair", "leave it out")
    if cloud is not Cloud.GCP and not config:
        name = {Cloud.AWS: "EKS", Cloud.AZURE: "AKS"}[cloud]
        reason = f"is needed: {name} leaves sharing by turns to NVIDIA's device plugin"
        expected = "the entry of its configuration that shares so"
        read.refuse("device_plugin_config", None, reason, expected)


def _partitions(accelerator: Accelerator) -> str:
    known = PARTITIONS.get(accelerator.name)
    return f"one of {', '.join(known)}" if known else "an accelerator that MIG can cut"
