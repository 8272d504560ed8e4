"""Two settings on the same trace as an experiment: paired blocks, and how sure the answer is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tidegate.simulation.engine import simulate
from tidegate.simulation.jobs import Job, cut_window, work_seconds
from tidegate.simulation.policy import Policy
from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup

T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
"""Student's t at 97.5 % for 1, 2, … degrees of freedom; beyond, the normal's 1.96 is near."""


@dataclass(frozen=True, slots=True)
class Arm:
    """What is compared: a market with its pools, and who decides."""

    setup: Setup
    build: Callable[[], Policy]


@dataclass(frozen=True, slots=True)
class Difference:
    """Treatment less baseline, over paired blocks: the mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def is_clear(self) -> bool:
        """Return whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """An experiment.

    Attributes:
        blocks: Spans of the trace that had work.
        cost: Metric: cost of a useful accelerator-hour.
        wait_p95: Guardrail: seconds.
        lost: Guardrail: accelerator-hours repeated.
        baseline_cost: Mean of the baseline's metric.
    """

    blocks: int
    cost: Difference
    wait_p95: Difference
    lost: Difference
    baseline_cost: float


def compare(
    baseline: Arm,
    treatment: Arm,
    blocks: int,
    on_progress: Callable[[int], None] | None = None,
) -> Comparison | None:
    """Return the experiment; None where fewer than two blocks have work.

    The trace is cut into spans of equal length; what runs across a cut counts in each span with
    its part of it. Both arms see the same work in each. `on_progress` is told the spans done.
    """
    jobs, span = baseline.setup.jobs, max(-(-_last(baseline.setup) // blocks), 1)
    pairs: list[tuple[float, QueueResult, QueueResult]] = []
    for number in range(blocks):
        cut = cut_window(jobs, number * span, (number + 1) * span)
        if cut:
            hours = work_seconds(cut) / 3600
            pairs.append((hours, _run(baseline, cut, span), _run(treatment, cut, span)))
        if on_progress is not None:
            on_progress(number + 1)
    if len(pairs) < 2:
        return None
    costs = [(float(a.cost) / hours, float(b.cost) / hours) for hours, a, b in pairs]
    return Comparison(
        blocks=len(pairs),
        cost=_difference([b - a for a, b in costs]),
        wait_p95=_difference([float(b.wait_at(0.95) - a.wait_at(0.95)) for _, a, b in pairs]),
        lost=_difference([(b.lost_seconds - a.lost_seconds) / 3600 for _, a, b in pairs]),
        baseline_cost=sum(a for a, _ in costs) / len(costs),
    )


def _last(setup: Setup) -> int:
    return max((job.submitted + job.seconds for job in setup.jobs), default=1)


def _run(arm: Arm, jobs: Sequence[Job], span: int) -> QueueResult:
    # A day more, so that what waits at the end of a block can finish.
    setup = replace(arm.setup, jobs=tuple(jobs), end=span + 86_400)
    return simulate(setup, arm.build())


def _difference(values: Sequence[float]) -> Difference:
    count = len(values)
    mean = sum(values) / count
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count)
    t = T_975[count - 2] if count - 2 < len(T_975) else 1.96
    return Difference(mean, mean - t * spread, mean + t * spread)
