"""How the controller's memory prints: the last decisions, and the state of everything."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from tidegate.cli.controller_overrides import find_seen
from tidegate.cli.controller_plan_text import print_idle
from tidegate.cli.output import render_time
from tidegate.report.controller_view import STALE_SECONDS
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.records import DecisionRecord
from tidegate.vocabulary.wording import render_count, render_override


def print_decisions(console: Console, records: Sequence[DecisionRecord]) -> None:
    """Print decisions, newest first."""
    table = Table(box=None)
    for name in ("at", "pool", "action", "nodes", "per hour", "why", "outcome"):
        table.add_column(name, overflow="fold")
    for record in records:
        nodes = "" if record.to_nodes is None else f"{record.from_nodes} → {record.to_nodes}"
        outcome = ": ".join(filter(None, (record.outcome.value, record.detail)))
        at = render_time(record.at)
        pool = record.pool or "fleet"
        table.add_row(at, pool, record.action, nodes, record.per_hour, record.reason, outcome)
    console.print(table)


def explain_silence(store: Any, pool: str) -> str:
    """Return why there is no decision on a pool that is known, or on the fleet as a whole."""
    seen = find_seen(store, pool)
    if seen is None:
        return f"nothing was decided on {'the fleet' if pool == 'fleet' else pool} yet"
    by = seen["scaler"]
    why = "" if by == Scaler.TIDEGATE.value else f"; it is scaled by {by}, and only observed"
    return f"nothing was decided on {pool} yet: {_describe_size(seen)}{why}"


def print_status(console: Console, told: dict[str, Any]) -> None:
    """Print what the state database knows."""
    console.print(f"leader     {told['leader'] or 'nobody'}")
    tick = told["lastTick"]
    if tick is None:
        console.print("last turn  never")
        return
    age = _measure_age(told)
    when = f"{render_time(datetime.fromisoformat(tick['at']))}, {age:.0f} s ago"
    console.print(f"last turn  {when}: {tick['waiting']} waiting, {tick['perHour']} an hour")
    if age > STALE_SECONDS:
        console.print("           what follows is old: no controller has finished a turn since")
    for pool in told["snapshot"]["pools"] if told["snapshot"] else ():
        console.print(f"pool       {pool['id']}: {_describe_size(pool)}")
    if told["snapshot"] and "idle" in told["snapshot"]:  # none before this was looked at
        print_idle(console, told["snapshot"])
    for source in told["sources"]:
        console.print(f"source     {source['name']}: {source['fault'] or 'sound'}")
    for each in told["overrides"]:
        what = render_override(each["pool"], each["nodes"])
        until = render_time(datetime.fromisoformat(each["until"]))
        console.print(f"override   {each['pool']}: {what} by {each['owner']} until {until}")
    for each in told["refused"]:
        console.print(f"refused    {each['offering']}: {each['kind']}, {each['attempts']} in a row")


def _measure_age(told: dict[str, Any]) -> float:
    """Return how long ago the last turn was; a clock that jumped back makes it no shorter."""
    at, now = (datetime.fromisoformat(text) for text in (told["lastTick"]["at"], told["at"]))
    return max(0.0, (now - at).total_seconds())


def _describe_size(pool: dict[str, Any]) -> str:
    doing = [f"{count} {phase}" for phase, count in pool["phases"].items()]
    nodes = "? nodes" if pool["target"] is None else render_count(pool["target"], "node")
    size = f"{nodes} ({pool['min']} to {pool['max']})"
    return ", ".join(filter(None, (size, *doing, pool["unread"])))
