"""What there is to show: the last turn as one document, and the store's memory beside it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tidegate.controller.logs import hide_all
from tidegate.controller.nodes import PoolSight
from tidegate.controller.reap_records import with_outcomes
from tidegate.ports import StateStore
from tidegate.scaling.fleet import Node
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.plans import Hold, Unmet
from tidegate.vocabulary.records import DecisionRecord

if TYPE_CHECKING:
    from tidegate.controller.tick import Tick

MOST_UNMET = 30
MOST_CAUSES = 20
"""Of either a document holds no more: 200 pools may refuse a thousand shapes."""
SHOWN_DECISIONS = 20
SHOWN_INTERRUPTIONS = 20
REMEMBERED = timedelta(days=1)
VERSION = 2
"""Of the document: what another version of Tidegate wrote on the same database is not shown."""
CENTS = Decimal("0.0001")


def build_snapshot(tick: Tick) -> dict[str, Any]:
    """Return a turn as the page and the status show it; pure."""
    seen, plan = tick.decision.observation, tick.decision.plan
    manifest = tick.wiring.manifest
    ceiling = manifest.hourly_ceiling
    phases = _count_phases(seen.fleet.nodes)
    return {
        "version": VERSION,
        "stack": f"{manifest.project}/{manifest.stack}",
        "at": seen.at.isoformat(),
        "cost": {
            "currency": plan.per_hour.currency,
            "perHour": _amount(tick.decision.bill.per_hour()),
            "planned": _amount(plan.per_hour.amount),
            "ceiling": _amount(ceiling.amount) if ceiling else None,
            "assumed": plan.assumed,
            "unpriced": list(plan.unpriced),
        },
        "pools": [_describe_pool(tick, sight, phases[sight.pool.id]) for sight in seen.sights],
        "waiting": _describe_waiting(tick),
        "unmet": [_describe_unmet(each) for each in plan.unmet[:MOST_UNMET]],
        "moreUnmet": max(0, len(plan.unmet) - MOST_UNMET),
        "listeners": [ear.name for ear in tick.listeners],
        "holds": [describe_hold(hold) for hold in plan.holds],
        "idle": describe_reaping(tick),
        "rightsizing": describe_hints(tick),
        "commitments": [
            {"id": name, "units": str(use.units), "used": str(use.used), "idle": str(use.idle())}
            for name, use in tick.decision.bill.commitments.items()
        ],
    }


def describe_hold(hold: Hold) -> dict[str, str]:
    """Return what is held, why, and by what kind of cause."""
    return {"pool": hold.pool, "reason": hold.reason, "cause": hold.cause.value}


def describe_reaping(tick: Tick) -> list[dict[str, Any]]:
    """Return each notebook and endpoint that Tidegate may stop, and what is done with it."""
    states = {sight.rule.id: sight.state for sight in tick.reaping.sights}
    found = []
    for decision, outcome in with_outcomes(tick.reaping.decisions, tick.reaped):
        state = states[decision.rule.id]
        found.append(
            {
                "id": decision.rule.id,
                "owner": decision.rule.owner,
                "phase": state.phase.value if state else None,
                "size": state.size if state else None,
                "verdict": decision.verdict.value,
                "to": decision.wanted,
                "reason": decision.reason,
                "endsAt": decision.ends_at.isoformat() if decision.ends_at else None,
                "idleSince": decision.idle_since.isoformat() if decision.idle_since else None,
                "outcome": outcome,
            }
        )
    return found


def describe_hints(tick: Tick) -> list[dict[str, Any]]:
    """Return pools whose nodes have more accelerators than their work was seen to use."""
    return [
        {
            "pool": hint.name,
            "accelerators": hint.accelerators,
            "wouldDo": hint.would_do,
            "reason": hint.reason,
        }
        for hint in tick.reaping.hints
    ]


def _count_phases(nodes: Iterable[Node]) -> Mapping[str, Counter[str]]:
    """Return pool → how many of its nodes are in each phase."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for node in nodes:
        found[node.pool][node.phase.value] += 1
    return found


def _describe_pool(tick: Tick, sight: PoolSight, phases: Counter[str]) -> dict[str, Any]:
    seen, pool = tick.decision.observation, sight.pool
    cost = tick.decision.bill.pools[pool.id]
    return {
        "id": pool.id,
        "cloud": pool.cloud.value,
        "region": pool.region,
        "accelerator": pool.accelerator,
        "acceleratorsPerNode": pool.accelerators_per_node,
        "capacityType": pool.capacity_type.value,
        "scaler": pool.scaler.value,
        "target": sight.state.target_nodes if sight.state else None,
        "min": pool.min_nodes,
        "max": pool.max_nodes,
        "phases": dict(sorted(phases.items())),
        "perHour": _amount(cost.per_hour),
        "unpricedNodes": cost.unpriced_nodes,
        "assumed": cost.assumed,
        "unread": seen.unread.get(pool.id, ""),
    }


def _describe_waiting(tick: Tick) -> list[dict[str, Any]]:
    """Return what waits, by who told of it and its class."""
    seen = tick.decision.observation
    told = {item.id: ear.name for ear in seen.heard if ear.report for item in ear.report.items}
    groups: dict[tuple[str, str], list[WorkItem]] = {}
    for item in seen.demand.items:
        key = told.get(item.id, ""), item.shape.workload_class.value
        groups.setdefault(key, []).append(item)
    return [
        {
            "source": source,
            "class": kind,
            "items": len(items),
            "oldestQueuedAt": min(item.queued_at for item in items).isoformat(),
        }
        for (source, kind), items in sorted(groups.items())
    ]


def _describe_unmet(unmet: Unmet) -> dict[str, Any]:
    return {
        "items": len(unmet.items),
        "first": unmet.items[0],
        "workers": unmet.workers,
        "causes": [
            {"kind": cause.kind.value, "where": cause.where, "why": cause.text}
            for cause in unmet.causes[:MOST_CAUSES]
        ],
        "moreCauses": max(0, len(unmet.causes) - MOST_CAUSES),
    }


def describe_status(store: StateStore, now: datetime) -> dict[str, Any]:
    """Return what the state database knows, as JSON.

    Args:
        store: The memory of all controllers of a stack.
        now: What is older than this has lapsed.
    """
    told = {
        "at": now.isoformat(),
        "leader": store.read_leader(),
        "lastTick": _describe_last_tick(store),
        "snapshot": _read_snapshot(store),
        "sources": _describe_healths(store),
        "overrides": _describe_overrides(store, now),
        "refused": _describe_refusals(store),
        "interruptions": _describe_interruptions(store, now),
        "decisions": [
            describe_decision(record) for record in store.read_decisions(None, SHOWN_DECISIONS)
        ],
    }
    # What an older version wrote down may hold what it did not know to hide.
    found: dict[str, Any] = hide_all(told)
    return found


def _describe_last_tick(store: StateStore) -> dict[str, Any] | None:
    tick = store.read_last_tick()
    if tick is None:
        return None
    return {
        "at": tick.at.isoformat(),
        "holder": tick.holder,
        "perHour": tick.per_hour,
        "waiting": tick.waiting,
    }


def _describe_healths(store: StateStore) -> list[dict[str, Any]]:
    return [
        {
            "name": source.name,
            "receivedAt": source.received_at.isoformat() if source.received_at else None,
            "fault": source.fault,
            "items": source.items,
        }
        for source in store.read_sources()
    ]


def _describe_overrides(store: StateStore, now: datetime) -> list[dict[str, Any]]:
    """Return what persons said of pools, notebooks and endpoints, and has not lapsed."""
    return [
        {
            "pool": each.pool,
            "owner": each.owner,
            "until": each.until.isoformat(),
            "nodes": each.nodes,
        }
        for each in store.read_overrides()
        if each.until > now
    ]


def _describe_refusals(store: StateStore) -> list[dict[str, Any]]:
    return [
        {
            "offering": each.offering,
            "kind": each.kind,
            "at": each.at.isoformat(),
            "attempts": each.attempts,
        }
        for each in store.read_refusals()
    ]


def _read_snapshot(store: StateStore) -> Mapping[str, Any] | None:
    found = store.read_snapshot()
    return found if found is not None and found.get("version") == VERSION else None


def _describe_interruptions(store: StateStore, now: datetime) -> list[dict[str, Any]]:
    """Return the last machines that their clouds took or announced to take, newest first."""
    records = [each for each in store.read_notices(now - REMEMBERED) if each.pool]
    return [
        {
            "pool": each.pool,
            "node": each.node,
            "kind": each.notice.kind.value,
            "at": each.received_at.isoformat(),
            "endsAt": each.notice.ends_at.isoformat() if each.notice.ends_at else None,
            "items": each.items,
            "reworkSeconds": each.rework_seconds,
        }
        for each in reversed(records[-SHOWN_INTERRUPTIONS:])
    ]


def describe_decision(record: DecisionRecord) -> dict[str, Any]:
    """Return a decision as JSON."""
    return {
        "at": record.at.isoformat(),
        "pool": record.pool,
        "action": record.action,
        "from": record.from_nodes,
        "to": record.to_nodes,
        "reason": record.reason,
        "perHour": record.per_hour or None,
        "outcome": record.outcome.value,
        "detail": record.detail,
    }


def _amount(amount: Decimal) -> str:
    return str(amount.quantize(CENTS))
