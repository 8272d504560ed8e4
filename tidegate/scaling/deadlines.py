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

TABLE_STEP = 64
"""Tables are sized in steps of so many ticks, so that decisions soon after each other share one."""
MISSED = 1e6
"""What a missed deadline costs in on-demand ticks: more than any saving."""

Values = NDArray[np.float64]
Pick = int | slice
EVERY = slice(None)


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

    `spot` has the phases in which spot is there; it stands for running in one. `lost` is what is
    left to pay when a zone was just lost, by (ticks left, work left).
    """

    odds: SpotOdds
    terms: Terms
    none: Values
    spot: Values
    on_demand: Values
    lost: Values


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """Odds as matrices: of one tick, and of a changeover.

    Attributes:
        change: Ticks of the changeover.
        moves: As in `SpotOdds`; `keeps` and `lands` too.
        lost: Phase → probability to be lost within a tick.
        moves_changing: `moves` over the changeover; `keeps_changing` alike.
        lost_changing: (phase, tick) → probability to be lost in just this tick of the changeover,
            its last tick first.
        ticks_changing: Phase → ticks of the changeover that are paid for on average.
    """

    change: int
    moves: Values
    keeps: Values
    lost: Values
    lands: Values
    moves_changing: Values
    keeps_changing: Values
    lost_changing: Values
    ticks_changing: Values


def find_table(odds: SpotOdds, terms: Terms, ticks: int, work: int) -> Table:
    """Return a table that reaches at least as far as `build_table`'s, shared where one is known."""
    return build_table(odds, terms, _up(ticks), _up(work))


def _up(ticks: int) -> int:
    return -(-ticks // TABLE_STEP) * TABLE_STEP


@lru_cache(maxsize=8)
def build_table(odds: SpotOdds, terms: Terms, ticks: int, work: int) -> Table:
    """Return the table of all choices up to so many ticks left and so much work left, in ticks."""
    phases, ups = odds.phases(), odds.ups()
    size = (ticks + 1, work + 1)
    none, spot, on_demand = (np.full((many, *size), MISSED) for many in (phases, ups, phases))
    table = Table(odds, terms, none, spot, on_demand, np.full(size, MISSED))
    for values in (table.none, table.spot, table.on_demand, table.lost):
        values[..., 0] = 0.0
    chances = _chances(odds, terms.changeover)
    for left in range(1, ticks + 1):
        _fill(table, chances, left)
    return table


@lru_cache(maxsize=64)
def _chances(odds: SpotOdds, change: int) -> _Chances:
    moves, keeps = np.array(odds.moves), np.array(odds.keeps)
    lost = 1 - keeps.sum(axis=1)
    still = [np.linalg.matrix_power(keeps, tick) for tick in range(change + 1)]
    return _Chances(
        change=change,
        moves=moves,
        keeps=keeps,
        lost=lost,
        lands=np.array(odds.lands),
        moves_changing=np.linalg.matrix_power(moves, change),
        keeps_changing=still[change],
        lost_changing=np.stack([kept @ lost for kept in still[-2::-1]], axis=1),
        ticks_changing=sum(kept.sum(axis=1) for kept in still[:-1]),
    )


def _fill(table: Table, chances: _Chances, left: int) -> None:
    """Compute the values of one time left, from those of less time left."""
    ups, work = len(table.spot), slice(1, None)
    idle = chances.moves @ table.none[:, left - 1, 1:]
    if left >= chances.change:
        np.minimum(idle, _start_on_demand(table, chances, left, work), out=idle)
        np.minimum(idle[:ups], _start_spot(table, chances, left, work), out=idle[:ups])
    done = slice(0, -1)
    table.none[:, left, 1:] = idle
    np.minimum(_run_spot(table, chances, left, done), idle[:ups], out=table.spot[:, left, 1:])
    np.minimum(_run_on_demand(table, chances, left, done), idle, out=table.on_demand[:, left, 1:])
    table.lost[left, 1:] = chances.lands @ idle


def _start_on_demand(
    table: Table, chances: _Chances, left: int, work: Pick, phase: Pick = EVERY
) -> Values:
    """Return what a changeover to on-demand from now on costs, in each phase."""
    after = table.on_demand[:, left - chances.change, work]
    values: Values = chances.change + chances.moves_changing[phase] @ after
    return values


def _start_spot(
    table: Table, chances: _Chances, left: int, work: Pick, phase: Pick = EVERY
) -> Values:
    """Return what a changeover to spot from now on costs; it may be lost in any of its ticks."""
    after = left - chances.change
    kept = chances.keeps_changing[phase] @ table.spot[:, after, work]
    lost = chances.lost_changing[phase] @ table.lost[after:left, work]
    values: Values = ((kept + lost).T + table.terms.spot_price * chances.ticks_changing[phase]).T
    return values


def _run_on_demand(
    table: Table, chances: _Chances, left: int, work: Pick, phase: Pick = EVERY
) -> Values:
    """Return what working on-demand in this tick costs, in each phase."""
    values: Values = 1 + chances.moves[phase] @ table.on_demand[:, left - 1, work]
    return values


def _run_spot(
    table: Table, chances: _Chances, left: int, work: Pick, phase: Pick = EVERY
) -> Values:
    """Return what working on spot in this tick costs, in each phase in which it is there."""
    kept = chances.keeps[phase] @ table.spot[:, left - 1, work]
    lost = np.multiply.outer(chances.lost[phase], table.lost[left - 1, work])
    values: Values = table.terms.spot_price + kept + lost
    return values


def choose_mode(
    table: Table, left: int, work: int, mode: Mode, phase: int, *, changing: int = 0
) -> Mode:
    """Return what to run on in the next tick.

    Args:
        table: For the odds last observed.
        left: Ticks until the deadline.
        work: Ticks of work left.
        mode: What it runs on now; a changeover under way counts as running.
        phase: How spot is, as `SpotOdds.phase` tells it; of the zone it runs in, where it does.
        changing: Ticks that are left of a changeover under way.
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
    new = _chances(table.odds, table.terms.changeover)
    old = _chances(table.odds, max(changing, 1))
    where = (left, work, phase)
    costs = {Mode.NONE: float(old.moves[phase] @ table.none[:, left - 1, work])}
    for kind, start, run, phases in (
        (Mode.ON_DEMAND, _start_on_demand, _run_on_demand, len(table.none)),
        (Mode.SPOT, _start_spot, _run_spot, len(table.spot)),
    ):
        if phase >= phases:
            continue
        if mode is not kind:
            costs[kind] = float(start(table, new, *where))
        elif changing:
            costs[kind] = float(start(table, old, *where))
        else:
            costs[kind] = float(run(table, old, left, work - 1, phase))
    return min(costs, key=lambda entry: (costs[entry], -entry))
