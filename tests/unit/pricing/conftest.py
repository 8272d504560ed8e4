"""Small manifests to price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tidegate.manifest.model import Manifest


def build_pool(id: str = "train", **changes: Any) -> dict[str, Any]:
    return {
        "id": id,
        "cloud": "gcp",
        "region": "us-central1",
        "kind": "gke-node-pool",
        "accelerator": "h100-80gb",
        "accelerators_per_node": 8,
        "instance_types": ["a3-highgpu-8g"],
        "capacity_type": "on-demand",
        "min_nodes": 0,
        "max_nodes": 4,
        "declared_nodes": "2",
        "boot_seconds": 300,
        "labels": {},
        "interruption_tolerance": "tolerant",
        "workload_classes": ["training"],
        "scaler": "tidegate",
        **changes,
    }


def build_manifest(**sections: Any) -> Manifest:
    return Manifest.model_validate(
        {"project": "vision", "stack": "prod", "catalog_digest": "sha256:0", **sections}
    )


@pytest.fixture
def pool() -> Callable[..., dict[str, Any]]:
    return build_pool


@pytest.fixture
def manifest() -> Callable[..., Manifest]:
    return build_manifest
