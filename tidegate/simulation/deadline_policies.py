"""Policies for one job with a deadline: ours, greedy and uniform progress."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tidegate.scaling.deadline_choice import AGES, PRIOR_TICKS, RECENT_TICKS
from tidegate.scaling.deadlines import Mode, choose_mode, find_table
from tidegate.scaling.spot_odds import (
    SpotOdds,
    count_ages,
    observe,
    phase_now,
)
from tidegate.simulation.deadline import DeadlineCase, Standing, Zones

NEVER = (Mode.NONE, -1)
SAFE = (Mode.ON_DEMAND, -1)
AGES_SEEN = 400
"""Ticks looked back for the age of what is now."""


@dataclass(slots=True)
class Planned:
    """The programme that `decide` asks, on the odds of what was seen up to now.

    Attributes:
        ages: Ticks from which spot counts as older.
        recent: Ticks that count fully.
        prior: What everything before is worth, in ticks a phase.
        every: Ticks between two looks at the odds.
    """

    ages: tuple[int, ...] = AGES
    recent: int = RECENT_TICKS
    prior: float = PRIOR_TICKS
    every: int = 400
    _odds: dict[int, SpotOdds] = field(default_factory=dict)

    def choose(self, zones: Zones, standing: Standing, case: DeadlineCase) -> tuple[Mode, int]:
        """Return what the programme says; of several zones the one that has lasted longest."""
        odds = self._observe(zones)
        table = find_table(odds, case.terms, case.ticks, case.work)
        seen = zones[:, -AGES_SEEN:]
        mine = standing.zone if standing.mode is Mode.SPOT else None
        phase = phase_now(odds, seen, mine)
        mode = choose_mode(
            table,
            standing.left,
            standing.work,
            standing.mode,
            phase,
            changing=standing.changing,
        )
        if mode is not Mode.SPOT:
            return mode, -1
        return mode, standing.zone if mine is not None else oldest_zone(seen)

    def _observe(self, zones: Zones) -> SpotOdds:
        block = zones.shape[1] // self.every
        if block not in self._odds:
            seen = zones[:, : max(block * self.every, 2)]
            self._odds[block] = observe(seen, self.ages, self.recent, self.prior)
        return self._odds[block]


@dataclass(frozen=True, slots=True)
class Greedy:
    """Spot whenever there is any, else nothing, until only on-demand makes it."""

    spare: int = 1

    def choose(self, zones: Zones, standing: Standing, case: DeadlineCase) -> tuple[Mode, int]:
        """Return spot, or nothing while there is time."""
        if must_be_safe(standing, case, self.spare):
            return SAFE
        if standing.mode is Mode.SPOT:
            return Mode.SPOT, standing.zone
        # Whoever may lose spot again needs the time for two changeovers.
        room = standing.left - standing.work > 2 * case.terms.changeover + self.spare
        return (Mode.SPOT, first_zone(zones)) if room and zones[:, -1].any() else NEVER


@dataclass(frozen=True, slots=True)
class UniformProgress:
    """On-demand whenever progress falls behind a line, with a hysteresis of two changeovers.

    Attributes:
        spare: Ticks kept before the deadline.
        hysteresis: Changeovers that progress must be ahead before on-demand is given up.
    """

    spare: int = 1
    hysteresis: int = 2

    def choose(self, zones: Zones, standing: Standing, case: DeadlineCase) -> tuple[Mode, int]:
        """Return spot where there is any, on-demand behind the line, else nothing."""
        change = case.terms.changeover
        if must_be_safe(standing, case, self.spare):
            return SAFE
        if standing.mode is Mode.SPOT:
            return Mode.SPOT, standing.zone
        room = standing.left - standing.work
        if zones[:, -1].any() and room > 2 * change + self.spare:
            return Mode.SPOT, first_zone(zones)
        passed = case.ticks - standing.left
        if standing.mode is Mode.ON_DEMAND:
            passed += self.hysteresis * change
        behind = case.work - standing.work < passed * case.work / case.ticks
        return SAFE if behind else NEVER


def must_be_safe(standing: Standing, case: DeadlineCase, spare: int) -> bool:
    """Return whether only on-demand from now on makes it; work that runs on spot goes on there."""
    if standing.mode is Mode.SPOT and not standing.changing:
        return False
    on_demand = standing.mode is Mode.ON_DEMAND
    change = standing.changing if on_demand else case.terms.changeover
    return standing.left <= standing.work + change + spare


def first_zone(zones: Zones) -> int:
    """Return the first zone that has room now."""
    return int(np.flatnonzero(zones[:, -1])[0])


def oldest_zone(seen: Zones) -> int:
    """Return the zone that has had room for longest, of those that have it."""
    ages = [int(count_ages(zone)[-1]) if zone[-1] else -1 for zone in seen]
    return int(np.argmax(ages))
