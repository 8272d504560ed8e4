"""Pods of a cluster, as JSON from its API, read into what waits and what it asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.sources.quantities import parse_quantity, to_mebibytes, to_milli
from tidegate.sources.times import parse_time
from tidegate.vocabulary.capacity import InterruptionTolerance, WorkloadClass
from tidegate.vocabulary.demand import AcceleratorNeed, PlacementNeed, WorkItem, WorkShape

POOL_LABEL = "capacity-pool"
CLASS_LABEL = "workload-class"
WAIT_ANNOTATION = "tidegate.dev/wait-target-seconds"
WAIT_FORM = re.compile(r"\d{1,9}", re.ASCII)
BATCH_OWNERS = frozenset({"Job", "JobSet", "PyTorchJob", "MPIJob", "RayJob", "TFJob"})
ENDED = frozenset({"Succeeded", "Failed"})
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chips:
    """The accelerators of a cluster's pools, by the resource that pods request.

    Attributes:
        by_resource: "nvidia.com/gpu" → the names of those that the cluster's pools have.
        pools: The ids of the cluster's pools: a pod runs in its own cluster alone.
    """

    by_resource: Mapping[str, Sequence[str]]
    pools: tuple[str, ...]


def read_pending(pods: Sequence[Body], chips: Chips, source: str) -> list[WorkItem]:
    """Return the pods that wait for a node; those that Kueue still gates are its own to tell.

    Raises:
        ValueError: Something is no Kubernetes object.
    """
    return [_read_item(pod, chips, source) for pod in pods if waits_for_node(pod)]


def waits_for_node(pod: Body) -> bool:
    """Return whether a pod is to be scheduled and was not yet."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    leaving = pod["metadata"].get("deletionTimestamp")
    pending = status.get("phase", "Pending") == "Pending"
    return pending and not leaving and not spec.get("nodeName") and not spec.get("schedulingGates")


def has_ended(pod: Body) -> bool:
    """Return whether a pod holds nothing of its node any more."""
    return (pod.get("status") or {}).get("phase") in ENDED


def read_shape(metadata: Body, spec: Body, chips: Chips, workers: int = 1) -> WorkShape:
    """Return what a pod asks of a node.

    Without a label `workload-class`, what a batch controller owns is training, and anything else
    is served to somebody. Work that is pinned to a pool accepts how that pool is bought.
    """
    requests = sum_requests(spec)
    selector = dict(spec.get("nodeSelector") or {})
    pinned = selector.pop(POOL_LABEL, "")
    chip = next((name for name in chips.by_resource if requests.get(name)), "")
    count = int(requests.get(chip, 0))
    return WorkShape(
        accelerators=tuple(AcceleratorNeed(name, count) for name in chips.by_resource[chip])
        if chip
        else (),
        vcpus_milli=to_milli(requests.get("cpu", Decimal(0))),
        memory_mib=to_mebibytes(requests.get("memory", Decimal(0))),
        workers=workers,
        workload_class=_read_class(metadata),
        priority=int(spec.get("priority") or 0),
        interruption_tolerance=InterruptionTolerance.TOLERANT if pinned else None,
        wait_target_seconds=_read_wait_target(metadata),
        placement=PlacementNeed(
            pools=(pinned,) if pinned else chips.pools,
            software=tuple(sorted(selector.items())),
            tolerations=tuple(
                sorted({str(each.get("key", "")) for each in spec.get("tolerations") or ()})
            ),
        ),
    )


def sum_requests(spec: Body) -> dict[str, Decimal]:
    """Return what a pod requests: its containers together, or a larger one that starts first."""
    total: dict[str, Decimal] = {}
    for container in spec.get("containers") or ():
        for name, text in _requests(container).items():
            total[name] = total.get(name, Decimal(0)) + parse_quantity(text)
    for container in spec.get("initContainers") or ():
        for name, text in _requests(container).items():
            total[name] = max(total.get(name, Decimal(0)), parse_quantity(text))
    return total


def _requests(container: Body) -> dict[str, Any]:
    resources = container.get("resources") or {}
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _read_item(pod: Body, chips: Chips, source: str) -> WorkItem:
    metadata = pod["metadata"]
    return WorkItem(
        id=identify_pod(pod, source),
        shape=read_shape(metadata, pod.get("spec") or {}, chips),
        queued_at=parse_time(metadata["creationTimestamp"]),
    )


def find_unread_targets(pods: Sequence[Body]) -> list[str]:
    """Return the pods whose wait target is no whole number of seconds, as "namespace/name"."""
    return [
        f"{pod['metadata'].get('namespace', '')}/{name_of(pod)}"
        for pod in pods
        if WAIT_ANNOTATION in (pod["metadata"].get("annotations") or {})
        and _read_wait_target(pod["metadata"]) is None
    ]


def _read_wait_target(metadata: Body) -> int | None:
    """Return how long a pod may wait; what is no number says nothing.

    Whoever starts a pod writes it, and must not keep a whole cluster from being read.
    """
    stated = str((metadata.get("annotations") or {}).get(WAIT_ANNOTATION, ""))
    return int(stated) if WAIT_FORM.fullmatch(stated) else None


def _read_class(metadata: Body) -> WorkloadClass:
    stated = (metadata.get("labels") or {}).get(CLASS_LABEL, "")
    if stated in {each.value for each in WorkloadClass}:
        return WorkloadClass(stated)
    owners = {each.get("kind") for each in metadata.get("ownerReferences") or ()}
    return WorkloadClass.TRAINING if owners & BATCH_OWNERS else WorkloadClass.INFERENCE


def identify_pod(pod: Body, source: str) -> str:
    """Return what a pod is called over all clusters, whether it waits or runs."""
    return f"{source}/{pod['metadata'].get('namespace', '')}/{name_of(pod)}"


def name_of(body: Body) -> str:
    """Return an object's name."""
    return str(body["metadata"]["name"])
