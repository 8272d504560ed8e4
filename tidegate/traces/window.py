"""A span of a history: what it holds, and what was cut at its ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tidegate.simulation.jobs import Job, cut_window
from tidegate.vocabulary.problems import refuse


@dataclass(frozen=True, slots=True)
class QueueHistory:
    """Jobs by submission, in seconds from `start`, and the last second in which one ran.

    Attributes:
        jobs: What was submitted.
        start: What second 0 is.
        end: The last second.
        left_out: How many entries of the source were no jobs, by reason.
        clipped: Jobs that ran over an end of the window and count with their part within.
        divisible: Whether work may be anywhere at once: units of a level, not single jobs.
        assumed: What the source does not tell and was taken to be so.
    """

    jobs: tuple[Job, ...]
    start: datetime
    end: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    clipped: int = 0
    divisible: bool = False
    assumed: tuple[str, ...] = ()


def cut_history(
    told: QueueHistory, where: str, since: datetime | None, until: datetime | None
) -> QueueHistory:
    """Return what a span holds of a history; the whole where neither end is given.

    Raises:
        InvalidInput: For a span in which nothing ran.
    """
    if since is None and until is None:
        return told
    earliest = min(job.submitted for job in told.jobs)
    first = earliest if since is None else (since - told.start) // timedelta(seconds=1)
    last = told.end if until is None else (until - told.start) // timedelta(seconds=1)
    jobs = cut_window(told.jobs, first, last)
    if not jobs:
        ends = f"{_moment(told, earliest)} to {_moment(told, told.end)}"
        raise refuse(where, "", None, "has no jobs between --from and --until", f"within {ends}")
    outside = len(told.jobs) - len(jobs)
    left_out = dict(told.left_out) | ({"outside the window": outside} if outside else {})
    whole = {job.id: job.seconds for job in told.jobs}
    clipped = sum(1 for job in jobs if job.seconds < whole[job.id])
    return replace(
        told,
        jobs=jobs,
        start=told.start + timedelta(seconds=first),
        end=max(job.submitted + job.seconds for job in jobs),
        left_out=left_out,
        clipped=told.clipped + clipped,
    )


def _moment(told: QueueHistory, second: int) -> str:
    return f"{told.start + timedelta(seconds=second):%Y-%m-%dT%H:%MZ}"
