"""Nodes that their cloud takes away: drained at once, and what they ran waits anew, in front."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tidegate.scaling.disruption import rework_seconds
from tidegate.scaling.draft import Draft
from tidegate.scaling.fleet import NodePhase, RunningWork
from tidegate.scaling.nodes import nodes_of
from tidegate.scaling.signals import explain_work
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.plans import Drain, Hold

FIRST = datetime(1970, 1, 1, tzinfo=UTC)
"""Interrupted work had its turn before anything that waits with the same priority."""


def requeue_interrupted(situation: Situation) -> tuple[WorkItem, ...]:
    """Return what runs on interrupted nodes as waiting items, each with the workers it loses."""
    lost_work = _lost_work(situation)
    waiting = {item.id for item in situation.signals.items} if lost_work else set()
    return tuple(
        WorkItem(
            id=work.item,
            shape=replace(work.shape, workers=lost, priority=work.priority),
            queued_at=FIRST,
            deadline=work.deadline,
            work_left_seconds=work.work_left_seconds,
        )
        for work, lost in lost_work
        if work.shape is not None and work.item not in waiting and not explain_work(work)
    )


def drain_interrupted(draft: Draft) -> None:
    """Drain every node that got a notice; nobody can keep it, so no doubt and no budget holds."""
    for node in nodes_of(draft.situation):
        if node.phase is not NodePhase.INTERRUPTED:
            continue
        offering = draft.bench.offering_of[node.id]
        rework = [rework_seconds(work, draft.situation) or 0 for work in node.work()]
        draft.drains[node.id] = Drain(
            node=node.id,
            pool=node.pool,
            reason="its cloud takes it away",
            per_hour=draft.money(offering.per_hour if offering else None),
            work=tuple(work.item for work in node.work()),
            rework_seconds=sum(rework),
        )
    for work, _ in _lost_work(draft.situation):
        unknown = "what it needs of a node is not known"
        fault = explain_work(work) if work.shape is not None else unknown
        if fault:
            draft.holds.append(Hold("", f"{work.item} is interrupted, and {fault}"))


def _lost_work(situation: Situation) -> list[tuple[RunningWork, int]]:
    """Return each interrupted item with its workers on interrupted nodes, by item."""
    found: dict[str, tuple[RunningWork, int]] = {}
    interrupted = [n for n in nodes_of(situation) if n.phase is NodePhase.INTERRUPTED]
    for node in interrupted:
        for work in node.work():
            found[work.item] = (work, found.get(work.item, (work, 0))[1] + 1)
    return [found[item] for item in sorted(found)]
