"""Public traces of use as series of one number an hour; `../shared/data/traces` holds them.

GPUs in use of eight virtual clusters of Helios (May 2020) and of thirteen of Philly (2017-09-25 to
2017-11-09), and requests a second of three models of ServeGen, which have a step of ten minutes.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from tidegate.review.portfolio import Floats

TRACES = Path(__file__).resolve().parents[2] / "shared" / "data" / "traces"

# The trace's own clock; the days before are nearly empty.
PHILLY_START = datetime(2017, 9, 25)  # noqa: DTZ001
PHILLY_END = datetime(2017, 11, 10)  # noqa: DTZ001
HELIOS_GAPS = (
    ("2020-05-09 23:56:00", "2020-05-11 00:00:00"),
    ("2020-05-12 14:01:00", "2020-05-12 16:02:00"),
)
"""Read as zero in every cluster: missing, not idle; left out."""


def read_all() -> Iterator[tuple[str, Floats]]:
    for path in sorted((TRACES / "helios").glob("vc*.csv.gz")):
        yield f"helios.{path.name.partition('_')[0]}", read_helios(path)
    yield from read_philly(TRACES / "philly" / "philly_to_2017-11-09.csv.gz")
    for path in sorted((TRACES / "servegen").glob("*.csv.gz")):
        rates = np.array([float(row["requests_per_s"]) for row in read_rows(path)])
        # Windows of zero are holes of the trace.
        yield f"servegen.{path.name.partition('_rate')[0]}", rates[rates > 0]


def read_rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text)


def read_helios(path: Path) -> Floats:
    """Return the GPUs in use, hour by hour."""
    minutes: dict[str, list[float]] = defaultdict(list)
    for row in read_rows(path):
        if not any(first <= row["time"] < end for first, end in HELIOS_GAPS):
            minutes[row["time"][:13]].append(float(row["running_gpu_num"]))
    return np.array([np.mean(minutes[hour]) for hour in sorted(minutes)])


def read_philly(path: Path) -> Iterator[tuple[str, Floats]]:
    """Yield the GPUs in use of each virtual cluster, hour by hour; jobs are clipped to the span."""
    hours = int((PHILLY_END - PHILLY_START) / timedelta(hours=1))
    use: dict[str, Floats] = defaultdict(lambda: np.zeros(hours + 1))
    for cells in {tuple(row.values()) for row in read_rows(path)}:
        started, seconds, gpus, _, cluster = cells
        begin = (datetime.fromisoformat(started) - PHILLY_START) / timedelta(hours=1)
        first, last = max(begin, 0.0), min(begin + float(seconds) / 3600, float(hours))
        if last > first:
            add_span(use[cluster], first, last, float(gpus))
    for cluster in sorted(use):
        yield f"philly.{cluster}", use[cluster][:hours]


def add_span(use: Floats, first: float, last: float, gpus: float) -> None:
    begin, end = int(first), int(last)
    if begin == end:
        use[begin] += gpus * (last - first)
        return
    use[begin] += gpus * (begin + 1 - first)
    use[begin + 1 : end] += gpus
    use[end] += gpus * (last - end)
