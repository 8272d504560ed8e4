"""How a turn, or a dry run, is printed for people: first what is done, then what is not and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from tidegate.vocabulary.wording import render_amount, render_count, render_names, render_price

MOST_SHOWN = 10
"""Of groups of unmet work; JSON holds them all."""


def print_plan(console: Console, told: dict[str, Any], *, is_dry: bool) -> None:
    """Print what `describe_tick` tells."""
    moment = told["at"][:19].replace("T", " ")
    what = "what would be done now (nothing is changed)" if is_dry else "what was done"
    _say(console, f"Stack {told['stack']}, {moment} UTC: {what}")
    _print_orders(console, told["orders"], is_dry=is_dry)
    _print_steps(console, told["steps"], is_dry=is_dry)
    _print_cost(console, told)
    _print_work(console, told)
    _print_held(console, told)
    _print_pools(console, told)
    print_idle(console, told)


def _say(console: Console, text: str) -> None:
    # Lines stay whole and free of markup, so that they can be searched for and copied.
    console.print(text, soft_wrap=True, markup=False, highlight=False)


def _print_orders(console: Console, orders: Sequence[dict[str, Any]], *, is_dry: bool) -> None:
    if not orders:
        _say(console, "  nothing is to be resized")
        return
    names = ("", "pool", "nodes", "an hour", "for", "why")
    table = Table(*names, box=None, pad_edge=True, show_header=True)
    for column in table.columns:
        column.overflow = "fold"
    for order in orders:
        why = [order["reason"], order["detail"] and f"{order['outcome']}: {order['detail']}"]
        if not is_dry and not order["detail"]:
            why.append(order["outcome"])
        table.add_row(
            order["action"],
            order["pool"],
            f"{order['from']} → {order['to']}",
            render_price(order["perHour"]) if order["perHour"] else "price unknown",
            _render_served(order["serves"]),
            "; ".join(filter(None, why)),
        )
    console.print(table)
    for order in orders:
        for label, found in (("buys", order["offerings"]), ("deletes", order["machines"])):
            if found:
                _say(
                    console, f"  {order['pool']} {label} {render_names(found)}{_render_else(order)}"
                )


def _print_steps(console: Console, steps: Sequence[dict[str, Any]], *, is_dry: bool) -> None:
    if steps:
        _say(console, "Emptied:")
    for step in steps:
        outcome = "" if is_dry and not step["detail"] else f" ({step['outcome']})"
        why = f"; {step['detail']}" if step["detail"] else ""
        _say(console, f"  {step['pool']} {step['action']} {step['reason']}{outcome}{why}")


def _render_served(serves: Mapping[str, int]) -> str:
    return ", ".join(
        f"{render_count(items, 'item')} of {source}" for source, items in serves.items()
    )


def _render_else(order: dict[str, Any]) -> str:
    found = order["fallbacks"]
    return f"; where refused, {render_names(found)}" if found and order["offerings"] else ""


def _print_cost(console: Console, told: dict[str, Any]) -> None:
    cost = told["cost"]
    rough = "~" if told["assumed"] else ""
    now, then = render_amount(cost["now"]), render_amount(cost["then"])
    ceiling = f" (ceiling {render_amount(cost['ceiling'])})" if cost["ceiling"] else ""
    _say(console, f"Cost an hour, {cost['currency']}: {now} now, {rough}{then} then{ceiling}")
    if told["assumed"]:
        _say(console, "  ~ some prices are averages or ratios (`tidegate catalog explain`)")
    if told["unpriced"]:
        _say(console, f"  without a known price, and not in it: {', '.join(told['unpriced'])}")
    for name, idle in cost["idleCommitments"].items():
        _say(console, f"  commitment {name} is paid for and idle now: {idle}")


def _print_work(console: Console, told: dict[str, Any]) -> None:
    waiting = told["waiting"]
    rest = f", {waiting['unmet']} without a place" if waiting["unmet"] else ""
    _say(console, f"Work: {render_count(waiting['items'], 'item')}{rest}")
    for source in told["sources"]:
        items = (
            "no answer yet" if source["items"] is None else render_count(source["items"], "item")
        )
        state = f"in doubt: {source['fault']}" if source["fault"] else items
        _say(console, f"  {source['name']}: {'; '.join([state, *source['notes']])}")
    for unmet in told["unmet"][:MOST_SHOWN]:
        _print_unmet(console, unmet)
    more = len(told["unmet"]) - MOST_SHOWN
    if more > 0:
        _say(
            console,
            f"  and {render_count(more, 'more group')} without a place (--format json shows all)",
        )


def _print_unmet(console: Console, unmet: dict[str, Any]) -> None:
    """Print causes, the same ones once, with all the pools that they keep from being used."""
    _say(console, f"  no place for {render_names(unmet['items'])}:")
    causes: dict[str, list[str]] = {}
    for cause in unmet["causes"]:
        causes.setdefault(cause["why"], []).append(cause["where"])
    for why, places in causes.items():
        named = [place for place in dict.fromkeys(places) if place]
        _say(console, f"    {render_names(named)}: {why}" if named else f"    {why}")


def _print_held(console: Console, told: dict[str, Any]) -> None:
    held = [f"  {hold['pool'] or 'fleet'}: {hold['reason']}" for hold in told["holds"]]
    if held:
        _say(console, "Held back:")
    for line in held:
        _say(console, line)
    if told.get("kept"):
        _say(console, "Kept idle:")
    for kept in told.get("kept", ()):
        nodes = render_count(len(kept["nodes"]), "node")
        _say(console, f"  {kept['pool']}: {nodes}, {kept['reason']}")


def _print_pools(console: Console, told: dict[str, Any]) -> None:
    """Print the pools that do something; those at rest in one line, those of others in another."""
    excluded = told["excluded"]
    resized = [pool for pool in told["pools"] if pool["id"] not in excluded]
    busy = [pool for pool in resized if pool["phases"] or pool["nodes"]]
    if busy:
        table = Table("pool", "nodes", "bounds", "what they do", box=None)
        for pool in busy:
            doing = ", ".join(f"{count} {phase}" for phase, count in pool["phases"].items())
            table.add_row(pool["id"], str(pool["nodes"]), f"{pool['min']} to {pool['max']}", doing)
        console.print(table)
    resting = [pool["id"] for pool in resized if pool not in busy]
    if resting:
        _say(console, f"Empty now: {', '.join(resting)}")
    if excluded:
        _say(console, "Not resized:")
    unread = {pool["id"]: pool["unread"] for pool in told["pools"]}
    reasons: dict[str, list[str]] = {}
    for pool, why in excluded.items():
        lacks = unread.get(pool, "")
        text = why if not lacks or lacks in why else f"{why}; cannot be read: {lacks}"
        reasons.setdefault(text, []).append(pool)
    for why, pools in reasons.items():
        _say(console, f"  {', '.join(pools)}: {why}")


def print_idle(console: Console, told: dict[str, Any]) -> None:
    """Print what may stand idle and what is done with it, and pools with more than they use."""
    if told["idle"]:
        _say(console, "Notebooks and endpoints:")
    for each in told["idle"]:
        size = "size unknown" if each["size"] is None else f"size {each['size']}"
        goes = size if each["to"] is None else f"{size} → {each['to']}"
        ends = f", ends at {each['endsAt'][:16].replace('T', ' ')} UTC" if each["endsAt"] else ""
        owner = f" ({each['owner']})" if each["owner"] else ""
        line = f"  {each['verdict']} {each['id']}{owner}: {goes}; {each['reason']}{ends}"
        _say(console, f"{line}; {each['outcome']}" if each["outcome"] else line)
    for hint in told["rightsizing"]:
        text = f"{hint['accelerators']} accelerators a node, {hint['wouldDo']} would do"
        _say(console, f"  {hint['pool']}: {text} ({hint['reason']})")
