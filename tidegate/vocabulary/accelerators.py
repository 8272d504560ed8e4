"""Accelerators: one canonical name for one chip, whatever each cloud calls it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class AcceleratorKind(StrEnum):
    """What sort of chip it is; decides which device plugin and driver a node needs."""

    GPU = "gpu"
    TPU = "tpu"
    NEURON = "neuron"
    HPU = "hpu"
    FPGA = "fpga"
    AI_ASIC = "ai-asic"


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One chip and what a cluster must know of it.

    Attributes:
        name: The canonical name, `<chip>[-<memory>gb]` ("a100-80gb").
        vendor: Who makes it ("nvidia", "amd", "aws", "google", "intel", "xilinx").
        kind: What sort of chip it is.
        memory_gib: Memory of one chip as its maker names it; None where no source states it.
        kubernetes_resource: The extended resource that pods request ("nvidia.com/gpu"); empty
            where no device plugin is established.
        gke_type: GKE's and Compute Engine's guest accelerator type ("nvidia-tesla-a100"); for a
            TPU the value of the node label `cloud.google.com/gke-tpu-accelerator`. Empty where
            Google does not offer it. A machine may carry its own variant
            (`InstanceType.provider_accelerator`), which then goes first.
        eks_ami: What EKS's optimised images call the variant that carries its driver
            ("NVIDIA", "NEURON"); empty where there is none.
        aks_installs_driver: True when AKS can install its driver on the node.
        aliases: Other spellings that mean this chip and no other.
        source: Where these facts are stated.
    """

    name: str
    vendor: str
    kind: AcceleratorKind
    memory_gib: Decimal | None
    kubernetes_resource: str
    gke_type: str
    eks_ami: str
    aks_installs_driver: bool
    aliases: tuple[str, ...]
    source: str
