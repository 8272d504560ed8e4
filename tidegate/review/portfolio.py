"""The cost of a portfolio of instruments as a convex function, and how it changes with each.

Floating point, for optimisation alone: what is shown is priced anew, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Choice:
    """One instrument that can be bought in any amount.

    Attributes:
        rows: Which rows of use it covers, in the order in which it takes them.
        rates: What a node of each of these rows takes of it.
        unit_cost: What a unit costs an hour, used or not.
    """

    rows: Indices
    rates: Floats
    unit_cost: float


@dataclass(frozen=True, slots=True)
class Slope:
    """A cost and how it changes.

    Attributes:
        costs: The on-demand cost of each hour.
        savings: Choice × hour → what a unit more of the choice saves there.
    """

    costs: Floats
    savings: Floats


@dataclass(frozen=True, slots=True)
class _Applied:
    taken_through: Floats
    """Position × hour → what the rows up to each position ask of the choice."""


def spend_on_demand(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], amounts: Floats
) -> Floats:
    """Return what is spent on demand in each hour with these amounts.

    Args:
        nodes: Row × hour → nodes used.
        prices: Row → price of a node an hour on demand.
        choices: What can be bought, in the order of application.
        amounts: How much of each is bought.
    """
    left, _ = _apply_all(nodes, choices, amounts)
    return np.asarray(prices @ left, dtype=np.float64)


def measure_slope(
    nodes: Floats,
    prices: Floats,
    choices: Sequence[Choice],
    amounts: Floats,
) -> Slope:
    """Return the on-demand cost of each hour and its subgradient.

    Instruments of nested scopes, the narrower applied first, use what is bought as well as can
    be: the cost is convex in the amounts, and the slope a lower bound everywhere.
    """
    left, applied = _apply_all(nodes, choices, amounts)
    spent = prices @ left
    worth = np.broadcast_to(prices[:, None], nodes.shape).copy()
    savings = np.zeros((len(choices), nodes.shape[1]))
    for index in range(len(choices) - 1, -1, -1):
        amount = float(amounts[index])
        savings[index] = _step_back(choices[index], applied[index], amount, worth)
    return Slope(spent, savings)


def bound_cost(nodes: Floats, prices: Floats, choices: Sequence[Choice], savings: Floats) -> float:
    """Return what no amounts, and no other order of application, can undercut.

    The dual of the linear program: a price for each choice and hour, which sums to at most what a
    unit of the choice costs, makes every node of use worth the least that anything asks for it.

    Args:
        nodes: Row × hour → nodes used.
        prices: Row → price of a node an hour on demand.
        choices: What can be bought.
        savings: Choice × hour → a price of the choice in that hour; scaled down where it is more
            than the choice costs.
    """
    worth = np.broadcast_to(prices[:, None], nodes.shape).copy()
    for choice, saving in zip(choices, savings, strict=True):
        lower_worth(worth, choice, scale_savings(saving, choice.unit_cost * nodes.shape[1]))
    return float((nodes * worth).sum())


def scale_savings(savings: Floats, due: float) -> Floats:
    """Return prices that sum to no more than a choice costs."""
    total = float(savings.sum())
    return savings * (due / total) if total > due else savings


def lower_worth(worth: Floats, choice: Choice, price: Floats) -> None:
    """Take what a choice asks for its rows, at a price in each hour, where that is less."""
    worth[choice.rows] = np.minimum(worth[choice.rows], choice.rates[:, None] * price)


def _apply_all(
    nodes: Floats, choices: Sequence[Choice], amounts: Floats
) -> tuple[Floats, list[_Applied]]:
    left = nodes.copy()
    applied = []
    for choice, amount in zip(choices, amounts, strict=True):
        asked = left[choice.rows] * choice.rates[:, None]
        through = np.cumsum(asked, axis=0)
        given = np.clip(amount - (through - asked), 0.0, asked)
        left[choice.rows] -= given / choice.rates[:, None]
        applied.append(_Applied(through))
    np.maximum(left, 0.0, out=left)
    return left, applied


def _step_back(choice: Choice, applied: _Applied, amount: float, worth: Floats) -> Floats:
    """Return what a unit more of the choice saves in each hour; update what a node more costs.

    `worth` is row × hour → what one more node of that row costs once the choice has been applied
    on the way in, and before it is applied on the way out.
    """
    through = applied.taken_through
    exhausted = through[-1] > amount
    after = worth[choice.rows]
    if len(choice.rows) == 1:
        worth[choice.rows] = np.where(exhausted, after, 0.0)
        return np.asarray(np.where(exhausted, after[0] / choice.rates[0], 0.0))
    marginal = np.argmax(through > amount, axis=0)
    at_marginal = after[marginal, np.arange(through.shape[1])]
    saved = np.where(exhausted, at_marginal / choice.rates[marginal], 0.0)
    before_marginal = np.arange(len(choice.rows))[:, None] < marginal
    displaced = choice.rates[:, None] * saved
    worth[choice.rows] = np.where(exhausted, np.where(before_marginal, displaced, after), 0.0)
    return saved
