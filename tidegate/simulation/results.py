"""What came out of a run: cost, waits, losses and how often a fleet was changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.simulation.setup import Setup
from tidegate.simulation.spent import CommittedUse, Levels, Spent, measure_commitments
from tidegate.simulation.world import Ticket, World

HOUR = Decimal(3600)


@dataclass(slots=True)
class Record:
    """What is noted while a run goes on; names as in its result.

    Attributes:
        finished: When each job ended.
    """

    waits: dict[str, int] = field(default_factory=dict)
    stalls: dict[str, int] = field(default_factory=dict)
    finished: dict[str, int] = field(default_factory=dict)
    lost_seconds: int = 0
    interrupted_seconds: int = 0
    interruptions: int = 0
    decisions: int = 0
    actions: int = 0
    levels: list[tuple[int, dict[str, int]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QueueResult:
    """One policy on one trace.

    Attributes:
        cost: Nodes from order to end, beyond commitments, and unfinished work at the dearest price.
        unfinished_cost: The part of it that is for unfinished work.
        paid_hours: Offering id → node-hours.
        offering_costs: Offering id → what those cost beyond commitments.
        ordered: Nodes that were ordered.
        useful_seconds: Accelerator-seconds of work of all jobs, finished or not.
        left_seconds: The part of it that was not done.
        waits: Seconds until each job first started; those that never did waited until the end.
        stalls: Seconds that jobs waited again after an interruption or a move.
        lost_seconds: Accelerator-seconds of work that interruptions and moves undid.
        interrupted_seconds: The part of them that interruptions undid.
        deadlines: Jobs with a deadline.
        missed: Those of them that were not done in time.
        wait_targets: Jobs that say how long they may wait.
        wait_targets_met: Those of them that started within it.
        interruptions: Nodes that were taken away.
        decisions: How often the policy was asked.
        actions: Orders, stops and drains.
        levels: (second, offering id → nodes there) after each change.
        spent: Offering id → what the paid time of its nodes went into.
        commitments: Commitment id → how far it was used.
        span_seconds: From second 0 until the last job came or ended, or nodes last changed.
    """

    cost: Decimal
    unfinished_cost: Decimal
    paid_hours: Mapping[str, Decimal]
    offering_costs: Mapping[str, Decimal]
    ordered: int
    useful_seconds: int
    left_seconds: int
    waits: Mapping[str, int]
    stalls: Mapping[str, int]
    lost_seconds: int
    interrupted_seconds: int
    deadlines: int
    missed: int
    wait_targets: int
    wait_targets_met: int
    interruptions: int
    decisions: int
    actions: int
    levels: Levels
    spent: Mapping[str, Spent]
    commitments: Mapping[str, CommittedUse]
    span_seconds: int

    def wait_at(self, share: float) -> int:
        """Return the wait that a share of jobs does not exceed; 0 without jobs."""
        ordered = sorted(self.waits.values())
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0

    def mean_wait(self) -> float:
        """Return the mean wait of a job; 0 without jobs."""
        return sum(self.waits.values()) / len(self.waits) if self.waits else 0.0


def build_result(
    setup: Setup, world: World, waiting: Iterable[Ticket], record: Record
) -> QueueResult:
    """Return the result of a run that has ended.

    Args:
        setup: What the run was given.
        world: The cloud at the end, with what still runs.
        waiting: Who still waits.
        record: What was noted on the way.
    """
    left = 0
    waits, stalls = dict(record.waits), dict(record.stalls)
    for run in world.runs.values():
        left += (run.job.seconds - run.progress(setup.end)) * run.job.accelerators()
    for ticket in waiting:
        left += (ticket.job.seconds - ticket.done) * ticket.job.accelerators()
        late = stalls if ticket.job.id in waits else waits
        late[ticket.job.id] = late.get(ticket.job.id, 0) + setup.end - ticket.since
    unfinished = left * _dearest(setup) / HOUR
    paid = {name: seconds / HOUR for name, seconds in world.paid_seconds.items()}
    span = _span(setup, record)
    deadlines = {job.id: job.deadline for job in setup.jobs if job.deadline is not None}
    targets = {
        job.id: job.shape.wait_target_seconds
        for job in setup.jobs
        if job.shape.wait_target_seconds is not None
    }
    costs = _bill(setup, paid, record.levels)
    return QueueResult(
        cost=sum(costs.values(), unfinished),
        unfinished_cost=unfinished,
        paid_hours=paid,
        offering_costs=costs,
        ordered=sum(world.ordered.values()),
        useful_seconds=sum(job.seconds * job.accelerators() for job in setup.jobs),
        left_seconds=left,
        waits=waits,
        stalls=stalls,
        lost_seconds=record.lost_seconds,
        interrupted_seconds=record.interrupted_seconds,
        deadlines=len(deadlines),
        missed=sum(1 for name, due in deadlines.items() if not _by(due, record.finished.get(name))),
        wait_targets=len(targets),
        wait_targets_met=sum(_by(most, record.waits.get(name)) for name, most in targets.items()),
        interruptions=record.interruptions,
        decisions=record.decisions,
        actions=record.actions,
        levels=tuple(record.levels),
        spent=dict(world.spent),
        commitments=measure_commitments(setup.market, record.levels, setup.start, span),
        span_seconds=span,
    )


def _by(limit: int, second: int | None) -> bool:
    """Return whether something happened, and not after its limit."""
    return second is not None and second <= limit


def _dearest(setup: Setup) -> Decimal:
    """Return the dearest price of an accelerator hour."""
    return max(
        (entry.per_hour or Decimal(0)) / entry.room.accelerators
        for entry in setup.market.offerings
        if entry.room.accelerators
    )


def _bill(setup: Setup, paid: Mapping[str, Decimal], levels: Levels) -> dict[str, Decimal]:
    """Return what nodes cost by offering; what a commitment pays for is paid anyway."""
    prices = {entry.id: entry.per_hour or Decimal(0) for entry in setup.market.offerings}
    covered: Counter[str] = Counter()
    for use in measure_commitments(setup.market, levels, setup.start, setup.end).values():
        covered.update(use.covered)
    return {name: prices[name] * (hours - covered[name] / HOUR) for name, hours in paid.items()}


def _span(setup: Setup, record: Record) -> int:
    """Return the last second in which a job came or ended, or nodes changed."""
    lasts = [
        *(job.submitted for job in setup.jobs),
        *record.finished.values(),
        *(second for second, _ in record.levels[-1:]),
    ]
    return min(max(lasts, default=0), setup.end)
