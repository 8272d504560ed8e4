"""What one cloud alone allows or forbids for a node pool: choices, and rules over the whole."""

from __future__ import annotations

from typing import Any

from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.gpu_node_pool import args as shapes
from tidegate_components.gpu_node_pool.group_tags import check_group_tags
from tidegate_components.gpu_node_pool.spec import AwsChoices, AzureChoices, GcpChoices, PoolSpec
from tidegate_components.names import AKS_AGENT_POOL, EKS_NODE_GROUP, GKE_NODE_POOL

NAME_RULES = {Cloud.AWS: EKS_NODE_GROUP, Cloud.GCP: GKE_NODE_POOL, Cloud.AZURE: AKS_AGENT_POOL}
DRIVER_VERSIONS = ("DEFAULT", "LATEST", "INSTALLATION_DISABLED")
MIG_PROFILES = ("MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g")


def read_choices(read: Arguments, accelerator: Accelerator) -> dict[str, Any]:
    """Return the cloud-specific choices by the names of the specification's fields."""
    aws = read.nested("aws", shapes.GpuNodePoolAwsArgs)
    gcp = read.nested("gcp", shapes.GpuNodePoolGcpArgs)
    azure = read.nested("azure", shapes.GpuNodePoolAzureArgs)
    choices: dict[str, Any] = {}
    if aws:
        choices["aws"] = AwsChoices(ami_type=aws.text("ami_type", ""))
    if gcp:
        choices["gcp"] = _read_gcp(gcp)
    choices["azure"] = _read_azure(azure, accelerator)
    return choices


def _read_gcp(read: Arguments) -> GcpChoices:
    version = read.text("driver_version", "DEFAULT")
    if version not in DRIVER_VERSIONS:
        expected = f"one of {', '.join(DRIVER_VERSIONS)}"
        read.refuse("driver_version", version, "is not known to GKE", expected)
    return GcpChoices(
        driver_version=version,
        queued=read.flag("queued_provisioning", False),
        flex_start=read.flag("flex_start", False),
        max_run_duration_seconds=read.optional_whole("max_run_duration_seconds", minimum=600),
        compact=read.flag("compact_placement", False),
    )


def _read_azure(read: Arguments | None, accelerator: Accelerator) -> AzureChoices:
    if read is None:
        return AzureChoices(install_driver=accelerator.aks_installs_driver)
    profile = read.text("gpu_instance_profile", "")
    if profile and profile not in MIG_PROFILES:
        expected = f"one of {', '.join(MIG_PROFILES)}"
        read.refuse("gpu_instance_profile", profile, "is no MIG profile of AKS", expected)
    install = read.flag("install_driver", accelerator.aks_installs_driver)
    if install and not accelerator.aks_installs_driver:
        reason = f"is more than AKS can do for {accelerator.name}"
        read.refuse("install_driver", True, reason, "false, and an operator that installs it")
    return AzureChoices(install_driver=install, gpu_instance_profile=profile)


def check_cloud(read: Arguments, spec: PoolSpec) -> None:
    """Note what the pool's cloud does not allow."""
    for other in Cloud:
        if other is not spec.cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the pool is in {spec.cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
    checks = {Cloud.AWS: _check_aws, Cloud.GCP: _check_gcp, Cloud.AZURE: _check_azure}
    checks[spec.cloud](read, spec)


def _check_aws(read: Arguments, spec: PoolSpec) -> None:
    if not spec.accelerator.eks_ami and not spec.aws.ami_type:
        reason = f"is needed: no EKS image carries the driver of {spec.accelerator.name}"
        read.refuse("aws.ami_type", None, reason, "CUSTOM or another EKS image type")
    check_group_tags(read, spec)


def _check_azure(read: Arguments, spec: PoolSpec) -> None:
    if spec.is_reserved and len(spec.zones) > 1:
        reason = "are more than a capacity reservation has"
        read.refuse("zones", ", ".join(spec.zones), reason, "the reservation's one zone")


def _check_gcp(read: Arguments, spec: PoolSpec) -> None:
    if not spec.accelerator.gke_type and not spec.instance_types[0].provider_accelerator:
        reason = "has no GKE accelerator type"
        read.refuse("accelerator", spec.accelerator.name, reason, "one that GKE offers")
    choices = spec.gcp
    if choices.compact and len(spec.zones) != 1:
        reason = "needs nodes in one zone"
        read.refuse("gcp.compact_placement", True, reason, "exactly one zone in `zones`")
    if choices.queued:
        _check_queued(read, spec)
    if choices.flex_start:
        _check_flex_start(read, spec)
    if choices.max_run_duration_seconds and not (choices.queued or choices.flex_start):
        reason = "bounds flex-start and queued nodes only"
        value = choices.max_run_duration_seconds
        read.refuse("gcp.max_run_duration_seconds", value, reason, "leave it out")
    _check_zonal_minimum(read, spec)


def _check_queued(read: Arguments, spec: PoolSpec) -> None:
    key = "gcp.queued_provisioning"
    if spec.min_nodes:
        read.refuse(key, True, "needs min_nodes 0", "0 nodes at rest")
    if spec.gcp.compact:
        reason = "excludes compact placement, which the queue itself decides"
        read.refuse(key, True, reason, "one of the two")
    _check_queue_or_flex(read, spec, key)


def _check_flex_start(read: Arguments, spec: PoolSpec) -> None:
    key = "gcp.flex_start"
    if spec.is_spot:
        read.refuse(key, True, "excludes capacity_type spot", "capacity_type on-demand")
    _check_queue_or_flex(read, spec, key)


def _check_queue_or_flex(read: Arguments, spec: PoolSpec, key: str) -> None:
    if spec.is_reserved:
        read.refuse(key, True, "cannot consume a reservation", "capacity_type on-demand or spot")
    if not spec.scales_itself:
        reason = "has no static node count: GKE's own autoscaler adds its nodes"
        read.refuse(key, True, reason, "scaler provider")


def _check_zonal_minimum(read: Arguments, spec: PoolSpec) -> None:
    """GKE's static count is one for each zone, so a minimum has to divide."""
    zones = len(spec.zones)
    if not spec.scales_itself and zones > 1 and spec.min_nodes % zones:
        reason = f"does not divide over {zones} zones, and GKE counts nodes a zone"
        read.refuse("min_nodes", spec.min_nodes, reason, f"a multiple of {zones}")
