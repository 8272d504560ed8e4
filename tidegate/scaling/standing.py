"""What is there as a decision begins, sorted once for all layouts that the decision tries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidegate.scaling.fleet import Node, RunningWork
from tidegate.scaling.nodes import counts, is_capacity, nodes_of, offering_of
from tidegate.scaling.offerings import Offering
from tidegate.scaling.situation import Situation


@dataclass(frozen=True, slots=True)
class Standing:
    """The believed nodes of declared pools and what runs on them.

    Attributes:
        situation: The facts.
        offering_of: Node id → what the node is, None where that is not known.
        counted: Nodes that count against maxima, quotas and budget, with what they are.
        capacity: Nodes on which work can be seated, with what they are.
        assigned: Item id → nodes with a seat that an earlier plan meant for it.
        running: Item id → its work that runs.
    """

    situation: Situation
    offering_of: Mapping[str, Offering | None]
    counted: Sequence[tuple[Node, Offering | None]]
    capacity: Sequence[tuple[Node, Offering]]
    assigned: Mapping[str, Sequence[str]]
    running: Mapping[str, RunningWork]


def build_standing(situation: Situation) -> Standing:
    """Sort what is there."""
    of: dict[str, Offering | None] = {}
    counted: list[tuple[Node, Offering | None]] = []
    capacity: list[tuple[Node, Offering]] = []
    assigned: dict[str, list[str]] = {}
    for node in nodes_of(situation):
        offering = of[node.id] = offering_of(node, situation)
        serves = is_capacity(node, offering, situation)
        # What serves always counts.
        if serves or counts(node, offering, situation):
            counted.append((node, offering))
        if serves and offering is not None:
            capacity.append((node, offering))
            for item in node.assigned:
                assigned.setdefault(item, []).append(node.id)
    running = {work.item: work for node in nodes_of(situation) for work in node.work()}
    return Standing(situation, of, counted, capacity, assigned, running)
