"""What only one cloud takes of a GPU node pool's arguments, and how its accelerators are used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tidegate.vocabulary.accelerators import Accelerator
from tidegate_components.arguments import Arguments
from tidegate_components.gpu_node_pool import args as shapes
from tidegate_components.gpu_node_pool.sharing import read_sharing
from tidegate_components.gpu_node_pool.slices import check_topology
from tidegate_components.node_pools.choices import read_aws_choices
from tidegate_components.node_pools.hardware import Hardware
from tidegate_components.node_pools.spec import AzureChoices, GcpChoices

DRIVER_VERSIONS = ("DEFAULT", "LATEST", "INSTALLATION_DISABLED")
MIG_PROFILES = ("MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g")


def read_choices(read: Arguments, hardware: Hardware) -> dict[str, Any]:
    """Return the choices by the names of the specification's fields."""
    accelerator = hardware.accelerator
    gcp = read.nested("gcp", shapes.GpuNodePoolGcpArgs)
    azure = read.nested("azure", shapes.GpuNodePoolAzureArgs)
    choices: dict[str, Any] = {"aws": read_aws_choices(read)}
    google = _read_gcp(gcp) if gcp else GcpChoices()
    topology = check_topology(read, hardware, google.tpu_topology)
    choices["gcp"] = replace(google, tpu_topology=topology)
    own = _read_azure(azure, accelerator)
    choices["sharing"], profile = read_sharing(read, hardware, own.gpu_instance_profile)
    choices["azure"] = AzureChoices(own.install_driver, profile)
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
        tpu_topology=read.text("tpu_topology", ""),
    )


def _read_azure(read: Arguments | None, accelerator: Accelerator | None) -> AzureChoices:
    installable = accelerator is not None and accelerator.aks_installs_driver
    if read is None:
        return AzureChoices(install_driver=installable)
    profile = read.text("gpu_instance_profile", "")
    if profile and profile not in MIG_PROFILES:
        expected = f"one of {', '.join(MIG_PROFILES)}"
        read.refuse("gpu_instance_profile", profile, "is no MIG profile of AKS", expected)
        profile = ""
    install = read.flag("install_driver", installable)
    if install and accelerator and not installable:
        reason = f"is more than AKS can do for {accelerator.name}"
        read.refuse("install_driver", True, reason, "false, and an operator that installs it")
    return AzureChoices(install_driver=install, gpu_instance_profile=profile)
