"""What a simulation is given: the trace, the cloud and what goes wrong in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import log1p
from typing import Protocol

from tidegate.scaling.fleet import PoolSupply
from tidegate.scaling.offerings import Offerings, SpotHistory
from tidegate.simulation.jobs import Job
from tidegate.simulation.world import Capacity, steps_at

START = datetime(2026, 1, 1, tzinfo=UTC)
"""Where traces are laid that name no time of their own."""
NO_LIMIT = 10**9
"""Longer than any trace, in seconds."""
LOOK_BACK_TICKS = 1000
"""How much of spot's past is told."""


class Chance(Protocol):
    """A seeded generator that its caller passes in."""

    def random(self) -> float:
        """Return a number from 0 up to 1."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong beside interruptions; without a generator nothing does.

    Attributes:
        chance: The seeded generator.
        never_boots: Share of ordered nodes that never come.
        dies_per_hour: How often a node fails.
        spot_lost_per_hour: How often a spot node is taken, beside what a trace says.
    """

    chance: Chance | None = None
    never_boots: float = 0.0
    dies_per_hour: float = 0.0
    spot_lost_per_hour: float = 0.0


@dataclass(frozen=True, slots=True)
class Setup:
    """What a policy is held against.

    Attributes:
        jobs: By time of submission.
        pools: The pools.
        market: Offerings with prices, quotas and boot times.
        end: The last second that counts.
        tail_seconds: How long the run goes on once all work has ended, at most until the end.
        tick: Seconds between two looks of a policy.
        capacity: What can be had of an offering over time.
        faults: What goes wrong.
        divisible: Whether work may be anywhere at once (no packing, no fragments).
        start: What second 0 is.
        counts_arrivals: Whether the policy is told what arrived; only warm settings read it.
        spot_tick: Seconds between two observations of spot, for work with a deadline.
    """

    jobs: Sequence[Job]
    pools: Sequence[PoolSupply]
    market: Offerings
    end: int
    tick: int = 60
    capacity: Capacity = field(default_factory=dict)
    faults: Faults = Faults()
    divisible: bool = False
    start: datetime = START
    spot_tick: int = 300
    counts_arrivals: bool = False
    tail_seconds: int = NO_LIMIT


def tell_spot(setup: Setup, now: int) -> dict[str, SpotHistory]:
    """Return what an observer saw of each offering that comes and goes, tick by tick."""
    tick = setup.spot_tick
    first = max(now - LOOK_BACK_TICKS * tick, now % tick)
    return {
        name: SpotHistory(
            tick, tuple(bool(steps_at(steps, at)) for at in range(first, now + 1, tick))
        )
        for name, steps in setup.capacity.items()
    }


def draw_hours(chance: float, per_hour: float) -> float:
    """Return the hours until the first event of a constant rate, for one draw from 0 up to 1."""
    return -log1p(-chance) / per_hour
