"""Nodes as bins: what is free on each, and who was seated there."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.scaling.fleet import Node, RunningWork
from tidegate.scaling.marginal import Choice
from tidegate.scaling.offerings import Offering
from tidegate.vocabulary.demand import WorkShape

PLENTY = 10**12
"""Stands for a room that no source states, where the accelerators are what counts."""


@dataclass(slots=True, eq=False)
class Bin:
    """One node, there or ordered, and what is free on it.

    Attributes:
        seat: The node's id, or `offering#n` for the n-th new node.
        offering: What it is.
        node: The node; None when it is ordered in this decision.
        paid: What it costs an hour beyond commitments, when it is new.
        items: Who was seated on it.
        shelved: True while it stands on a shelf, where it is found.
    """

    seat: str
    offering: Offering
    node: Node | None
    accelerators: int
    vcpus_milli: int
    memory_mib: int
    paid: Decimal = Decimal(0)
    items: list[str] = field(default_factory=list)
    shelved: bool = False

    def fits(self, choice: Choice, shape: WorkShape) -> bool:
        """Return whether one more worker of a shape has room."""
        return (
            self.accelerators >= choice.accelerators
            and self.vcpus_milli >= shape.vcpus_milli
            and self.memory_mib >= shape.memory_mib
        )

    def count_fitting(self, choice: Choice, shape: WorkShape, most: int) -> int:
        """Return how many more workers of a shape have room, up to a number."""
        for free, taken in (
            (self.accelerators, choice.accelerators),
            (self.vcpus_milli, shape.vcpus_milli),
            (self.memory_mib, shape.memory_mib),
        ):
            if taken:
                most = min(most, free // taken)
        return max(most, 0)

    def reserve(self, work: RunningWork, factor: int = 1) -> None:
        """Take the room of running work; a factor of -1 gives it back."""
        self.accelerators -= factor * work.accelerators
        self.vcpus_milli -= factor * work.vcpus_milli
        self.memory_mib -= factor * work.memory_mib


def empty_bin(seat: str, offering: Offering, node: Node | None = None) -> Bin:
    """Return a bin with all that its offering declares."""
    room = offering.room
    vcpus = PLENTY if room.vcpus_milli is None else room.vcpus_milli
    memory = PLENTY if room.memory_mib is None else room.memory_mib
    return Bin(seat, offering, node, room.accelerators, vcpus, memory)


def build_bin(node: Node, offering: Offering) -> Bin:
    """Return a node as a bin, less what runs on it (daemonsets included)."""
    seat = empty_bin(node.id, offering, node)
    for work in node.running:
        seat.accelerators -= work.accelerators
        seat.vcpus_milli -= work.vcpus_milli
        seat.memory_mib -= work.memory_mib
    return seat
