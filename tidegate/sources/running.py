"""Nodes of a cluster and what runs on them, as JSON from its API.

Work and controller speak by annotations. On a pod: `tidegate.dev/checkpoint-at`, when it last saved
itself, and `tidegate.dev/resumed-from`, of when the checkpoint was that it began with, both written
by the work; `tidegate.dev/checkpoint-requested`, since when it is asked to save itself because it
is to go, written by the controller. On a node, all by the controller: `tidegate.dev/closed`,
`tidegate.dev/drain-since`, `tidegate.dev/evicting`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tidegate.sources.pods import (
    POOL_LABEL,
    Body,
    Chips,
    has_ended,
    identify_pod,
    name_of,
    read_shape,
)
from tidegate.sources.quantities import parse_quantity
from tidegate.sources.times import parse_time
from tidegate.vocabulary.fleet_state import ClusterNode, RunningPod

CHECKPOINT_ANNOTATION = "tidegate.dev/checkpoint-at"
ASKED_ANNOTATION = "tidegate.dev/checkpoint-requested"
RESUMED_ANNOTATION = "tidegate.dev/resumed-from"
CLOSED_ANNOTATION = "tidegate.dev/closed"
DRAIN_ANNOTATION = "tidegate.dev/drain-since"
EVICTING_ANNOTATION = "tidegate.dev/evicting"
MIRROR_ANNOTATION = "kubernetes.io/config.mirror"
POLYAXON = "operation.polyaxon.com"
GANG_LABELS = (
    "jobset.sigs.k8s.io/jobset-name",
    "training.kubeflow.org/job-name",
    "ray.io/cluster",
    "kueue.x-k8s.io/pod-group-name",
)
"""Labels of pods that start and end together: JobSet's, Kubeflow's, Ray's, Kueue's."""
GRACE_SECONDS = 30
"""Kubernetes' own, where a pod states none."""


def read_nodes(
    nodes: Sequence[Body], pods: Sequence[Body], chips: Chips, source: str
) -> list[ClusterNode]:
    """Return the cluster's nodes with what runs on each.

    Raises:
        ValueError: Something is no Kubernetes object.
    """
    running: dict[str, list[RunningPod]] = {}
    for pod in pods:
        node = (pod.get("spec") or {}).get("nodeName")
        if node and not has_ended(pod):
            running.setdefault(node, []).append(_read_running(pod, chips, source))
    running = _count_workers(running)
    return [_read_node(node, tuple(running.get(name_of(node), ())), chips) for node in nodes]


def _count_workers(running: dict[str, list[RunningPod]]) -> dict[str, list[RunningPod]]:
    """Return the pods, each with how many its item has."""
    sizes = Counter(pod.item for pods in running.values() for pod in pods)
    return {
        node: [
            replace(pod, workers=sizes[pod.item]) if sizes[pod.item] > 1 else pod for pod in pods
        ]
        for node, pods in running.items()
    }


def _read_running(pod: Body, chips: Chips, source: str) -> RunningPod:
    metadata, spec, status = pod["metadata"], pod.get("spec") or {}, pod.get("status") or {}
    notes = metadata.get("annotations") or {}
    shape = read_shape(metadata, spec, chips)
    daemonset = _runs_everywhere(metadata)
    run = _read_run(metadata)
    return RunningPod(
        item=_identify_work(pod, source, run),
        accelerators=shape.accelerators[0].per_worker if shape.accelerators else 0,
        vcpus_milli=shape.vcpus_milli,
        memory_mib=shape.memory_mib,
        priority=shape.priority,
        daemonset=daemonset,
        checkpoint_at=_read_stamp(notes, CHECKPOINT_ANNOTATION),
        name=f"{metadata.get('namespace', '')}/{name_of(pod)}",
        owner=_read_owner(metadata, source, run),
        shape=None if daemonset else shape,
        started_at=parse_time(status["startTime"]) if status.get("startTime") else None,
        ready=_is_ready(status),
        asked_at=_read_stamp(notes, ASKED_ANNOTATION),
        resumed_from=_read_stamp(notes, RESUMED_ANNOTATION),
        leaving=bool(metadata.get("deletionTimestamp")),
        grace_seconds=int(spec.get("terminationGracePeriodSeconds") or GRACE_SECONDS),
        run=run,
        created_at=_read_stamp(metadata, "creationTimestamp"),
    )


def _is_ready(status: Body) -> bool:
    conditions = {each["type"]: each["status"] for each in status.get("conditions") or ()}
    return conditions.get("Ready") == "True"


def _read_stamp(notes: Body, key: str) -> datetime | None:
    """Return when an annotation says something was; one that is no time says nothing.

    Whoever starts a pod writes it, and must not keep a whole cluster from being read.
    """
    try:
        return parse_time(notes[key])
    except (KeyError, ValueError):
        return None


def _read_owner(metadata: Body, source: str, run: str) -> str:
    """Return what makes a pod anew when it goes."""
    if run:
        return f"{source}/polyaxon/{run}"
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller", True):
            place = metadata.get("namespace", "")
            return f"{source}/{place}/{owner.get('kind', '')}/{owner.get('name', '')}"
    return ""


def _identify_work(pod: Body, source: str, run: str) -> str:
    """Return what a pod is a part of: what starts and stops as a whole, or the pod itself."""
    metadata = pod["metadata"]
    labels = metadata.get("labels") or {}
    if run:
        return f"{source}/polyaxon/{run}"
    for key in GANG_LABELS:
        if labels.get(key):
            return f"{source}/{metadata.get('namespace', '')}/{key}/{labels[key]}"
    return identify_pod(pod, source)


def _read_node(node: Body, running: tuple[RunningPod, ...], chips: Chips) -> ClusterNode:
    spec, status = node.get("spec") or {}, node.get("status") or {}
    notes = node["metadata"].get("annotations") or {}
    room = status.get("allocatable") or {}
    told = [parse_quantity(room[name]) for name in chips.by_resource if name in room]
    return ClusterNode(
        name=name_of(node),
        pool=(node["metadata"].get("labels") or {}).get(POOL_LABEL, ""),
        ready=_is_ready(status),
        closed=bool(spec.get("unschedulable")),
        closed_by_us=CLOSED_ANNOTATION in notes,
        accelerators=int(sum(told)) if told else None,
        provider_id=spec.get("providerID") or "",
        running=running,
        drained_since=_read_stamp(notes, DRAIN_ANNOTATION),
        evicting=EVICTING_ANNOTATION in notes,
    )


def _runs_everywhere(metadata: Body) -> bool:
    owners = {each.get("kind") for each in metadata.get("ownerReferences") or ()}
    return "DaemonSet" in owners or MIRROR_ANNOTATION in (metadata.get("annotations") or {})


def _read_run(metadata: Body) -> str:
    """Return the Polyaxon run of a pod as "owner/project/uuid"; "" where it belongs to none.

    Labels and annotations as Polyaxon 2.18 gives them to its pods.
    """
    labels, notes = metadata.get("labels") or {}, metadata.get("annotations") or {}
    parts = [notes.get(f"{POLYAXON}/{key}") for key in ("owner", "project")]
    parts.append(labels.get(f"{POLYAXON}/uuid"))
    return "/".join(str(part) for part in parts) if all(parts) else ""
