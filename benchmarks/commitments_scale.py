"""A review of a year of hourly use of 200 instance families on each of three clouds.

From the file to every portfolio in every scenario, each in a process of its own. The families are
invented and have no price in the catalog; theirs are put in once the file is read.

Usage: commitments_scale.py [--review FILE]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
from figures import print_figure

from tidegate.catalog.load import load_catalog
from tidegate.cli.review_inputs import read_usage
from tidegate.pricing.usage import Usage
from tidegate.review.forecast import build_forecast
from tidegate.review.measured import build_measured
from tidegate.review.outlook import build_outlook
from tidegate.review.past import find_portfolio
from tidegate.review.portfolio import Floats
from tidegate.review.settings import ReviewSettings

FAMILIES = 200
HOURS = 8760
START = datetime(2025, 1, 1, tzinfo=UTC)
TODAY = date(2026, 1, 1)
MACHINES = {
    "aws": ("family{}.large", "us-east-1"),
    "gcp": ("family{}-standard-8", "us-central1"),
    "azure": ("Standard_Family{}", "eastus"),
}


def main() -> None:
    if "--review" in sys.argv:
        print(json.dumps(review(Path(sys.argv[-1]))))
    else:
        measure_scale()


def measure_scale() -> None:
    """Print what a review takes, of a CSV and of a Parquet file."""
    with TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "usage.csv", Path(folder) / "usage.parquet"
        with csv.open("w", encoding="utf-8") as lines:
            lines.writelines(render_year())
        with duckdb.connect() as connection:
            typed = "* REPLACE (hour::TIMESTAMPTZ AS hour, nodes::DOUBLE AS nodes)"
            read = f"SELECT {typed} FROM read_csv('{csv}', all_varchar = true)"
            connection.execute(f"COPY ({read}) TO '{parquet}' (FORMAT parquet)")
        for path in (parquet, csv):
            command = [sys.executable, __file__, "--review", str(path)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            show(path.suffix.removeprefix("."), json.loads(done.stdout))


def show(kind: str, taken: dict[str, float]) -> None:
    name = f"commitments.review.600_families.{kind}"
    print_figure(f"{name}.read", [taken["read"]], "s")
    print_figure(name, [taken["whole"]], "s", goal=20)
    print_figure(f"{name}.cpu", [taken["cpu"]], "s")
    print_figure(f"{name}.memory", [taken["megabytes"]], "MB", goal=1024)
    print_figure(f"{name}.gap", [taken["gap"]], "%", goal=0.5)


def review(path: Path) -> dict[str, float]:
    """Return what a review of a file takes: wall and CPU seconds, memory, distance to the bound."""
    catalog = load_catalog()
    offers = [offer for cloud in MACHINES for offer in catalog.instrument_offers(cloud)]
    start, cpu = time.perf_counter(), time.process_time()
    used, _ = read_usage(path)
    usage = put_prices(build_measured(str(path), used, [], catalog).usage)
    del used
    read = time.perf_counter()
    found = find_portfolio(usage, offers)
    settings = ReviewSettings(TODAY)
    forecast = build_forecast(usage, settings.months)
    if forecast is None:
        raise ValueError("a year of use has a forecast")
    build_outlook(usage, [], offers, forecast, settings, {})
    return {
        "read": read - start,
        "whole": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "gap": 100 * found.gap,
    }


def put_prices(usage: Usage) -> Usage:
    draw = np.random.default_rng(7)
    rows = tuple(
        replace(row, price=Decimal(str(round(draw.lognormal(1, 1), 4))), accelerated=True)
        for row in usage.rows
    )
    return replace(usage, rows=rows)


def render_year() -> Iterator[str]:
    """Yield a year of use as CSV: growth, days, weeks and drift, from a seeded generator."""
    yield "hour,pool,nodes,instance_type,cloud,region\n"
    draw = np.random.default_rng(6)
    texts = [f"{START + timedelta(hours=hour):%Y-%m-%dT%H:%MZ}" for hour in range(HOURS)]
    for cloud, (machine, region) in MACHINES.items():
        for family in range(FAMILIES):
            name, place = f"{cloud}-{family:03}", f"{machine.format(family)},{cloud},{region}"
            for text, nodes in zip(texts, draw_nodes(draw).tolist(), strict=True):
                yield f"{text},{name},{nodes:.6f},{place}\n"


def draw_nodes(draw: np.random.Generator) -> Floats:
    hours = np.arange(HOURS)
    level = draw.lognormal(1, 1)
    day = 0.3 * np.sin(2 * np.pi * hours / 24 + draw.uniform(0, 6))
    week = 0.2 * np.sin(2 * np.pi * hours / 168)
    growth = draw.uniform(-0.2, 0.6) * hours / HOURS
    drift = np.cumsum(draw.normal(0, 0.004, HOURS))
    return np.asarray(np.maximum(0.0, level * (1 + day + week + growth + drift)))


if __name__ == "__main__":
    main()
