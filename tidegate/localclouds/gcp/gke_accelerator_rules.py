"""What GKE refuses in how a pool's accelerators are cut up, shared and joined.

Source: general vendor documentation (GKE, "Running multi-instance GPUs", "GPU time-sharing", "Plan
TPUs in GKE"), not verified; sizes and machine types stand in `data/gcp_machines.toml`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import machines, names

Body = Mapping[str, Any]

TOPOLOGY = re.compile(r"\d+x\d+(x\d+)?")
SHARED_CLIENTS = (2, 48)
STRATEGIES = ("TIME_SHARING", "MPS")


def _accelerators(pool: Body) -> list[tuple[str, Any]]:
    found = look(pool, "config.accelerators")
    listed = found if isinstance(found, list) else []
    return [(f"config.accelerators[{index}]", item) for index, item in enumerate(listed)]


def check_partitions(pool: Body) -> Iterator[CheckFailure]:
    """Refuse a partition size that the accelerator does not have."""
    for place, item in _accelerators(pool):
        kind, size = look(item, "acceleratorType"), look(item, "gpuPartitionSize")
        if not isinstance(kind, str) or not isinstance(size, str) or not size:
            continue
        known = machines.partitions_of(names.last_part(kind))
        if size not in known:
            words = f"one of {', '.join(known)}" if known else "it cannot be partitioned"
            yield CheckFailure(
                f"{place}.gpuPartitionSize",
                f"Partition size '{size}' is not available on '{names.last_part(kind)}': {words}.",
            )


def check_sharing(pool: Body) -> Iterator[CheckFailure]:
    """Refuse sharing by an unknown strategy, or among too many."""
    for place, item in _accelerators(pool):
        sharing = look(item, "gpuSharingConfig")
        if not isinstance(sharing, Mapping):
            continue
        strategy, clients = sharing.get("gpuSharingStrategy"), sharing.get("maxSharedClientsPerGpu")
        at = f"{place}.gpuSharingConfig"
        if isinstance(strategy, str) and strategy not in STRATEGIES:
            yield CheckFailure(
                f"{at}.gpuSharingStrategy",
                f"Invalid strategy '{strategy}': one of {', '.join(STRATEGIES)}.",
            )
        low, high = SHARED_CLIENTS
        if clients is not UNKNOWN and not low <= int(clients or 0) <= high:
            yield CheckFailure(
                f"{at}.maxSharedClientsPerGpu",
                f"{clients} shared clients are out of range: {low} to {high}.",
            )


def check_tpu(pool: Body) -> Iterator[CheckFailure]:
    """Refuse a topology without TPUs, out of form, or of another size than the pool's."""
    topology = look(pool, "placementPolicy.tpuTopology")
    machine = look(pool, "config.machineType")
    if not isinstance(topology, str) or not topology or machine is UNKNOWN:
        return
    chips = machines.chips_of(str(machine or ""))
    if not chips:
        yield CheckFailure(
            "placementPolicy.tpuTopology", f"Machine type '{machine}' carries no TPU chips."
        )
        return
    if not TOPOLOGY.fullmatch(topology):
        yield CheckFailure(
            "placementPolicy.tpuTopology",
            f"Invalid topology '{topology}': expected a form such as 2x4 or 2x2x4.",
        )
        return
    total = math.prod(int(side) for side in topology.split("x"))
    if total % chips:
        yield CheckFailure(
            "placementPolicy.tpuTopology",
            f"Topology {topology} has {total} chips, no multiple of the {chips} of '{machine}'.",
        )
    elif total > chips:
        yield from _check_slice(pool, topology, total // chips)


def _check_slice(pool: Body, topology: str, hosts: int) -> Iterator[CheckFailure]:
    """Say what is wrong with a slice over several hosts, all of which start and end together."""
    if look(pool, "placementPolicy.type") not in ("COMPACT", UNKNOWN):
        yield CheckFailure(
            "placementPolicy.type", f"A TPU slice over {hosts} hosts needs COMPACT placement."
        )
    words = f"topology {topology} takes exactly {hosts} nodes"
    count = pool.get("initialNodeCount")
    if isinstance(count, int) and count not in (0, hosts):
        yield CheckFailure("initialNodeCount", f"{count} nodes: {words}, or none.")
    for word in ("maxNodeCount", "totalMaxNodeCount"):
        most = look(pool, f"autoscaling.{word}")
        if isinstance(most, int) and most and most != hosts:
            yield CheckFailure(f"autoscaling.{word}", f"At most {most} nodes: {words}.")
    for word in ("minNodeCount", "totalMinNodeCount"):
        least = look(pool, f"autoscaling.{word}")
        if isinstance(least, int) and least not in (0, hosts):
            yield CheckFailure(f"autoscaling.{word}", f"At least {least} nodes: {words}, or none.")
