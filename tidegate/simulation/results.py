"""What came out of a run: cost, waits, losses and how often a fleet was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidegate.simulation.engine import Engine
    from tidegate.simulation.setup import Setup

HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class QueueResult:
    """One policy on one trace.

    Attributes:
        cost: Nodes from order to end, and unfinished work at the dearest price.
        unfinished_cost: The part of it that is for unfinished work.
        paid_hours: Offering id → node-hours.
        useful_seconds: Accelerator-seconds of work of all jobs, finished or not.
        waits: Seconds until each job first started; those that never did waited until the end.
        stalls: Seconds that jobs waited again after an interruption or a move.
        lost_seconds: Accelerator-seconds of work that interruptions and moves undid.
        missed: Jobs with a deadline that were not done in time.
        interruptions: Nodes that were taken away.
        decisions: How often the policy was asked.
        actions: Orders, stops and drains.
        levels: (second, offering id → nodes there) after each change.
    """

    cost: Decimal
    unfinished_cost: Decimal
    paid_hours: Mapping[str, Decimal]
    useful_seconds: int
    waits: Mapping[str, int]
    stalls: Mapping[str, int]
    lost_seconds: int
    missed: int
    interruptions: int
    decisions: int
    actions: int
    levels: Sequence[tuple[int, Mapping[str, int]]]

    def wait_at(self, share: float) -> int:
        """Return the wait that a share of jobs does not exceed; 0 without jobs."""
        ordered = sorted(self.waits.values())
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0

    def mean_wait(self) -> float:
        """Return the mean wait of a job; 0 without jobs."""
        return sum(self.waits.values()) / len(self.waits) if self.waits else 0.0


def build_result(setup: Setup, engine: Engine) -> QueueResult:
    """Return the result of a run that has ended."""
    prices = {entry.id: entry.per_hour or Decimal(0) for entry in setup.market.offerings}
    per_accelerator = max(
        (entry.per_hour or Decimal(0)) / entry.room.accelerators
        for entry in setup.market.offerings
        if entry.room.accelerators
    )
    paid = {name: seconds / HOUR for name, seconds in engine.world.paid_seconds.items()}
    left = 0
    waits, stalls = dict(engine.waits), dict(engine.stalls)
    for run in engine.world.runs.values():
        left += (run.job.seconds - run.progress(setup.end)) * run.job.accelerators()
    for ticket in engine.waiting.values():
        left += (ticket.job.seconds - ticket.done) * ticket.job.accelerators()
        late = stalls if ticket.job.id in waits else waits
        late[ticket.job.id] = late.get(ticket.job.id, 0) + setup.end - ticket.since
    unfinished = left * per_accelerator / HOUR
    missed = sum(
        1
        for job in setup.jobs
        if job.deadline is not None and engine.finished.get(job.id, setup.end + 1) > job.deadline
    )
    return QueueResult(
        cost=sum((prices[name] * hours for name, hours in paid.items()), unfinished),
        unfinished_cost=unfinished,
        paid_hours=paid,
        useful_seconds=sum(job.seconds * job.accelerators() for job in setup.jobs),
        waits=waits,
        stalls=stalls,
        lost_seconds=engine.lost_seconds,
        missed=missed,
        interruptions=engine.interruptions,
        decisions=engine.decisions,
        actions=engine.actions,
        levels=tuple(engine.levels),
    )
