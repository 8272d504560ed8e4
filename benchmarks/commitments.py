"""Purchases decided with the past alone, on public traces, against what hindsight could do.

An hour of a trace stands for five days: a year's term is 72 hours, three years are 216, and look-
backs shrink with them. The first 72 hours of every series are looked at and not counted. ServeGen's
series have a step of ten minutes and are taken as they are. Reads `../shared/data/traces`.

Last comes what a review of a whole year takes: `commitments_scale.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from commitments_scale import measure_scale
from figures import print_figure
from traces import TRACES, read_all

from tidegate.review.online import (
    SHARE_A_STEP,
    decide_target,
    look_back_target,
    replay_break_even,
    replay_policy,
)
from tidegate.review.portfolio import Floats
from tidegate.review.rolling import bound_rolling, find_constant

YEAR = 72
TERMS = ((0.28, YEAR, 1.10, 1.25, 1.08), (0.46, 3 * YEAR, 1.15, 1.45, None))
"""Discount, term in steps, and goals: mean ratio, worst ratio, ratio of the sums."""

POLICIES = (
    "policy",
    "look-back-30-days",
    "look-back-60-days",
    "look-back-term",
    "stable-floor",
    "nothing",
    "two-minus-alpha",
    "constant-in-hindsight",
)


def main() -> None:
    evaluate()
    measure_scale()


def evaluate() -> None:
    if not TRACES.is_dir():
        print(json.dumps({"name": "commitments.ratio", "skipped": f"{TRACES} is absent"}))
        return
    series = dict(read_all())
    for discount, term, *goals in TERMS:
        rows = {name: judge(use, YEAR, term, discount) for name, use in series.items()}
        for name, row in rows.items():
            print(json.dumps({"name": f"commitments.{discount}.{name}", **row}))
        counted = {name: row for name, row in rows.items() if row["bound"]}
        for policy in POLICIES:
            show_policy(policy, discount, counted, goals)
        later = {name: judge(use, middle(use), term, discount) for name, use in series.items()}
        name = f"{discount}.second-half"
        show_policy("policy", name, {key: row for key, row in later.items() if row["bound"]}, goals)
        for fleet in ("helios", "philly"):
            use = sum_series(use for name, use in series.items() if name.startswith(fleet))
            row = judge(use, YEAR, term, discount)
            ratio = row["policy"] / row["bound"]
            name = f"commitments.{discount}.policy.summed-{fleet}"
            print_figure(name, [ratio], "ratio", goal=goals[2])


def sum_series(uses: Iterable[Floats]) -> Floats:
    """Return what a whole fleet uses, hour by hour: one commitment covers all of its clusters."""
    return np.asarray(np.sum(list(uses), axis=0), dtype=np.float64)


def show_policy(
    policy: str,
    discount: float | str,
    rows: Mapping[str, Mapping[str, float]],
    goals: Sequence[float | None],
) -> None:
    """Print the mean ratio to the bound, the worst, and that of the sums.

    The sum over the fleet adds GPUs and requests a second, each at a price of one; the one of
    GPUs alone stands beside it.
    """
    ratios = [row[policy] / row["bound"] for row in rows.values()]
    gpus = [row for name, row in rows.items() if not name.startswith("servegen")]
    figures = {
        "mean": float(np.mean(ratios)),
        "worst": max(ratios),
        "fleet": ratio_of_sums(policy, list(rows.values())),
        "fleet-of-gpus": ratio_of_sums(policy, gpus),
    }
    for (name, value), goal in zip(figures.items(), [*goals, None], strict=True):
        shown = goal if policy == "policy" else None
        print_figure(f"commitments.{discount}.{policy}.{name}", [value], "ratio", goal=shown)


def ratio_of_sums(policy: str, rows: Sequence[Mapping[str, float]]) -> float:
    return sum(row[policy] for row in rows) / sum(row["bound"] for row in rows)


def middle(use: Floats) -> int:
    """Return where the second half begins; the policy was chosen on the first halves alone."""
    return YEAR + (len(use) - YEAR) // 2


def judge(use: Floats, start: int, term: int, discount: float) -> dict[str, float]:
    """Return the cost of each policy on one series from an hour on, and the bound."""
    span = max(1, round(YEAR * 30 / 365)), max(1, round(YEAR * 60 / 365))
    policies: dict[str, tuple[Callable[[Floats], float], float]] = {
        "policy": (lambda past: decide_target(past, discount, term, 1), SHARE_A_STEP),
        "look-back-30-days": (lambda past: look_back_target(past, discount, span[0]), 1.0),
        "look-back-60-days": (lambda past: look_back_target(past, discount, span[1]), 1.0),
        "look-back-term": (lambda past: look_back_target(past, discount, term), 1.0),
        "stable-floor": (lambda past: float(past[-YEAR:].min()), 1.0),
        "nothing": (lambda _: 0.0, 1.0),
    }
    counted = use[start:]
    whole = np.floor(use)  # levels of a whole unit; what is left of one is bought on demand
    costs = {
        name: replay_policy(use, start, term, discount, target, share)
        for name, (target, share) in policies.items()
    }
    return {
        "bound": bound_rolling(counted, term, discount),
        **costs,
        "two-minus-alpha": replay_break_even(whole, start, term, discount)
        + float((use - whole)[start:].sum()),
        "constant-in-hindsight": find_constant(counted, discount),
    }


if __name__ == "__main__":
    main()
