"""One JSON line a figure, the same form for every benchmark."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence


def print_figure(
    name: str,
    values: Sequence[float],
    unit: str,
    *,
    baseline: Sequence[float] | None = None,
    goal: float | None = None,
) -> None:
    """Print a figure with its median and spread; with a baseline, also the ratio of medians.

    Args:
        name: What was measured.
        values: One value a repetition.
        unit: "s", "ms" or "MB".
        baseline: The same of what it is held against, measured in the same run.
        goal: What the value, or with a baseline the ratio, should stay under.
    """
    line: dict[str, object] = {
        "name": name,
        "value": round(statistics.median(values), 3),
        "unit": unit,
        "min": round(min(values), 3),
        "max": round(max(values), 3),
        "repeats": len(values),
    }
    if baseline is not None:
        middle = statistics.median(baseline)
        line |= {
            "baseline": round(middle, 3),
            "ratio": round(statistics.median(values) / middle, 3),
        }
    if goal is not None:
        line["goal"] = goal
    print(json.dumps(line), flush=True)
