"""Ours and peers' policies on public traces, each tuned on the first half, measured on the second.

Reads `../shared/data/traces`; prints one JSON line a figure. With --write it also writes
docs/simulation.json and the tables of docs/evaluation.md from it. `whole` measures nothing but the
last row of queues: Philly in one run.

Usage: simulation.py [--write] [queues] [whole] [helios] [spot] [deadlines] [foresight] [serving]
       [idle]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from simulation_deadlines import evaluate_deadlines
from simulation_foresight import evaluate_foresight
from simulation_helios import evaluate_helios, evaluate_spot
from simulation_idle import evaluate_idle
from simulation_page import DATA, WHOLE, render_page
from simulation_queues import evaluate_queues, evaluate_whole
from simulation_serving import evaluate_serving
from traces import TRACES

Rows = list[dict[str, object]]
FAMILIES: dict[str, Callable[[Path], Rows]] = {
    "queues": evaluate_queues,
    "helios": evaluate_helios,
    "spot": evaluate_spot,
    "deadlines": evaluate_deadlines,
    "foresight": evaluate_foresight,
    "serving": evaluate_serving,
    "idle": evaluate_idle,
}
PARTS: dict[str, Callable[[Path], Rows]] = {"whole": evaluate_whole}
"""Measured with a family, and by themselves only when they are named."""


def main() -> None:
    if not TRACES.is_dir():
        print(json.dumps({"name": "simulation", "skipped": f"{TRACES} is absent"}))
        return
    every = FAMILIES | PARTS
    names = [name for name in sys.argv[1:] if name in every] or list(FAMILIES)
    for name in names:
        # The whole takes half an hour; figures go to standard output alone.
        print(f"simulation: {name}", file=sys.stderr, flush=True)
        rows = every[name](TRACES)
        if "--write" in sys.argv:
            write(name, rows)
        for row in rows:
            print(json.dumps({"name": f"simulation.{name}", **row}), flush=True)


def write(name: str, rows: Rows) -> None:
    """Replace one family in the data, and the page once all are there."""
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    if name in PARTS:
        name, rows = "queues", [*(r for r in known["queues"] if r["case"] != WHOLE), *rows]
    known[name] = rows
    ordered = {family: known[family] for family in FAMILIES if family in known}
    DATA.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    if len(ordered) == len(FAMILIES):
        render_page()


if __name__ == "__main__":
    main()
