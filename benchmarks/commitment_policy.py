"""How the policy of commitments was chosen: a grid on the first half of every trace.

Each half has its own rolling bound. The score is the sum of the mean ratio and that of the summed
GPUs, at both discounts; the second halves and the whole are looked at by `commitments.py` alone.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping

import numpy as np
from commitments import TERMS, YEAR, middle
from traces import TRACES, read_all

from tidegate.review.online import replay_policy
from tidegate.review.portfolio import Floats
from tidegate.review.rolling import bound_rolling

LOOK_BACKS = (YEAR, YEAR * 3 // 2, 2 * YEAR, 0)
"""In steps; 0 stands for a term."""

EAGERNESS = (0.8, 1.0, 1.2, 1.4)
NOW = (1, 2)
SHARES = (1 / 2, 1 / 3, 1 / 4, 1 / 6, 1 / 8, 1 / 12)
BEST = 5


def main() -> None:
    if not TRACES.is_dir():
        print(json.dumps({"name": "commitment-policy", "skipped": f"{TRACES} is absent"}))
        return
    series = {name: use[: middle(use)] for name, use in read_all()}
    bounds = {
        discount: {name: bound_rolling(use[YEAR:], term, discount) for name, use in series.items()}
        for discount, term, *_ in TERMS
    }
    found = []
    for look_back, eagerness, now in itertools.product(LOOK_BACKS, EAGERNESS, NOW):
        targets = {
            (discount, name): aim(use, look_back or term, eagerness * discount, now)
            for discount, term, *_ in TERMS
            for name, use in series.items()
        }
        for share in SHARES:
            score = judge(series, bounds, targets, share)
            variant = {"lookBackSteps": look_back or "term", "eagerness": eagerness, "now": now}
            found.append((score, {**variant, "share": round(share, 3)}))
    found.sort(key=lambda each: each[0])
    for score, variant in found[:BEST]:
        print(json.dumps({"name": "commitment-policy", "score": round(score, 4), **variant}))


def aim(use: Floats, look_back: int, quantile: float, now: int) -> Floats:
    """Return the target of each step, from the steps before it."""
    targets = np.zeros(len(use))
    for step in range(YEAR, len(use)):
        past = use[:step]
        far = np.quantile(past[-look_back:], min(1.0, quantile))
        targets[step] = min(float(far), float(np.median(past[-now:])))
    return targets


def judge(
    series: Mapping[str, Floats],
    bounds: Mapping[float, Mapping[str, float]],
    targets: Mapping[tuple[float, str], Floats],
    share: float,
) -> float:
    """Return the score of a variant."""
    score = 0.0
    for discount, term, *_ in TERMS:
        costs = {}
        for name, use in series.items():
            if bounds[discount][name]:
                aimed = targets[discount, name]
                costs[name] = replay_policy(
                    use, YEAR, term, discount, lambda past, aimed=aimed: aimed[len(past)], share
                )
        gpus = [name for name in costs if not name.startswith("servegen")]
        ratios = [costs[name] / bounds[discount][name] for name in costs]
        whole = sum(bounds[discount][name] for name in gpus)
        score += float(np.mean(ratios)) + sum(costs[name] for name in gpus) / whole
    return score


if __name__ == "__main__":
    main()
