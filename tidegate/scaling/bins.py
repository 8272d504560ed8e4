"""Nodes as bins with free room, kept so that the fullest one that fits is found at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.scaling.fleet import Node, RunningWork
from tidegate.scaling.marginal import Choice
from tidegate.scaling.offerings import Offering
from tidegate.vocabulary.demand import WorkShape

PLENTY = 10**12
"""Stands for a room that no source states, where the accelerators are what counts."""
LOOKED_AT = 16
"""Nodes of equal free room that are looked at before a new one is ordered."""
CPU_LEVELS = 16
"""How finely the free CPU of nodes without accelerators is told apart."""


@dataclass(slots=True, eq=False)
class Bin:
    """One node, there or ordered, and what is free on it.

    Attributes:
        seat: The node's id, or `offering#n` for the n-th new node.
        offering: What it is.
        node: The node; None when it is ordered in this decision.
        paid: What it costs an hour beyond commitments, when it is new.
        number: Which of the new nodes of its offering it is.
        items: Who was seated on it.
    """

    seat: str
    offering: Offering
    node: Node | None
    accelerators: int
    vcpus_milli: int
    memory_mib: int
    paid: Decimal = Decimal(0)
    number: int = 0
    items: list[str] = field(default_factory=list)

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


def empty_bin(seat: str, offering: Offering, node: Node | None = None, number: int = 0) -> Bin:
    """Return a bin with all that its offering declares."""
    room = offering.room
    vcpus = PLENTY if room.vcpus_milli is None else room.vcpus_milli
    memory = PLENTY if room.memory_mib is None else room.memory_mib
    return Bin(seat, offering, node, room.accelerators, vcpus, memory, number=number)


def build_bin(node: Node, offering: Offering) -> Bin:
    """Return a node as a bin, less what runs on it (daemonsets included)."""
    seat = empty_bin(node.id, offering, node)
    for work in node.running:
        seat.reserve(work)
    return seat


class Tally:
    """How many bins of one accelerator have how many free, whatever they are offerings of."""

    __slots__ = ("_counts", "mask")

    def __init__(self) -> None:
        """Start with no bin."""
        self._counts: dict[int, int] = {}
        self.mask = 0

    def add(self, level: int) -> None:
        """Count one bin more."""
        self._counts[level] = self._counts.get(level, 0) + 1
        self.mask |= 1 << level

    def remove(self, level: int) -> None:
        """Count one bin less."""
        self._counts[level] -= 1
        if not self._counts[level]:
            self.mask &= ~(1 << level)


class Shelf:
    """The bins of one offering by what is free on them; `mask` has a bit for each level in use."""

    __slots__ = ("_by_chips", "_levels", "_tally", "_unit", "mask")

    def __init__(self, offering: Offering, tally: Tally) -> None:
        """Prepare the levels of one offering: its accelerators, else sixteenths of its CPU."""
        self._tally = tally
        room = offering.room
        self._by_chips = room.accelerators > 0
        self._unit = max((room.vcpus_milli or PLENTY) // CPU_LEVELS, 1)
        self._levels: dict[int, dict[str, Bin]] = {}
        self.mask = 0

    def put(self, seat: Bin) -> None:
        """Add a bin; one that is overbooked is kept out of reach."""
        level = self._level_of(seat)
        if level >= 0:
            self._levels.setdefault(level, {})[seat.seat] = seat
            self.mask |= 1 << level
            self._tally.add(level)

    def drop(self, seat: Bin) -> None:
        """Remove a bin, before what is free on it changes."""
        level = self._level_of(seat)
        if level >= 0:
            bins = self._levels[level]
            del bins[seat.seat]
            self._tally.remove(level)
            if not bins:
                self.mask &= ~(1 << level)

    def find(self, choice: Choice, shape: WorkShape) -> Bin | None:
        """Return the fullest bin that has room for one more worker."""
        least = choice.accelerators if self._by_chips else shape.vcpus_milli // self._unit
        left = self.mask >> least << least
        while left:
            lowest = left & -left
            left ^= lowest
            for looked, seat in enumerate(self._levels[lowest.bit_length() - 1].values()):
                if seat.fits(choice, shape):
                    return seat
                if looked >= LOOKED_AT:
                    break
        return None

    def _level_of(self, seat: Bin) -> int:
        return seat.accelerators if self._by_chips else seat.vcpus_milli // self._unit
