"""Replicas of endpoints on request rates of days and weeks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tidegate.simulation.serving import (
    FixedReplicas,
    HorizontalPodAutoscaler,
    Knative,
    ServingPolicy,
    TidegateServing,
    run_serving,
)
from tidegate.simulation.serving_bound import ReplicaTerms, bound_serving
from tidegate.traces.public import read_azure_llm, read_genai, read_servegen

BOOT_TICKS = 4
PROMISE, TUNED_PROMISE = 0.99, 0.995
"""Share of requests served in time: promised, and asked for on the first half."""
REPLICAS_AT_MEDIAN = 20
"""Fixes what a replica serves: the traces do not tell."""
TARGETS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
LONGER = (5, 10, 15)
"""Minutes that ours prepares for again, and windows of the peers."""
Choice = tuple[dict[str, Any], Callable[[], ServingPolicy]]
Grid = tuple[list[Choice], list[Choice]]
"""Choices, and those that are looked at as well where none of the first serves what is asked."""


def evaluate_serving(traces: Path) -> list[dict[str, object]]:
    series = {
        "ServeGen m-large, 14 days": read_servegen(
            traces / "servegen/language_m-large_rate_10min.csv.gz"
        ),
        "ServeGen m-small, 14 days": read_servegen(
            traces / "servegen/language_m-small_rate_10min.csv.gz"
        ),
        "ServeGen deepseek-r1, a day": read_servegen(
            traces / "servegen/reason_deepseek-r1_rate_10min.csv.gz"
        ),
        "GenAI API, a day": read_genai(traces / "genai/qps.csv.gz"),
        "Azure LLM code, an hour of bursts": read_azure_llm(
            traces / "azure-llm/AzureLLMInferenceTrace_code.csv.gz"
        ),
    }
    return [
        _row(name, policy, grid, rates)
        for name, rates in series.items()
        for policy, grid in _grids(rates).items()
    ]


def _grids(rates: NDArray[np.float64]) -> dict[str, Grid]:
    first = rates[: len(rates) // 2]
    each = float(np.median(first)) / REPLICAS_AT_MEDIAN
    fixed = int(np.ceil(np.quantile(first, 0.99) / each))
    return {
        "ours": (
            _ours(),
            [choice for held in LONGER for choice in _ours(stabilization=held)],
        ),
        "KEDA with HPA": _peer(HorizontalPodAutoscaler),
        "Knative": _peer(Knative),
        "fixed at p99": ([({"replicas": fixed}, partial(FixedReplicas, fixed))], []),
    }


def _ours(**more: int) -> list[Choice]:
    return [
        (
            {"quantile": quantile, "trend": trend, **more},
            lambda q=quantile, t=trend: TidegateServing(q, t, **more),
        )
        for quantile in (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
        for trend in (0.25, 0.5)
    ]


def _peer(policy: Callable[..., ServingPolicy]) -> Grid:
    return (
        [({"target": target}, partial(policy, target)) for target in TARGETS],
        [
            ({"target": target, "window": held}, partial(policy, target, held))
            for held in LONGER
            for target in TARGETS
        ],
    )


def _row(name: str, policy: str, grid: Grid, rates: NDArray[np.float64]) -> dict[str, object]:
    middle = len(rates) // 2
    first, second = rates[:middle].tolist(), rates[middle:].tolist()
    each = float(np.median(rates[:middle])) / REPLICAS_AT_MEDIAN
    terms = ReplicaTerms(each, BOOT_TICKS, PROMISE)
    told, build = _choose(grid, first, terms)
    result = run_serving(second, terms, build())
    steps = list(zip(result.levels, result.levels[1:], strict=False))
    return {
        "case": name,
        "policy": policy,
        "parameters": told,
        "ratio": round(result.cost / bound_serving(np.array(second), terms), 4),
        "served": round(result.served_share, 4),
        "changes_a_day": round(sum(a != b for a, b in steps) / (len(second) / 1440), 1),
        "largest_growth": round(max((b / max(a, 1) for a, b in steps), default=1.0), 2),
    }


def _choose(grid: Grid, first: Sequence[float], terms: ReplicaTerms) -> Choice:
    """Return the cheapest choice that serves enough; where none does, the one that serves most."""
    plain, more = grid
    if len(plain) + len(more) == 1:
        return plain[0]
    ranked = [(_rank(choice, first, terms), choice) for choice in plain]
    if all(short for (short, _, _), _ in ranked):
        ranked += [(_rank(choice, first, terms), choice) for choice in more]
    return min(ranked, key=lambda entry: entry[0])[1]


def _rank(
    choice: Choice, first: Sequence[float], terms: ReplicaTerms
) -> tuple[float, float, float]:
    result = run_serving(first, terms, choice[1]())
    # What serves too little is no choice; where all do, the one that serves most, cheapest.
    kept = result.served_share >= TUNED_PROMISE
    return (0.0, result.cost, 0.0) if kept else (1.0, -result.served_share, result.cost)
