"""Ours and peers' policies on public traces, each tuned on the first half, measured on the second.

Reads `../shared/data/traces`; prints one JSON line a figure. With --write it also writes
docs/simulation.json and the tables of docs/evaluation.md from it.

Usage: simulation.py [--write] [queues] [helios] [spot] [deadlines] [serving] [idle]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from simulation_deadlines import evaluate_deadlines
from simulation_helios import evaluate_helios, evaluate_spot
from simulation_idle import evaluate_idle
from simulation_page import DATA, render_page
from simulation_queues import evaluate_queues
from simulation_serving import evaluate_serving
from traces import TRACES

Rows = list[dict[str, object]]
FAMILIES: dict[str, Callable[[Path], Rows]] = {
    "queues": evaluate_queues,
    "helios": evaluate_helios,
    "spot": evaluate_spot,
    "deadlines": evaluate_deadlines,
    "serving": evaluate_serving,
    "idle": evaluate_idle,
}


def main() -> None:
    if not TRACES.is_dir():
        print(json.dumps({"name": "simulation", "skipped": f"{TRACES} is absent"}))
        return
    names = [name for name in sys.argv[1:] if name in FAMILIES] or list(FAMILIES)
    for name in names:
        rows = FAMILIES[name](TRACES)
        if "--write" in sys.argv:
            write(name, rows)
        for row in rows:
            print(json.dumps({"name": f"simulation.{name}", **row}), flush=True)


def write(name: str, rows: Rows) -> None:
    """Replace one family in the data, and the page once all are there."""
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    known[name] = rows
    ordered = {family: known[family] for family in FAMILIES if family in known}
    DATA.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    if len(ordered) == len(FAMILIES):
        render_page()


if __name__ == "__main__":
    main()
