"""Replicas of endpoints on request rates of days and weeks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
Choice = tuple[dict[str, Any], Callable[[], ServingPolicy]]


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
        _row(name, policy, choices, rates)
        for name, rates in series.items()
        for policy, choices in _grids(rates).items()
    ]


def _grids(rates: NDArray[np.float64]) -> dict[str, list[Choice]]:
    first = rates[: len(rates) // 2]
    each = float(np.median(first)) / REPLICAS_AT_MEDIAN
    fixed = int(np.ceil(np.quantile(first, 0.99) / each))
    return {
        "ours": [
            (
                {"quantile": quantile, "trend": trend},
                lambda q=quantile, t=trend: TidegateServing(q, t),
            )
            for quantile in (0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
            for trend in (0.25, 0.5)
        ],
        "KEDA with HPA": [
            ({"target": target}, lambda t=target: HorizontalPodAutoscaler(t)) for target in TARGETS
        ],
        "Knative": [({"target": target}, lambda t=target: Knative(t)) for target in TARGETS],
        "fixed at p99": [({"replicas": fixed}, lambda: FixedReplicas(fixed))],
    }


def _row(
    name: str, policy: str, choices: Sequence[Choice], rates: NDArray[np.float64]
) -> dict[str, object]:
    middle = len(rates) // 2
    first, second = rates[:middle].tolist(), rates[middle:].tolist()
    each = float(np.median(rates[:middle])) / REPLICAS_AT_MEDIAN
    terms = ReplicaTerms(each, BOOT_TICKS, PROMISE)

    def rank(choice: Choice) -> tuple[float, float, float]:
        result = run_serving(first, terms, choice[1]())
        # What serves too little is no choice; where all do, the one that serves most, cheapest.
        kept = result.served_share >= TUNED_PROMISE
        return (0.0, result.cost, 0.0) if kept else (1.0, -result.served_share, result.cost)

    told, build = min(choices, key=rank) if len(choices) > 1 else choices[0]
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
