"""How the controller's commands print: what would be done and why, what was done, what is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from tidegate.controller.status import describe_decision
from tidegate.controller.turn import Tick
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.records import DecisionRecord


def describe_tick(tick: Tick) -> dict[str, Any]:
    """Return a turn, or a dry run, as JSON."""
    seen, plan = tick.decision.observation, tick.decision.plan
    outcomes = {done.order.pool: done for done in tick.done}
    return {
        "at": seen.at.isoformat(),
        "pools": [_describe_pool(tick, sight.pool.id) for sight in seen.sights],
        "sources": [
            {"name": source.name, "sound": not source.fault, "fault": source.fault}
            for source in seen.demand.sources
        ],
        "orders": [
            {
                **describe_decision(order.record),
                "outcome": (
                    outcomes[order.pool].outcome.value
                    if order.pool in outcomes
                    else order.record.outcome.value
                ),
                "detail": outcomes[order.pool].detail if order.pool in outcomes else order.refusal,
                "offerings": list(order.offerings),
            }
            for order in tick.orders
        ],
        "drains": [
            {"node": each.node, "pool": each.pool, "reason": each.reason} for each in plan.drains
        ],
        "holds": [{"pool": hold.pool, "reason": hold.reason} for hold in plan.holds],
        "unmet": [
            {
                "items": list(unmet.items),
                "workers": unmet.workers,
                "causes": [
                    {"kind": cause.kind.value, "where": cause.where, "why": cause.text}
                    for cause in unmet.causes
                ],
            }
            for unmet in plan.unmet
        ],
        "perHour": {"amount": str(plan.per_hour.amount), "currency": plan.per_hour.currency},
        "assumed": plan.assumed,
        "unpriced": list(plan.unpriced),
        "method": plan.method.name,
    }


def _describe_pool(tick: Tick, pool: str) -> dict[str, Any]:
    seen = tick.decision.observation
    sight = next(each for each in seen.sights if each.pool.id == pool)
    phases: dict[str, int] = {}
    for node in seen.fleet.nodes:
        if node.pool == pool:
            phases[node.phase.value] = phases.get(node.phase.value, 0) + 1
    return {
        "id": pool,
        "scaler": sight.pool.scaler.value,
        "nodes": sight.state.target_nodes if sight.state else None,
        "min": sight.pool.min_nodes,
        "max": sight.pool.max_nodes,
        "phases": phases,
        "unread": seen.unread.get(pool, ""),
    }


def print_tick(console: Console, tick: Tick) -> None:
    """Print a turn as tables: pools, orders, and whatever keeps anything from being done."""
    told = describe_tick(tick)
    console.print(_build_pool_table(told["pools"]))
    orders = told["orders"]
    if orders:
        console.print(_build_order_table(orders))
    else:
        console.print("nothing is to be resized")
    for source in told["sources"]:
        console.print(f"source {source['name']}: {source['fault'] or 'sound'}")
    for hold in told["holds"]:
        console.print(f"held {hold['pool'] or 'fleet'}: {hold['reason']}")
    for drain in told["drains"]:
        console.print(f"not drained {drain['node']}: {drain['reason']}")
    for unmet in told["unmet"]:
        _print_unmet(console, unmet)
    amount = tick.decision.plan.per_hour
    console.print(f"the fleet then costs {'~' if told['assumed'] else ''}{amount} an hour")
    if told["unpriced"]:
        console.print(f"without a known price, and not in it: {', '.join(told['unpriced'])}")


def _print_unmet(console: Console, unmet: dict[str, Any]) -> None:
    items = unmet["items"]
    first = f"{items[0]} and {len(items) - 1} more" if len(items) > 1 else items[0]
    console.print(f"unmet {first}:")
    for cause in unmet["causes"]:
        console.print(f"  {cause['where'] or 'itself'}: {cause['why']}")


def _build_pool_table(pools: Sequence[dict[str, Any]]) -> Table:
    table = Table("pool", "scaled by", "nodes", "min", "max", "what they do", box=None)
    for pool in pools:
        doing = ", ".join(f"{count} {phase}" for phase, count in pool["phases"].items())
        nodes = "?" if pool["nodes"] is None else str(pool["nodes"])
        name = pool["id"] if pool["scaler"] == Scaler.TIDEGATE.value else f"{pool['id']} (observed)"
        table.add_row(
            name, pool["scaler"], nodes, str(pool["min"]), str(pool["max"]), pool["unread"] or doing
        )
    return table


def _build_order_table(orders: Sequence[dict[str, Any]]) -> Table:
    table = Table(title="orders", title_justify="left")
    for name in ("pool", "nodes", "per hour", "why", "outcome"):
        table.add_column(name, overflow="fold")
    for order in orders:
        outcome = ": ".join(filter(None, (order["outcome"], order["detail"])))
        table.add_row(
            order["pool"],
            f"{order['from']} → {order['to']}",
            order["perHour"] or "unknown",
            order["reason"],
            outcome,
        )
    return table


def print_decisions(console: Console, records: Sequence[DecisionRecord]) -> None:
    """Print decisions, newest first."""
    table = Table(box=None)
    for name in ("at", "pool", "action", "nodes", "per hour", "why", "outcome"):
        table.add_column(name, overflow="fold")
    for record in records:
        nodes = "" if record.to_nodes is None else f"{record.from_nodes} → {record.to_nodes}"
        outcome = ": ".join(filter(None, (record.outcome.value, record.detail)))
        at = record.at.strftime("%Y-%m-%d %H:%M:%SZ")
        pool = record.pool or "fleet"
        table.add_row(at, pool, record.action, nodes, record.per_hour, record.reason, outcome)
    console.print(table)


def print_status(console: Console, told: dict[str, Any]) -> None:
    """Print what the state database knows."""
    console.print(f"leader     {told['leader'] or 'nobody'}")
    tick = told["lastTick"]
    if tick is None:
        console.print("last tick  never")
        return
    console.print(f"last tick  {tick['at']}, {tick['waiting']} waiting, {tick['perHour']} an hour")
    for pool in told["snapshot"]["pools"] if told["snapshot"] else ():
        console.print(f"pool       {pool['id']}: {_describe_size(pool)}")
    for source in told["sources"]:
        console.print(f"source     {source['name']}: {source['fault'] or 'sound'}")
    for each in told["overrides"]:
        what = "paused" if each["nodes"] is None else f"pinned to {each['nodes']} nodes"
        console.print(f"override   {each['pool']}: {what} by {each['owner']} until {each['until']}")
    for each in told["refused"]:
        console.print(f"refused    {each['offering']}: {each['kind']}, {each['attempts']} in a row")


def _describe_size(pool: dict[str, Any]) -> str:
    doing = [f"{count} {phase}" for phase, count in pool["phases"].items()]
    target = "?" if pool["target"] is None else pool["target"]
    size = f"{target} of {pool['min']} to {pool['max']} nodes"
    return ", ".join(filter(None, (size, *doing, pool["unread"])))
