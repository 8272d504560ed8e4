"""The workbench of a decision: nodes with their free room, old and new, and who sits where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tidegate.scaling.bins import Bin, Shelf, Tally, build_bin, empty_bin
from tidegate.scaling.ledger import Ledger
from tidegate.scaling.marginal import ZERO, Choice, Domain
from tidegate.scaling.nodes import counts, is_capacity, nodes_of, offering_of
from tidegate.scaling.offerings import Offering
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.demand import WorkShape


@dataclass(frozen=True, slots=True, order=True)
class Layout:
    """What a layout adds, compared in this order: the fewer nodes of unknown price the better.

    Attributes:
        unpriced: New nodes whose price is unknown.
        per_hour: What the other new nodes cost an hour, with rework and transfers.
        nodes: New nodes.
    """

    unpriced: int = 0
    per_hour: Decimal = ZERO
    nodes: int = 0


@dataclass(slots=True)
class Seated:
    """Workers on one bin, so that they can be taken back."""

    bin: Bin
    choice: Choice
    shape: WorkShape
    items: Sequence[str]


class Bench:
    """Seats workers on bins and orders new ones; everything can be rolled back to a mark."""

    def __init__(self, situation: Situation) -> None:
        """Lay out what is there."""
        self.situation = situation
        self.bins: dict[str, Bin] = {}
        self.assigned: dict[str, list[str]] = {}
        self.shelves: dict[str, Shelf] = {}
        self._shelves_of: dict[int, tuple[Domain, list[tuple[Choice, Shelf]]]] = {}
        self._tallies: dict[str, Tally] = {}
        self._new: dict[str, Bin] = {}
        self._ordered: Counter[str] = Counter()
        self._capacity: Counter[str] = Counter()
        self._sitting: dict[str, list[Bin]] = {}
        self._journal: list[Seated | Bin] = []
        self._unpriced, self._per_hour = 0, ZERO
        self._lay_nodes_out()

    def _lay_nodes_out(self) -> None:
        situation = self.situation
        nodes = nodes_of(situation)
        self.offering_of = {node.id: offering_of(node, situation) for node in nodes}
        known = [(node, self.offering_of[node.id]) for node in nodes]
        self.ledger = Ledger(situation, [entry for entry in known if counts(*entry, situation)])
        running = {work.item: work for node in nodes for work in node.work()}
        for node, offering in known:
            if offering is None or not is_capacity(node, offering, situation):
                continue
            seat = build_bin(node, offering)
            for item in node.assigned:
                self.assigned.setdefault(item, []).append(node.id)
                if item in running:
                    # It runs elsewhere and is to move here.
                    seat.reserve(running[item])
            self._add(seat)

    def capacity_of(self, pool: str) -> int:
        """Return the nodes of a pool that serve or will: healthy ones and ordered ones."""
        return self._capacity[pool]

    def seats_of(self, item: str) -> list[Bin]:
        """Return where an item's workers were seated."""
        return self._sitting.get(item, [])

    def sitting(self) -> list[tuple[str, list[Bin]]]:
        """Return everyone who sits, with their bins."""
        return [(item, seats) for item, seats in self._sitting.items() if seats]

    def has_free(self, domain: Domain) -> bool:
        """Return whether any bin may have room for a worker; False is certain."""
        for chip, count in domain.needs:
            tally = self._tallies.get(chip)
            if tally is not None and tally.mask >> count:
                return True
        return False

    def shelves_of(self, domain: Domain) -> list[tuple[Choice, Shelf]]:
        """Return the choices of a domain with their bins, in order."""
        noted = self._shelves_of.get(id(domain))
        if noted is None:
            # The domain is kept with them, so that no other object can take its id.
            pairs = [(choice, self._shelf_of(choice.offering)) for choice in domain.choices]
            noted = self._shelves_of[id(domain)] = (domain, pairs)
        return noted[1]

    def find(self, choice: Choice, shape: WorkShape) -> Bin | None:
        """Return the fullest bin of an offering that has room for one more worker."""
        shelf = self.shelves.get(choice.offering.id)
        return None if shelf is None else shelf.find(choice, shape)

    def order(self, offering: Offering) -> Bin | None:
        """Order one unit of nodes and return its first; None when the ledger refuses."""
        if self.ledger.refusal(offering) is not None:
            return None
        pool = self.situation.pools[offering.pool]
        first = self._order_one(offering)
        for _ in range(pool.nodes_at_once - 1):
            self._order_one(offering)
        return first

    def take(self, seat: Bin, choice: Choice, shape: WorkShape, items: Sequence[str]) -> None:
        """Seat one worker of each item named; an item may be named several times."""
        self._change_room(seat, choice, shape, len(items))
        seat.items.extend(items)
        for item in items:
            self._sitting.setdefault(item, []).append(seat)
        self._journal.append(Seated(seat, choice, shape, items))

    def shut(self, seat: Bin) -> None:
        """Let nobody be seated on a bin any more: it is to be emptied."""
        self.shelves[seat.offering.id].drop(seat)

    def reopen(self, seat: Bin) -> None:
        """Undo `shut`."""
        self.shelves[seat.offering.id].put(seat)

    def mark(self) -> int:
        """Return a mark to roll back to."""
        return len(self._journal)

    def rollback(self, mark: int) -> None:
        """Undo everything since a mark."""
        while len(self._journal) > mark:
            entry = self._journal.pop()
            if isinstance(entry, Seated):
                self._untake(entry)
            else:
                self._cancel(entry)

    def new_bins(self) -> list[Bin]:
        """Return what was ordered, by offering and number."""
        return sorted(self._new.values(), key=lambda seat: (seat.offering.id, seat.number))

    def cost(self) -> Layout:
        """Return what everything seated and ordered so far adds."""
        return Layout(self._unpriced, self._per_hour, len(self._new))

    def _order_one(self, offering: Offering) -> Bin:
        number = self._ordered[offering.id]
        self._ordered[offering.id] += 1
        seat = empty_bin(f"{offering.id}#{number}", offering, number=number)
        covered = self.ledger.is_covered(offering)
        seat.paid = self.ledger.add(offering)
        self._unpriced += offering.per_hour is None and not covered
        self._per_hour += seat.paid
        self._new[seat.seat] = seat
        self._add(seat)
        self._journal.append(seat)
        return seat

    def _cancel(self, seat: Bin) -> None:
        offering = seat.offering
        self.shelves[offering.id].drop(seat)
        del self.bins[seat.seat], self._new[seat.seat]
        self._ordered[offering.id] -= 1
        self._capacity[offering.pool] -= 1
        self.ledger.remove(offering, seat.paid)
        self._unpriced -= offering.per_hour is None and not self.ledger.is_covered(offering)
        self._per_hour -= seat.paid

    def _untake(self, entry: Seated) -> None:
        self._change_room(entry.bin, entry.choice, entry.shape, -len(entry.items))
        del entry.bin.items[-len(entry.items) :]
        for item in entry.items:
            self._sitting[item].pop()

    def _change_room(self, seat: Bin, choice: Choice, shape: WorkShape, workers: int) -> None:
        shelf = self.shelves[seat.offering.id]
        shelf.drop(seat)
        seat.accelerators -= choice.accelerators * workers
        seat.vcpus_milli -= shape.vcpus_milli * workers
        seat.memory_mib -= shape.memory_mib * workers
        shelf.put(seat)
        if choice.extra:
            self._per_hour += choice.extra * workers

    def _add(self, seat: Bin) -> None:
        self._shelf_of(seat.offering).put(seat)
        self.bins[seat.seat] = seat
        self._capacity[seat.offering.pool] += 1

    def _shelf_of(self, offering: Offering) -> Shelf:
        shelf = self.shelves.get(offering.id)
        if shelf is None:
            tally = self._tallies.setdefault(offering.room.accelerator, Tally())
            shelf = self.shelves[offering.id] = Shelf(offering, tally)
        return shelf
