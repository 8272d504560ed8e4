"""On which capacity work with a deadline should run now: spot, on-demand, or none yet.

A stochastic dynamic programme over (time left, work left, what runs, how spot is): spot is lost and
comes back with the odds last observed, which depend on how long it has been there or away; every
change of machine takes `changeover` ticks that are paid for and do no work; and a deadline missed
costs more than anything else, so that on-demand is taken in time. The problem is that of "Can't Be
Late" (NSDI 2024), whose uniform progress this is held against.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tidegate.scaling.spot_odds import SpotOdds

MISSED = 1e6
"""What a missed deadline costs in on-demand ticks: more than any saving."""

Values = NDArray[np.float64]


class Mode(IntEnum):
    """What work runs on."""

    NONE = 0
    SPOT = 1
    ON_DEMAND = 2


@dataclass(frozen=True, slots=True)
class Terms:
    """What a choice costs.

    Attributes:
        spot_price: As a share of the on-demand price.
        changeover: Ticks from an order until work goes on; paid, at least 1.
    """

    spot_price: float
    changeover: int


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Expected cost, in on-demand ticks, of (phase of spot, ticks left, work left) by mode.

    `spot` has the phases in which spot is there; it stands for running in one.
    """

    odds: SpotOdds
    terms: Terms
    none: Values
    spot: Values
    on_demand: Values


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """Odds as matrices: one tick, and the whole of a changeover."""

    moves: Values
    keeps: Values
    lost: Values
    lands: Values
    moves_changing: Values
    keeps_changing: Values
    lost_changing: Values


@lru_cache(maxsize=8)
def build_table(odds: SpotOdds, terms: Terms, ticks: int, work: int) -> Table:
    """Return the table of all choices up to so many ticks left and so much work left, in ticks."""
    phases, ups = odds.phases(), odds.ups()
    table = Table(
        odds,
        terms,
        np.full((phases, ticks + 1, work + 1), MISSED),
        np.full((ups, ticks + 1, work + 1), MISSED),
        np.full((phases, ticks + 1, work + 1), MISSED),
    )
    for values in (table.none, table.spot, table.on_demand):
        values[:, :, 0] = 0.0
    chances = _chances(odds, terms)
    for left in range(1, ticks + 1):
        _fill(table, chances, left)
    return table


@lru_cache(maxsize=8)
def _chances(odds: SpotOdds, terms: Terms) -> _Chances:
    moves, keeps = np.array(odds.moves), np.array(odds.keeps)
    keeps_changing = np.linalg.matrix_power(keeps, terms.changeover)
    return _Chances(
        moves=moves,
        keeps=keeps,
        lost=1 - keeps.sum(axis=1),
        lands=np.array(odds.lands),
        moves_changing=np.linalg.matrix_power(moves, terms.changeover),
        keeps_changing=keeps_changing,
        lost_changing=1 - keeps_changing.sum(axis=1),
    )


def _fill(table: Table, chances: _Chances, left: int) -> None:
    """Compute the values of one time left, from those of less time left."""
    ups, change = len(table.spot), table.terms.changeover
    idle = chances.moves @ table.none[:, left - 1, 1:]
    if left >= change:
        later = slice(1, None)
        on_demand, spot = _starts(table, chances, left - change, later)
        np.minimum(idle, on_demand, out=idle)
        np.minimum(idle[:ups], spot, out=idle[:ups])
    goes_on, stays = _running(table, chances, left - 1, slice(0, -1))
    table.none[:, left, 1:] = idle
    np.minimum(goes_on, idle[:ups], out=table.spot[:, left, 1:])
    np.minimum(stays, idle, out=table.on_demand[:, left, 1:])


def _starts(table: Table, chances: _Chances, left: int, work: slice | int) -> tuple[Values, Values]:
    """Return what starting costs in each phase, with what is left after the changeover."""
    change, price = table.terms.changeover, table.terms.spot_price
    on_demand: Values = change + chances.moves_changing @ table.on_demand[:, left, work]
    kept = chances.keeps_changing @ table.spot[:, left, work]
    lost = np.multiply.outer(chances.lost_changing, chances.lands @ table.none[:, left, work])
    spot: Values = price * change + kept + lost
    return on_demand, spot


def _running(
    table: Table, chances: _Chances, left: int, work: slice | int
) -> tuple[Values, Values]:
    """Return what going on costs in each phase: on spot, and on-demand."""
    kept = chances.keeps @ table.spot[:, left, work]
    lost = np.multiply.outer(chances.lost, chances.lands @ table.none[:, left, work])
    spot: Values = table.terms.spot_price + kept + lost
    on_demand: Values = 1 + chances.moves @ table.on_demand[:, left, work]
    return spot, on_demand


def choose_mode(
    table: Table, left: int, work: int, mode: Mode, phase: int, *, changing: bool = False
) -> Mode:
    """Return what to run on in the next tick.

    Args:
        table: For the odds last observed.
        left: Ticks until the deadline.
        work: Ticks of work left.
        mode: What it runs on now; a changeover under way counts as running.
        phase: How spot is, as `SpotOdds.phase` tells it; of the zone it runs in, where it does.
        changing: Whether a changeover is under way.
    """
    if work <= 0:
        return Mode.NONE
    spare = left - work - table.terms.changeover
    on_spot = mode is Mode.SPOT and phase < len(table.spot)
    if on_spot and not changing and spare < 0:
        # On-demand is too late already; spot may still make it.
        return Mode.SPOT
    if spare <= 0 and (changing or not on_spot):
        # Nothing may go wrong any more. Work that runs on spot keeps the time for a changeover.
        return Mode.ON_DEMAND
    change, ups = table.terms.changeover, len(table.spot)
    chances = _chances(table.odds, table.terms)
    on_demand, spot = _starts(table, chances, left - change, work)
    goes_on, stays = _running(table, chances, left - 1, work - 1)
    costs = {
        Mode.NONE: float((chances.moves @ table.none[:, left - 1, work])[phase]),
        Mode.ON_DEMAND: float((stays if mode is Mode.ON_DEMAND else on_demand)[phase]),
    }
    if phase < ups:
        costs[Mode.SPOT] = float((goes_on if mode is Mode.SPOT else spot)[phase])
    return min(costs, key=lambda entry: (costs[entry], -entry))
