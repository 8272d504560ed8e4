"""How the controller's memory prints: the last decisions, and the state of everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from tidegate.cli.controller_plan_text import print_idle
from tidegate.vocabulary.records import DecisionRecord


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
    if told["snapshot"] and "idle" in told["snapshot"]:  # none before this was looked at
        print_idle(console, told["snapshot"])
    for source in told["sources"]:
        console.print(f"source     {source['name']}: {source['fault'] or 'sound'}")
    for each in told["overrides"]:
        kept = "snoozed" if "/" in each["pool"] else "paused"
        what = kept if each["nodes"] is None else f"pinned to {each['nodes']} nodes"
        console.print(f"override   {each['pool']}: {what} by {each['owner']} until {each['until']}")
    for each in told["refused"]:
        console.print(f"refused    {each['offering']}: {each['kind']}, {each['attempts']} in a row")


def _describe_size(pool: dict[str, Any]) -> str:
    doing = [f"{count} {phase}" for phase, count in pool["phases"].items()]
    target = "?" if pool["target"] is None else pool["target"]
    size = f"{target} of {pool['min']} to {pool['max']} nodes"
    return ", ".join(filter(None, (size, *doing, pool["unread"])))
