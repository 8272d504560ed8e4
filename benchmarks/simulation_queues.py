"""Philly with gangs: one fleet a virtual cluster, and one fleet for all of them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from simulation_page import WHOLE
from simulation_setups import (
    BOOT,
    HABIT,
    NODE,
    OURS,
    POOL,
    TERMS,
    TICK,
    Candidate,
    Trial,
    choose,
    list_candidates,
    mean_wait,
    wait_figures,
)

from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.simulation.bounds import (
    bound_levels,
    bound_mean_wait,
    bound_work,
    demand_steps,
)
from tidegate.simulation.engine import simulate
from tidegate.simulation.jobs import Job, cut_window
from tidegate.simulation.ours import Tidegate
from tidegate.simulation.peers import Static
from tidegate.simulation.policy import Policy
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup
from tidegate.traces.public import PHILLY_SECONDS, read_philly

HALF = PHILLY_SECONDS // 2
Clusters = Mapping[str, Sequence[Job]]
Row = dict[str, Any]
WARM = [Decimal(share) for share in ("0.95", "0.98")]
"""Shares of what arrives that a warm fleet has room for."""
WARM_WAIT = 30
WHOLE_SETTINGS = {
    "node_cooldown_seconds": 60,
    "keep_alive_min_seconds": 60,
    "saving_horizon_seconds": 600,
}
"""What was chosen for ours, for a look at the whole trace alone."""


def evaluate_queues(traces: Path) -> list[Row]:
    clusters = _read(traces)
    first = _cut(clusters, 0, HALF)
    second = _cut(clusters, HALF, PHILLY_SECONDS)
    together = {"all": _join(second)}
    rows: list[Row] = []

    def try_out(candidate: Candidate) -> Trial:
        results = _run(first, candidate)
        return Trial(candidate, _ratio(first, results), mean_wait(results.values()))

    chosen = choose(list_candidates(), try_out)
    for name, best in chosen.items():
        rows.append(_row("a fleet for each virtual cluster", name, best, second))
        rows.append(_row("one fleet for all", name, best, together))
    _add_mean_bounds(rows, second)
    rows.append(_static(first, second))
    rows.append(_warm({"all": _join(first)}, together))
    return [*rows, _whole(clusters, chosen[OURS].parameters)]


def _read(traces: Path) -> Clusters:
    return read_philly(traces / "philly" / "philly_to_2017-11-09.csv.gz", HABIT)


def _add_mean_bounds(rows: Sequence[Row], clusters: Clusters) -> None:
    """Add to ours what no policy comes below whose jobs wait no longer than the slowest peer's."""
    told = [row for row in rows if "clusters" in row]
    for name, jobs in clusters.items():
        longest = max(row["clusters"][name]["wait_mean"] for row in told if row["policy"] != OURS)
        bound = bound_mean_wait(jobs, TERMS, longest) / bound_work(jobs, TERMS)
        for row in told:
            if row["policy"] == OURS:
                row["clusters"][name] |= {
                    "peers_wait_mean": longest,
                    "bound_of_mean_to_work": round(bound, 3),
                }


def evaluate_whole(traces: Path) -> list[Row]:
    """Return the whole trace in one run of ours, from its first job on, and what it took."""
    return [_whole(_read(traces), WHOLE_SETTINGS)]


def _whole(clusters: Clusters, settings: Mapping[str, Any]) -> Row:
    jobs = _join(clusters)
    start = min(job.submitted for job in jobs)
    jobs = cut_window(jobs, start, PHILLY_SECONDS)
    setup = replace(_setup(jobs), end=PHILLY_SECONDS - start)
    begin, seen = time.process_time(), time.monotonic()
    result = simulate(setup, Tidegate(ScalingSettings(**settings)))
    spent, passed = time.process_time() - begin, time.monotonic() - seen
    return {
        "case": WHOLE,
        "policy": OURS,
        "parameters": dict(settings),
        "ratio": round(float(result.cost) / bound_work(jobs, TERMS), 4),
        "jobs": len(jobs),
        "decisions": result.decisions,
        "cpu_seconds": round(spent, 1),
        "seconds": round(passed, 1),
        **wait_figures([result]),
    }


def _cut(clusters: Clusters, start: int, end: int) -> Clusters:
    cut = {name: cut_window(jobs, start, end) for name, jobs in clusters.items()}
    return {name: jobs for name, jobs in cut.items() if jobs}


def _join(clusters: Clusters) -> tuple[Job, ...]:
    jobs = [job for mine in clusters.values() for job in mine]
    return tuple(sorted(jobs, key=lambda job: (job.submitted, job.id)))


def _setup(jobs: Sequence[Job]) -> Setup:
    return Setup(jobs, (POOL,), Offerings((NODE,)), HALF, TICK)


def _run(clusters: Clusters, candidate: Candidate) -> dict[str, QueueResult]:
    return {name: simulate(_setup(jobs), candidate.build()) for name, jobs in clusters.items()}


def _ratio(clusters: Clusters, results: Mapping[str, QueueResult]) -> float:
    bound = sum(bound_work(jobs, TERMS) for jobs in clusters.values())
    return sum(float(result.cost) for result in results.values()) / bound


def _row(case: str, policy: str, best: Candidate, clusters: Clusters) -> Row:
    begin = time.process_time()
    results = _run(clusters, best)
    spent = time.process_time() - begin
    row: Row = {
        "case": case,
        "policy": policy,
        "parameters": best.parameters,
        "ratio": round(_ratio(clusters, results), 4),
        "jobs": sum(len(jobs) for jobs in clusters.values()),
        "cpu_seconds": round(spent, 1),
        **wait_figures(results.values()),
    }
    if len(clusters) > 1:
        row["clusters"] = {name: _cluster(clusters[name], results[name]) for name in results}
    return row


def _cluster(jobs: Sequence[Job], result: QueueResult) -> Row:
    """Return one cluster against its work, and against its demand rounded up to whole nodes."""
    cost, work = float(result.cost), bound_work(jobs, TERMS)
    each_wait = bound_levels(jobs, TERMS, BOOT + TICK)
    return {
        "gpu_hours": round(work),
        "ratio": round(cost / work, 3),
        "ratio_to_ceiling": round(cost / each_wait, 3),
        "ceiling_to_work": round(bound_levels(jobs, TERMS) / work, 3),
        "bound_of_each_wait_to_work": round(each_wait / work, 3),
        "wait_p95": result.wait_at(0.95),
        "wait_mean": round(result.mean_wait(), 1),
    }


def _static(first: Clusters, second: Clusters) -> Row:
    """Return a fleet of the 95th percentile of what the first half used, for each cluster."""
    results, sizes = {}, {}
    for name, jobs in second.items():
        sizes[name] = _percentile(first.get(name, ()))
        pool = replace(POOL, min_nodes=sizes[name], max_nodes=sizes[name])
        setup = replace(_setup(jobs), pools=(pool,))
        policy: Policy = Static()
        results[name] = simulate(setup, policy)
    return {
        "case": "a fleet for each virtual cluster",
        "policy": "static on-demand at p95",
        "parameters": {"nodes": sum(sizes.values())},
        "ratio": round(_ratio(second, results), 4),
        **wait_figures(results.values()),
    }


def _percentile(jobs: Sequence[Job]) -> int:
    """Return the nodes that demand does not exceed for 95 % of the time; at least 1."""
    if not jobs:
        return 1
    seconds, level = demand_steps(jobs)
    lasts = [int(b - a) for a, b in itertools.pairwise(seconds)]
    steps = sorted(zip(level.tolist(), lasts, strict=False))
    passed, total = 0, sum(lasts)
    for count, last in steps:
        passed += last
        if passed >= 0.95 * total:
            return max(-(-int(count) // TERMS.accelerators), 1)
    return 1


def _warm(first: Clusters, second: Clusters) -> Row:
    """Return the warm fleet that held the wait at least cost on the first half."""
    chosen = WARM[-1]
    for share in WARM:
        if _warm_run(first, share).wait_at(0.95) <= WARM_WAIT:
            chosen = share
            break
    result = _warm_run(second, chosen)
    return {
        "case": "one fleet for all",
        "policy": "ours, warm",
        "parameters": {"warm_share": str(chosen)},
        "ratio": round(_ratio(second, {"all": result}), 4),
        **wait_figures([result]),
    }


def _warm_run(clusters: Clusters, share: Decimal) -> QueueResult:
    settings = ScalingSettings(node_cooldown_seconds=60, keep_alive_min_seconds=0, warm_share=share)
    setup = replace(_setup(clusters["all"]), counts_arrivals=True)
    return simulate(setup, Tidegate(settings))
