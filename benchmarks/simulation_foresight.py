"""What knowing more would buy a job before its tightest deadline, with half an hour's changeover.

The programme that decisions ask is given what nobody has: the odds of the very half it is measured
on, and whether spot changes within some time from now. What it costs with that is a yardstick for
goals, beside the bound that knows everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from simulation_deadlines import HOURS, SPOT_PRICE, WARM_UP, list_cases

from tidegate.scaling.deadlines import Mode, Terms, choose_mode, find_table
from tidegate.scaling.spot_odds import SpotOdds, count_ages
from tidegate.simulation.deadline import (
    DeadlineCase,
    DeadlinePolicy,
    Standing,
    Zones,
    bound_cases,
    run_case,
)
from tidegate.simulation.deadline_policies import Planned

FACTOR = 1.1
EVERY = 16
"""Ticks between two starts: with few starts, how long spot lasts after each is partly luck."""
AGES = np.array((3, 6, 10, 20, 40, 80, 160, 320))
"""More of them than decisions tell apart: what is known is not what is lacking here."""
AT_ONCE = 100
"""Starts of which the bound is computed together: more take more memory."""
OURS = "what was seen until then: ours"
KNOWN = {
    "the odds of the half itself": 0,
    "those, and whether spot changes within 10 minutes": 10,
    "those, and whether spot changes within half an hour": 30,
}
"""What is known → minutes of foresight."""


@dataclass(frozen=True)
class Span:
    """One zone for one half, with all jobs that start there."""

    place: Zones
    half: slice
    case: DeadlineCase

    def starts(self) -> NDArray[np.int64]:
        """Return the ticks at which jobs start."""
        return np.arange(self.half.start, self.half.stop - self.case.ticks, EVERY)

    def bound(self) -> float:
        """Return what all jobs cost who know everything."""
        starts = self.starts()
        parts = np.array_split(starts, -(-len(starts) // AT_ONCE))
        return sum(float(bound_cases(self.place, part, self.case).sum()) for part in parts)

    def cost(self, policy: DeadlinePolicy) -> float:
        """Return what all jobs cost with a policy."""
        cases = (replace(self.case, start=int(start)) for start in self.starts())
        return sum(run_case(self.place, case, policy).cost for case in cases)


@dataclass(frozen=True)
class Knowing:
    """The programme, told in which phase spot is at each tick, and the odds between phases."""

    phases: NDArray[np.int64]
    odds: SpotOdds

    def choose(self, _: Zones, standing: Standing, case: DeadlineCase) -> tuple[Mode, int]:
        """Return what the programme says in the phase of this tick."""
        table = find_table(self.odds, case.terms, case.ticks, case.work)
        phase = int(self.phases[standing.tick])
        left, work, changing = standing.left, standing.work, standing.changing
        mode = choose_mode(table, left, work, standing.mode, phase, changing=changing)
        return mode, 0 if mode is Mode.SPOT else -1


def evaluate_foresight(traces: Path) -> list[dict[str, object]]:
    cases, tick = list_cases(traces)
    name, zones, change = cases[1]
    work = HOURS * 3600 // tick
    case = DeadlineCase(0, work, int(FACTOR * work), Terms(SPOT_PRICE, change))
    spans = [Span(zone, span, case) for half in (0, 1) for zone, span in _halves(zones, half)]
    bounds = np.array([span.bound() for span in spans]).reshape(2, -1)

    def judge(known: str, build: Callable[[Span], DeadlinePolicy]) -> dict[str, object]:
        costs = np.array([span.cost(build(span)) for span in spans]).reshape(2, -1)
        first, second = costs.sum(axis=1) / bounds.sum(axis=1)
        return {
            "case": f"{name}, {FACTOR} ×",
            "knows": known,
            "first_half": round(float(first), 4),
            "second_half": round(float(second), 4),
            "whole": round(float(costs.sum() / bounds.sum()), 4),
        }

    rows = [judge(OURS, lambda _: Planned())]
    for known, minutes in KNOWN.items():
        ahead = round(60 * minutes / tick)
        rows.append(judge(known, lambda span, ahead=ahead: _tell(span, ahead)))
    return rows


def _halves(zones: Sequence[Zones], half: int) -> list[tuple[Zones, slice]]:
    found = []
    for zone in zones:
        middle = zone.shape[1] // 2
        span = slice(middle, zone.shape[1]) if half else slice(WARM_UP, middle)
        found.append((zone, span))
    return found


def _tell(span: Span, ahead: int) -> Knowing:
    """Return the programme with a half's own odds, told whether spot stays for some ticks."""
    (up,) = span.place
    ages = np.searchsorted(AGES, count_ages(up), side="right")
    levels = 2 if ahead else 1
    ups = (len(AGES) + 1) * levels
    phases = ages * levels + (_stays(up, ahead) if ahead else 0)
    phases = np.where(up, phases, ups + phases)
    return Knowing(phases, _count_odds(phases[span.half], ups))


def _stays(up: NDArray[np.bool_], ahead: int) -> NDArray[np.int64]:
    """Return for each tick whether spot stays as it is there for so many ticks."""
    stays = np.ones(len(up), dtype=bool)
    for later in range(1, ahead + 1):
        stays[:-later] &= up[later:] == up[:-later]
    return stays.astype(np.int64)


def _count_odds(phases: NDArray[np.int64], ups: int) -> SpotOdds:
    """Return how often each phase followed each other one; one never seen stays as it is."""
    counts = np.zeros((2 * ups, 2 * ups))
    np.add.at(counts, (phases[:-1], phases[1:]), 1)
    seen = counts.sum(axis=1, keepdims=True)
    moves = np.where(seen > 0, counts / np.maximum(seen, 1), np.eye(2 * ups))
    lost = counts[:ups, ups:].sum(axis=0)
    lands = lost / lost.sum() if lost.sum() else np.eye(ups)[0]
    rows = tuple(tuple(row) for row in moves.tolist())
    return SpotOdds(
        ages=tuple(range(1, ups)),
        moves=rows,
        keeps=tuple(row[:ups] for row in rows[:ups]),
        lands=(*([0.0] * ups), *lands.tolist()),
    )
