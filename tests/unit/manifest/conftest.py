from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tidegate.manifest.build import build_manifest
from tidegate.manifest.model import Manifest

LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1001",
}


@pytest.fixture
def pool() -> Callable[..., dict[str, Any]]:
    """Return a factory of plain, valid spot pools; keywords replace JSON keys."""

    def build(id: str = "train-a100", **changes: Any) -> dict[str, Any]:
        return {
            "id": id,
            "cloud": "gcp",
            "region": "us-central1",
            "kind": "gke-node-pool",
            "accelerator": "a100-80gb",
            "acceleratorsPerNode": 8,
            "instanceTypes": ["a2-ultragpu-8g"],
            "capacityType": "spot",
            "minNodes": 0,
            "maxNodes": 4,
            "bootSeconds": 300,
            "labels": {**LABELS, "capacity-pool": id},
            "interruptionTolerance": "tolerant",
            "workloadClasses": ["training"],
            "checkpoint": {"intervalSeconds": 900, "writeSeconds": 60, "restartSeconds": 300},
            "scaler": "tidegate",
            **changes,
        }

    return build


@pytest.fixture
def commitment() -> Callable[..., dict[str, Any]]:
    """Return a factory of plain, valid capacity reservations."""

    def build(id: str = "serve-h100", **changes: Any) -> dict[str, Any]:
        return {
            "id": id,
            "cloud": "gcp",
            "region": "us-central1",
            "kind": "capacity-reservation",
            "units": 2,
            "covers": ["a3-highgpu-8g"],
            "end": "2027-06-30",
            "labels": LABELS,
            **changes,
        }

    return build


@pytest.fixture
def manifest_of() -> Callable[..., Manifest]:
    """Return a function that merges keyword sections into a manifest with a ceiling."""

    def build(**sections: Any) -> Manifest:
        return build_manifest(
            [sections],
            project="tidegate",
            stack="prod",
            catalog_digest="sha256:0",
            hourly_ceiling={"amount": "500", "currency": "USD"},
        )

    return build
