"""A turn, or a dry run, as JSON: what is done for whom at what cost, what is not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tidegate.controller.nodes import PoolSight
from tidegate.controller.orders import Order
from tidegate.controller.status import (
    describe_decision,
    describe_hints,
    describe_hold,
    describe_reaping,
)
from tidegate.controller.tick import Tick
from tidegate.controller.wiring import UNSIZED
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.plans import Unmet


def describe_tick(tick: Tick) -> dict[str, Any]:
    """Return a turn, or a dry run, as JSON."""
    seen, plan = tick.decision.observation, tick.decision.plan
    manifest = tick.wiring.manifest
    return {
        "stack": f"{manifest.project}/{manifest.stack}",
        "at": seen.at.isoformat(),
        "orders": _describe_orders(tick),
        "cost": _describe_cost(tick),
        "steps": _describe_steps(tick),
        "holds": [describe_hold(hold) for hold in plan.holds],
        "kept": [
            {"pool": kept.pool, "nodes": list(kept.nodes), "reason": kept.reason}
            for kept in plan.kept
        ],
        "waiting": {"items": len(seen.demand.items), "unmet": _count_items(plan.unmet)},
        "unmet": [_describe_unmet(unmet) for unmet in plan.unmet],
        "sources": [
            {
                "name": ear.name,
                "sound": not health.fault,
                "fault": health.fault,
                "items": len(ear.report.items) if ear.report else None,
                "notes": list(ear.report.notes) if ear.report else [],
            }
            for ear, health in zip(seen.heard, seen.demand.sources, strict=True)
        ],
        "pools": [_describe_pool(tick, sight) for sight in seen.sights],
        "excluded": dict(_explain_exclusions(tick)),
        "idle": describe_reaping(tick),
        "rightsizing": describe_hints(tick),
        "utilisation": [
            {"name": name, "sound": not fault, "fault": fault}
            for name, fault in tick.reaping.faults.items()
        ],
        "perHour": {"amount": str(plan.per_hour.amount), "currency": plan.per_hour.currency},
        "assumed": plan.assumed,
        "unpriced": list(plan.unpriced),
        "method": plan.method.name,
    }


def _describe_steps(tick: Tick) -> list[dict[str, Any]]:
    """Return what is done on nodes and pods that are to go, and what is waited for."""
    found = {each.errand.record.reason: each for each in tick.finished}
    steps = []
    for errand in tick.decision.draining.errands:
        record = errand.record
        done = found.get(record.reason)
        outcome = {} if done is None else {"outcome": done.outcome.value, "detail": done.detail}
        steps.append({**describe_decision(record), "node": errand.node, **outcome})
    waits = tick.decision.draining.remarks
    return [*steps, *({**describe_decision(each), "node": ""} for each in waits)]


def _describe_orders(tick: Tick) -> list[dict[str, Any]]:
    outcomes = {done.order.pool: done for done in tick.done}
    served = _count_served(tick)
    found = []
    for order in tick.orders:
        done = outcomes.get(order.pool)
        found.append(
            {
                **describe_decision(order.record),
                "outcome": (done.outcome if done else order.record.outcome).value,
                "detail": done.detail if done else order.refusal,
                "offerings": list(order.offerings),
                "fallbacks": _list_fallbacks(tick, order),
                "serves": dict(served.get(order.pool, {})),
                "machines": list(order.machines),
            }
        )
    return found


def _count_served(tick: Tick) -> dict[str, Counter[str]]:
    """Return for each pool from which sources the work is that its new nodes are ordered for."""
    seen = tick.decision.observation
    told = {item.id: ear.name for ear in seen.heard if ear.report for item in ear.report.items}
    pools = {entry.id: entry.pool for entry in tick.wiring.market.offerings}
    counted: dict[str, set[tuple[str, str]]] = {}
    for seat in tick.decision.plan.placements:
        pool = pools.get(seat.seat.rpartition("#")[0])
        if pool:
            counted.setdefault(pool, set()).add((told.get(seat.item, "unknown"), seat.item))
    return {pool: Counter(source for source, _ in items) for pool, items in counted.items()}


def _list_fallbacks(tick: Tick, order: Order) -> list[str]:
    resizes = [each for each in tick.decision.plan.resizes if each.pool == order.pool]
    additions = [addition for resize in resizes for addition in resize.additions]
    return list(dict.fromkeys(name for addition in additions for name in addition.fallbacks))


def _describe_cost(tick: Tick) -> dict[str, Any]:
    """Return the cost an hour of what is there, and of what is there once all is done."""
    bill, plan = tick.decision.bill, tick.decision.plan
    ceiling = tick.wiring.manifest.hourly_ceiling
    return {
        "now": str(bill.per_hour()),
        "then": str(plan.per_hour.amount),
        "ceiling": str(ceiling.amount) if ceiling else None,
        "currency": plan.per_hour.currency,
        "idleCommitments": {
            name: f"{use.idle()} of {use.units}"
            for name, use in bill.commitments.items()
            if use.idle() > Decimal(0)
        },
    }


def _describe_unmet(unmet: Unmet) -> dict[str, Any]:
    return {
        "items": list(unmet.items),
        "workers": unmet.workers,
        "causes": [
            {"kind": cause.kind.value, "where": cause.where, "why": cause.text}
            for cause in unmet.causes
        ],
    }


def _count_items(groups: tuple[Unmet, ...]) -> int:
    return sum(len(unmet.items) for unmet in groups)


def _describe_pool(tick: Tick, sight: PoolSight) -> dict[str, Any]:
    seen, pool = tick.decision.observation, sight.pool.id
    phases = Counter(node.phase.value for node in seen.fleet.nodes if node.pool == pool)
    return {
        "id": pool,
        "scaler": sight.pool.scaler.value,
        "nodes": sight.state.target_nodes if sight.state else None,
        "min": sight.pool.min_nodes,
        "max": sight.pool.max_nodes,
        "phases": dict(phases),
        "unread": seen.unread.get(pool, ""),
    }


def _explain_exclusions(tick: Tick) -> Iterator[tuple[str, str]]:
    """Yield each declared pool that is not resized, with the reason."""
    unread = tick.decision.observation.unread
    for pool in tick.wiring.manifest.pools:
        if pool.kind in UNSIZED:
            yield pool.id, f"has no size to set ({pool.kind.value})"
        elif pool.scaler is not Scaler.TIDEGATE:
            yield pool.id, f"scaled by {pool.scaler.value}"
        elif pool.id in unread:
            yield pool.id, f"cannot be read: {unread[pool.id]}"
