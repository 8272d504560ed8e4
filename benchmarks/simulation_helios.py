"""Helios as divisible demand: on-demand alone, and with a spot zone of 16 nodes beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from simulation_setups import (
    BOOT,
    HABIT,
    NODE,
    NODE_PRICE,
    POOL,
    SPOT_HABIT,
    SPOT_RATIO,
    TERMS,
    TICK,
    Candidate,
    Trial,
    choose,
    list_candidates,
    list_spot_peers,
    mean_wait,
    wait_figures,
)

from tidegate.scaling.offerings import Offerings
from tidegate.simulation.bounds import NodeTerms, bound_levels, bound_work
from tidegate.simulation.engine import simulate
from tidegate.simulation.jobs import Job
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup
from tidegate.simulation.spot_bound import bound_spot
from tidegate.traces.public import build_unit_jobs, read_helios, read_spot
from tidegate.vocabulary.capacity import CapacityType

WAIT = BOOT + TICK
SPOT_PRICE = NODE_PRICE * SPOT_RATIO
SPOT_TERMS = NodeTerms(float(SPOT_PRICE), 8, BOOT)
SPOT_POOL = replace(POOL, id="spot", max_nodes=16)
SPOT_NODE = replace(
    NODE,
    id="spot/node",
    pool="spot",
    capacity_type=CapacityType.SPOT,
    per_hour=SPOT_PRICE,
)
BACKOFFS: tuple[dict[str, int], ...] = (
    {},
    {"stock_out_backoff_max_seconds": 600},
    {"stock_out_backoff_seconds": 60, "stock_out_backoff_max_seconds": 60},
)
"""As patient as by default, less so, and asking at every look as the peers' rules do."""


@dataclass(frozen=True)
class Case:
    """One virtual cluster for one half, with what nobody goes below."""

    name: str
    setup: Setup
    ceiling: float
    carried: float
    work: float


def evaluate_helios(traces: Path) -> list[dict[str, object]]:
    halves = [_divisible(traces, half) for half in (0, 1)]
    return _tune(list_candidates(), halves)


def evaluate_spot(traces: Path) -> list[dict[str, object]]:
    halves = [_with_spot(traces, half) for half in (0, 1)]
    return _tune({**list_candidates(BACKOFFS), **list_spot_peers()}, halves)


def _divisible(traces: Path, half: int) -> list[Case]:
    found = []
    for name, level in read_helios(traces / "helios").items():
        middle = len(level) // 2
        minutes = level[:middle] if half == 0 else level[middle:]
        jobs = build_unit_jobs(minutes.tolist(), name, HABIT)
        if jobs:
            setup = Setup(
                jobs, (POOL,), Offerings((NODE,)), 60 * len(minutes) + WAIT, TICK, divisible=True
            )
            ceiling = bound_levels(jobs, TERMS)
            carried = bound_levels(jobs, TERMS, WAIT)
            found.append(Case(name, setup, ceiling, carried, bound_work(jobs, TERMS)))
    return found


def _with_spot(traces: Path, half: int) -> list[Case]:
    (trace,) = read_spot(traces / "spot/availability/16-node/aws-08-27-2023").values()
    middle = len(trace.nodes) // 2
    nodes = trace.nodes[:middle] if half == 0 else trace.nodes[middle:]
    steps = _steps(nodes.tolist(), trace.tick_seconds)
    end = len(nodes) * trace.tick_seconds
    found = []
    for name, level in read_helios(traces / "helios").items():
        start = 0 if half == 0 else len(level) // 2
        # An hour of the spot trace is left for what waits at the end.
        minutes = level[start : start + end // 60 - 60]
        jobs = build_unit_jobs(minutes.tolist(), name, SPOT_HABIT)
        if jobs:
            found.append(_spot_case(name, jobs, steps, 60 * len(minutes) + 3600))
    return found


def _spot_case(name: str, jobs: Sequence[Job], steps: Sequence[tuple[int, int]], end: int) -> Case:
    setup = Setup(
        jobs,
        (POOL, SPOT_POOL),
        Offerings((NODE, SPOT_NODE)),
        end,
        TICK,
        capacity={"spot/node": steps},
        divisible=True,
    )
    bound = bound_spot(jobs, SPOT_TERMS, TERMS, steps, WAIT)
    return Case(name, setup, bound, bound, bound_work(jobs, SPOT_TERMS))


def _steps(levels: Sequence[int], seconds: int) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for number, level in enumerate(levels):
        if not found or found[-1][1] != level:
            found.append((number * seconds, int(level)))
    return tuple(found)


def _tune(
    grids: Mapping[str, Sequence[Candidate]], halves: Sequence[Sequence[Case]]
) -> list[dict[str, object]]:
    first, second = halves

    def try_out(candidate: Candidate) -> Trial:
        results = _run(first, candidate)
        return Trial(candidate, _ratio(first, results, _ceiling), mean_wait(results.values()))

    return [_row(name, best, second) for name, best in choose(grids, try_out).items()]


def _row(name: str, best: Candidate, cases: Sequence[Case]) -> dict[str, object]:
    results = _run(cases, best)
    return {
        "policy": name,
        "parameters": best.parameters,
        "ratio": round(_ratio(cases, results, _ceiling), 4),
        "ratio_with_wait": round(_ratio(cases, results, lambda case: case.carried), 4),
        "ratio_to_work": round(_ratio(cases, results, lambda case: case.work), 4),
        **wait_figures(results.values()),
        "clusters": {
            case.name: round(float(results[case.name].cost) / case.carried, 4) for case in cases
        },
    }


def _ceiling(case: Case) -> float:
    return case.ceiling


def _run(cases: Sequence[Case], candidate: Candidate) -> dict[str, QueueResult]:
    return {case.name: simulate(case.setup, candidate.build()) for case in cases}


def _ratio(
    cases: Sequence[Case],
    results: Mapping[str, QueueResult],
    bound: Callable[[Case], float],
) -> float:
    cost = sum(float(result.cost) for result in results.values())
    return cost / sum(bound(case) for case in cases)
