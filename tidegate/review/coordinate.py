"""The cheapest amounts where hours and rows are too many for cuts: prices that coordinate.

Where instruments of whole clouds have a price in every hour, each instrument of one row has its
own optimum, a weighted quantile of the row's use. The prices are the averages of what the shared
instruments were worth along the way (fictitious play). Any prices bound the optimum from below,
and any amounts from above, so that the gap is known in every round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tidegate.review.portfolio import Choice, Floats, measure_slope

_ROUNDS = 60


@dataclass(frozen=True, slots=True)
class Coordinated:
    """Amounts of each choice, their cost over all hours, and a bound below every cost."""

    amounts: Floats
    cost: float
    bound: float
    rounds: int


@dataclass(frozen=True, slots=True)
class _Single:
    """A choice of one row: its place among the choices, and its row's hours by falling use."""

    index: int
    row: int
    rate: float
    unit_cost: float
    order: npt.NDArray[np.int64]
    asked: Floats


def coordinate(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], gap: float, rounds: int = _ROUNDS
) -> Coordinated:
    """Return amounts whose cost is within the gap of the bound, or the best after all rounds."""
    singles = _sort_singles(nodes, choices)
    shared = [index for index, choice in enumerate(choices) if len(choice.rows) > 1]
    unit_costs = np.array([choice.unit_cost for choice in choices]) * nodes.shape[1]
    worth = np.zeros((len(choices), nodes.shape[1]))
    average = np.zeros(len(choices))
    best, best_cost, bound = average, float("inf"), 0.0
    for turn in range(rounds):
        answer, below = _answer(nodes, prices, choices, singles, worth)
        bound = max(bound, below)
        weight = 2.0 / (turn + 2)
        average = average + weight * (answer - average)
        amounts = fill_shared(nodes, choices, prices, shared, average)
        slope = measure_slope(nodes, prices, choices, amounts)
        cost = float(slope.costs.sum() + unit_costs @ amounts)
        if cost < best_cost:
            best, best_cost = amounts, cost
        if best_cost - bound <= gap * best_cost or not shared:
            return Coordinated(best, best_cost, bound, turn + 1)
        for index in shared:
            fair = _scale(slope.savings[index], unit_costs[index])
            worth[index] += weight * (fair - worth[index])
    return Coordinated(best, best_cost, bound, rounds)


def _sort_singles(nodes: Floats, choices: Sequence[Choice]) -> list[_Single]:
    found = []
    for index, choice in enumerate(choices):
        if len(choice.rows) == 1:
            row, rate = int(choice.rows[0]), float(choice.rates[0])
            order = np.argsort(-nodes[row], kind="stable")
            asked = nodes[row][order] * rate
            found.append(_Single(index, row, rate, choice.unit_cost, order, asked))
    return found


def _answer(
    nodes: Floats,
    prices: Floats,
    choices: Sequence[Choice],
    singles: Sequence[_Single],
    worth: Floats,
) -> tuple[Floats, float]:
    """Return each single choice's own optimum at these prices, and the bound they prove."""
    node_worth = np.broadcast_to(prices[:, None], nodes.shape).copy()
    for choice, price in zip(choices, worth, strict=True):
        if len(choice.rows) > 1:
            asked = choice.rates[:, None] * price
            node_worth[choice.rows] = np.minimum(node_worth[choice.rows], asked)
    amounts = np.zeros(len(choices))
    for single in singles:
        value = node_worth[single.row][single.order] / single.rate
        due = single.unit_cost * len(value)
        reached = np.cumsum(value)
        last = int(np.searchsorted(reached, due))
        if last >= len(value):
            continue
        amounts[single.index] = single.asked[last]
        # Above its amount the choice is worth what it saves; the hour in between takes the rest.
        price = np.where(np.arange(len(value)) < last, value, 0.0)
        price[last] = due - (reached[last - 1] if last else 0.0)
        capped = np.minimum(value, price) * single.rate
        node_worth[single.row][single.order] = capped
    return amounts, float((nodes * node_worth).sum())


def fill_shared(
    nodes: Floats,
    choices: Sequence[Choice],
    prices: Floats,
    shared: Sequence[int],
    amounts: Floats,
) -> Floats:
    """Return the amounts with each shared choice at its own optimum on what is left for it."""
    filled = amounts.copy()
    left = nodes.copy()
    for index, choice in enumerate(choices):
        asked = left[choice.rows] * choice.rates[:, None]
        through = np.cumsum(asked, axis=0)
        if index in shared:
            saving = float((prices[choice.rows] / choice.rates).mean())
            share = 1.0 - min(1.0, choice.unit_cost / saving)
            filled[index] = np.quantile(through[-1], share, method="inverted_cdf")
        given = np.clip(filled[index] - (through - asked), 0.0, asked)
        left[choice.rows] -= given / choice.rates[:, None]
    return filled


def _scale(savings: Floats, due: float) -> Floats:
    """Return prices that sum to no more than the choice costs."""
    total = float(savings.sum())
    return savings * (due / total) if total > due else savings
