"""What nobody can go below, whatever they knew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tidegate.scaling.offerings import Offering
from tidegate.simulation.jobs import Job, work_seconds


@dataclass(frozen=True, slots=True)
class NodeTerms:
    """What nodes of one kind cost and hold: price an hour, accelerators, boot seconds."""

    per_hour: float
    accelerators: int
    boot_seconds: int


def bound_work(jobs: Iterable[Job], node: NodeTerms) -> float:
    """Return the cost of the work alone, on nodes that are always full and never boot."""
    return work_seconds(jobs) / 3600 / node.accelerators * node.per_hour


def demand_steps(jobs: Iterable[Job], wait: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (seconds, accelerators certainly in use from then on) if nobody waits longer.

    A job that starts within `wait` of its submission runs from then until its end at the earliest;
    before and after that it may run or not.
    """
    changes: dict[int, int] = {}
    for job in jobs:
        size = job.accelerators() if job.seconds > wait else 0
        begin = job.submitted + wait
        changes[begin] = changes.get(begin, 0) + size
        changes[job.submitted + job.seconds] = changes.get(job.submitted + job.seconds, 0) - size
    seconds = np.array(sorted(changes), dtype=np.int64)
    return seconds, np.cumsum([changes[int(second)] for second in seconds])


def bound_levels(jobs: Sequence[Job], node: NodeTerms, wait: int = 0) -> float:
    """Return the least cost of serving divisible demand when no job waits longer than `wait`.

    Demand is rounded up to whole nodes. The n-th node is kept through a gap in which fewer than n
    are needed if that costs less than booting it anew; nodes are independent of each other, so that
    this is the optimum.
    """
    seconds, level = demand_steps(jobs, wait)
    needed = -(-level // node.accelerators)
    total = 0
    for number in range(1, int(needed.max(initial=0)) + 1):
        total += _cost_of_level(seconds, needed >= number, node.boot_seconds)
    return total / 3600 * node.per_hour


def bound_mean_wait(jobs: Sequence[Job], node: NodeTerms, mean_wait: float) -> float:
    """Return a cost below which no policy comes whose jobs wait no longer on average.

    Work may be anywhere at once and nodes never boot. If nobody waited, demand rounded up to whole
    nodes would be paid for at every moment. A job that waits is missing only while it waits, and
    then spares at most the nodes that it fills alone; so all waits together spare no more than
    that, given to the jobs that fill most. Stalls count as waits.

    Args:
        jobs: The demand.
        node: The only kind of node.
        mean_wait: Seconds, over all jobs.
    """
    seconds, level = demand_steps(jobs)
    whole = float((-(-level[:-1] // node.accelerators) * np.diff(seconds)).sum())
    left = mean_wait * len(jobs)
    for job in sorted(jobs, key=lambda job: -job.accelerators()):
        waits = min(left, job.seconds)
        whole -= waits * -(-job.accelerators() // node.accelerators)
        left -= waits
    return max(whole / 3600 * node.per_hour, bound_work(jobs, node))


def _cost_of_level(seconds: NDArray[np.int64], on: NDArray[np.bool_], boot: int) -> int:
    """Return the paid seconds of one node: its use, and each gap or the boot after it."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], on, [False])).astype(np.int8)))
    last = len(seconds) - 1
    starts, ends = seconds[edges[0::2]], seconds[np.minimum(edges[1::2], last)]
    gaps = starts[1:] - ends[:-1]
    return int((ends - starts).sum()) + boot + int(np.minimum(gaps, boot).sum())


def bound_rate(jobs: Iterable[Job], offerings: Sequence[Offering]) -> Decimal:
    """Return the cost of the work alone, each job at the cheapest accelerator hour it may use.

    What a commitment pays for is not billed: any of its offerings counts as free.
    """
    total = Decimal(0)
    for job in jobs:
        chip = job.shape.accelerators[0].accelerator
        rates = [
            Decimal(0)
            if entry.commitment
            else (entry.per_hour or Decimal(0)) / entry.room.accelerators
            for entry in offerings
            if entry.room.accelerator == chip and entry.room.accelerators
        ]
        total += min(rates, default=Decimal(0)) * work_seconds([job]) / 3600
    return total
