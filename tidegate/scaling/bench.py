"""The workbench of a decision: nodes with their free room, old and new, and who sits where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tidegate.scaling.bins import Bin, build_bin, empty_bin
from tidegate.scaling.ledger import Ledger
from tidegate.scaling.marginal import ZERO, Choice
from tidegate.scaling.offerings import Offering
from tidegate.scaling.shelves import Shelves
from tidegate.scaling.standing import Standing
from tidegate.vocabulary.demand import WorkItem, WorkShape


@dataclass(frozen=True, slots=True, order=True)
class Layout:
    """What a layout adds, compared in this order: the fewer late starts the better.

    Attributes:
        late: Workers on new nodes that start later than their wait target.
        unpriced: New nodes whose price is unknown.
        per_hour: What the other new nodes cost an hour, with rework and transfers.
        nodes: New nodes.
    """

    late: int = 0
    unpriced: int = 0
    per_hour: Decimal = ZERO
    nodes: int = 0


Seated = tuple[Bin, Choice, WorkShape, Sequence[str]]
"""Workers on one bin, so that they can be taken back."""


class Bench:
    """Seats workers on bins and orders new ones; everything can be rolled back to a mark."""

    def __init__(self, standing: Standing) -> None:
        """Lay out what is there."""
        self.standing = standing
        self.situation = standing.situation
        self.offering_of = standing.offering_of
        self.assigned = standing.assigned
        self.bins: dict[str, Bin] = {}
        self.shelves = Shelves()
        self._new: dict[str, list[Bin]] = {}
        self._ordered = 0
        self._capacity: Counter[str] = Counter()
        self._sitting: dict[str, list[Bin]] = {}
        self._journal: list[Seated | Bin] = []
        self._late, self._unpriced, self._per_hour = 0, 0, ZERO
        self._lay_nodes_out()

    def _lay_nodes_out(self) -> None:
        self.ledger = Ledger(self.situation, self.standing.counted)
        running = self.standing.running
        seats: dict[str, list[Bin]] = {}
        for node, offering in self.standing.capacity:
            seat = build_bin(node, offering)
            for item in node.assigned:
                if item in running:
                    # It runs elsewhere and is to move here.
                    seat.reserve(running[item])
            self.bins[seat.seat] = seat
            seats.setdefault(offering.id, []).append(seat)
        for mine in seats.values():
            offering = mine[0].offering
            self._capacity[offering.pool] += len(mine)
            self.shelves.of(offering).put(*mine)

    def capacity_of(self, pool: str) -> int:
        """Return the nodes of a pool that serve or will: healthy ones and ordered ones."""
        return self._capacity[pool]

    def seats_of(self, item: str) -> list[Bin]:
        """Return where an item's workers were seated."""
        return self._sitting.get(item, [])

    def unseated(self, items: Sequence[WorkItem]) -> list[str]:
        """Return the ids of those of whom no worker sits."""
        return [item.id for item in items if not self._sitting.get(item.id)]

    def sitting(self) -> list[tuple[str, list[Bin]]]:
        """Return everyone who sits, with their bins, by item."""
        return [(item, seats) for item in sorted(self._sitting) if (seats := self._sitting[item])]

    def find(self, choice: Choice, shape: WorkShape) -> Bin | None:
        """Return the fullest bin of an offering that has room for one more worker."""
        return self.shelves.of(choice.offering).find(choice, shape)

    def order(self, offering: Offering, *, for_move: bool = False) -> Bin | None:
        """Order one unit of nodes and return its first; None when the ledger refuses."""
        if not self.ledger.allows(offering, for_move=for_move):
            return None
        seats = self._order_unit(offering)
        for seat in seats:
            self.shelves.of(offering).put(seat)
        return seats[0]

    def open_unit(self, offering: Offering) -> Bin:
        """Order one unit of nodes that the ledger is known to allow and return its first.

        The first stands on no shelf until a worker sits on it: that is what it was ordered for.
        """
        first, *others = self._order_unit(offering)
        for seat in others:
            self.shelves.of(offering).put(seat)
        return first

    def _order_unit(self, offering: Offering) -> list[Bin]:
        together = self.situation.pools[offering.pool].nodes_at_once
        return [self._order_one(offering) for _ in range(max(together, 1))]

    def take(self, seat: Bin, choice: Choice, shape: WorkShape, items: Sequence[str]) -> None:
        """Seat one worker of each item named; an item may be named several times."""
        self._change_room(seat, choice, shape, len(items))
        seat.items.extend(items)
        sitting = self._sitting
        for item in items:
            if item in sitting:
                sitting[item].append(seat)
            else:
                sitting[item] = [seat]
        self._journal.append((seat, choice, shape, items))

    def shut(self, seat: Bin) -> None:
        """Let nobody be seated on a bin any more: it is to be emptied."""
        self.shelves.of(seat.offering).drop(seat)

    def reopen(self, seat: Bin) -> None:
        """Undo `shut`."""
        self.shelves.of(seat.offering).put(seat)

    def mark(self) -> int:
        """Return a mark to roll back to."""
        return len(self._journal)

    def rollback(self, mark: int) -> None:
        """Undo everything since a mark."""
        while len(self._journal) > mark:
            entry = self._journal.pop()
            if isinstance(entry, Bin):
                self._cancel(entry)
            else:
                self._untake(*entry)

    def new_bins(self) -> list[Bin]:
        """Return what was ordered, by offering and number."""
        return [seat for name in sorted(self._new) for seat in self._new[name]]

    def cost(self) -> Layout:
        """Return what everything seated and ordered so far adds."""
        return Layout(self._late, self._unpriced, self._per_hour, self._ordered)

    def _order_one(self, offering: Offering) -> Bin:
        mine = self._new.setdefault(offering.id, [])
        seat = empty_bin(f"{offering.id}#{len(mine)}", offering)
        if offering.per_hour is None:
            self._unpriced += not self.ledger.is_covered(offering)
        seat.paid = self.ledger.add(offering)
        self._per_hour += seat.paid
        self._ordered += 1
        mine.append(seat)
        self.bins[seat.seat] = seat
        self._capacity[offering.pool] += 1
        self._journal.append(seat)
        return seat

    def _cancel(self, seat: Bin) -> None:
        """Take the last order of an offering back: the journal is undone from its end."""
        offering = seat.offering
        self.shelves.of(offering).drop(seat)
        del self.bins[seat.seat]
        self._new[offering.id].pop()
        self._ordered -= 1
        self._capacity[offering.pool] -= 1
        self.ledger.remove(offering, seat.paid)
        self._unpriced -= offering.per_hour is None and not self.ledger.is_covered(offering)
        self._per_hour -= seat.paid

    def _untake(self, seat: Bin, choice: Choice, shape: WorkShape, items: Sequence[str]) -> None:
        self._change_room(seat, choice, shape, -len(items))
        del seat.items[-len(items) :]
        for item in items:
            self._sitting[item].pop()

    def _change_room(self, seat: Bin, choice: Choice, shape: WorkShape, workers: int) -> None:
        self.shelves.of(seat.offering).change_room(
            seat,
            choice.accelerators * workers,
            shape.vcpus_milli * workers,
            shape.memory_mib * workers,
        )
        if choice.late and seat.node is None:
            self._late += workers
        if choice.extra:
            self._per_hour += choice.extra * workers
