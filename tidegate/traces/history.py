"""A queue's own history: what was submitted when, how large, for how long."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidegate.simulation.jobs import Job
from tidegate.traces.polyaxon import read_polyaxon
from tidegate.traces.window import QueueHistory
from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.demand import AcceleratorNeed, CheckpointHabit, WorkShape
from tidegate.vocabulary.problems import InvalidInput, Problem, Unavailable, refuse

REQUIRED = ("id", "submitted", "seconds", "accelerator", "accelerators")
OPTIONAL = (
    "workers",
    "workload_class",
    "priority",
    "checkpoint_seconds",
    "restart_seconds",
    "wait_target_seconds",
    "deadline",
)
Submission = tuple[datetime, Job, datetime | None]
"""When a job came, the job, and when it must be done."""
MOST_PROBLEMS = 20
"""So many faults are told; a file with more is wrong as a whole."""


def read_history(path: Path, accelerator: str | None = None) -> QueueHistory:
    """Return a history; every fault of the file is told at once.

    A `.json` file holds Polyaxon's runs, which do not name the `accelerator` they ran on.

    Columns: id, submitted (ISO 8601 with a zone), seconds (of run time), accelerator and
    accelerators (of each worker), and where wanted workers, workload_class, priority,
    checkpoint_seconds, restart_seconds, wait_target_seconds and deadline (as submitted).

    Raises:
        InvalidInput: With each row that makes no sense.
        Unavailable: For Parquet without duckdb.
    """
    if path.suffix == ".json":
        return _read_runs(path, accelerator)
    rows = list(_read_parquet(path) if path.suffix == ".parquet" else _read_csv(path))
    problems: list[Problem] = []
    found: list[Submission] = []
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        try:
            submitted, job, due = _parse_row(row, f"{path} row {number}")
        except InvalidInput as error:
            problems += error.problems
            continue
        if job.id in seen:
            problems += refuse(f"{path} row {number}", "id", job.id, "is there twice").problems
        seen.add(job.id)
        found.append((submitted, job, due))
    if problems:
        raise InvalidInput(problems[:MOST_PROBLEMS])
    if not found:
        raise refuse(str(path), "", None, "has no jobs", f"rows with {', '.join(REQUIRED)}")
    return _lay_out(found)


def _read_runs(path: Path, accelerator: str | None) -> QueueHistory:
    if accelerator is None:
        expected = "--accelerator with the kind they ran on (h100-80gb)"
        raise refuse(str(path), "", None, "has runs that name no accelerator", expected)
    runs = read_polyaxon(path, accelerator)
    if not runs.jobs:
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(runs.left_out.items()))
        reason = f"has no finished run with accelerators ({told or 'no runs at all'})"
        raise refuse(str(path), "", None, reason, "runs that have ended")
    found = [(submitted, job, None) for submitted, job in runs.jobs]
    return replace(_lay_out(found), left_out=runs.left_out)


def _lay_out(found: Iterable[Submission]) -> QueueHistory:
    ordered = sorted(found, key=lambda entry: (entry[0], entry[1].id))
    start = ordered[0][0]
    shapes: dict[WorkShape, WorkShape] = {}
    jobs = tuple(
        replace(
            job,
            submitted=int((submitted - start).total_seconds()),
            deadline=None if due is None else int((due - start).total_seconds()),
            # Equal jobs share one shape, which is looked at once.
            shape=shapes.setdefault(job.shape, job.shape),
        )
        for submitted, job, due in ordered
    )
    return QueueHistory(jobs, start, max(job.submitted + job.seconds for job in jobs))


def _read_csv(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            _check_columns(path, reader.fieldnames or ())
            yield from reader
    except OSError as error:
        raise refuse(str(path), "", None, f"cannot be read ({error.strerror})", "a file") from error
    except UnicodeDecodeError as error:
        raise refuse(str(path), "", None, "is not UTF-8 text", "CSV or .parquet") from error


def _read_parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        message = "Parquet files need duckdb: install tidegate[parquet], or give CSV"
        raise Unavailable(message) from error
    if not path.is_file():
        raise refuse(str(path), "", None, "cannot be read (No such file or directory)", "a file")
    with duckdb.connect() as connection:
        try:
            told = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        except duckdb.Error as error:
            raise refuse(str(path), "", None, "is no Parquet file", "Parquet or CSV") from error
        names = [column[0] for column in told.description or ()]
        _check_columns(path, names)
        for row in told.fetchall():
            yield dict(zip(names, row, strict=True))


def _check_columns(path: Path, names: Iterable[str]) -> None:
    missing = [name for name in REQUIRED if name not in set(names)]
    if missing:
        expected = f"{', '.join(REQUIRED)}; optional {', '.join(OPTIONAL)}"
        raise refuse(str(path), "", None, f"has no column {', '.join(missing)}", expected)


def _parse_row(row: Mapping[str, Any], where: str) -> Submission:
    classes = [entry.value for entry in WorkloadClass]
    told = row.get("workload_class") or WorkloadClass.TRAINING.value
    if told not in classes:
        raise refuse(where, "workload_class", told, "is not known", f"one of {', '.join(classes)}")
    interval = _number(row, where, "checkpoint_seconds", least=0, default=0)
    restart = _number(row, where, "restart_seconds", least=0, default=60)
    name, chip = str(row.get("id") or ""), str(row.get("accelerator") or "")
    if not name or not chip:
        raise refuse(where, "accelerator" if name else "id", None, "is empty", "a name")
    shape = WorkShape(
        accelerators=(AcceleratorNeed(chip, _number(row, where, "accelerators", least=1)),),
        workers=_number(row, where, "workers", least=1, default=1),
        workload_class=WorkloadClass(told),
        priority=_number(row, where, "priority", least=0, default=0),
        checkpoint=CheckpointHabit(interval, 0, restart) if interval else None,
        wait_target_seconds=_wait_target(row, where),
    )
    submitted = _moment(row, where, "submitted")
    due = None if row.get("deadline") in (None, "") else _moment(row, where, "deadline")
    if due is not None and due <= submitted:
        raise refuse(where, "deadline", str(row["deadline"]), "is not after submitted", "later")
    return submitted, Job(name, 0, _number(row, where, "seconds", least=1), shape), due


def _wait_target(row: Mapping[str, Any], where: str) -> int | None:
    if row.get("wait_target_seconds") in (None, ""):
        return None
    return _number(row, where, "wait_target_seconds", least=0)


def _moment(row: Mapping[str, Any], where: str, name: str) -> datetime:
    told = row.get(name)
    try:
        moment = told if isinstance(told, datetime) else datetime.fromisoformat(str(told))
    except ValueError as error:
        expected = "ISO 8601 with a zone (2026-11-30T12:00:00Z)"
        raise refuse(where, name, str(told), "is no time", expected) from error
    if moment.tzinfo is None:
        raise refuse(where, name, str(told), "names no zone", "a Z or an offset at its end")
    return moment.astimezone(UTC)


def _number(
    row: Mapping[str, Any], where: str, name: str, least: int, default: int | None = None
) -> int:
    told = row.get(name)
    if told in (None, "") and default is not None:
        return default
    expected = f"a whole number, at least {least}"
    try:
        value = float(str(told))
        whole = int(value)
    except (ValueError, OverflowError) as error:
        raise refuse(
            where, name, json.dumps(told, default=str), "is no number", expected
        ) from error
    if whole < least or whole != value:
        raise refuse(where, name, str(told), "makes no sense", expected)
    return whole
