"""How Vertex spells accelerators: unlike Compute Engine, and not all of them."""

from __future__ import annotations

from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator, AcceleratorKind
from tidegate_components.arguments import Arguments

ACCELERATOR_TYPES = (
    "NVIDIA_TESLA_K80",
    "NVIDIA_TESLA_P100",
    "NVIDIA_TESLA_V100",
    "NVIDIA_TESLA_P4",
    "NVIDIA_TESLA_T4",
    "NVIDIA_TESLA_A100",
    "NVIDIA_A100_80GB",
    "NVIDIA_L4",
    "NVIDIA_H100_80GB",
    "NVIDIA_H100_MEGA_80GB",
    "NVIDIA_H200_141GB",
    "NVIDIA_B200",
    "NVIDIA_GB200",
    "NVIDIA_RTX_PRO_6000",
)
"""The GPUs of Vertex AI's API reference, MachineSpec.acceleratorType."""


def find_vertex_type(
    read: Arguments, key: str, machine: InstanceType, accelerator: Accelerator
) -> str:
    """Return an accelerator as Vertex spells it; note one that Vertex does not serve."""
    spelled = (machine.provider_accelerator or accelerator.gke_type).upper().replace("-", "_")
    if accelerator.kind is AcceleratorKind.TPU:
        reason = "is a TPU machine, of which Vertex asks a topology that no argument says"
        read.refuse(key, machine.name, reason, "a machine with GPUs, or a TPU pool on GKE")
    elif spelled not in ACCELERATOR_TYPES:
        reason = f"carries {accelerator.name}, which Vertex does not know (API, MachineSpec)"
        read.refuse(key, machine.name, reason, "a machine with another accelerator")
    return spelled
