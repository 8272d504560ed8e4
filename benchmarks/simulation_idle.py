"""Endpoints that sleep: how long they are kept through the gaps between requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

from tidegate.simulation.idle import (
    FixedKeepAlive,
    HistogramKeepAlive,
    IdleResult,
    KeepAlive,
    LearnedKeepAlive,
    Stretch,
    build_stretches,
    run_idle,
)
from tidegate.traces.public import DUTY_SECONDS, read_genai_idle

BOOT_SECONDS = 240
Choice = tuple[dict[str, Any], Callable[[], KeepAlive]]
Endpoints = Mapping[str, Sequence[Stretch]]


def evaluate_idle(traces: Path) -> list[dict[str, object]]:
    samples = read_genai_idle(traces / "genai/pod_gpu_duty_cycle_anon.csv.gz")
    halves: list[dict[str, Sequence[Stretch]]] = [{}, {}]
    for name, busy in samples.items():
        middle = len(busy) // 2
        for half, part in enumerate((busy[:middle], busy[middle:])):
            halves[half][name] = build_stretches(part.tolist(), DUTY_SECONDS)
    return [_row(name, choices, *halves) for name, choices in _grids().items()]


def _grids() -> dict[str, list[Choice]]:
    return {
        "ours": [
            ({"wait_cost": cost}, lambda c=cost: LearnedKeepAlive(Decimal(c)))
            for cost in ("0", "0.5", "1")
        ],
        "histogram": [
            ({"tail": tail}, lambda t=tail: HistogramKeepAlive(t)) for tail in (0.9, 0.95, 0.99)
        ],
        "fixed, 10 minutes": [({}, lambda: FixedKeepAlive(600))],
        "fixed, 20 minutes": [({}, lambda: FixedKeepAlive(1200))],
        "always on": [({}, lambda: FixedKeepAlive(10**9))],
    }


def _row(
    name: str, choices: Sequence[Choice], first: Endpoints, second: Endpoints
) -> dict[str, object]:
    told, build = min(choices, key=lambda choice: _run(first, choice[1]()).cost)
    result = _run(second, build())
    hours = sum(part.seconds for stretches in second.values() for part in stretches) / 3600
    return {
        "policy": name,
        "parameters": told,
        "ratio": round(result.cost / result.bound, 4),
        "wakes_a_day": round(result.wakes / hours * 24, 2),
        "paid_share": round(result.cost / 3600 / hours, 4),
        "endpoints": len(second),
    }


def _run(endpoints: Endpoints, policy: KeepAlive) -> IdleResult:
    """Return all endpoints together; a policy keeps nothing of one for another."""
    runs = (run_idle(stretches, policy, BOOT_SECONDS) for stretches in endpoints.values())
    return reduce(add, runs)
