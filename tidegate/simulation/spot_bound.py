"""The least cost of divisible demand on spot that comes and goes, with on-demand beside it."""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np
from numpy.typing import NDArray

from tidegate.simulation.bounds import NodeTerms, demand_steps
from tidegate.simulation.jobs import Job

HOUR = 3600.0


def bound_spot(
    jobs: Sequence[Job],
    spot: NodeTerms,
    on_demand: NodeTerms,
    capacity: Sequence[tuple[int, int]],
    wait: int,
) -> float:
    """Return the optimum of a time-expanded linear program.

    Nodes of both kinds together cover what certainly runs when no job waits longer than `wait`;
    spot nodes never exceed what can be had; each node that is added pays for its boot. Nodes may be
    parts of nodes, and losing one costs no work: both only lower the optimum.

    Args:
        jobs: The demand.
        spot: Spot nodes.
        on_demand: Nodes that can always be had.
        capacity: (second, spot nodes from then on).
        wait: Seconds that no job waits longer than.
    """
    seconds, level = demand_steps(jobs, wait)
    limits = np.array([second for second, _ in capacity])
    times = np.unique(np.concatenate([seconds, limits[limits > seconds[0]]]))
    needed = -(-level // spot.accelerators)
    covered = needed[np.searchsorted(seconds, times, side="right") - 1].astype(float)
    numbers = np.array([number for _, number in capacity])
    at = np.searchsorted(limits, times, side="right") - 1
    open_spot = np.where(at >= 0, numbers[np.maximum(at, 0)], 0).astype(float)
    lasts = np.diff(np.append(times, times[-1])) / HOUR
    return _solve(covered, open_spot, lasts, spot, on_demand)


def _solve(
    covered: NDArray[np.float64],
    open_spot: NDArray[np.float64],
    lasts: NDArray[np.float64],
    spot: NodeTerms,
    on_demand: NodeTerms,
) -> float:
    """Solve for spot, on-demand and what of each is added, step by step."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    steps = len(covered)
    infinite = highspy.kHighsInf
    cost = np.concatenate(
        [
            lasts * spot.per_hour,
            lasts * on_demand.per_hour,
            np.full(steps, spot.boot_seconds / HOUR * spot.per_hour),
            np.full(steps, on_demand.boot_seconds / HOUR * on_demand.per_hour),
        ]
    )
    upper = np.concatenate([open_spot, np.full(3 * steps, infinite)])
    none = np.array([], dtype=np.int32)
    solver.addCols(4 * steps, cost, np.zeros(4 * steps), upper, 0, none, none, none.astype(float))
    for step in range(steps):
        both = np.array([step, steps + step], dtype=np.int32)
        solver.addRow(covered[step], infinite, 2, both, np.ones(2))
        for kind in (0, 1):
            now, added = kind * steps + step, (2 + kind) * steps + step
            # What is added is at least what there is more than before.
            columns = [added, now, now - 1] if step else [added, now]
            values = [1.0, -1.0, 1.0] if step else [1.0, -1.0]
            index = np.array(columns, dtype=np.int32)
            solver.addRow(0.0, infinite, len(columns), index, np.array(values))
    solver.run()
    return float(solver.getInfo().objective_function_value)
