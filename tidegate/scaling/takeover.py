"""Nodes whose work goes on elsewhere for less: that they idle is no fall of demand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import datetime, timedelta

from tidegate.scaling.draft import Draft
from tidegate.scaling.fleet import Node, NodePhase
from tidegate.scaling.nodes import nodes_of

SEEN_WITHIN = timedelta(seconds=120)
"""From when work goes on elsewhere until its old node is seen idle: a grace period, and a look."""


def find_relieved(draft: Draft, idle: Iterable[Node]) -> dict[str, str]:
    """Return which idle nodes were relieved by a cheaper one, and by which; each relieves one.

    A node stays idle because what ended on it may come again. Where a cheaper node like it became
    busy just before, demand is what it was: work was moved, by its scheduler or by a rolling
    update, and nothing is likelier to come than before. At a first look all seem to have just
    become what they are, so that the work there has to tell that it began.

    Args:
        draft: The decision so far.
        idle: The idle nodes, those first that had better go.
    """
    idle = list(idle)
    if not idle:
        return {}
    # Most nodes have been busy for long: they are left out before the others are sorted.
    oldest = min(node.since for node in idle) - SEEN_WITHIN
    nodes = nodes_of(draft.situation)
    busy = [node for node in nodes if node.phase is NodePhase.BUSY and node.since >= oldest]
    busy.sort(key=lambda node: (node.since, node.id))
    stamps = [node.since for node in busy]
    relieved: dict[str, str] = {}
    heirs: set[str] = set()
    for node in idle:
        before = node.since - SEEN_WITHIN
        window = slice(bisect_left(stamps, before), bisect_right(stamps, node.since))
        for other in busy[window]:
            like = other.id not in heirs and _is_like_and_cheaper(draft, other, node)
            if like and _began_after(other, before):
                relieved[node.id] = other.id
                heirs.add(other.id)
                break
    return relieved


def _began_after(node: Node, moment: datetime) -> bool:
    """Return whether work runs on a node, and all of it tells that it began after a moment."""
    begun = [work.started_at for work in node.work()]
    return bool(begun) and all(start is not None and start >= moment for start in begun)


def _is_like_and_cheaper(draft: Draft, busy: Node, idle: Node) -> bool:
    new, old = draft.bench.offering_of[busy.id], draft.bench.offering_of[idle.id]
    if new is None or old is None or new.per_hour is None or old.per_hour is None:
        return False
    kind = (old.room.accelerator, old.room.accelerators)
    return (new.room.accelerator, new.room.accelerators) == kind and new.per_hour < old.per_hour
