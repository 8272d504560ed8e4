"""Purchases decided with the past alone, on public traces, against what hindsight could do.

An hour of a trace stands for five days: a year's term is 72 hours, three years are 216, and look-
backs shrink with them. The first 72 hours of every series are looked at and not counted. ServeGen's
series have a step of ten minutes and are taken as they are. Reads `../shared/data/traces`.

Usage: commitments.py [--scale]
"""

from __future__ import annotations

import csv
import gzip
import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
from figures import print_figure

from tidegate.catalog.load import load_catalog
from tidegate.pricing.usage import Usage, UsageRow, build_usage, to_micro
from tidegate.review.candidates import OfferLimits
from tidegate.review.forecast import build_forecast
from tidegate.review.online import (
    decide_target,
    look_back_target,
    replay_break_even,
    replay_policy,
)
from tidegate.review.outlook import build_outlook
from tidegate.review.past import find_portfolio
from tidegate.review.portfolio import Floats
from tidegate.review.rolling import bound_rolling, find_constant
from tidegate.vocabulary.capacity import Cloud

TRACES = Path(__file__).resolve().parents[2] / "shared" / "data" / "traces"
YEAR = 72
TERMS = ((0.28, YEAR, 1.10, 1.25, 1.08), (0.46, 3 * YEAR, 1.15, 1.45, None))
"""Discount, term in steps, and goals: mean ratio, worst ratio, ratio of the sums."""

MONTHS = 12
TODAY = date(2026, 1, 1)
POLICIES = (
    "policy",
    "look-back-30-days",
    "look-back-60-days",
    "look-back-term",
    "stable-floor",
    "nothing",
    "two-minus-alpha",
    "constant-in-hindsight",
)

# The trace's own clock; the days before are nearly empty.
PHILLY_START = datetime(2017, 9, 25)  # noqa: DTZ001
PHILLY_END = datetime(2017, 11, 10)  # noqa: DTZ001
HELIOS_GAPS = (
    ("2020-05-09 23:56:00", "2020-05-11 00:00:00"),
    ("2020-05-12 14:01:00", "2020-05-12 16:02:00"),
)
"""Read as zero in every cluster: missing, not idle; left out."""


def main() -> None:
    if "--scale" not in sys.argv:
        evaluate()
    measure_scale()


def evaluate() -> None:
    if not TRACES.is_dir():
        print(json.dumps({"name": "commitments.ratio", "skipped": f"{TRACES} is absent"}))
        return
    series = dict(read_all())
    for discount, term, *goals in TERMS:
        rows = {name: judge(use, term, discount) for name, use in series.items()}
        for name, row in rows.items():
            print(json.dumps({"name": f"commitments.{discount}.{name}", **row}))
        counted = {name: row for name, row in rows.items() if row["bound"]}
        for policy in POLICIES:
            show_policy(policy, discount, counted, goals)
        for fleet in ("helios", "philly"):
            use = sum_series(use for name, use in series.items() if name.startswith(fleet))
            row = judge(use, term, discount)
            ratio = row["policy"] / row["bound"]
            name = f"commitments.{discount}.policy.summed-{fleet}"
            print_figure(name, [ratio], "ratio", goal=goals[2])


def sum_series(uses: Iterable[Floats]) -> Floats:
    """Return what a whole fleet uses, hour by hour: one commitment covers all of its clusters."""
    return np.asarray(np.sum(list(uses), axis=0), dtype=np.float64)


def show_policy(
    policy: str,
    discount: float,
    rows: Mapping[str, Mapping[str, float]],
    goals: Sequence[float | None],
) -> None:
    """Print the mean ratio to the bound, the worst, and that of the sums.

    The sum over the fleet adds GPUs and requests a second, each at a price of one; the one of
    GPUs alone stands beside it.
    """
    ratios = [row[policy] / row["bound"] for row in rows.values()]
    gpus = [row for name, row in rows.items() if not name.startswith("servegen")]
    figures = {
        "mean": float(np.mean(ratios)),
        "worst": max(ratios),
        "fleet": ratio_of_sums(policy, list(rows.values())),
        "fleet-of-gpus": ratio_of_sums(policy, gpus),
    }
    for (name, value), goal in zip(figures.items(), [*goals, None], strict=True):
        shown = goal if policy == "policy" else None
        print_figure(f"commitments.{discount}.{policy}.{name}", [value], "ratio", goal=shown)


def ratio_of_sums(policy: str, rows: Sequence[Mapping[str, float]]) -> float:
    return sum(row[policy] for row in rows) / sum(row["bound"] for row in rows)


def judge(use: Floats, term: int, discount: float) -> dict[str, float]:
    """Return the cost of each policy on one series, and the bound."""
    span = max(1, round(YEAR * 30 / 365)), max(1, round(YEAR * 60 / 365))
    policies: dict[str, Callable[[Floats], float]] = {
        "policy": lambda past: decide_target(past, discount, YEAR),
        "look-back-30-days": lambda past: look_back_target(past, discount, span[0]),
        "look-back-60-days": lambda past: look_back_target(past, discount, span[1]),
        "look-back-term": lambda past: look_back_target(past, discount, term),
        "stable-floor": lambda past: float(past[-YEAR:].min()),
        "nothing": lambda _: 0.0,
    }
    counted = use[YEAR:]
    whole = np.floor(use)  # levels of a whole unit; what is left of one is bought on demand
    costs = {
        name: replay_policy(use, YEAR, term, discount, target) for name, target in policies.items()
    }
    return {
        "bound": bound_rolling(counted, term, discount),
        **costs,
        "two-minus-alpha": replay_break_even(whole, YEAR, term, discount)
        + float((use - whole)[YEAR:].sum()),
        "constant-in-hindsight": find_constant(counted, discount),
    }


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


def measure_scale() -> None:
    """Print what a year of 200 families on each of three clouds takes."""
    usage = build_year()
    catalog = load_catalog()
    offers = [
        offer for cloud in ("aws", "gcp", "azure") for offer in catalog.instrument_offers(cloud)
    ]
    start = time.perf_counter()
    found = find_portfolio(usage, offers)
    past = time.perf_counter()
    forecast = build_forecast(usage, MONTHS)
    if forecast is None:
        raise ValueError("a year of use has a forecast")
    build_outlook(usage, [], offers, forecast, TODAY, limits=OfferLimits(), growth={}, teams={})
    end = time.perf_counter()
    print_figure("commitments.past.600_families", [past - start], "s")
    print_figure("commitments.past.gap", [100 * found.gap], "%", goal=0.5)
    print_figure("commitments.review.600_families", [end - start], "s", goal=20)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print_figure("commitments.review.memory", [peak], "MB", goal=1024)


def build_year() -> Usage:
    """Return a year of use with growth, days, weeks and drift, from a seeded generator."""
    draw = np.random.default_rng(6)
    hours = np.arange(8760)
    rows = []
    for cloud in Cloud:
        for index in range(200):
            level = draw.lognormal(1, 1)
            day = 0.3 * np.sin(2 * np.pi * hours / 24 + draw.uniform(0, 6))
            week = 0.2 * np.sin(2 * np.pi * hours / 168)
            growth = draw.uniform(-0.2, 0.6) * hours / 8760
            drift = np.cumsum(draw.normal(0, 0.004, len(hours)))
            nodes = np.maximum(0.0, level * (1 + day + week + growth + drift))
            rows.append(
                UsageRow(
                    pool=f"{cloud.value}-{index:03}",
                    cloud=cloud,
                    region="one",
                    instance_type=f"family{index}.large",
                    family=f"family{index}",
                    accelerated=True,
                    micro_nodes=np.rint(nodes * to_micro(Decimal(1))).astype(np.int64),
                    price=Decimal(str(round(draw.lognormal(1, 1), 4))),
                )
            )
    start = datetime(2025, 1, 1, tzinfo=UTC)
    return build_usage(start, np.ones(len(hours), dtype=bool), rows)


if __name__ == "__main__":
    main()
