"""How long it takes to load the catalog, and to price a plan of 200 pools."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from figures import print_figure

from tidegate.catalog.load import load_catalog
from tidegate.manifest.model import Manifest
from tidegate.pricing.plan import build_plan_cost

REPEATS = 30
POOLS = 200


def main() -> None:
    load_catalog()
    print_figure("catalog.load.warm", measure(load_catalog), "ms", goal=100)
    command = [sys.executable, "-c", "from tidegate.catalog.load import load_catalog as l; l()"]
    bare = measure(lambda: subprocess.run([sys.executable, "-c", ""], check=True), repeats=10)
    whole = measure(lambda: subprocess.run(command, check=True), repeats=10)
    print_figure("catalog.load.new_process", whole, "ms", baseline=bare)
    catalog = load_catalog()
    manifest = build_manifest()
    print_figure(
        f"pricing.plan.{POOLS}_pools", measure(lambda: build_plan_cost(manifest, catalog)), "ms"
    )


def build_manifest() -> Manifest:
    pool = {
        "cloud": "gcp",
        "region": "us-central1",
        "kind": "gke-node-pool",
        "instanceTypes": ["a3-highgpu-8g", "a2-ultragpu-8g"],
        "capacityType": "spot",
        "minNodes": 0,
        "maxNodes": 8,
        "declaredNodes": "2.5",
        "bootSeconds": 300,
        "labels": {},
        "interruptionTolerance": "tolerant",
        "workloadClasses": ["training"],
        "scaler": "tidegate",
    }
    pools = [pool | {"id": f"pool-{index}"} for index in range(POOLS)]
    return Manifest.model_validate(
        {"project": "bench", "stack": "bench", "catalogDigest": "sha256:0", "pools": pools}
    )


def measure(action: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    figures = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        figures.append((time.perf_counter() - start) * 1000)
    return figures


if __name__ == "__main__":
    main()
