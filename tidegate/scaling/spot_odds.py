"""How spot comes and goes, counted from what was seen of it, by how long it has been so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

GRID = 1.3
"""Odds are told apart by this factor, so that close ones share a table."""
LEAST = 1e-4
"""Odds below it are taken for it: nothing lasts for ever."""

Seen = NDArray[np.bool_]
"""(zone, tick) → whether spot could be had, or was held."""


@dataclass(frozen=True, slots=True)
class SpotOdds:
    """What happens to spot from one tick to the next, by phase.

    A phase is whether any zone has room, and for how long that has been so: the phases in which one
    has come first, youngest first, then those in which none has.

    Attributes:
        ages: Ticks from which a phase counts as the next older one.
        moves: (from phase, to phase) → probability.
        keeps: (from phase, to phase) → the same for the zone in which work runs; a row lacks the
            probability that the zone is lost.
        lands: Phase → probability to be in it when a zone was lost.
    """

    ages: tuple[int, ...]
    moves: tuple[tuple[float, ...], ...]
    keeps: tuple[tuple[float, ...], ...]
    lands: tuple[float, ...]

    def ups(self) -> int:
        """Return the number of phases in which spot is there."""
        return len(self.ages) + 1

    def phases(self) -> int:
        """Return the number of phases."""
        return 2 * self.ups()

    def phase(self, age: int, *, up: bool) -> int:
        """Return the phase of spot that has been there, or away, for so many ticks."""
        older = sum(1 for limit in self.ages if age >= limit)
        return older if up else self.ups() + older


def count_ages(up: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for how many ticks before each tick a series has been as it is there."""
    ticks = np.arange(len(up))
    changed = np.concatenate(([True], up[1:] != up[:-1]))
    return ticks - np.maximum.accumulate(np.where(changed, ticks, 0))


def observe(seen: Seen, ages: Sequence[int], recent: int, prior: float) -> SpotOdds:
    """Return the odds of what was seen lately, with what was seen before as a prior.

    Parts of the day are not told apart: on the public traces that predicts nothing, and costs
    nothing less (see the evaluation).

    Args:
        seen: Zones by tick, up to now.
        ages: Ticks from which a phase counts as the next older one.
        recent: Ticks that count fully.
        prior: What everything that was seen is worth, in ticks a phase.
    """
    limits = np.array(sorted(ages))
    joint = any_zone(seen)
    moves = _estimate([joint], limits, recent, prior)
    keeps, elsewhere = moves, 0.0
    if len(seen) > 1:
        keeps = _estimate(list(seen), limits, recent, prior)
        elsewhere = _count_landings(seen, joint)
    ups = len(limits) + 1
    landed = [0.0] * (2 * ups)
    landed[0], landed[ups] = elsewhere, 1 - elsewhere
    return SpotOdds(
        ages=tuple(int(limit) for limit in limits),
        moves=_round_rows(moves),
        keeps=_round_kept(keeps[:ups], ups),
        lands=tuple(landed),
    )


def _estimate(
    zones: Sequence[NDArray[np.bool_]], limits: NDArray[np.int64], recent: int, prior: float
) -> NDArray[np.float64]:
    """Return probabilities of what was lately, and of what was before."""
    late = _count_moves([zone[-recent:] for zone in zones], limits)
    return _blend(_count_moves(zones, limits), late, prior)


def _phases(up: NDArray[np.bool_], limits: NDArray[np.int64]) -> NDArray[np.int64]:
    older = np.searchsorted(limits, count_ages(up), side="right")
    return np.where(up, older, len(limits) + 1 + older)


def _count_moves(
    zones: Sequence[NDArray[np.bool_]], limits: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return (from phase, to phase) → how often that was."""
    size = 2 * (len(limits) + 1)
    found = np.zeros(size * size, dtype=np.int64)
    for zone in zones:
        phases = _phases(zone, limits)
        found += np.bincount(phases[:-1] * size + phases[1:], minlength=len(found))
    return found.reshape(size, size).astype(float)


def _blend(
    every: NDArray[np.float64], late: NDArray[np.float64], prior: float
) -> NDArray[np.float64]:
    """Return probabilities by row; a phase that was never seen mostly stays as it is."""
    size = len(every)
    known = every.sum(axis=1, keepdims=True)
    before = np.where(known > 0, every / np.maximum(known, 1), np.eye(size))
    counted = late + prior * before
    # What never happened yet still may: half an event stands for it.
    ups = size // 2
    counted[:ups, ups] += 0.5
    counted[ups:, 0] += 0.5
    blended: NDArray[np.float64] = counted / counted.sum(axis=1, keepdims=True)
    return blended


def _count_landings(seen: Seen, joint: NDArray[np.bool_]) -> float:
    """Return how often another zone had room when one was lost, to a tenth."""
    lost = seen[:, :-1] & ~seen[:, 1:]
    total = int(lost.sum())
    return round(float((lost & joint[1:]).sum()) / total, 1) if total else 0.0


def _round(odds: float) -> float:
    return 0.0 if odds == 0 else float(GRID ** round(math.log(max(odds, LEAST), GRID)))


def _round_rows(moves: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    """Return rows with their small odds on the grid; the largest takes what is left."""
    rows = []
    for row in moves:
        rounded = [_round(float(value)) for value in row]
        largest = int(np.argmax(row))
        rounded[largest] = 0.0
        rounded[largest] = max(1 - sum(rounded), 0.0)
        rows.append(tuple(value / sum(rounded) for value in rounded))
    return tuple(rows)


def _round_kept(moves: NDArray[np.float64], ups: int) -> tuple[tuple[float, ...], ...]:
    return tuple(row[:ups] for row in _round_rows(moves))


def stack_history(zones: Sequence[Sequence[bool]], step: int) -> Seen:
    """Return zones as an array over their common past, in ticks of `step` ticks each."""
    common = min(len(zone) for zone in zones)
    seen = np.array([list(zone)[len(zone) - common :] for zone in zones], dtype=bool)
    # Counted back from now, so that the latest tick stays the latest.
    return seen[:, ::-1][:, ::step][:, ::-1]


@lru_cache(maxsize=8)
def observe_history(
    zones: tuple[tuple[bool, ...], ...],
    step: int,
    ages: tuple[int, ...],
    recent: int,
    prior: float,
) -> tuple[Seen, SpotOdds]:
    """Return zones as `stack_history` does, with their odds: all work of a decision asks alike."""
    seen = stack_history(zones, step)
    return seen, observe(seen, ages, recent, prior)


def phase_now(odds: SpotOdds, seen: Seen, zone: int | None) -> int:
    """Return the phase at the last tick: of the zone in which work runs, else of all together."""
    up: NDArray[np.bool_] = any_zone(seen) if zone is None else seen[zone]
    return odds.phase(int(count_ages(up)[-1]), up=bool(up[-1]))


def any_zone(seen: Seen) -> NDArray[np.bool_]:
    """Return for each tick whether any zone had room."""
    joint: NDArray[np.bool_] = np.logical_or.reduce(seen, axis=0)
    return joint
