"""The cheapest amounts of every instrument for use that is known: a linear program by cuts.

An hour's on-demand cost is convex and piecewise linear in the amounts. HiGHS minimises the sum of
cuts from below; each answer adds its own cuts, until the best amounts found cost hardly more than
the bound. Where rows and hours are too many for that, `coordinate` finds amounts and a bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from tidegate.review.coordinate import coordinate
from tidegate.review.portfolio import Choice, Floats, measure_slope

DEFAULT_GAP = 1e-4
"""Relative distance to the bound at which the search stops."""

MOST_ROUNDS = 400
MOST_CELLS = 100_000
"""Rows times hours above which prices coordinate instead of cuts."""

_GROUPS = 12
_TOWARDS_BOUND = 0.4
"""How far each trial goes from the best amounts to those of the bound; 1 alone oscillates."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The cheapest amounts found, and a proof of how good they are.

    Attributes:
        amounts: How much of each choice.
        cost: What they cost with all on-demand use, over all hours.
        bound: No amounts cost less than this.
        rounds: How often cuts were added.
    """

    amounts: Floats
    cost: float
    bound: float
    rounds: int

    @property
    def gap(self) -> float:
        """Return how far the cost is above the bound, relative to the cost."""
        return 0.0 if self.cost <= 0 else max(0.0, (self.cost - self.bound) / self.cost)


def find_optimum(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], gap: float = DEFAULT_GAP
) -> Optimum:
    """Return the cheapest amounts of all choices together.

    Args:
        nodes: Row × hour → nodes used.
        prices: Row → price of a node an hour on demand.
        choices: What can be bought, in the order of application.
        gap: The relative distance to the bound that is good enough.
    """
    hours = nodes.shape[1]
    if not choices or hours == 0:
        cost = float((prices @ nodes).sum())
        return Optimum(np.zeros(len(choices)), cost, cost, 0)
    if nodes.size > MOST_CELLS:
        found = coordinate(nodes, prices, choices, gap)
        return Optimum(found.amounts, found.cost, found.bound, found.rounds)
    unit_costs = np.array([choice.unit_cost for choice in choices]) * hours
    groups = _split(hours)
    program = _Program(unit_costs, _most(nodes, choices), len(groups))
    best = np.zeros(len(choices))
    best_cost, bound = float("inf"), 0.0
    trial = _first_guess(nodes, prices, choices)
    for rounds in range(1, MOST_ROUNDS + 1):
        slope = measure_slope(nodes, prices, choices, trial)
        costs = np.array([slope.costs[group].sum() for group in groups])
        slopes = np.array([-slope.savings[:, group].sum(axis=1) for group in groups])
        cost = float(costs.sum() + unit_costs @ trial)
        if cost < best_cost:
            best, best_cost = trial.copy(), cost
        program.add_cuts(costs - slopes @ trial, slopes)
        lowest, bound = program.minimise()
        if best_cost - bound <= gap * max(best_cost, 1e-12):
            return Optimum(best, best_cost, bound, rounds)
        trial = best + _TOWARDS_BOUND * (lowest - best) if rounds % 4 else lowest
    return Optimum(best, best_cost, bound, MOST_ROUNDS)


class _Program:
    """The cuts so far, as a linear program that HiGHS keeps between rounds."""

    def __init__(self, unit_costs: Floats, most: Floats, groups: int) -> None:
        self._choices = len(unit_costs)
        self._groups = groups
        self._solver = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        for cost, upper in zip(unit_costs, most, strict=True):
            self._solver.addCol(float(cost), 0.0, float(upper), 0, [], [])
        for _ in range(groups):
            self._solver.addCol(1.0, 0.0, highspy.kHighsInf, 0, [], [])

    def add_cuts(self, constants: Floats, slopes: Floats) -> None:
        """Add: the cost of each group is at least constant + slope · amounts."""
        for group in range(self._groups):
            changed = np.flatnonzero(slopes[group])
            columns = np.append(changed, self._choices + group).astype(np.int32)
            values = np.append(-slopes[group][changed], 1.0)
            self._solver.addRow(
                float(constants[group]), highspy.kHighsInf, len(columns), columns, values
            )

    def minimise(self) -> tuple[Floats, float]:
        """Return the amounts that are cheapest by the cuts, and what they cost by them."""
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise ArithmeticError(f"HiGHS ended with {self._solver.getModelStatus()}")
        solution = np.array(self._solver.getSolution().col_value)
        return solution[: self._choices], float(self._solver.getInfo().objective_function_value)


def _split(hours: int) -> list[slice]:
    groups = max(1, min(_GROUPS, hours))
    edges = np.linspace(0, hours, groups + 1).astype(int)
    return [slice(int(low), int(high)) for low, high in itertools.pairwise(edges)]


def _most(nodes: Floats, choices: Sequence[Choice]) -> Floats:
    """Return the amount of each choice that covers every hour by itself: more never helps."""
    return np.array([float((c.rates @ nodes[c.rows]).max(initial=0.0)) for c in choices])


def _first_guess(nodes: Floats, prices: Floats, choices: Sequence[Choice]) -> Floats:
    """Return each choice's own optimum on what the earlier ones leave: a quantile of its use."""
    left = nodes.copy()
    amounts = np.zeros(len(choices))
    for index, choice in enumerate(choices):
        asked = left[choice.rows] * choice.rates[:, None]
        saving = float((prices[choice.rows] / choice.rates).mean())
        share = 1.0 - min(1.0, choice.unit_cost / saving)
        amounts[index] = np.quantile(asked.sum(axis=0), share, method="inverted_cdf")
        through = np.cumsum(asked, axis=0)
        given = np.clip(amounts[index] - (through - asked), 0.0, asked)
        left[choice.rows] -= given / choice.rates[:, None]
    return amounts
