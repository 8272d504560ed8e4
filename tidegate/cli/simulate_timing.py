"""How long decisions took; measured here, since the simulation and the core know no clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from tidegate.scaling.fleet import Fleet
from tidegate.scaling.offerings import Offerings
from tidegate.simulation.policy import Policy
from tidegate.vocabulary.demand import Demand
from tidegate.vocabulary.plans import ScalingPlan


@dataclass(slots=True)
class TimedPolicy:
    """A policy whose decisions are timed.

    Attributes:
        policy: Who decides.
        seconds: What each decision took, on the clock.
    """

    policy: Policy
    seconds: list[float] = field(default_factory=list)

    def plan(
        self, fleet: Fleet, demand: Demand, offerings: Offerings, now: datetime
    ) -> ScalingPlan:
        """Return what the policy says."""
        begin = perf_counter()
        plan = self.policy.plan(fleet, demand, offerings, now)
        self.seconds.append(perf_counter() - begin)
        return plan

    def review_in(self, fleet: Fleet, now: datetime) -> int | None:
        """Return when the policy wants to look again."""
        return self.policy.review_in(fleet, now)

    def milliseconds(self) -> dict[str, float] | None:
        """Return median, 99th percentile and longest; None without decisions."""
        ordered = sorted(self.seconds)
        if not ordered:
            return None
        last = len(ordered) - 1
        places = {"p50": last // 2, "p99": min(int(0.99 * len(ordered)), last), "max": last}
        return {name: round(ordered[place] * 1000, 3) for name, place in places.items()}
