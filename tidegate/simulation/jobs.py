"""Jobs of a trace, and the shapes that they have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tidegate.vocabulary.demand import AcceleratorNeed, CheckpointHabit, WorkShape


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a trace.

    Attributes:
        id: Unique in its trace.
        submitted: When it was submitted, in seconds from the start of the trace.
        seconds: How long it runs on the accelerators it asks for; no policy is told.
        shape: What it asks of nodes.
        deadline: When it must be done, in seconds from the start; None without a deadline.
    """

    id: str
    submitted: int
    seconds: int
    shape: WorkShape
    deadline: int | None = None

    def accelerators(self) -> int:
        """Return what all its workers take together."""
        need = self.shape.accelerators
        return self.shape.workers * (need[0].per_worker if need else 0)


@lru_cache(maxsize=4096)
def build_shape(
    accelerators: int, node_size: int, accelerator: str, habit: CheckpointHabit | None
) -> WorkShape:
    """Return the shape of a job: beyond one node it is a gang of the fewest equal workers.

    Args:
        accelerators: What the job takes in all; at least 1.
        node_size: Accelerators of a node.
        accelerator: Which.
        habit: How it saves itself; None where it does not.
    """
    workers = -(-accelerators // node_size)
    per_worker = -(-accelerators // workers)
    return WorkShape(
        accelerators=(AcceleratorNeed(accelerator, per_worker),),
        workers=workers,
        checkpoint=habit,
    )


def work_seconds(jobs: Iterable[Job]) -> int:
    """Return accelerator-seconds of work in all jobs."""
    return sum(job.seconds * job.accelerators() for job in jobs)


def cut_window(jobs: Sequence[Job], start: int, end: int) -> tuple[Job, ...]:
    """Return what a span holds of a trace, with times from the span's start.

    What still runs when the span begins (had it started when it was submitted) comes at once with
    what is left; what would run beyond the end is clipped there.
    """
    found = []
    for job in jobs:
        begin, finish = max(job.submitted, start), min(job.submitted + job.seconds, end)
        if finish > begin:
            due = None if job.deadline is None else job.deadline - start
            found.append(
                replace(job, submitted=begin - start, seconds=finish - begin, deadline=due)
            )
    return tuple(sorted(found, key=lambda job: (job.submitted, job.id)))
