"""One decision on one observation: the pure core, told what clouds refused and what is unread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from tidegate.controller.observation import Observation
from tidegate.controller.refusals import note_shortfalls, to_failures
from tidegate.controller.wiring import Wiring
from tidegate.scaling.bill import Bill, build_bill
from tidegate.scaling.decide import decide
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.vocabulary.plans import ScalingPlan
from tidegate.vocabulary.records import RefusalRecord

UNREAD_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan, what it was made on, the refusals that it knew of, and what the fleet costs now."""

    observation: Observation
    plan: ScalingPlan
    refusals: Sequence[RefusalRecord]
    bill: Bill


def build_decision(
    wiring: Wiring,
    observation: Observation,
    remembered: Sequence[RefusalRecord],
    settings: ScalingSettings,
) -> Decision:
    """Return what is to be done now."""
    now = observation.at
    refusals = note_shortfalls(
        remembered, observation.sights, wiring.market.offerings, settings, now
    )
    ceiling = wiring.manifest.hourly_ceiling
    until = now + timedelta(seconds=UNREAD_SECONDS)
    unread = [
        PoolOverride(pool.id, f"the controller ({observation.unread[pool.id]})", until)
        for pool in wiring.resized()
        if pool.id in observation.unread
    ]
    chosen = replace(
        settings,
        hourly_ceiling=settings.hourly_ceiling or (ceiling.amount if ceiling else None),
        overrides=(*settings.overrides, *unread),
    )
    market = replace(wiring.market, failures=to_failures(refusals))
    plan = decide(observation.fleet, observation.demand, market, chosen, now)
    bill = build_bill(observation.fleet, wiring.market, now)
    return Decision(observation, plan, refusals, bill)
