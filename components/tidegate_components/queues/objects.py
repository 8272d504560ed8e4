"""What Kueue and Kubernetes are told: the specs of the objects, as plain JSON.

Field names are those of Kueue's API v1beta2 (kubernetes-sigs/kueue, apis/kueue/v1beta2, read
2026-11-30).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tidegate.manifest.model import Pool, Taint
from tidegate.manifest.queues import count_units
from tidegate_components.queues.pools import find_node_labels
from tidegate_components.queues.spec import Machine, NamespaceSpec, QueueSpec, QueuesSpec

NAMESPACE_NAME = "kubernetes.io/metadata.name"
PROVISIONING_CONTROLLER = "kueue.x-k8s.io/provisioning-request"


def build_flavor(pool: Pool) -> dict[str, Any]:
    """Return the ResourceFlavor of a pool.

    It carries the tolerations for the pool's own taints, so that work need not know them.
    """
    spec: dict[str, Any] = {"nodeLabels": find_node_labels(pool)}
    if pool.taints:
        spec["nodeTaints"] = [_taint(taint) for taint in pool.taints]
        spec["tolerations"] = [build_toleration(taint) for taint in pool.taints]
    return spec


def _taint(taint: Taint) -> dict[str, str]:
    given = {"key": taint.key, "value": taint.value, "effect": taint.effect}
    return {key: value for key, value in given.items() if value}


def build_toleration(taint: Taint) -> dict[str, str]:
    """Return what tolerates a taint, and nothing else."""
    if not taint.value:
        return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    return {
        "key": taint.key,
        "operator": "Equal",
        "value": taint.value,
        "effect": taint.effect,
    }


def build_cluster_queue(spec: QueuesSpec, queue: QueueSpec) -> dict[str, Any]:
    """Return the ClusterQueue of a queue."""
    accelerator = [queue.resource] if queue.resource else []
    built: dict[str, Any] = {
        "cohortName": spec.id,
        "queueingStrategy": "StrictFIFO" if queue.strict_order else "BestEffortFIFO",
        "namespaceSelector": {
            "matchExpressions": [
                {"key": NAMESPACE_NAME, "operator": "In", "values": spec.users_of(queue)}
            ]
        },
        "resourceGroups": [
            {
                "coveredResources": [*accelerator, "cpu", "memory"],
                "flavors": [
                    {
                        "name": pool.id,
                        "resources": build_quotas(queue, pool, spec.machines[pool.id]),
                    }
                    for pool in queue.pools
                ],
            }
        ],
        # Idle capacity of the cohort first, because it is paid for; the next pool before work is
        # thrown out of this one.
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {
            "reclaimWithinCohort": "Any",
            "withinClusterQueue": "LowerPriority" if queue.is_tolerant else "Never",
            "borrowWithinCohort": {"policy": "Never"},
        },
    }
    if queue.queued_pools:
        check = {"name": name_check(spec), "onFlavors": list(queue.queued_pools)}
        built["admissionChecksStrategy"] = {"admissionChecks": [check]}
    return built


def build_quotas(queue: QueueSpec, pool: Pool, machine: Machine) -> list[dict[str, Any]]:
    """Return what a queue owns of a pool: its units, and the CPUs and memory beside them.

    Kueue admits no work that requests a resource which its queue does not cover.
    """
    units, most = queue.quotas[pool.id], count_units(pool)
    nodes = Decimal(pool.max_nodes * units) / most if most else Decimal(0)
    cpu = {"name": "cpu", "nominalQuota": str(int(nodes * machine.vcpus))}
    memory = {"name": "memory", "nominalQuota": f"{int(nodes * machine.memory_gib)}Gi"}
    if queue.resource:
        own = {"name": queue.resource, "nominalQuota": units, **_limits(queue, units, 1)}
        return [own, cpu, memory]
    return [{**cpu, **_limits(queue, units, machine.vcpus)}, memory]


def _limits(queue: QueueSpec, units: int, factor: int) -> dict[str, int]:
    limits: dict[str, int] = {}
    if queue.borrowing_limit is not None:
        limits["borrowingLimit"] = queue.borrowing_limit * factor
    if queue.lending_limit is not None:
        # Nobody can lend more than it owns of this pool.
        limits["lendingLimit"] = min(queue.lending_limit, units) * factor
    return limits


def build_quota(namespace: NamespaceSpec) -> dict[str, Any]:
    """Return the ResourceQuota of a namespace."""
    return {"hard": {name: str(most) for name, most in sorted(namespace.hard.items())}}


def name_check(spec: QueuesSpec) -> str:
    """Return what the admission check for queued provisioning is called."""
    return f"{spec.id}-provisioning"


def build_check(spec: QueuesSpec) -> dict[str, Any]:
    """Return the AdmissionCheck for queued provisioning."""
    return {
        "controllerName": PROVISIONING_CONTROLLER,
        "parameters": {
            "apiGroup": "kueue.x-k8s.io",
            "kind": "ProvisioningRequestConfig",
            "name": name_check(spec),
        },
    }


def build_provisioning(spec: QueuesSpec) -> dict[str, Any]:
    """Return the ProvisioningRequestConfig: which class, and for which resources."""
    resources = {queue.resource for queue in spec.queues if queue.queued_pools and queue.resource}
    return {
        "provisioningClassName": spec.provisioning_class,
        "managedResources": sorted(resources),
    }
