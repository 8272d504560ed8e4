"""Whole machines beside amounts of money: what the linear program cut in parts is put together.

Machines are moved one by one, and two at a time where they are few, with the amounts of the other
instruments chosen anew on what each move leaves, until no move saves anything. Cost is convex in
all amounts together, so that what is found is the cheapest or hardly dearer; the distance to the
program's bound says how much.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tidegate.review.coordinate import fill_shared
from tidegate.review.portfolio import Choice, Floats, measure_slope, spend_on_demand

MOST_SWEEPS = 40
MOST_IN_PAIRS = 12
"""Kinds of machines up to which two are moved at once."""

MOST_WORK = 2_000_000
"""Cells that a sweep may look at where there is no short way; beyond, machines are rounded."""

Evaluate = Callable[[Floats], tuple[float, Floats]]
"""Numbers of machines → the cost with them, and every amount."""


def settle_whole(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], whole: Sequence[int], start: Floats
) -> Floats:
    """Return amounts in which some are whole numbers, and the others the best beside them.

    Args:
        nodes: Row × hour → nodes used.
        prices: Row → price of a node an hour on demand.
        choices: What can be bought, in the order of application.
        whole: Which of the choices are bought in whole numbers.
        start: Amounts of the linear program.
    """
    if not whole or nodes.shape[1] == 0:
        return start
    short = _find_short_way(nodes, prices, choices, whole)
    evaluate = short or _evaluate_fully(nodes, prices, choices, whole)
    machines = start[list(whole)]
    starts = [np.floor(machines), np.rint(machines), np.ceil(machines)]
    if short is None:
        starts.append(_round_by_worth(nodes, prices, choices, whole, start))
    found = [(evaluate(each)[0], index, each) for index, each in enumerate(starts)]
    if short is None:
        found = [min(found, key=lambda each: each[:2])]
        if nodes.size * len(whole) > MOST_WORK:
            return evaluate(found[0][2])[1]
    ends = [_descend(evaluate, each, cost) for cost, _, each in found]
    best = min(enumerate(ends), key=lambda end: (end[1][0], end[0]))[1][1]
    return evaluate(best)[1]


def _round_by_worth(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], whole: Sequence[int], start: Floats
) -> Floats:
    """Return machines rounded to the cheaper side, at what the other instruments are worth."""
    savings = measure_slope(nodes, prices, choices, start).savings
    worth = np.broadcast_to(prices[:, None], nodes.shape).copy()
    for index, choice in enumerate(choices):
        if index not in set(whole):
            due = choice.unit_cost * nodes.shape[1]
            price = savings[index] * min(1.0, due / max(float(savings[index].sum()), 1e-12))
            asked = choice.rates[:, None] * price
            worth[choice.rows] = np.minimum(worth[choice.rows], asked)
    rounded = []
    for index in whole:
        choice = choices[index]
        used, value = nodes[choice.rows].sum(axis=0), worth[choice.rows].max(axis=0)
        low = float(np.floor(start[index]))
        gained = float((value * np.clip(used - low, 0.0, 1.0)).sum())
        rounded.append(low + (gained > choice.unit_cost * nodes.shape[1]))
    return np.array(rounded)


def _descend(evaluate: Evaluate, machines: Floats, cost: float) -> tuple[float, Floats]:
    """Return the cost and the machines from which no move saves anything."""
    for _ in range(MOST_SWEEPS):
        before = cost
        for move in _moves(len(machines)):
            moved = machines + move
            if moved.min() < 0:
                continue
            trial, _ = evaluate(moved)
            if trial < cost * (1 - 1e-12):
                machines, cost = moved, trial
        if cost >= before:
            break
    return cost, machines


def _moves(count: int) -> Iterator[Floats]:
    single = np.eye(count)
    for each in single:
        yield from (each, -each)
    if count <= MOST_IN_PAIRS:
        for one, other in itertools.combinations(single, 2):
            yield from (one - other, other - one, one + other, -one - other)


def _evaluate_fully(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], whole: Sequence[int]
) -> Evaluate:
    others = [index for index in range(len(choices)) if index not in set(whole)]
    unit_costs = np.array([choice.unit_cost for choice in choices]) * nodes.shape[1]

    def evaluate(machines: Floats) -> tuple[float, Floats]:
        amounts = np.zeros(len(choices))
        amounts[list(whole)] = machines
        amounts = fill_shared(nodes, choices, prices, others, amounts)
        spent = spend_on_demand(nodes, prices, choices, amounts)
        return float(spent.sum() + unit_costs @ amounts), amounts

    return evaluate


@dataclass(frozen=True, slots=True)
class _Machine:
    """What one kind of machine can cover, hour by hour, and what a node of it takes of the plan."""

    used: Floats
    rate: float
    unit_cost: float


def _find_short_way(
    nodes: Floats, prices: Floats, choices: Sequence[Choice], whole: Sequence[int]
) -> Evaluate | None:
    """Return an evaluation in sums over rows, where one plan at one discount covers everything."""
    others = [index for index in range(len(choices)) if index not in set(whole)]
    if len(others) != 1:
        return None
    plan = choices[others[0]]
    worth = prices[plan.rows] / plan.rates
    machines = [_as_machine(nodes, plan, choices[index]) for index in whole]
    known = [each for each in machines if each is not None]
    if np.ptp(worth) > 1e-6 * worth[0] or len(known) < len(whole):
        return None
    rates = np.zeros(len(nodes))
    rates[plan.rows] = plan.rates
    alone = rates @ nodes - sum(each.rate * each.used for each in known)
    share = 1.0 - min(1.0, plan.unit_cost / float(worth[0]))
    hours = nodes.shape[1]

    def evaluate(amounts: Floats) -> tuple[float, Floats]:
        asked = alone.copy()
        for machine, amount in zip(known, amounts, strict=True):
            asked += machine.rate * np.maximum(machine.used - amount, 0.0)
        bought = float(np.quantile(asked, share, method="inverted_cdf"))
        fixed = sum(each.unit_cost * one for each, one in zip(known, amounts, strict=True))
        spent = float(worth[0]) * float(np.maximum(asked - bought, 0.0).sum())
        found = np.zeros(len(choices))
        found[list(whole)] = amounts
        found[others[0]] = bought
        return hours * (fixed + plan.unit_cost * bought) + spent, found

    return evaluate


def _as_machine(nodes: Floats, plan: Choice, choice: Choice) -> _Machine | None:
    """Return a kind of machine whose rows all take the same of the plan; None of any other."""
    rates = dict(zip(plan.rows.tolist(), plan.rates.tolist(), strict=True))
    taken = {rates.get(row) for row in choice.rows.tolist()}
    rate = taken.pop() if len(taken) == 1 else None
    if rate is None:
        return None
    return _Machine(nodes[choice.rows].sum(axis=0), rate, choice.unit_cost)
