"""MIG profiles: into which parts an accelerator can be cut, and into how many of each.

NVIDIA Multi-Instance GPU user guide; the profiles of B200 and GB200 also in Amazon SageMaker's
AcceleratorPartitionConfig (as of 2026-11).
"""

from __future__ import annotations


def _seven(*profiles: str) -> dict[str, int]:
    """Return the counts of chips with seven compute and eight memory slices."""
    small, wide, two, three, four, whole = profiles
    return {small: 7, wide: 4, two: 3, three: 2, four: 1, whole: 1}


_80_GB = _seven("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")

PARTITIONS: dict[str, dict[str, int]] = {
    "a100-40gb": _seven("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"),
    "a100-80gb": _80_GB,
    "h100-80gb": _80_GB,
    "h100-94gb": _seven("1g.12gb", "1g.24gb", "2g.24gb", "3g.47gb", "4g.47gb", "7g.94gb"),
    "h200-141gb": _seven("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
    "b200": _seven("1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"),
    "gb200": _seven("1g.23gb", "1g.47gb", "2g.47gb", "3g.93gb", "4g.93gb", "7g.186gb"),
    "rtx-pro-6000": {"1g.24gb": 4, "2g.48gb": 2, "4g.96gb": 1},
}
"""Accelerator → profile → parts of that profile in one accelerator."""


_NOT_ON_GKE = {
    "a100-40gb": {"1g.10gb", "4g.20gb"},
    "a100-80gb": {"1g.20gb", "4g.40gb"},
    "h100-80gb": {"4g.40gb"},
    "h200-141gb": {"4g.71gb"},
    "b200": {"4g.90gb"},
    "gb200": {"4g.93gb"},
}
"""What NVIDIA makes and GKE does not (Google Cloud documentation, running multi-instance GPUs)."""


def find_gke_partitions(accelerator: str) -> list[str]:
    """Return the partitions of an accelerator that GKE makes."""
    left_out = _NOT_ON_GKE.get(accelerator, set())
    return [name for name in PARTITIONS.get(accelerator, {}) if name not in left_out]


def find_aks_profile(accelerator: str, partition: str) -> str:
    """Return how AKS spells a partition; empty when AKS does not make it.

    AKS names the compute slices alone, and means the profile that has the most parts.
    """
    compute = partition.partition(".")[0]
    return f"MIG{compute}" if find_aks_partition(accelerator, f"MIG{compute}") == partition else ""


def find_aks_partition(accelerator: str, profile: str) -> str:
    """Return the partition that an AKS profile makes of an accelerator; empty when none."""
    compute = profile.removeprefix("MIG")
    known = PARTITIONS.get(accelerator, {})
    found = [name for name in known if name.startswith(f"{compute}.")]
    return max(found, key=lambda name: known[name], default="")
