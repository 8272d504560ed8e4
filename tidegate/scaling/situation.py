"""Everything that one decision looks up, indexed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from tidegate.scaling.fleet import Fleet, PoolSupply
from tidegate.scaling.offerings import (
    CommittedCapacity,
    FailureKind,
    NodeRoom,
    Offering,
    OfferingFailure,
    Offerings,
    TransferLane,
)
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.scaling.signals import Signals, check_offerings, check_signals
from tidegate.scaling.stamps import mend_market
from tidegate.scaling.times import active_schedule, explain_window
from tidegate.vocabulary.capacity import CapacityType, Scaler
from tidegate.vocabulary.demand import Demand, EndpointDemand
from tidegate.vocabulary.plans import Cause, CauseKind, Hold
from tidegate.vocabulary.wording import render_override


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and largest size of a pool now, and where they come from."""

    low: int
    high: int
    origin: str


@dataclass(frozen=True, slots=True)
class Situation:
    """The facts of one decision.

    Attributes:
        now: The time of the decision.
        settings: How carefully to scale.
        signals: What can be believed.
        pools: By id.
        bounds: By pool id.
        offerings: By id.
        by_accelerator: Accelerator ("" without one) → offerings whose nodes have it.
        by_pool: Pool id → its offerings, cheapest first, unknown prices last.
        rooms: Each distinct room of a node.
        kinds: Offering id → the number that stands for its pool, room and whether it is spot:
            constraints and transfers are equal for all offerings of one kind.
        market: Quotas, commitments and lanes.
        closed: Offerings that nothing new may be ordered of, and why.
        open_to_moves: Those of them that running work may try again: nothing waits for the answer.
        commitments: By id, those that have not ended.
        ending: Ids of commitments whose nodes are about to be taken away.
        fleet: As observed.
        overrides: Valid overrides by pool id.
        holds: Holds that follow from settings and schedules.
        endpoints: As told.
    """

    now: datetime
    settings: ScalingSettings
    signals: Signals
    pools: Mapping[str, PoolSupply]
    bounds: Mapping[str, Bounds]
    offerings: Mapping[str, Offering]
    by_accelerator: Mapping[str, tuple[Offering, ...]]
    by_pool: Mapping[str, tuple[Offering, ...]]
    rooms: tuple[NodeRoom, ...]
    kinds: Mapping[str, int]
    market: Offerings
    closed: Mapping[str, Cause]
    open_to_moves: frozenset[str]
    commitments: Mapping[str, CommittedCapacity]
    ending: frozenset[str]
    fleet: Fleet
    overrides: Mapping[str, PoolOverride]
    holds: tuple[Hold, ...]
    endpoints: tuple[EndpointDemand, ...] = ()


def build_situation(
    fleet: Fleet, demand: Demand, offerings: Offerings, settings: ScalingSettings, now: datetime
) -> Situation:
    """Return the facts of a decision; the order of pools and offerings does not matter.

    Raises:
        ValueError: When an override ends at a time without a zone.
    """
    _check_overrides(settings)
    market = mend_market(offerings, now)
    pools = {pool.id: pool for pool in sorted(fleet.pools, key=lambda pool: pool.id)}
    by_id = {entry.id: entry for entry in sorted(offerings.offerings, key=lambda entry: entry.id)}
    overrides = {
        entry.pool: entry
        for entry in sorted(settings.overrides, key=lambda entry: (entry.pool, entry.until))
        if entry.until > now
    }

    def close(known: Offerings) -> dict[str, Cause]:
        return _close_offerings(pools, by_id, known, settings, overrides, now)

    closed = close(market)
    usable = {name: _without_nonsense(e) for name, e in by_id.items() if e.pool in pools}
    return Situation(
        now=now,
        settings=settings,
        signals=check_signals(fleet, demand, offerings, settings, now),
        pools=pools,
        bounds={name: find_bounds(pool, overrides.get(name), now) for name, pool in pools.items()},
        offerings=usable,
        by_accelerator=_index_accelerators(usable),
        by_pool={name: _cheapest_first(usable.values(), name) for name in pools},
        rooms=tuple(dict.fromkeys(entry.room for entry in usable.values())),
        kinds=_number_kinds(usable),
        market=replace(market, lanes=_sensible_lanes(market.lanes)),
        closed=closed,
        open_to_moves=frozenset(closed) - frozenset(close(_forget_repeats(market))),
        commitments={
            entry.id: entry
            for entry in market.commitments
            if (entry.ends is None or entry.ends > now) and _sensible(entry.capacity) is not None
        },
        ending=_ending(market, settings, now),
        fleet=fleet,
        overrides=overrides,
        holds=(*_override_holds(overrides), *_schedule_holds(pools)),
        endpoints=demand.endpoints,
    )


def _check_overrides(settings: ScalingSettings) -> None:
    for entry in settings.overrides:
        if entry.until.tzinfo is None:
            raise ValueError(f"the override of {entry.pool} needs an end with a zone")


def _without_nonsense(offering: Offering) -> Offering:
    """Return an offering whose senseless amounts are unknown, so that no sum takes them in.

    Where the first nodes' own price is unknown, no price of the offering can be relied on.
    """
    base = _sensible(offering.base_per_hour)
    unknown = offering.base_nodes > 0 and base is None
    return replace(
        offering,
        per_hour=None if unknown else _sensible(offering.per_hour),
        base_per_hour=base,
        interruptions_per_hour=_sensible(offering.interruptions_per_hour),
        commitment_weight=_sensible(offering.commitment_weight) or Decimal(0),
    )


def _sensible(amount: Decimal | None) -> Decimal | None:
    known = amount is not None and amount.is_finite() and amount >= 0
    return amount if known else None


def _sensible_lanes(
    lanes: Mapping[tuple[str, str], TransferLane],
) -> dict[tuple[str, str], TransferLane]:
    """Return the lanes without those whose figures make no sense: what they cost is not known."""
    return {
        ends: lane
        for ends, lane in lanes.items()
        if _sensible(lane.per_gb) is not None and _sensible(lane.gb_per_second) is not None
    }


def _index_accelerators(usable: Mapping[str, Offering]) -> dict[str, tuple[Offering, ...]]:
    index: dict[str, list[Offering]] = {}
    for entry in usable.values():
        chip = entry.room.accelerator if entry.room.accelerators else ""
        index.setdefault(chip, []).append(entry)
    return {chip: tuple(entries) for chip, entries in index.items()}


def _number_kinds(usable: Mapping[str, Offering]) -> dict[str, int]:
    numbers: dict[tuple[str, NodeRoom, bool], int] = {}
    return {
        name: numbers.setdefault((entry.pool, entry.room, is_spot(entry)), len(numbers))
        for name, entry in usable.items()
    }


def _cheapest_first(usable: Iterable[Offering], pool: str) -> tuple[Offering, ...]:
    mine = [entry for entry in usable if entry.pool == pool]
    order = sorted(mine, key=lambda entry: (entry.per_hour is None, entry.per_hour or 0, entry.id))
    return tuple(order)


def find_bounds(pool: PoolSupply, override: PoolOverride | None, now: datetime) -> Bounds:
    """Return the bounds that hold now: a pin, else the schedule that started last, else declared.

    A pin never leaves what was declared: a person may not order beyond the manifest by mistake.
    """
    schedule = active_schedule(pool.schedules, now)
    low, high, origin = pool.min_nodes, pool.max_nodes, "declared"
    if schedule is not None:
        low, high = schedule.min_nodes, schedule.max_nodes
        origin = f"schedule {schedule.cron!r} in {schedule.time_zone}"
    low, high = max(low, 0), max(high, 0)
    if override is not None and override.nodes is not None:
        pinned = min(max(override.nodes, 0), max(high, pool.max_nodes))
        return Bounds(pinned, pinned, f"pinned by {override.owner}")
    return Bounds(min(low, high), high, origin)


def _close_offerings(
    pools: Mapping[str, PoolSupply],
    by_id: Mapping[str, Offering],
    market: Offerings,
    settings: ScalingSettings,
    overrides: Mapping[str, PoolOverride],
    now: datetime,
) -> dict[str, Cause]:
    closed = check_offerings(market)
    refused = _refusals(market, by_id, settings, now)
    ending = _ending(market, settings, now)
    for name, entry in by_id.items():
        pool = pools.get(entry.pool)
        if name in closed or pool is None:
            continue
        if pool.scaler is not Scaler.TIDEGATE:
            text = f"{pool.id} is scaled by {pool.scaler.value}"
            closed[name] = Cause(CauseKind.SCALER, pool.id, text)
        elif (held := overrides.get(pool.id)) and held.nodes is None:
            text = f"paused by {held.owner} until {held.until.isoformat()}"
            closed[name] = Cause(CauseKind.PAUSED, pool.id, text)
        elif name in refused:
            closed[name] = refused[name]
        elif entry.commitment in ending:
            text = f"commitment {entry.commitment} ends soon"
            closed[name] = Cause(CauseKind.COMMITMENT, name, text)
        elif settings.hourly_ceiling is not None and _sensible(settings.hourly_ceiling) is None:
            text = f"the hourly ceiling states {settings.hourly_ceiling}"
            closed[name] = Cause(CauseKind.BUDGET, "", text)
        elif settings.hourly_ceiling is not None and entry.per_hour is None:
            text = "its price is unknown, so it cannot be held to the hourly ceiling"
            closed[name] = Cause(CauseKind.PRICE_UNKNOWN, name, text)
    return closed


def _forget_repeats(market: Offerings) -> Offerings:
    """Return a market in which each refusal is the first one."""
    return replace(market, failures=tuple(replace(e, attempts=1) for e in market.failures))


def _ending(market: Offerings, settings: ScalingSettings, now: datetime) -> frozenset[str]:
    """Return the commitments whose nodes are about to be taken away."""
    limit = now + timedelta(seconds=settings.commitment_lead_seconds)
    return frozenset(
        entry.id
        for entry in market.commitments
        if entry.evicts and entry.ends is not None and entry.ends <= limit
    )


def _refusals(
    market: Offerings, by_id: Mapping[str, Offering], settings: ScalingSettings, now: datetime
) -> dict[str, Cause]:
    """Return offerings in backoff; a quota refusal concerns all that share the quota."""
    found: dict[str, Cause] = {}
    for failure in sorted(market.failures, key=lambda entry: (entry.at, entry.offering)):
        until = failure.at + timedelta(seconds=backoff_seconds(failure, settings))
        refused = by_id.get(failure.offering)
        if until <= now or refused is None:
            continue
        kind = CauseKind.QUOTA if failure.kind is FailureKind.QUOTA else CauseKind.STOCK_OUT
        text = f"{failure.kind.value} at {failure.at.isoformat()}, tried again from "
        text += until.isoformat()
        found[failure.offering] = Cause(kind, failure.offering, text)
        if failure.kind is FailureKind.QUOTA and refused.quota:
            for name, entry in by_id.items():
                if entry.quota == refused.quota:
                    found.setdefault(name, Cause(kind, name, text))
    return found


def backoff_seconds(failure: OfferingFailure, settings: ScalingSettings) -> int:
    """Return how long an offering is left alone: doubling up to a bound, fixed for quotas."""
    if failure.kind is FailureKind.QUOTA:
        return settings.quota_backoff_seconds
    # The exponent is bounded, or a long outage would compute a number of astronomic size.
    doublings = min(max(failure.attempts, 1) - 1, 16)
    waited: int = settings.stock_out_backoff_seconds * 2**doublings
    return min(waited, settings.stock_out_backoff_max_seconds)


def _override_holds(overrides: Mapping[str, PoolOverride]) -> list[Hold]:
    return [
        Hold(
            entry.pool,
            f"{render_override(entry.pool, entry.nodes)} by {entry.owner}",
            entry.until,
            entry.cause(),
        )
        for entry in overrides.values()
    ]


def _schedule_holds(pools: Mapping[str, PoolSupply]) -> list[Hold]:
    return [
        Hold(pool.id, f"{kind} {entry.cron!r} in {entry.time_zone!r} {reason}: {effect}")
        for pool in pools.values()
        for kind, effect, entries in (
            ("window", "it allows no disruption", pool.windows),
            ("schedule", "it changes no bounds", pool.schedules),
        )
        for entry in entries
        if (reason := explain_window(entry.cron, entry.time_zone))
    ]


def is_spot(offering: Offering) -> bool:
    """Return whether a node of the offering may be taken away."""
    return offering.capacity_type is CapacityType.SPOT
