"""How much to be committed to now, from the past alone: the policy that purchases follow.

One policy, for every series. The d-quantile of a term's use is what would have cost least at
discount d; since most use grows, a quantile a little higher is aimed at. Nothing is bought that is
not in use now, and of what is missing only a part at each step, so that neither a peak nor use
that has gone binds for a term. docs/evaluation.md says on what it was chosen.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tidegate.review.portfolio import Floats

EAGERNESS = 1.4
"""The quantile aimed at, as a multiple of the discount."""

STEPS_A_YEAR = 72
"""How often a year it is decided anew: every five days."""

SHARE_A_STEP = 1 / 8
"""The part of what is missing that a step buys."""

_STEPS_A_MONTH = STEPS_A_YEAR // 12
SHARE_A_MONTH = 1 - (1 - SHARE_A_STEP) ** _STEPS_A_MONTH
"""The part of what is missing that a month of steps buys."""


def decide_target(past: Floats, discount: float, term: int, step: int) -> float:
    """Return the amount to be committed to in the end.

    Args:
        past: Use an hour, the latest last; hours that were not measured are left out.
        discount: How much cheaper a commitment is, from 0 to 1.
        term: Hours of its term, or as many as stand for them.
        step: Hours of a step; the median of the last ones is what is in use now.
    """
    if len(past) == 0 or discount <= 0:
        return 0.0
    quantile = min(1.0, EAGERNESS * discount)
    return min(float(np.quantile(past[-term:], quantile)), float(np.median(past[-step:])))


def look_back_target(past: Floats, discount: float, span: int) -> float:
    """Return the d-quantile of the last hours: what the clouds' own recommenders maximise."""
    return float(np.quantile(past[-span:], discount, method="inverted_cdf")) if len(past) else 0.0


def replay_policy(
    use: Floats,
    warm_up: int,
    term: int,
    discount: float,
    target: Callable[[Floats], float],
    share: float = 1.0,
) -> float:
    """Return what a policy would have cost, in units of the on-demand price of one unit an hour.

    Each step it sees the past alone and buys a share of what is missing to its target; each
    purchase lasts for the term and is paid for hour by hour, within the evaluated span.

    Args:
        use: Use an hour.
        warm_up: Hours at the start that are only looked at.
        term: Hours that a purchase lasts.
        discount: How much cheaper a commitment is, from 0 to 1.
        target: The policy.
        share: The part of what is missing that a step buys.
    """
    bought = np.zeros(len(use))
    active, cost = 0.0, 0.0
    for hour in range(warm_up, len(use)):
        if hour - term >= warm_up:
            active -= bought[hour - term]
        bought[hour] = share * max(0.0, target(use[:hour]) - active)
        active += bought[hour]
        cost += (1 - discount) * active + max(0.0, float(use[hour]) - active)
    return cost


def replay_break_even(use: Floats, warm_up: int, term: int, discount: float) -> float:
    """Return what the deterministic (2 − α) policy of Wang, Li and Liang would have cost.

    A level of use is reserved once, within a term, as much was paid for it on demand as reserving
    it for the term costs (arXiv 1305.5608, without its look-ahead). α is what use still costs once
    it is reserved, relative to on demand: 0 for commitments, which are paid for used or not, so
    that the guarantee is twice the optimum. Levels are those that the use itself has, and each is
    decided for itself.

    Args:
        use: Use an hour.
        warm_up: Hours at the start that are left out.
        term: Hours that a purchase lasts.
        discount: How much cheaper a reservation is than use on demand over the whole term.
    """
    spent = use[warm_up:]
    levels = np.unique(np.concatenate([[0.0], spent]))
    due = (1 - discount) * term
    cost = 0.0
    for low, high in itertools.pairwise(levels):
        cost += (high - low) * _replay_level(spent >= high, term, due, 1 - discount)
    return float(cost)


def _replay_level(used: npt.NDArray[np.bool_], term: int, due: float, rate: float) -> float:
    cost, reserved_until = 0.0, 0
    paid: list[int] = []
    for hour in range(len(used)):
        if hour < reserved_until:
            cost += rate
            continue
        if not used[hour]:
            continue
        paid = [earlier for earlier in paid if earlier > hour - term]
        if len(paid) + 1 > due:
            reserved_until = hour + term
            cost += rate
            paid = []
        else:
            paid.append(hour)
            cost += 1.0
    return cost
