"""Kueue's workloads, as JSON from the cluster's API, read into demand.

A workload that has its quota and is not admitted yet waits for what nodes can give: an admission
check. One without quota waits for others to end, and a node would not help it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tidegate.sources.pods import Body, Chips, read_shape
from tidegate.sources.times import parse_time
from tidegate.vocabulary.demand import WorkItem

OVER = ("Finished", "Evicted")


def read_workloads(
    workloads: Sequence[Body], chips: Chips, source: str
) -> tuple[list[WorkItem], int]:
    """Return those that nodes would help, and how many wait for quota instead.

    Each pod set is an item of its own: its workers start together.

    Raises:
        ValueError: Something is no workload.
    """
    items: list[WorkItem] = []
    without_quota = 0
    for workload in workloads:
        true = _true_conditions(workload)
        if any(name in true for name in OVER) or "Admitted" in true:
            continue
        if "QuotaReserved" not in true:
            without_quota += 1
            continue
        items += _read_pod_sets(workload, chips, source, true["QuotaReserved"])
    return items, without_quota


def _read_pod_sets(workload: Body, chips: Chips, source: str, since: datetime) -> list[WorkItem]:
    metadata = workload["metadata"]
    found = []
    for part in (workload.get("spec") or {}).get("podSets") or ():
        template = part.get("template") or {}
        own = template.get("metadata") or {}
        stated = {key: own.get(key) or {} for key in ("labels", "annotations")}
        spec = {"priority": (workload["spec"]).get("priority"), **(template.get("spec") or {})}
        name = f"{source}/{metadata['namespace']}/{metadata['name']}/{part.get('name', 'main')}"
        shape = read_shape({**metadata, **stated}, spec, chips, workers=int(part.get("count", 1)))
        found.append(WorkItem(id=name, shape=shape, queued_at=since))
    return found


def _true_conditions(workload: Body) -> dict[str, datetime]:
    conditions = (workload.get("status") or {}).get("conditions") or ()
    return {
        each["type"]: parse_time(each["lastTransitionTime"])
        for each in conditions
        if each["status"] == "True"
    }
