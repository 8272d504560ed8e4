"""Bins by what is free on them, so that the fullest one that fits is found at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tidegate.scaling.bins import PLENTY, Bin
from tidegate.scaling.marginal import ZERO, Choice, Domain
from tidegate.scaling.offerings import Offering
from tidegate.vocabulary.demand import WorkShape

LOOKED_AT = 16
"""Nodes of equal free room that are looked at before a new one is ordered."""
CPU_LEVELS = 16
"""How finely the free CPU of nodes without accelerators is told apart."""


class FreeIndex:
    """The offerings of one accelerator by the most that one of their bins has free.

    Attributes:
        levels: Level → a bit for each offering whose fullest-free bin has it.
    """

    __slots__ = ("levels",)

    def __init__(self) -> None:
        """Start with no bin."""
        self.levels: list[int] = []

    def change_highest(self, bit: int, before: int, after: int) -> None:
        """Note the new highest level of an offering; -1 stands for no bin."""
        levels = self.levels
        if after >= len(levels):
            levels.extend([0] * (after + 1 - len(levels)))
        if before >= 0:
            levels[before] ^= bit
        if after >= 0:
            levels[after] |= bit


class Shelf:
    """The bins of one offering by what is free on them; `mask` has a bit for each level in use."""

    __slots__ = ("_bit", "_by_chips", "_index", "_levels", "_unit", "mask")

    def __init__(self, offering: Offering, bit: int, index: FreeIndex) -> None:
        """Prepare the levels of one offering: its accelerators, else sixteenths of its CPU.

        Args:
            offering: Whose bins it holds.
            bit: What stands for the offering in the index.
            index: Of the offering's accelerator.
        """
        self._bit, self._index = bit, index
        room = offering.room
        self._by_chips = room.accelerators > 0
        self._unit = max((room.vcpus_milli or PLENTY) // CPU_LEVELS, 1)
        self._levels: dict[int, dict[str, Bin]] = {}
        self.mask = 0

    def put(self, *seats: Bin) -> None:
        """Add bins; one that is overbooked is kept out of reach."""
        mask = self.mask
        for seat in seats:
            level = self._level_of(seat)
            if level >= 0:
                self._levels.setdefault(level, {})[seat.seat] = seat
                mask |= 1 << level
            seat.shelved = True
        self._change_mask(mask)

    def drop(self, seat: Bin) -> None:
        """Remove a bin."""
        level = self._level_of(seat)
        if level >= 0 and seat.shelved:
            self._change_mask(self._remove(seat, level))
        seat.shelved = False

    def change_room(self, seat: Bin, accelerators: int, vcpus_milli: int, memory_mib: int) -> None:
        """Take so much of a bin's room; it then stands last among those of its new level."""
        before = self._level_of(seat)
        mask = self._remove(seat, before) if before >= 0 and seat.shelved else self.mask
        seat.accelerators -= accelerators
        seat.vcpus_milli -= vcpus_milli
        seat.memory_mib -= memory_mib
        after = self._level_of(seat)
        if after >= 0:
            self._levels.setdefault(after, {})[seat.seat] = seat
            mask |= 1 << after
        seat.shelved = True
        self._change_mask(mask)

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

    def _remove(self, seat: Bin, level: int) -> int:
        """Take a bin off its level and return the mask without it."""
        bins = self._levels[level]
        del bins[seat.seat]
        return self.mask if bins else self.mask & ~(1 << level)

    def _change_mask(self, mask: int) -> None:
        if mask != self.mask:
            before, after = self.mask.bit_length() - 1, mask.bit_length() - 1
            self.mask = mask
            if before != after:
                self._index.change_highest(self._bit, before, after)


Pairs = Sequence[tuple[Choice, Shelf]]
"""Choices in order, each with the bins of its offering."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the workers of one domain can sit.

    Attributes:
        domain: Kept with it, so that no other object can take its id.
        near: What needs no data moved.
        every: All of it.
        asks: For each accelerator and count: where it is looked up, and the bits of `near` and
            `every` in it.
    """

    domain: Domain
    near: Pairs
    every: Pairs
    asks: Sequence[tuple[FreeIndex, int, int, int]]


class Shelves:
    """The shelves of all offerings, and where each domain may find room on them."""

    def __init__(self) -> None:
        """Start with none; they are opened as they are asked for."""
        self._shelves: dict[str, Shelf] = {}
        self._bits: dict[str, int] = {}
        self._free: dict[str, FreeIndex] = {}
        self._reach: dict[int, Reach] = {}

    def of(self, offering: Offering) -> Shelf:
        """Return the shelf of an offering."""
        return self._shelves.get(offering.id) or self._open(offering)

    def with_free(self, domain: Domain, *, nearby: bool) -> Pairs:
        """Return the choices of a domain with their bins, in order; nothing where none is free.

        Args:
            domain: The choices.
            nearby: Only those that need no data moved.
        """
        reach = self._reach.get(id(domain)) or self._find_reach(domain)
        for index, count, near, every in reach.asks:
            bits = near if nearby else every
            for level in index.levels[count:]:
                if level & bits:
                    return reach.near if nearby else reach.every
        return ()

    def _open(self, offering: Offering) -> Shelf:
        bit = self._bits[offering.id] = 1 << len(self._bits)
        index = self._free.setdefault(offering.room.accelerator, FreeIndex())
        shelf = self._shelves[offering.id] = Shelf(offering, bit, index)
        return shelf

    def _find_reach(self, domain: Domain) -> Reach:
        every = [(choice, self.of(choice.offering)) for choice in domain.choices]
        near = [pair for pair in every if pair[0].transfer <= ZERO]
        asks = [
            (self._free[chip], count, self._bits_of(near, chip, count), bits)
            for chip, count in domain.needs
            if (bits := self._bits_of(every, chip, count))
        ]
        reach = self._reach[id(domain)] = Reach(domain, near, every, asks)
        return reach

    def _bits_of(self, pairs: Pairs, chip: str, count: int) -> int:
        """Return the bits of the offerings of one accelerator that take so many for a worker."""
        return sum(
            self._bits[choice.offering.id]
            for choice, _ in pairs
            if choice.accelerators == count and choice.offering.room.accelerator == chip
        )
