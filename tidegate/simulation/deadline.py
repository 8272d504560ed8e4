"""One job with a deadline on spot zones: what policies cost, tick by tick, and the bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tidegate.scaling.deadlines import Mode, Terms

Zones = NDArray[np.bool_]
"""(zone, tick) → whether spot can be had."""


@dataclass(frozen=True, slots=True)
class DeadlineCase:
    """One job: from `start`, so many ticks of work within so many ticks, on these terms."""

    start: int
    work: int
    ticks: int
    terms: Terms


@dataclass(slots=True)
class Standing:
    """Where a job stands when it is asked what to do in a tick.

    Attributes:
        tick: The tick, counted from the start of the trace.
        left: Ticks until the deadline, this one included.
        work: Ticks of work left.
        mode: What it runs on.
        zone: Its spot zone, while it is on spot.
        changing: Ticks of changeover left.
    """

    tick: int
    left: int
    work: int
    mode: Mode = Mode.NONE
    zone: int = -1
    changing: int = 0


class DeadlinePolicy(Protocol):
    """Chooses a mode, and a zone for spot, with what was seen up to this tick."""

    def choose(self, zones: Zones, standing: Standing, case: DeadlineCase) -> tuple[Mode, int]:
        """Return the mode of this tick; `zones` holds nothing beyond it."""


@dataclass(frozen=True, slots=True)
class DeadlineResult:
    """Cost in on-demand ticks, whether it was done in time, and how often it changed over."""

    cost: float
    met: bool
    changes: int


def run_case(zones: Zones, case: DeadlineCase, policy: DeadlinePolicy) -> DeadlineResult:
    """Return what a policy made of one job; work left at the deadline is priced on-demand."""
    cost, changes = 0.0, 0
    now = Standing(case.start, case.ticks, case.work)
    while now.work > 0 and now.left > 0:
        if now.mode is Mode.SPOT and not zones[now.zone, now.tick]:
            now.mode, now.zone, now.changing = Mode.NONE, -1, 0
        mode, zone = policy.choose(zones[:, : now.tick + 1], now, case)
        if mode is Mode.SPOT and not zones[zone, now.tick]:
            raise ValueError("a policy took spot where there is none")
        if (mode, zone) != (now.mode, now.zone) and mode is not Mode.NONE:
            now.changing = case.terms.changeover
            changes += 1
        now.mode, now.zone = mode, zone
        cost += {Mode.NONE: 0.0, Mode.SPOT: case.terms.spot_price, Mode.ON_DEMAND: 1.0}[mode]
        if now.changing:
            now.changing -= 1
        elif mode is not Mode.NONE:
            now.work -= 1
        now.tick, now.left = now.tick + 1, now.left - 1
    late = now.work + now.changing if now.work else 0
    return DeadlineResult(cost + late, now.work == 0, changes)


def bound_cases(zones: Zones, starts: NDArray[np.int64], case: DeadlineCase) -> NDArray[np.float64]:
    """Return the least cost of jobs that knew everything, one for each start.

    An exact dynamic programme over (tick, work left, mode), for all starts at once. A machine that
    would be lost before its changeover ends is never worth starting, so a start is one step.

    Args:
        zones: Spot by zone and tick.
        starts: Ticks at which the jobs start.
        case: What they have in common; its start is not read.

    Returns:
        Costs in on-demand ticks; infinite where even on-demand is too late.
    """
    change = case.terms.changeover
    count, modes = len(starts), len(zones) + 1
    up = zones[:, starts[:, np.newaxis] + np.arange(case.ticks)]
    starts_ok = _lasting(up, change)
    idle = np.full((change + 2, count, case.work + 1), np.inf)
    on = np.full((change + 2, modes, count, case.work + 1), np.inf)
    idle[..., 0] = on[..., 0] = 0.0
    size = change + 2
    for left in range(1, case.ticks + 1):
        tick = case.ticks - left
        here, before, later = left % size, (left - 1) % size, (left - change) % size
        best = idle[before].copy()
        for mode in range(modes):
            if left < change:
                break
            price = 1.0 if mode == modes - 1 else case.terms.spot_price
            begun = on[later, mode] + price * change
            if mode < modes - 1:
                begun = np.where(starts_ok[mode, :, tick, np.newaxis], begun, np.inf)
            np.minimum(best, begun, out=best)
        best[:, 0] = 0.0
        idle[here] = best
        for mode in range(modes):
            price = 1.0 if mode == modes - 1 else case.terms.spot_price
            stays = np.full_like(best, np.inf)
            stays[:, 1:] = on[before, mode, :, :-1] + price
            if mode < modes - 1:
                stays = np.where(up[mode, :, tick, np.newaxis], stays, np.inf)
            on[here, mode] = np.minimum(stays, best)
            on[here, mode, :, 0] = 0.0
    result: NDArray[np.float64] = idle[case.ticks % size, :, case.work]
    return result


def _lasting(up: NDArray[np.bool_], change: int) -> NDArray[np.bool_]:
    """Return where spot lasts through a changeover that begins there."""
    lasting = up.copy()
    for ahead in range(1, change):
        shifted = np.zeros_like(up)
        shifted[..., :-ahead] = up[..., ahead:]
        lasting &= shifted
    return lasting
