"""What GKE refuses of node pools: one case for each rule, at the property that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

SETTINGS = {"project": "tidegate-tests", "region": "us-central1"}
POOL = "gcp:container/nodePool:NodePool"

L4 = [{"type": "nvidia-l4", "count": 1}]
NO_RESERVATION = {"consumeReservationType": "NO_RESERVATION"}
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_gcp_cloud(world), world, SETTINGS)


def pool(**changes: Any) -> dict[str, Any]:
    return {"name": "p", "cluster": "c", "location": "us-central1", **changes}


def node(**config: Any) -> dict[str, Any]:
    return pool(nodeConfig=config)


POOL_CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "cluster-path": (pool(cluster="projects/p/clusters/c"), "cluster", "projects/p/locations/l"),
    "name-too-long": (pool(name="a" * 41), "name", "at most 40"),
    "name-grammar": (pool(name="A100"), "name", "lowercase letters"),
    "unknown-property": (pool(nodeCont=1), "nodeCont", "did you mean 'nodeCount'"),
    "missing-cluster": ({"name": "p"}, "cluster", "missing required property"),
    "wrong-type": (pool(nodeCount="two"), "nodeCount", "expected an integer"),
    "negative-count": (pool(nodeCount=-1), "nodeCount", "negative"),
    "too-many": (pool(initialNodeCount=1001), "initialNodeCount", "out of range"),
    "both-counts": (pool(initialNodeCount=1, nodeCount=1), "nodeCount", "Cannot set both"),
    "min-above-max": (
        pool(autoscaling={"minNodeCount": 5, "maxNodeCount": 2}),
        "autoscaling.minNodeCount",
        "greater than the maximum",
    ),
    "max-zero": (pool(autoscaling={"maxNodeCount": 0}), "autoscaling.maxNodeCount", "than 0"),
    "total-min-above-max": (
        pool(autoscaling={"totalMinNodeCount": 5, "totalMaxNodeCount": 2}),
        "autoscaling.totalMinNodeCount",
        "greater than the maximum",
    ),
    "zone-and-total-limits": (
        pool(autoscaling={"maxNodeCount": 2, "totalMaxNodeCount": 2}),
        "autoscaling",
        "exclude each other",
    ),
    "location-policy": (
        pool(autoscaling={"maxNodeCount": 2, "locationPolicy": "NEAR"}),
        "autoscaling.locationPolicy",
        "BALANCED or ANY",
    ),
    "surge-and-unavailable-zero": (
        pool(upgradeSettings={"maxSurge": 0, "maxUnavailable": 0}),
        "upgradeSettings",
        "greater than 0",
    ),
    "strategy-that-gke-alone-chooses": (
        pool(upgradeSettings={"strategy": "SHORT_LIVED"}),
        "upgradeSettings.strategy",
        "BLUE_GREEN",
    ),
    "too-many-upgrades": (
        pool(upgradeSettings={"maxSurge": 20, "maxUnavailable": 1}),
        "upgradeSettings",
        "at most 20",
    ),
    "spot-and-preemptible": (
        node(spot=True, preemptible=True),
        "nodeConfig.preemptible",
        "exclude each other",
    ),
    "spot-with-reservation": (
        node(spot=True, reservationAffinity={"consumeReservationType": "ANY_RESERVATION"}),
        "nodeConfig.reservationAffinity.consumeReservationType",
        "expected NO_RESERVATION",
    ),
    "flex-start-with-repair": (
        pool(
            autoscaling={"maxNodeCount": 2},
            nodeConfig={"flexStart": True, "reservationAffinity": NO_RESERVATION},
        ),
        "management.autoRepair",
        "to be false",
    ),
    "flex-start-with-reservation": (
        pool(
            autoscaling={"maxNodeCount": 2},
            management={"autoRepair": False},
            nodeConfig={"flexStart": True},
        ),
        "nodeConfig.reservationAffinity",
        "NO_RESERVATION",
    ),
    "flex-start-static": (
        pool(
            management={"autoRepair": False},
            nodeConfig={"flexStart": True, "reservationAffinity": NO_RESERVATION},
        ),
        "autoscaling",
        "static node count",
    ),
    "flex-start-spot": (
        pool(
            autoscaling={"maxNodeCount": 2},
            management={"autoRepair": False},
            nodeConfig={"flexStart": True, "spot": True, "reservationAffinity": NO_RESERVATION},
        ),
        "nodeConfig.flexStart",
        "exclude each other",
    ),
    "flex-start-too-long": (
        pool(
            autoscaling={"maxNodeCount": 2},
            management={"autoRepair": False},
            nodeConfig={
                "flexStart": True,
                "maxRunDuration": "604801s",
                "reservationAffinity": NO_RESERVATION,
            },
        ),
        "nodeConfig.maxRunDuration",
        "seven days",
    ),
    "queued-with-minimum": (
        pool(
            queuedProvisioning={"enabled": True},
            autoscaling={"minNodeCount": 1, "maxNodeCount": 2},
            nodeConfig={"reservationAffinity": NO_RESERVATION},
        ),
        "autoscaling.minNodeCount",
        "minimum of 0",
    ),
    "queued-with-reservation": (
        pool(queuedProvisioning={"enabled": True}, autoscaling={"maxNodeCount": 2}),
        "nodeConfig.reservationAffinity",
        "NO_RESERVATION",
    ),
    "queued-compact": (
        pool(
            queuedProvisioning={"enabled": True},
            autoscaling={"maxNodeCount": 2},
            nodeLocations=["us-central1-a"],
            placementPolicy={"type": "COMPACT"},
            nodeConfig={"reservationAffinity": NO_RESERVATION},
        ),
        "placementPolicy.type",
        "exclude each other",
    ),
    "queued-without-autoscaling": (
        pool(
            queuedProvisioning={"enabled": True},
            nodeConfig={"reservationAffinity": NO_RESERVATION},
        ),
        "autoscaling",
        "needs autoscaling",
    ),
    "compact-in-several-zones": (
        pool(placementPolicy={"type": "COMPACT"}),
        "nodeLocations",
        "all nodes in one zone",
    ),
    "placement-type": (pool(placementPolicy={"type": "SPREAD"}), "placementPolicy.type", "COMPACT"),
    "zone-of-another-region": (
        pool(nodeLocations=["europe-west4-a"]),
        "nodeLocations[0]",
        "not a zone of region 'us-central1'",
    ),
    "taint-twice": (
        node(taints=[GPU_TAINT, GPU_TAINT], guestAccelerators=L4, machineType="g2-standard-4"),
        "nodeConfig.taints",
        "given twice",
    ),
    "gpu-taint-of-another-value": (
        node(
            taints=[{**GPU_TAINT, "value": "true"}],
            guestAccelerators=L4,
            machineType="g2-standard-4",
        ),
        "nodeConfig.taints[0]",
        "GKE itself gives GPU nodes",
    ),
    "taint-effect": (
        node(taints=[{"key": "a", "value": "b", "effect": "NoSchedule"}]),
        "nodeConfig.taints[0].effect",
        "NO_SCHEDULE",
    ),
    "machine-unknown": (
        node(machineType="a2-highgpu-3g"),
        "nodeConfig.machineType",
        "Did you mean 'a2-highgpu-",
    ),
    "machine-of-another-cloud": (
        node(machineType="p5.48xlarge"),
        "nodeConfig.machineType",
        "does not exist in zone 'us-central1-a'",
    ),
    "accelerator-of-another-machine": (
        node(machineType="a2-highgpu-1g", guestAccelerators=L4),
        "nodeConfig.guestAccelerators[0]",
        "comes with 'nvidia-tesla-a100'",
    ),
    "accelerator-count": (
        node(
            machineType="a2-highgpu-2g",
            guestAccelerators=[{"type": "nvidia-tesla-a100", "count": 1}],
        ),
        "nodeConfig.guestAccelerators[0]",
        "comes with 2",
    ),
    "accelerator-on-e2": (
        node(machineType="e2-standard-4", guestAccelerators=L4),
        "nodeConfig.guestAccelerators[0]",
        "cannot be attached",
    ),
    "accelerator-count-on-n1": (
        node(
            machineType="n1-standard-8", guestAccelerators=[{"type": "nvidia-tesla-t4", "count": 3}]
        ),
        "nodeConfig.guestAccelerators[0]",
        "Counts that can: 1, 2, 4",
    ),
    "driver-version": (
        node(
            machineType="g2-standard-4",
            guestAccelerators=[
                {**L4[0], "gpuDriverInstallationConfig": {"gpuDriverVersion": "NEWEST"}}
            ],
        ),
        "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig.gpuDriverVersion",
        "LATEST",
    ),
    "reservation-without-name": (
        node(reservationAffinity={"consumeReservationType": "SPECIFIC_RESERVATION"}),
        "nodeConfig.reservationAffinity",
        "compute.googleapis.com/reservation-name",
    ),
    "billing-label": (
        node(resourceLabels={"Cost Center": "42"}),
        "nodeConfig.resourceLabels.Cost Center",
        "Invalid label key",
    ),
    "billing-label-value": (
        node(resourceLabels={"team": "ML"}),
        "nodeConfig.resourceLabels.team",
        "Invalid label value",
    ),
    "node-label-value": (
        node(labels={"team": "-ml"}),
        "nodeConfig.labels.team",
        "Invalid Kubernetes label value",
    ),
    "max-pods": (pool(maxPodsPerNode=300), "maxPodsPerNode", "8 to 256"),
    "disk": (node(diskSizeGb=5), "nodeConfig.diskSizeGb", "less than 10"),
    "duration": (node(maxRunDuration="1h"), "nodeConfig.maxRunDuration", "seconds"),
    "deletion-policy": (pool(deletionPolicy="KEEP"), "deletionPolicy", "ABANDON"),
}


@pytest.mark.parametrize("case", sorted(POOL_CASES))
def test_node_pool_is_refused(engine: Any, case: str) -> None:
    inputs, place, words = POOL_CASES[case]
    refusals = engine.refusals(POOL, inputs)
    assert list(refusals) == [place]
    assert words in refusals[place]


@pytest.mark.parametrize(
    "config",
    [
        {"machineType": "n1-standard-8",
         "guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 2}]},
        {"machineType": "n2-custom-8-16384"},
        {"machineType": "a3-megagpu-8g",
         "guestAccelerators": [{"type": "nvidia-h100-mega-80gb", "count": 8}]},
        {"machineType": "a3-ultragpu-8g",
         "guestAccelerators": [{"type": "nvidia-h200-141gb", "count": 8}]},
        {"machineType": "c4x-newline-8"},
    ],
)  # fmt: skip
def test_machines_that_exist_or_may_exist_are_accepted(engine: Any, config: dict[str, Any]) -> None:
    assert engine.refusals(POOL, node(**config)) == {}
