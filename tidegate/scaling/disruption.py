"""Whether a node may be disturbed now: windows, budgets, cooldowns, checkpoints."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from tidegate.scaling.draft import Draft
from tidegate.scaling.fleet import LEAVING, Node, RunningWork
from tidegate.scaling.nodes import may_touch, nodes_of
from tidegate.scaling.situation import Situation
from tidegate.scaling.times import is_open


def why_not_disturb(node: Node, draft: Draft) -> str:
    """Return why a node may not be drained by choice now; "" when it may."""
    situation = draft.situation
    pool = situation.pools[node.pool]
    cooldown = timedelta(seconds=situation.settings.node_cooldown_seconds)
    if not may_touch(node, situation):
        return "is held"
    if situation.now - node.since < cooldown:
        return "changed within its cooldown"
    if pool.windows and not any(is_open(window, situation.now) for window in pool.windows):
        return "no window is open"
    if pool.max_disrupted is None:
        return ""
    disturbed = count_disturbed(draft)[pool.id]
    if disturbed >= pool.max_disrupted:
        return f"as many nodes are disturbed as may be at once: {disturbed}"
    return ""


def count_disturbed(draft: Draft) -> Counter[str]:
    """Return the nodes of each pool that are on their way out."""
    leaving = [node.pool for node in nodes_of(draft.situation) if node.phase in LEAVING]
    return Counter(leaving + [drain.pool for drain in draft.drains.values()])


def rework_seconds(work: RunningWork, situation: Situation) -> int | None:
    """Return what stopping work now would repeat, its restart included; None: all of it."""
    if work.checkpoint_at is None:
        return None
    since = int((situation.now - work.checkpoint_at).total_seconds())
    return max(since, 0) + work.restart_seconds


def may_stop(work: RunningWork, situation: Situation) -> bool:
    """Return whether work may be stopped by choice: it resumes with bounded rework."""
    rework = rework_seconds(work, situation)
    if rework is None:
        return situation.settings.stop_without_checkpoint
    return rework <= situation.settings.max_rework_seconds
