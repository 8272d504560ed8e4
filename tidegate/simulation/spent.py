"""What the paid time of nodes went into, and what commitments paid of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from tidegate.scaling.offerings import CommittedCapacity, Offering, Offerings

Levels = Sequence[tuple[int, Mapping[str, int]]]
"""(second, offering id → nodes there or in flight) after each change, by time."""


@dataclass(slots=True)
class Spent:
    """What nodes of one offering did, in accelerator-seconds, while they were paid for.

    Attributes:
        booting: From the order until a node could take work.
        restarting: Running work that had not yet gone on from where it was saved.
        working: Running work, what was undone later included.
        undone: The part of it that interruptions and moves undid.
        unused_nodes: Nodes that a decision ended before any work ran on them.
        unused_seconds: Seconds that those were paid for.
    """

    booting: int = 0
    restarting: int = 0
    working: int = 0
    undone: int = 0
    unused_nodes: int = 0
    unused_seconds: int = 0

    def note_run(self, accelerators: int, lasted: int, restart: int, undone: int) -> None:
        """Count a stretch of one worker: its seconds, those until it went on, those undone."""
        restarting = min(lasted, restart)
        self.restarting += restarting * accelerators
        self.working += (lasted - restarting) * accelerators
        self.undone += undone * accelerators

    def note_unused(self, seconds: int) -> None:
        """Count a node that nothing ever ran on."""
        self.unused_nodes += 1
        self.unused_seconds += seconds


@dataclass(frozen=True, slots=True)
class CommittedUse:
    """How far one commitment was used over a run.

    Attributes:
        units: What it pays for: nodes, accelerators or an amount an hour.
        share: Used ÷ paid for, until it ended; None where it had ended before.
        covered: Offering id → node-seconds that it paid for.
    """

    units: Decimal
    share: Decimal | None
    covered: Mapping[str, int]


def measure_commitments(
    market: Offerings, levels: Levels, start: datetime, end: int
) -> dict[str, CommittedUse]:
    """Return each commitment that an offering draws on; of others nobody here sees the use.

    Args:
        market: Offerings and commitments; the dearest node is the first that one pays for.
        levels: What was there, by time.
        start: What second 0 is.
        end: The last second that counts.
    """
    drawn = {entry.commitment for entry in market.offerings}
    return {
        each.id: _measure(each, market.offerings, levels, _last(each, start, end))
        for each in market.commitments
        if each.id in drawn
    }


def _last(commitment: CommittedCapacity, start: datetime, end: int) -> int:
    if commitment.ends is None:
        return end
    return min(end, max((commitment.ends - start) // timedelta(seconds=1), 0))


def _measure(
    commitment: CommittedCapacity, offerings: Iterable[Offering], levels: Levels, last: int
) -> CommittedUse:
    mine = [entry for entry in offerings if entry.commitment == commitment.id]
    mine.sort(key=lambda entry: (-(entry.per_hour or 0), entry.id))
    covered: Counter[str] = Counter()
    used = Decimal(0)
    for number, (second, alive) in enumerate(levels):
        until = levels[number + 1][0] if number + 1 < len(levels) else last
        lasts = min(until, last) - second
        if lasts <= 0:
            continue
        left = commitment.capacity
        for entry in mine:
            nodes, weight = alive.get(entry.id, 0), entry.commitment_weight
            covered[entry.id] += min(nodes, max(int(left / weight), 0) if weight else 0) * lasts
            left -= nodes * weight
        used += min(commitment.capacity - left, commitment.capacity) * lasts
    paid = commitment.capacity * last
    return CommittedUse(commitment.capacity, used / paid if paid else None, covered)
