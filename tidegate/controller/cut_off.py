"""What a process had ordered when it ended before it could write its turn down. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tidegate.controller.nodes import IN_FLIGHT_MARK
from tidegate.controller.orders import GROW, SHRINK
from tidegate.scaling.fleet import NodePhase
from tidegate.vocabulary.records import DecisionRecord, NodeRecord, Outcome, TickRecord


def recall_cut_off(
    decisions: Sequence[DecisionRecord], last: TickRecord | None, nodes: Sequence[NodeRecord]
) -> list[NodeRecord]:
    """Return what is remembered of nodes, with those that may have been ordered since.

    A cloud that shows its pool tells by itself what was ordered. One that cannot be read does not,
    and what it may have taken must not be ordered of another cloud. What turns out not to have
    been ordered is given up at the first look.

    Args:
        decisions: The last decisions, newest first.
        last: The last turn that was written down; what was decided before is in `nodes`.
        nodes: What was remembered then.
    """
    awaited = Counter(node.pool for node in nodes if IN_FLIGHT_MARK in node.id)
    found = list(nodes)
    for decision in _list_newest(decisions):
        is_cut_off = decision.action == GROW and decision.outcome is Outcome.INTENDED
        if not is_cut_off or (last is not None and decision.at <= last.at):
            continue
        grown = (decision.to_nodes or 0) - (decision.from_nodes or 0)
        found += [
            NodeRecord(
                f"{decision.pool}{IN_FLIGHT_MARK}{awaited[decision.pool] + number}",
                decision.pool,
                NodePhase.IN_FLIGHT.value,
                decision.at,
            )
            for number in range(grown)
        ]
    return found


def _list_newest(decisions: Sequence[DecisionRecord]) -> list[DecisionRecord]:
    """Return the newest decision on each pool's size."""
    newest: dict[str, DecisionRecord] = {}
    for decision in decisions:
        if decision.action in (GROW, SHRINK):
            newest.setdefault(decision.pool, decision)
    return list(newest.values())
