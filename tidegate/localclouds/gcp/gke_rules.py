"""What GKE refuses in a node pool or cluster, said of the REST body.

Sources: cluster names, disk sizes, autoscaling and upgrade limits as the property descriptions of
pulumi-gcp 10.2.0 and hashicorp/terraform-provider-google (container) have them, read on 2026-11-30;
hashicorp/terraform-provider-google#17164, #7928, #18341; GoogleCloudPlatform/cluster-toolkit#4531.
The rest is general vendor documentation, not verified.

A value that a preview does not know yet is `UNKNOWN`: it is neither absent nor present, and no
rule speaks of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.gke_accelerator_rules import (
    check_partitions,
    check_sharing,
    check_tpu,
)
from tidegate.localclouds.gcp.gke_provisioning_rules import (
    check_provisioning,
    check_queued,
    check_reservation_key,
    check_run_duration,
)
from tidegate.localclouds.gcp.label_rules import check_labels, check_node_labels

Body = Mapping[str, Any]

POOL_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
MAX_NODES_PER_ZONE = 1000
MAX_PARALLEL_UPGRADES = 20
ZONE_LIMITS = ("minNodeCount", "maxNodeCount")
TOTAL_LIMITS = ("totalMinNodeCount", "totalMaxNodeCount")
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}
EFFECTS = ("NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE")


def check_pool(pool: Body, location: str = "") -> Iterator[CheckFailure]:
    """Say what GKE refuses in a node pool; places are paths in the REST body."""
    for rule in POOL_RULES:
        yield from rule(pool)
    yield from _check_zones(pool, location)
    yield from _check_machine(pool, location)


def check_cluster(cluster: Body) -> Iterator[CheckFailure]:
    """Say what GKE refuses in a cluster; places are paths in the REST body."""
    yield from _check_name(cluster)
    yield from check_labels(cluster.get("resourceLabels"), "resourceLabels")
    location = cluster.get("location")
    if isinstance(location, str) and not (
        names.ZONE.fullmatch(location) or names.REGION.fullmatch(location)
    ):
        yield CheckFailure("location", f"Location '{location}' does not exist.")
    count = cluster.get("initialNodeCount")
    if isinstance(count, int) and not 0 <= count <= MAX_NODES_PER_ZONE:
        yield CheckFailure("initialNodeCount", _out_of_range("initial_node_count", count))
    needs_nodes = look(cluster, "autopilot.enabled") in (None, False)
    if needs_nodes and not cluster.get("nodePools") and count in (None, 0):
        yield CheckFailure(
            "initialNodeCount", "Cluster.initial_node_count must be greater than zero."
        )
    if cluster.get("nodePools") and count not in (None, 0, UNKNOWN):
        yield CheckFailure(
            "initialNodeCount",
            "Cluster.initial_node_count and Cluster.node_pools cannot both be set.",
        )
    yield from _check_default_nodes(cluster)


def _check_default_nodes(cluster: Body) -> Iterator[CheckFailure]:
    if isinstance(cluster.get("nodeConfig"), Mapping):
        for failure in check_pool({"config": cluster["nodeConfig"]}):
            place = failure.property.replace("config", "nodeConfig", 1)
            yield CheckFailure(place, failure.reason)
    location = cluster.get("location")
    for index, pool in enumerate(cluster.get("nodePools") or []):
        for failure in check_pool(pool, location if isinstance(location, str) else ""):
            yield CheckFailure(f"nodePools[{index}].{failure.property}", failure.reason)


def _check_name(body: Body) -> Iterator[CheckFailure]:
    name = body.get("name")
    if isinstance(name, str) and not POOL_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"Invalid name '{name}': must match '{POOL_NAME.pattern}', that is at most 40 "
            "lowercase letters, digits and dashes, starting with a letter and not ending with "
            "a dash.",
        )


def _out_of_range(word: str, count: int) -> str:
    return f"{word} {count} is out of range: 0 to {MAX_NODES_PER_ZONE} nodes a zone."


def _check_counts(pool: Body) -> Iterator[CheckFailure]:
    count = pool.get("initialNodeCount")
    if isinstance(count, int) and not 0 <= count <= MAX_NODES_PER_ZONE:
        yield CheckFailure("initialNodeCount", _out_of_range("initial_node_count", count))
    pods = look(pool, "maxPodsConstraint.maxPodsPerNode")
    if isinstance(pods, int) and not 8 <= pods <= 256:
        yield CheckFailure(
            "maxPodsConstraint.maxPodsPerNode", f"max_pods_per_node {pods} is not in 8 to 256."
        )
    disk = look(pool, "config.diskSizeGb")
    if isinstance(disk, int) and disk < 10:
        yield CheckFailure("config.diskSizeGb", f"Disk size {disk} GB is less than 10 GB.")


def _check_autoscaling(pool: Body) -> Iterator[CheckFailure]:
    scaling = pool.get("autoscaling")
    if not isinstance(scaling, Mapping) or scaling.get("enabled") is False:
        return
    zonal = [key for key in ZONE_LIMITS if scaling.get(key)]
    total = [key for key in TOTAL_LIMITS if scaling.get(key)]
    if zonal and total:
        yield CheckFailure(
            "autoscaling",
            "Node pool autoscaling: limits for each zone (min_node_count, max_node_count) and "
            "total limits (total_min_node_count, total_max_node_count) exclude each other.",
        )
        return
    words = (
        ("totalMinNodeCount", "totalMaxNodeCount") if total else ("minNodeCount", "maxNodeCount")
    )
    low, high = (scaling.get(word, 0) for word in words)
    if UNKNOWN in (low, high):
        return
    if low < 0:
        yield CheckFailure(f"autoscaling.{words[0]}", f"Minimum node count {low} is negative.")
    if high < 1:
        yield CheckFailure(
            f"autoscaling.{words[1]}", f"Maximum node count must be greater than 0, got {high}."
        )
    elif low > high:
        yield CheckFailure(
            f"autoscaling.{words[0]}",
            f"Minimum node count {low} is greater than the maximum node count {high}.",
        )
    if high > MAX_NODES_PER_ZONE and not total:
        yield CheckFailure(f"autoscaling.{words[1]}", _out_of_range("max_node_count", high))


def _check_location_policy(pool: Body) -> Iterator[CheckFailure]:
    policy = look(pool, "autoscaling.locationPolicy")
    known = ("BALANCED", "ANY", "LOCATION_POLICY_UNSPECIFIED")
    if isinstance(policy, str) and policy not in known:
        yield CheckFailure(
            "autoscaling.locationPolicy", f"Invalid location_policy '{policy}': BALANCED or ANY."
        )


def _check_upgrades(pool: Body) -> Iterator[CheckFailure]:
    settings = pool.get("upgradeSettings")
    if not isinstance(settings, Mapping) or settings.get("strategy") not in (None, "SURGE"):
        return
    if "maxSurge" not in settings and "maxUnavailable" not in settings:
        return
    surge, unavailable = settings.get("maxSurge", 0), settings.get("maxUnavailable", 0)
    if UNKNOWN in (surge, unavailable):
        return
    if surge < 0 or unavailable < 0:
        yield CheckFailure("upgradeSettings", "max_surge and max_unavailable must not be negative.")
    elif surge + unavailable == 0:
        yield CheckFailure(
            "upgradeSettings", "One of max_surge and max_unavailable must be greater than 0."
        )
    elif surge + unavailable > MAX_PARALLEL_UPGRADES:
        yield CheckFailure(
            "upgradeSettings",
            f"max_surge + max_unavailable must be at most {MAX_PARALLEL_UPGRADES}, "
            f"got {surge + unavailable}.",
        )


def _check_taints(pool: Body) -> Iterator[CheckFailure]:
    taints = look(pool, "config.taints")
    if not isinstance(taints, list):
        return
    for index, taint in enumerate(taints):
        effect = look(taint, "effect")
        if isinstance(effect, str) and effect not in EFFECTS:
            yield CheckFailure(
                f"config.taints[{index}].effect",
                f"Invalid taint effect '{effect}': one of {', '.join(EFFECTS)}.",
            )
    seen = Counter(
        (taint["key"], taint["effect"])
        for taint in taints
        if isinstance(taint, Mapping) and {"key", "effect"} <= set(taint)
    )
    for (key, effect), times in seen.items():
        if times > 1:
            yield CheckFailure(
                "config.taints", f"Duplicate taint: {key} with effect {effect} is given twice."
            )
    yield from _check_gpu_taint(pool, taints)


def _check_gpu_taint(pool: Body, taints: list[Any]) -> Iterator[CheckFailure]:
    if not look(pool, "config.accelerators"):
        return
    for index, taint in enumerate(taints):
        same = look(taint, "key") == GPU_TAINT["key"]
        if same and look(taint, "effect") == GPU_TAINT["effect"]:
            value = look(taint, "value")
            if isinstance(value, str) and value != GPU_TAINT["value"]:
                yield CheckFailure(
                    f"config.taints[{index}]",
                    "Duplicate taint: GKE itself gives GPU nodes "
                    f"nvidia.com/gpu=present:NO_SCHEDULE, and the pool gives the value '{value}'.",
                )


def _check_pool_labels(pool: Body) -> Iterator[CheckFailure]:
    yield from check_labels(look(pool, "config.resourceLabels"), "config.resourceLabels")
    yield from check_node_labels(look(pool, "config.labels"), "config.labels")


def _check_zones(pool: Body, location: str) -> Iterator[CheckFailure]:
    zones = pool.get("locations")
    given = [zone for zone in zones if isinstance(zone, str)] if isinstance(zones, list) else []
    for index, zone in enumerate(given):
        home = names.region_of(location)
        if not names.ZONE.fullmatch(zone) or (home and names.region_of(zone) != home):
            yield CheckFailure(
                f"locations[{index}]", f"Location '{zone}' is not a zone of region '{home}'."
            )
    if look(pool, "placementPolicy.type") != "COMPACT" or zones is UNKNOWN:
        return
    standing = given or (names.default_zones(location) if location else [])
    if len(standing) > 1:
        yield CheckFailure(
            "locations",
            "Compact placement needs all nodes in one zone; the node pool stands in "
            f"{', '.join(standing)}.",
        )


def _check_machine(pool: Body, location: str) -> Iterator[CheckFailure]:
    machine = look(pool, "config.machineType")
    if not isinstance(machine, str):
        return
    zones = pool.get("locations")
    standing = [zone for zone in zones if isinstance(zone, str)] if isinstance(zones, list) else []
    known = standing or (names.default_zones(location) if location else [])
    for reason in machines.check_machine(machine, known):
        yield CheckFailure("config.machineType", reason)
    accelerators = look(pool, "config.accelerators")
    for index, accelerator in enumerate(accelerators if isinstance(accelerators, list) else []):
        kind = look(accelerator, "acceleratorType")
        count = look(accelerator, "acceleratorCount")
        if isinstance(kind, str) and isinstance(count, int):
            for reason in machines.check_accelerator(machine, names.last_part(kind), count):
                yield CheckFailure(f"config.accelerators[{index}]", reason)


POOL_RULES: tuple[Callable[[Body], Iterator[CheckFailure]], ...] = (
    _check_name,
    _check_counts,
    _check_autoscaling,
    _check_location_policy,
    _check_upgrades,
    check_provisioning,
    check_run_duration,
    check_queued,
    _check_taints,
    _check_pool_labels,
    check_reservation_key,
    check_partitions,
    check_sharing,
    check_tpu,
)
