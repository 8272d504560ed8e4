"""A day of work before a deadline, on one spot zone or several scarce ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tidegate.scaling.deadlines import Terms
from tidegate.simulation.deadline import (
    DeadlineCase,
    DeadlinePolicy,
    Zones,
    bound_cases,
    run_case,
)
from tidegate.simulation.deadline_policies import Greedy, Planned, UniformProgress
from tidegate.traces.public import read_spot

FACTORS = (1.1, 1.25, 1.5, 2.0)
SPOT_PRICE = 0.3
HOURS = 24
TUNED, MEASURED = 96, 80
"""Starts a zone and factor, spread evenly over a half."""
WARM_UP = 400
"""Ticks of the first half that only show how spot behaves."""
SCARCE = 3
"""The zones that have least, together."""


@dataclass(frozen=True)
class Grid:
    """A policy's parameters to choose from."""

    name: str
    choices: Sequence[tuple[dict[str, object], Callable[[], DeadlinePolicy]]]


def evaluate_deadlines(traces: Path) -> list[dict[str, object]]:
    cases, tick = list_cases(traces)
    return [
        _row(case, grid, places, change, tick)
        for case, places, change in cases
        for grid in _grids()
    ]


def list_cases(traces: Path) -> tuple[list[tuple[str, list[Zones], int]], int]:
    """Return name, places and ticks of changeover of each case, and the seconds of a tick."""
    spot = read_spot(traces / "spot/availability/1-node/aws-02-15-2023")
    tick = next(iter(spot.values())).tick_seconds
    zones = [(trace.nodes > 0)[np.newaxis] for trace in spot.values()]
    scarce = sorted(zones, key=lambda zone: float(zone.mean()))[:SCARCE]
    pairs = [np.vstack(pair) for pair in itertools.combinations(scarce, 2)]
    several = [*pairs, np.vstack(scarce)]
    half_hour = round(1800 / tick)
    cases = [
        ("one zone, changeover of two ticks", zones, 2),
        ("one zone, changeover of half an hour", zones, half_hour),
        ("two and three scarce zones, changeover of two ticks", several, 2),
    ]
    return cases, tick


def _grids() -> tuple[Grid, ...]:
    planned = [({"ages": ages}, lambda a=ages: Planned(a)) for ages in ((10,), (10, 40, 160))]
    uniform = [
        ({"spare": spare, "hysteresis": ahead}, lambda s=spare, h=ahead: UniformProgress(s, h))
        for spare in (1, 3)
        for ahead in (1, 2, 4)
    ]
    greedy = [({"spare": spare}, lambda s=spare: Greedy(s)) for spare in (1, 3)]
    return (Grid("ours", planned), Grid("uniform progress", uniform), Grid("greedy", greedy))


def _row(
    case: str, grid: Grid, zones: Sequence[Zones], change: int, tick: int
) -> dict[str, object]:
    work = HOURS * 3600 // tick
    terms = Terms(SPOT_PRICE, change)

    def measure(build: Callable[[], DeadlinePolicy], half: int, starts: int) -> dict[str, object]:
        return _measure(zones, build, work, terms, half, starts)

    told, build = min(
        grid.choices, key=lambda choice: float(str(measure(choice[1], 0, TUNED)["ratio"]))
    )
    return {"case": case, "policy": grid.name, "parameters": told, **measure(build, 1, MEASURED)}


def _measure(
    zones: Sequence[Zones],
    build: Callable[[], DeadlinePolicy],
    work: int,
    terms: Terms,
    half: int,
    count: int,
) -> dict[str, object]:
    """Return cost over bound, pooled and by factor; the tail of jobs; and what was missed."""
    costs: dict[float, list[tuple[float, float]]] = {factor: [] for factor in FACTORS}
    missed = 0
    for factor, place in itertools.product(FACTORS, zones):
        ticks = int(factor * work)
        middle = place.shape[1] // 2
        low, high = (WARM_UP, middle) if half == 0 else (middle, place.shape[1])
        starts = np.linspace(low, high - ticks - 1, count).astype(int)
        bounds = bound_cases(place, starts, DeadlineCase(0, work, ticks, terms))
        policy = build()
        for start, bound in zip(starts, bounds, strict=True):
            result = run_case(place, DeadlineCase(int(start), work, ticks, terms), policy)
            costs[factor].append((result.cost, float(bound)))
            missed += not result.met and bool(np.isfinite(bound))
    every = [pair for pairs in costs.values() for pair in pairs]
    single = sorted(cost / bound for cost, bound in every)
    return {
        "ratio": _pooled(every),
        "by_factor": {str(factor): _pooled(pairs) for factor, pairs in costs.items()},
        "job_p50": round(single[len(single) // 2], 4),
        "job_p90": round(single[int(0.9 * len(single))], 4),
        "job_max": round(single[-1], 4),
        "below_bound": sum(ratio < 1 - 1e-9 for ratio in single),
        "missed": missed,
        "jobs": len(single),
    }


def _pooled(pairs: Sequence[tuple[float, float]]) -> float:
    return round(sum(cost for cost, _ in pairs) / sum(bound for _, bound in pairs), 4)
