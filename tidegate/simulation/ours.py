"""Tidegate's own decision as a policy of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import Fleet, NodePhase
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.demand import Demand
from tidegate.vocabulary.plans import ScalingPlan

DEFAULTS = ScalingSettings()


@dataclass(frozen=True, slots=True)
class Tidegate:
    """The same `decide` that the controller calls.

    Attributes:
        settings: Its settings.
        look_again: Seconds until it looks again while any node is idle.
        look_at_moves: Seconds until it looks again while all are busy, for moves; None: never.
    """

    settings: ScalingSettings = DEFAULTS
    look_again: int = 60
    look_at_moves: int | None = None

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return what `decide` says."""
        return decide(fleet, demand, offerings, self.settings, now)

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return when an idle node may go, or when a move may pay."""
        idle = any(node.phase is NodePhase.IDLE for node in fleet.nodes)
        return self.look_again if idle else self.look_at_moves
