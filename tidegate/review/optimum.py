"""The cheapest amounts of every instrument for use that is known: a linear program by cuts.

An hour's on-demand cost is convex and piecewise linear in the amounts. HiGHS minimises the sum of
cuts from below; each answer adds its own cuts, until the best amounts found cost hardly more than
the bound. Where rows and hours are too many for that, `coordinate` finds amounts and a bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import highspy
import numpy as np

from tidegate.review.coordinate import coordinate
from tidegate.review.portfolio import Choice, Floats, Slope, measure_slope, spend_on_demand
from tidegate.review.whole import settle_whole

DEFAULT_GAP = 1e-4
"""Relative distance to the bound at which the search stops."""

MOST_ROUNDS = 400
MOST_WHOLE = 8
WHOLE_ROUNDS = 40
"""Kinds of machines up to which whole numbers are searched with a bound, and for how long."""

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
    nodes: Floats,
    prices: Floats,
    choices: Sequence[Choice],
    gap: float = DEFAULT_GAP,
    whole: Sequence[int] = (),
) -> Optimum:
    """Return the cheapest amounts of all choices together.

    Args:
        nodes: Row × hour → nodes used.
        prices: Row → price of a node an hour on demand.
        choices: What can be bought, in the order of application.
        gap: The relative distance to the bound that is good enough.
        whole: Which choices are bought in whole numbers; the bound is that of any amounts.
    """
    hours = nodes.shape[1]
    if not choices or hours == 0:
        cost = float((prices @ nodes).sum())
        return Optimum(np.zeros(len(choices)), cost, cost, 0)
    if nodes.size > MOST_CELLS:
        near = coordinate(nodes, prices, choices, gap)
        amounts = settle_whole(nodes, prices, choices, whole, near.amounts)
        cost = near.cost if not whole else _cost_of(nodes, prices, choices, amounts)
        return Optimum(amounts, cost, near.bound, near.rounds)
    unit_costs = np.array([choice.unit_cost for choice in choices]) * hours
    program = _Program(unit_costs, _most(nodes, choices), _split(hours))
    measure = partial(measure_slope, nodes, prices, choices)
    found = _search(program, measure, _first_guess(nodes, prices, choices), gap)
    if not whole:
        return found
    start = settle_whole(nodes, prices, choices, whole, found.amounts)
    if len(whole) > MOST_WHOLE:
        cost = _cost_of(nodes, prices, choices, start)
        return Optimum(start, cost, found.bound, found.rounds)
    program.require_whole(whole)
    best = _search(program, measure, start, gap, WHOLE_ROUNDS)
    return Optimum(best.amounts, best.cost, found.bound, found.rounds + best.rounds)


def _search(
    program: _Program,
    measure: Callable[[Floats], Slope],
    start: Floats,
    gap: float,
    most_rounds: int = MOST_ROUNDS,
) -> Optimum:
    """Return the best amounts found when they cost hardly more than the cuts allow."""
    best, best_cost, bound = start, float("inf"), 0.0
    trial = start
    for rounds in range(1, most_rounds + 1):
        cost = program.add_cuts(measure(trial), trial)
        if cost < best_cost and program.allows(trial):
            best, best_cost = trial.copy(), cost
        lowest, bound = program.minimise()
        if best_cost - bound <= gap * max(best_cost, 1e-12):
            return Optimum(best, best_cost, bound, rounds)
        trial = best + _TOWARDS_BOUND * (lowest - best) if rounds % program.pace else lowest
    return Optimum(best, best_cost, bound, most_rounds)


def _cost_of(nodes: Floats, prices: Floats, choices: Sequence[Choice], amounts: Floats) -> float:
    fixed = sum(each.unit_cost * one for each, one in zip(choices, amounts, strict=True))
    spent = spend_on_demand(nodes, prices, choices, amounts)
    return float(spent.sum() + fixed * nodes.shape[1])


class _Program:
    """The cuts so far, as a program that HiGHS keeps between rounds: linear, or in whole numbers.

    Attributes:
        pace: Every so many rounds the amounts of the bound themselves are tried.
    """

    def __init__(self, unit_costs: Floats, most: Floats, groups: Sequence[slice]) -> None:
        self._unit_costs = unit_costs
        self._groups = groups
        self._whole: Sequence[int] = ()
        self.pace = 4
        self._solver = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        self._solver.setOptionValue("mip_rel_gap", 1e-7)
        for cost, upper in zip(unit_costs, most, strict=True):
            self._solver.addCol(float(cost), 0.0, float(upper), 0, [], [])
        for _ in groups:
            self._solver.addCol(1.0, 0.0, highspy.kHighsInf, 0, [], [])

    def require_whole(self, choices: Sequence[int]) -> None:
        """From now on take only whole numbers of these choices."""
        self._whole = choices
        self.pace = 2
        most = self._solver.getLp().col_upper_
        for index in choices:
            self._solver.changeColIntegrality(index, highspy.HighsVarType.kInteger)
            self._solver.changeColBounds(index, 0.0, float(np.ceil(most[index])))

    def allows(self, amounts: Floats) -> bool:
        """Return whether amounts are whole where they must be."""
        wanted = amounts[list(self._whole)]
        return bool(np.allclose(wanted, np.rint(wanted), atol=1e-6))

    def add_cuts(self, slope: Slope, amounts: Floats) -> float:
        """Add: each group costs at least constant + slope · amounts; return what these cost."""
        costs = np.array([slope.costs[group].sum() for group in self._groups])
        slopes = np.array([-slope.savings[:, group].sum(axis=1) for group in self._groups])
        constants = costs - slopes @ amounts
        for group in range(len(self._groups)):
            changed = np.flatnonzero(slopes[group])
            columns = np.append(changed, len(self._unit_costs) + group).astype(np.int32)
            values = np.append(-slopes[group][changed], 1.0)
            self._solver.addRow(
                float(constants[group]), highspy.kHighsInf, len(columns), columns, values
            )
        return float(costs.sum() + self._unit_costs @ amounts)

    def minimise(self) -> tuple[Floats, float]:
        """Return the amounts that are cheapest by the cuts, and what they cost by them."""
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise ArithmeticError(f"HiGHS ended with {self._solver.getModelStatus()}")
        solution = np.array(self._solver.getSolution().col_value)[: len(self._unit_costs)]
        info = self._solver.getInfo()
        if not self._whole:
            return solution, float(info.objective_function_value)
        solution[list(self._whole)] = np.rint(solution[list(self._whole)])
        return solution, float(info.mip_dual_bound)


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
