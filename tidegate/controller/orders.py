"""From a plan to what is asked of each cloud: sizes and named machines, with the reasons.

Pure. A pool never leaves its bounds, and no machine goes that could not be told from the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tidegate.controller.machines import find_machine
from tidegate.controller.nodes import IN_FLIGHT_MARK, PoolSight
from tidegate.vocabulary.fleet_state import Machine, MachinePhase, PoolState
from tidegate.vocabulary.money import Money
from tidegate.vocabulary.plans import Resize, ScalingPlan, Unmet
from tidegate.vocabulary.records import DecisionRecord, Outcome
from tidegate.vocabulary.wording import render_count, render_names

SHRINK = "shrink"
GROW = "grow"


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked of one cloud for one pool, in this order: removals, then the size.

    Attributes:
        pool: The pool.
        seen: The size that its cloud had when this was decided.
        wanted: The size that it is to have in the end.
        machines: Machines to delete by name; each lowers the size by one.
        nodes: Node → its machine, of those that a cluster lists: closed first, kept when busy.
        offerings: What is ordered, for the health of offerings.
        record: The decision, for the store.
        refusal: Why nothing is asked after all; empty where something is.
    """

    pool: str
    seen: int
    wanted: int
    record: DecisionRecord
    machines: tuple[str, ...] = ()
    nodes: Mapping[str, str] = field(default_factory=dict)
    offerings: tuple[str, ...] = ()
    refusal: str = ""


def build_orders(
    plan: ScalingPlan,
    sights: Sequence[PoolSight],
    choosing: Mapping[str, bool],
    now: datetime,
) -> list[Order]:
    """Return an order for each pool that a plan resizes.

    Args:
        plan: What was decided.
        sights: The pools as they were seen.
        choosing: Pool → whether its cloud deletes the machines that are named.
        now: The time of the decision.
    """
    by_id = {sight.pool.id: sight for sight in sights}
    return [
        _build_order(resize, plan, by_id[resize.pool], choosing.get(resize.pool, False), now)
        for resize in plan.resizes
    ]


def _build_order(
    resize: Resize, plan: ScalingPlan, sight: PoolSight, can_choose: bool, now: datetime
) -> Order:
    state = sight.state
    assert state is not None  # a pool that could not be read is paused, and not resized
    going = [stop.node for stop in plan.stops if stop.pool == resize.pool]
    leaving = _choose_machines(going, sight, state)
    additions = resize.additions
    if leaving.machines and not can_choose and len(going) == state.target_nodes:
        additions = ()  # all of them go first; what takes their place is ordered at the next turn
    grown = sum(addition.nodes for addition in additions)
    wanted = state.target_nodes + grown - len(going)
    refusal = _refuse(wanted, sight, leaving, can_choose, grown)
    record = DecisionRecord(
        at=now,
        pool=resize.pool,
        action=GROW if wanted >= state.target_nodes else SHRINK,
        reason=_explain(resize, plan),
        from_nodes=state.target_nodes,
        to_nodes=wanted,
        per_hour=_text(resize.per_hour) if additions == resize.additions else "",
        outcome=Outcome.HELD if refusal else Outcome.INTENDED,
        detail=refusal,
    )
    return Order(
        pool=resize.pool,
        seen=state.target_nodes,
        wanted=wanted,
        record=record,
        machines=leaving.machines if can_choose else (),
        nodes=leaving.nodes,
        offerings=tuple(addition.offering for addition in additions),
        refusal=refusal,
    )


@dataclass(frozen=True, slots=True)
class _Leaving:
    machines: tuple[str, ...]
    nodes: Mapping[str, str]
    unknown: tuple[str, ...]


def _choose_machines(going: Sequence[str], sight: PoolSight, state: PoolState) -> _Leaving:
    """Return the machines behind the nodes that go, and the nodes whose machine nobody tells."""
    machines = [each for each in state.machines or () if each.phase is not MachinePhase.LEAVING]
    if not sight.in_cluster:
        known = {machine.id for machine in machines}
        named = tuple(node for node in going if node in known)
        unknown = [node for node in going if node not in known and IN_FLIGHT_MARK not in node]
        return _Leaving(named, {}, tuple(unknown))
    behind = {node.name: find_machine(node, machines) for node in sight.nodes or ()}
    nodes = {node: behind[node] for node in going if behind.get(node)}
    unknown = [node for node in going if not behind.get(node) and IN_FLIGHT_MARK not in node]
    cancelled = sum(IN_FLIGHT_MARK in node for node in going)
    late = _choose_late(cancelled, machines, set(behind.values()), state.target_nodes)
    return _Leaving((*nodes.values(), *late), nodes, tuple(unknown))


def _choose_late(
    cancelled: int, machines: Sequence[Machine], registered: set[str], target: int
) -> list[str]:
    """Return machines that are there and never became nodes, of as many as are given up.

    What the cloud has not even started is given up by the size alone.
    """
    unstarted = max(0, target - len(machines))
    orphans = sorted(machine.id for machine in machines if machine.id not in registered)
    return orphans[: max(0, cancelled - unstarted)]


def _refuse(wanted: int, sight: PoolSight, leaving: _Leaving, can_choose: bool, grown: int) -> str:
    state = sight.state
    assert state is not None
    if wanted > max(sight.pool.max_nodes, state.target_nodes) or wanted < 0:
        return f"{wanted} nodes are outside of 0 to {sight.pool.max_nodes}"
    if leaving.unknown:
        return f"nobody tells which machine stands behind {', '.join(leaving.unknown[:3])}"
    if leaving.machines and not can_choose and (wanted or grown):
        return "its cloud would choose which node goes; it shrinks once all of its nodes can go"
    return ""


def _explain(resize: Resize, plan: ScalingPlan) -> str:
    reasons = [stop.reason for stop in plan.stops if stop.pool == resize.pool]
    each = [f"{text} ({render_count(count, 'node')})" for text, count in Counter(reasons).items()]
    return "; ".join([resize.reason, *each]) if each else resize.reason


def build_remarks(plan: ScalingPlan, now: datetime) -> list[DecisionRecord]:
    """Return what a plan holds and leaves unmet, as records."""
    held = Outcome.HELD
    found = [
        DecisionRecord(now, hold.pool, "hold", hold.reason, outcome=held) for hold in plan.holds
    ]
    found += [
        DecisionRecord(now, "", "unmet", _explain_unmet(unmet), outcome=held)
        for unmet in plan.unmet
    ]
    return found


def _explain_unmet(unmet: Unmet) -> str:
    """Return who got nothing and why: the same cause once, with all the places that have it."""
    places: dict[str, list[str]] = {}
    for cause in unmet.causes:
        places.setdefault(cause.text, []).append(cause.where or "fleet")
    causes = "; ".join(f"{render_names(names)}: {text}" for text, names in places.items())
    items, workers = len(unmet.items), render_count(unmet.workers, "worker")
    first = unmet.items[0] if items == 1 else f"{unmet.items[0]} first"
    return f"{render_count(items, 'item')} of {workers}, {first}: {causes}"


def _text(amount: Money | None) -> str:
    return "" if amount is None else f"{amount.amount:.4f} {amount.currency}"
