"""The public traces as queue histories, for who put them in place: `philly:PATH`, `helios:PATH`."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from tidegate.simulation.jobs import Job
from tidegate.traces.options import PUBLISHED, TraceOptions
from tidegate.traces.public import (
    HELIOS_GAPS,
    PHILLY_COLUMNS,
    PHILLY_END,
    PHILLY_START,
    build_unit_jobs,
    list_helios,
    read_helios_minutes,
    read_philly,
    read_rows,
)
from tidegate.traces.window import QueueHistory, cut_history
from tidegate.vocabulary.problems import InvalidInput, refuse, suggest

T = TypeVar("T")


def read_published(name: str, path: Path, options: TraceOptions) -> QueueHistory:
    """Return a public trace, with what is known to be wrong in it handled and told.

    Raises:
        InvalidInput: For files that are not there or not as published, a cluster that is not in
            it, and a window without work.
    """
    with _refusing(name, path):
        return _READERS[name](path, options)


def _read_philly(path: Path, options: TraceOptions) -> QueueHistory:
    rows = 0
    for row in read_rows(path):
        rows += 1
        if any(row.get(column) is None for column in PHILLY_COLUMNS):
            expected = f"columns {', '.join(PHILLY_COLUMNS)}"
            raise refuse(f"{path} row {rows}", "", None, "is not as published", expected)
    clusters = read_philly(path, options.habit(), options.accelerator, options.node_size)
    repeated = rows - sum(len(jobs) for jobs in clusters.values())
    jobs = _choose(clusters, str(path), options.cluster)
    whole = QueueHistory(
        jobs=tuple(sorted(jobs, key=lambda job: (job.submitted, job.id))),
        start=PHILLY_START.replace(tzinfo=UTC),
        end=max(job.submitted + job.seconds for job in jobs),
        left_out={"repeated rows": repeated} if repeated else {},
        assumed=_assumed(options),
    )
    # Before and after its span the trace is nearly empty, or only the ends of long jobs.
    first, last = PHILLY_START.replace(tzinfo=UTC), PHILLY_END.replace(tzinfo=UTC)
    since = options.since or (None if options.until and options.until <= first else first)
    until = options.until or (None if options.since and options.since >= last else last)
    return cut_history(whole, str(path), since, until)


def _read_helios(path: Path, options: TraceOptions) -> QueueHistory:
    files = {file.name.split("_")[0]: [file] for file in list_helios(path)}
    if not files:
        raise FileNotFoundError
    jobs: list[Job] = []
    firsts: list[datetime] = []
    minutes = clipped = 0
    for file in _choose(files, str(path), options.cluster):
        kept = [(at, count) for at, count in read_helios_minutes(file) if _within(at, options)]
        if not kept:
            continue
        level = [count for _, count in kept]
        name = file.name.split("_")[0]
        jobs += build_unit_jobs(level, name, options.habit(), options.accelerator)
        firsts.append(kept[0][0])
        minutes, clipped = max(minutes, len(level)), clipped + level[0] + level[-1]
    if not jobs:
        raise refuse(str(path), "", None, "has no work in the window", "2020-05-01 to 2020-05-31")
    gaps = _gaps(options)
    joined = ("later times are earlier by the minutes not recorded",) if gaps else ()
    return QueueHistory(
        jobs=tuple(sorted(jobs, key=lambda job: (job.submitted, job.id))),
        start=min(firsts).replace(tzinfo=UTC),
        end=minutes * 60,
        left_out=gaps,
        clipped=clipped,
        divisible=True,
        assumed=("GPUs in use as units that may be anywhere", *joined, *_assumed(options)),
    )


def _within(at: datetime, options: TraceOptions) -> bool:
    moment = at.replace(tzinfo=UTC)
    after = options.since is None or moment >= options.since
    return after and (options.until is None or moment < options.until)


def _gaps(options: TraceOptions) -> dict[str, int]:
    """Return the minutes that the trace reads as zero in every cluster, of the window."""
    count = 0
    for first, last in HELIOS_GAPS:
        at, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
        minutes = (at + timedelta(minutes=n) for n in range(int((end - at).total_seconds()) // 60))
        count += sum(1 for minute in minutes if _within(minute, options))
    return {"minutes not recorded": count} if count else {}


def _assumed(options: TraceOptions) -> tuple[str, ...]:
    seconds = options.checkpoint_seconds
    saves = f"jobs save themselves every {seconds} s" if seconds else "jobs never save themselves"
    return (f"each GPU is a {options.accelerator}", saves)


def _choose(clusters: Mapping[str, Iterable[T]], where: str, wanted: str | None) -> list[T]:
    if wanted is None:
        return [entry for entries in clusters.values() for entry in entries]
    if wanted not in clusters:
        reason = f"is no virtual cluster of the trace{suggest(wanted, clusters)}"
        raise refuse(where, "--cluster", wanted, reason, f"one of {', '.join(sorted(clusters))}")
    return list(clusters[wanted])


@contextmanager
def _refusing(name: str, path: Path) -> Iterator[None]:
    """Turn what a file that is not the trace leads to into one message."""
    try:
        yield
    except InvalidInput:
        raise
    except (OSError, EOFError, zlib.error) as error:
        missing = isinstance(error, FileNotFoundError)
        told = getattr(error, "strerror", None) or str(error)
        reason = "is not there" if missing else f"cannot be read ({told})"
        raise refuse(str(path), "", None, reason, PUBLISHED[name]) from error
    except (KeyError, ValueError) as error:
        reason = f"is not the trace as published ({error})"
        raise refuse(str(path), "", None, reason, PUBLISHED[name]) from error


_READERS: dict[str, Callable[[Path, TraceOptions], QueueHistory]] = {
    "philly": _read_philly,
    "helios": _read_helios,
}
