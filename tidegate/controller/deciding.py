"""One decision on one observation: the pure core, told what clouds refused and what is unread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from tidegate.controller.draining import add_stops, plan_draining
from tidegate.controller.errands import Draining, DrainRules
from tidegate.controller.observation import Observation
from tidegate.controller.refusals import note_shortfalls, to_failures
from tidegate.controller.spending import Spending, build_spending
from tidegate.controller.wiring import Wiring
from tidegate.scaling.bill import Bill, build_bill
from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import Fleet
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.vocabulary.fleet_state import CloudRefused
from tidegate.vocabulary.plans import ScalingPlan
from tidegate.vocabulary.records import RefusalRecord

UNREAD_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Decision:
    """A plan, what it was made on, the refusals that it knew of, and what the fleet costs now.

    Attributes:
        observation: What it was made on.
        plan: What is to be done.
        refusals: What clouds refused.
        bill: What the fleet costs now.
        draining: The next steps for what is to be emptied.
        choosing: Pool → whether its cloud deletes the machines that are named.
        spending: What it comes to cost where not all of it can be carried out.
    """

    observation: Observation
    plan: ScalingPlan
    refusals: Sequence[RefusalRecord]
    bill: Bill
    draining: Draining
    choosing: Mapping[str, bool]
    spending: Spending


def build_decision(
    wiring: Wiring,
    observation: Observation,
    remembered: Sequence[RefusalRecord],
    settings: ScalingSettings,
    drain_seconds: float = 600.0,
) -> Decision:
    """Return what is to be done now."""
    now = observation.at
    refusals = note_shortfalls(
        remembered, observation.sights, wiring.market.offerings, settings, now
    )
    chosen = _bind_settings(settings, wiring, observation)
    market = replace(wiring.market, failures=to_failures(refusals))
    choosing = _find_choosing(wiring, observation)
    fleet = _keep_unchosen(observation.fleet, choosing)
    plan = decide(fleet, observation.demand, market, chosen, now)
    rules = DrainRules(
        now=now,
        limit_seconds=drain_seconds,
        stop_without_checkpoint=settings.stop_without_checkpoint,
        doubt=_explain_doubt(observation),
        held={each.pool: f"paused by {each.owner}" for each in chosen.overrides
              if each.nodes is None and each.until > now},
        choosing=choosing,
    )  # fmt: skip
    draining = plan_draining(plan, observation.sights, rules)
    # Before what was emptied goes too: a plan's cost has it still.
    spending = build_spending(
        plan, chosen.hourly_ceiling, fleet, observation.sights, market.offerings
    )
    plan = add_stops(plan, draining.emptied, observation.sights)
    bill = build_bill(observation.fleet, wiring.market, now)
    return Decision(observation, plan, refusals, bill, draining, choosing, spending)


def _bind_settings(
    settings: ScalingSettings, wiring: Wiring, observation: Observation
) -> ScalingSettings:
    """Return the settings with the declared ceiling; what could not be read is paused."""
    ceiling = wiring.manifest.hourly_ceiling
    until = observation.at + timedelta(seconds=UNREAD_SECONDS)
    unread = [
        PoolOverride(
            pool.id, f"the controller ({observation.unread[pool.id]})", until, is_unread=True
        )
        for pool in wiring.resized()
        if pool.id in observation.unread
    ]
    return replace(
        settings,
        hourly_ceiling=settings.hourly_ceiling or (ceiling.amount if ceiling else None),
        overrides=(*settings.overrides, *unread),
    )


def _find_choosing(wiring: Wiring, observation: Observation) -> dict[str, bool]:
    found = {}
    for pool in wiring.resized():
        try:
            found[pool.id] = pool.id in observation.states and wiring.pools.can_choose(pool.id)
        except CloudRefused:
            found[pool.id] = False
    return found


def _keep_unchosen(fleet: Fleet, choosing: Mapping[str, bool]) -> Fleet:
    """Return the fleet without room for moves where a cloud would choose which node goes."""
    pools = tuple(
        pool if choosing.get(pool.id, True) else replace(pool, max_disrupted=0)
        for pool in fleet.pools
    )
    return replace(fleet, pools=pools)


def _explain_doubt(observation: Observation) -> str:
    sources = observation.demand.sources
    if not sources:
        return "no source of demand was asked"
    return next((f"{each.name} ({each.fault})" for each in sources if each.fault), "")
