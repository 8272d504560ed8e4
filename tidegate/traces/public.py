"""Readers of the public traces of the evaluation, with what is known to be wrong in them."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tidegate.simulation.jobs import Job, build_shape
from tidegate.vocabulary.demand import CheckpointHabit

# The traces' own clocks, without a zone.
PHILLY_START = datetime(2017, 9, 25)  # noqa: DTZ001
PHILLY_END = datetime(2017, 11, 10)  # noqa: DTZ001
"""Before it, the trace is nearly empty."""
PHILLY_SECONDS = int((PHILLY_END - PHILLY_START).total_seconds())
PHILLY_COLUMNS = ("timestamp", "duration", "num_gpus", "gpu_time", "cluster")
HELIOS_GAPS = (
    ("2020-05-09 23:56:00", "2020-05-11 00:00:00"),
    ("2020-05-12 14:01:00", "2020-05-12 16:02:00"),
)
"""Read as zero in every cluster of Helios: missing, not idle; left out."""
MINUTES = 10
"""Minutes of a window of ServeGen."""
DUTY_SECONDS = 57
"""Between two samples of a GPU's duty in the GenAI trace."""
ACCELERATOR = "gpu"
NODE_SIZE = 8


def read_philly(
    path: Path,
    habit: CheckpointHabit | None,
    accelerator: str = ACCELERATOR,
    node_size: int = NODE_SIZE,
) -> dict[str, tuple[Job, ...]]:
    """Return the jobs of each virtual cluster, with seconds from `PHILLY_START`.

    The file is unsorted and repeats rows; each counts once. Jobs before the start keep negative
    times, so that a window that begins later still finds what runs on.
    """
    rows = {tuple(row[name] for name in PHILLY_COLUMNS) for row in read_rows(path)}
    found: dict[str, list[Job]] = {}
    for number, (submitted, seconds, size, _, cluster) in enumerate(sorted(rows)):
        begin = int((datetime.fromisoformat(submitted) - PHILLY_START).total_seconds())
        shape = build_shape(int(size), node_size, accelerator, habit)
        job = Job(f"{cluster}-{number:06}", begin, max(int(float(seconds)), 1), shape)
        found.setdefault(cluster, []).append(job)
    return {name: tuple(jobs) for name, jobs in sorted(found.items())}


def read_helios(folder: Path) -> dict[str, NDArray[np.int64]]:
    """Return the GPUs in use each minute of each virtual cluster, missing minutes left out."""
    return {
        path.name.split("_")[0]: np.array([count for _, count in read_helios_minutes(path)])
        for path in list_helios(folder)
    }


def list_helios(folder: Path) -> list[Path]:
    """Return the files of the virtual clusters, gzipped or not."""
    return sorted(folder.glob("vc*_cluster_sequence.csv*"))


def read_helios_minutes(path: Path) -> Iterator[tuple[datetime, int]]:
    """Yield (minute, GPUs in use) of one virtual cluster, missing minutes left out."""
    for row in read_rows(path):
        if not any(first <= row["time"] < last for first, last in HELIOS_GAPS):
            yield datetime.fromisoformat(row["time"]), int(float(row["running_gpu_num"]))


def build_unit_jobs(
    level: Sequence[int],
    name: str,
    habit: CheckpointHabit | None,
    accelerator: str = ACCELERATOR,
) -> tuple[Job, ...]:
    """Return a level by minutes as jobs of one accelerator each; of those there, the oldest ends.

    Which unit ends is not told; the level is the same whichever it is.
    """
    shape = build_shape(1, NODE_SIZE, accelerator, habit)
    jobs: list[Job] = []
    running: list[int] = []
    for minute, count in enumerate([*level, 0]):
        running += [minute] * (count - len(running))
        ended, running = running[: len(running) - count], running[len(running) - count :]
        for begin in ended:
            number = f"{name}-{len(jobs):06}"
            jobs.append(Job(number, begin * 60, (minute - begin) * 60, shape))
    return tuple(sorted(jobs, key=lambda job: (job.submitted, job.id)))


@dataclass(frozen=True, slots=True)
class SpotTrace:
    """Instances that could be had in a zone, tick by tick."""

    zone: str
    tick_seconds: int
    nodes: NDArray[np.int64]


def read_spot(folder: Path) -> dict[str, SpotTrace]:
    """Return the traces of a folder by zone."""
    found = {}
    for path in sorted(folder.glob("*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            told = json.load(file)
        zone = path.name.split("_")[0]
        found[zone] = SpotTrace(zone, told["metadata"]["gap_seconds"], np.array(told["data"]))
    return found


def read_servegen(path: Path) -> NDArray[np.float64]:
    """Return requests a second by minutes: windows of ten are joined by lines, holes bridged."""
    rates = np.array([float(row["requests_per_s"]) for row in read_rows(path)])
    return _join(rates)


def read_genai(path: Path) -> NDArray[np.float64]:
    """Return API requests a second by minutes: means of ten minutes, joined by lines.

    Single samples count single requests and say little about a rate.
    """
    told = sorted(
        (float(row["timestamp_anon"]), float(row["value"]))
        for row in read_rows(path)
        if row["request_type"] == "API Requests"
    )
    first = told[0][0]
    windows: dict[int, list[float]] = {}
    for second, value in told:
        windows.setdefault(int(second - first) // (60 * MINUTES), []).append(value)
    count = max(windows) + 1
    means = np.array([np.mean(windows.get(number, [0.0])) for number in range(count)])
    return _join(means)


def read_azure_llm(path: Path) -> NDArray[np.float64]:
    """Return requests a second by minutes; the trace lasts for less than an hour."""
    moments = [datetime.fromisoformat(row["TIMESTAMP"][:26]) for row in read_rows(path)]
    minutes = [int((moment - moments[0]).total_seconds()) // 60 for moment in moments]
    # The last minute is not whole.
    return np.bincount(minutes)[:-1] / 60.0


def read_genai_idle(path: Path) -> dict[str, NDArray[np.bool_]]:
    """Return by container whether its GPU was busy, sample by sample, `DUTY_SECONDS` apart."""
    found: dict[str, list[tuple[float, bool]]] = {}
    for row in read_rows(path):
        sample = float(row["timestamp_anon"]), float(row["value"]) > 0
        found.setdefault(row["container_ip"], []).append(sample)
    return {name: np.array([busy for _, busy in sorted(told)]) for name, told in found.items()}


def _join(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    places = np.arange(len(rates))
    known = rates > 0
    minutes = np.arange(len(rates) * MINUTES) / MINUTES
    joined: NDArray[np.float64] = np.interp(minutes, places[known], rates[known])
    return joined


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file, gzipped where its name ends so."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
        return
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
