"""Work that gives way to a higher priority on nodes that stay. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from tidegate.controller.errands import (
    Draining,
    DrainRules,
    Errand,
    Step,
    can_resume,
    has_saved,
    staying,
)
from tidegate.controller.nodes import PoolSight
from tidegate.vocabulary.fleet_state import ClusterNode, RunningPod
from tidegate.vocabulary.plans import Preemption
from tidegate.vocabulary.records import DecisionRecord


def yield_pods(
    found: Draining,
    sight: PoolSight,
    node: ClusterNode,
    yielding: Mapping[str, Preemption],
    rules: DrainRules,
) -> None:
    """Ask pods that give way to save themselves, then end them; take it back from others."""
    if node.name in found.kept:
        return
    going: dict[tuple[Step, str], list[RunningPod]] = {}
    for pod in staying(node):
        wanted = yielding.get(pod.item)
        if wanted is None:
            # A node that is reopened takes its question back itself.
            if pod.asked_at is not None and node.drained_since is None:
                going.setdefault((Step.WITHDRAW, "it may stay after all"), []).append(pod)
            continue
        reason = f"gives way to {wanted.preemptor} ({wanted.reason})"
        for step in _next_steps(pod, sight, rules):
            going.setdefault((step, reason), []).append(pod)
    for (step, reason), pods in going.items():
        text = f"{', '.join(pod.name for pod in pods)}: {reason}"
        record = DecisionRecord(rules.now, sight.pool.id, step.value, text)
        found.errands.append(Errand(step, sight.pool.id, "", tuple(pods), record))


def _next_steps(pod: RunningPod, sight: PoolSight, rules: DrainRules) -> Iterator[Step]:
    if not can_resume(pod) and not rules.stop_without_checkpoint:
        return
    declared = sight.pool.checkpoint
    patience = timedelta(seconds=declared.write_seconds if declared else 0)
    if pod.asked_at is None:
        yield Step.PREEMPT
        if patience == timedelta(0):
            yield Step.EVICT
    elif has_saved(pod, pod.asked_at) or rules.now >= pod.asked_at + patience:
        yield Step.EVICT
