"""Polyaxon's runs as a history: what `polyaxon ops ls -o json` or its API answers.

Such a run tells when it was created, started and finished and how many GPUs it asked for, but not
of which kind. Of a distributed run the list tells one replica's GPUs; the run itself (`polyaxon ops
get -o json`) tells its replicas in `content` (Polyaxon 2.18, as its server answers).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidegate.simulation.jobs import Job
from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.demand import AcceleratorNeed, WorkShape
from tidegate.vocabulary.polyaxon_pods import list_pods
from tidegate.vocabulary.problems import refuse

GPU_LIMITS = ("nvidia.com/gpu", "amd.com/gpu", "gpu")
"""What Kubernetes and Polyaxon call accelerators in a container's limits."""
ONE_CONTAINER = frozenset({"job", "service"})
"""Runtimes of one container, whose GPUs the list tells in full."""
EXPECTED = "what `polyaxon ops ls -o json` prints"


@dataclass(frozen=True, slots=True)
class PolyaxonRuns:
    """Runs that took accelerators, with when they were created, and how many others there were."""

    jobs: tuple[tuple[datetime, Job], ...]
    left_out: Mapping[str, int]


def read_polyaxon(path: Path, accelerator: str) -> PolyaxonRuns:
    """Return the runs of a file; those without accelerators or without an end are left out.

    Args:
        path: A list of runs, one run, or an answer with `results`.
        accelerator: The kind of accelerator that they ran on.

    Raises:
        InvalidInput: Where the file is something else, or a run's size cannot be known.
    """
    found, left_out = [], Counter[str]()
    for number, run in enumerate(_read_runs(path), start=1):
        where = f"{path} run {number}"
        if not isinstance(run, Mapping) or not run.get("uuid"):
            raise refuse(where, "uuid", None, "is missing", EXPECTED)
        reason = _why_left_out(run, where)
        if reason:
            left_out[reason] += 1
        else:
            found.append(_parse_run(run, accelerator, where))
    return PolyaxonRuns(tuple(found), left_out)


def _read_runs(path: Path) -> list[Any]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise refuse(str(path), "", None, f"cannot be read ({error.strerror})", "a file") from error
    except ValueError as error:
        raise refuse(str(path), "", None, "is not JSON", EXPECTED) from error
    if isinstance(told, dict):
        told = told.get("results", [told])
    if not isinstance(told, list):
        raise refuse(str(path), "", None, "holds no runs", EXPECTED)
    return told


def _why_left_out(run: Mapping[str, Any], where: str) -> str | None:
    if not run.get("started_at"):
        return "never started"
    if not run.get("finished_at"):
        return "not finished"
    return None if _size(run, where) else "without accelerators"


def _parse_run(run: Mapping[str, Any], chip: str, where: str) -> tuple[datetime, Job]:
    created, started, finished = (
        _moment(run, name, where) for name in ("created_at", "started_at", "finished_at")
    )
    workers, each = _size(run, where) or (1, 0)
    service = run.get("runtime") == "service"
    shape = WorkShape(
        accelerators=(AcceleratorNeed(chip, each),),
        workers=workers,
        workload_class=WorkloadClass.NOTEBOOK if service else WorkloadClass.TRAINING,
    )
    seconds = max(int((finished - started).total_seconds()), 1)
    return created, Job(str(run["uuid"]), 0, seconds, shape)


def _size(run: Mapping[str, Any], where: str) -> tuple[int, int] | None:
    """Return workers and accelerators of each; None where it took none."""
    if run.get("content"):
        return _size_of_content(str(run["content"]), where)
    told = (run.get("resources") or {}).get("gpu") or 0
    each = _whole(told, f"{where}: resources", "gpu")
    if each and run.get("runtime") not in ONE_CONTAINER:
        reason = "is missing: of a distributed run the list tells one replica alone"
        raise refuse(where, "content", None, reason, "the run from `polyaxon ops get -o json`")
    return (1, each) if each else None


def _size_of_content(content: str, where: str) -> tuple[int, int] | None:
    try:
        run = json.loads(content)["run"]
        groups = [(count, _limit(pod["container"], where)) for count, pod in list_pods(run)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        expected = "the compiled operation, as Polyaxon stores it"
        raise refuse(where, "content", content[:60], "is not understood", expected) from error
    sized = [(count, each) for count, each in groups if each]
    # Replicas of different sizes count as the largest: nodes are ordered for that.
    return (sum(n for n, _ in sized), max(each for _, each in sized)) if sized else None


def _limit(container: Mapping[str, Any], where: str) -> int:
    resources = container.get("resources") or {}
    told: Iterable[Any] = (
        (resources.get(kind) or {}).get(name)
        for kind in ("limits", "requests")
        for name in GPU_LIMITS
    )
    return next((_whole(value, where, "gpu") for value in told if value), 0)


def _whole(told: object, where: str, name: str) -> int:
    try:
        value = float(str(told))
        whole = int(value)
    except (ValueError, OverflowError):
        value, whole = 0.0, -1
    if whole < 0 or whole != value:
        raise refuse(where, name, str(told), "makes no sense", "a whole number of accelerators")
    return whole


def _moment(run: Mapping[str, Any], name: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(str(run.get(name)))
    except ValueError as error:
        raise refuse(where, name, str(run.get(name)), "is no time", "ISO 8601") from error
    # Polyaxon's server keeps UTC.
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
