"""A draft as a plan: sizes, reasons, money and what is left unmet."""

from __future__ import annotations

import itertools
from decimal import Decimal

from tidegate.scaling.bins import Bin
from tidegate.scaling.constraints import find_exclusion
from tidegate.scaling.draft import Draft
from tidegate.scaling.groups import Group
from tidegate.scaling.ledger import ZERO
from tidegate.scaling.nodes import nodes_of
from tidegate.vocabulary.money import Money
from tidegate.vocabulary.plans import (
    Addition,
    Cause,
    CauseKind,
    Hold,
    Kept,
    Placement,
    Resize,
    ScalingPlan,
    Unmet,
)
from tidegate.vocabulary.wording import render_count

MOST_FALLBACKS = 4


def compose_plan(draft: Draft) -> ScalingPlan:
    """Return the plan that a draft stands for."""
    unpriced = _unpriced(draft)
    situation = draft.situation
    return ScalingPlan(
        resizes=tuple(_resizes(draft)),
        drains=tuple(draft.drains[name] for name in sorted(draft.drains)),
        stops=tuple(draft.stops[name] for name in sorted(draft.stops)),
        preemptions=tuple(draft.preemptions),
        holds=_holds(draft),
        placements=tuple(_placements(draft)),
        unmet=tuple(_unmet(draft)),
        per_hour=Money(_fleet_cost(draft), situation.market.currency),
        unpriced=unpriced,
        assumed=_is_assumed(draft),
        method=draft.method,
        replicas=draft.replicas,
        kept=tuple(
            Kept(pool, tuple(sorted(nodes)), reason)
            for (pool, reason), nodes in sorted(draft.kept.items())
        ),
    )


def _resizes(draft: Draft) -> list[Resize]:
    new: dict[str, list[Bin]] = {}
    for seat in draft.bench.new_bins():
        new.setdefault(seat.offering.pool, []).append(seat)
    found = []
    for pool in sorted({*new, *(stop.pool for stop in draft.stops.values())}):
        stops = draft.stops_of(pool)
        now = _declared_size(draft, pool)
        additions = _additions(draft, new.get(pool, []))
        grown = sum(entry.nodes for entry in additions)
        reasons = list(draft.reasons.get(pool, []))
        reasons += _late_starts(draft, new.get(pool, []))
        if stops:
            verb = "is" if len(stops) == 1 else "are"
            reasons.append(f"{render_count(len(stops), 'node')} {verb} deleted")
        found.append(
            Resize(
                pool=pool,
                from_nodes=now,
                to_nodes=now + grown - len(stops),
                additions=additions,
                reason="; ".join(reasons),
                per_hour=_change(draft, additions, pool),
            )
        )
    return found


def _late_starts(draft: Draft, seats: list[Bin]) -> list[str]:
    """Say how many items start later on new nodes than their wait target allows."""
    if not draft.bench.cost().late:
        return []
    late = {
        item
        for seat in seats
        for item in seat.items
        if (group := draft.groups.get(item)) and _is_late(group, seat)
    }
    if not late:
        return []
    starts = "starts later than it is" if len(late) == 1 else "start later than they are"
    return [f"{render_count(len(late), 'item')} {starts} to wait: nothing faster can be had"]


def _is_late(group: Group, seat: Bin) -> bool:
    return any(c.late for c in group.anywhere.choices if c.offering.id == seat.offering.id)


def _declared_size(draft: Draft, pool: str) -> int:
    """Return the nodes that the cloud counts: all that were not deleted."""
    return sum(1 for node in nodes_of(draft.situation) if node.pool == pool)


def _additions(draft: Draft, seats: list[Bin]) -> tuple[Addition, ...]:
    by_offering: dict[str, list[Bin]] = {}
    for seat in seats:
        by_offering.setdefault(seat.offering.id, []).append(seat)
    return tuple(
        Addition(
            offering=name,
            nodes=len(mine),
            per_hour=_price_of(draft, mine),
            fallbacks=_fallbacks(draft, mine),
        )
        for name, mine in by_offering.items()
    )


def _price_of(draft: Draft, seats: list[Bin]) -> Money | None:
    unknown = any(seat.offering.per_hour is None for seat in seats)
    return draft.money(None if unknown else sum((seat.paid for seat in seats), ZERO))


def _fallbacks(draft: Draft, seats: list[Bin]) -> tuple[str, ...]:
    """Return what every item on these seats could take instead, in its order of choice."""
    names = itertools.chain.from_iterable(seat.items for seat in seats)
    groups = {id(group): group for name in names if (group := draft.groups.get(name))}
    # Shapes with the same options share them, so each is looked at once.
    options = {id(group.anywhere): group.anywhere for group in groups.values()}
    closed = draft.situation.closed
    lists = [
        [choice.offering.id for choice in domain.choices if choice.offering.id not in closed]
        for domain in options.values()
    ]
    if not lists:
        return ()
    shared = set(lists[0]).intersection(*lists[1:]) - {seats[0].offering.id}
    shortest = min(lists)
    return tuple(name for name in shortest if name in shared)[:MOST_FALLBACKS]


def _change(draft: Draft, additions: tuple[Addition, ...], pool: str) -> Money | None:
    amounts = [entry.per_hour for entry in additions]
    amounts += [
        Money(-stop.saving_per_hour.amount, stop.saving_per_hour.currency)
        if stop.saving_per_hour is not None
        else None
        for stop in draft.stops_of(pool)
    ]
    if any(amount is None for amount in amounts):
        return None
    return draft.money(sum((amount.amount for amount in amounts if amount), ZERO))


def _holds(draft: Draft) -> tuple[Hold, ...]:
    situation = draft.situation
    strangers = [
        Hold(node.pool, f"{node.id} is of a pool that is not declared, and is left alone")
        for node in situation.signals.nodes
        if node.pool not in situation.pools
    ]
    every = (*situation.signals.holds, *situation.holds, *draft.holds, *strangers)
    return tuple(dict.fromkeys(every))


def _placements(draft: Draft) -> list[Placement]:
    """Return the seats of everyone who sits, partial gangs too: their nodes are theirs."""
    found = []
    for item, seats in draft.bench.sitting():
        if len(seats) == 1:
            found.append(Placement(item, 0, seats[0].seat))
        else:
            names = sorted(seat.seat for seat in seats)
            found += [Placement(item, worker, name) for worker, name in enumerate(names)]
    return found


def _unmet(draft: Draft) -> list[Unmet]:
    """Return unserved items by shape, in their turn, each shape with every cause."""
    waiting: dict[int, tuple[Group, list[str]]] = {}
    for item in draft.pending:
        if item.id not in draft.served:
            group = draft.groups[item.id]
            waiting.setdefault(id(group), (group, []))[1].append(item.id)
    found = [
        Unmet(tuple(items), group.shape.workers, _causes(draft, group))
        for group, items in waiting.values()
    ]
    found += [Unmet((item.id,), item.shape.workers, (cause,)) for item, cause in draft.refused]
    return found


def _causes(draft: Draft, group: Group) -> tuple[Cause, ...]:
    """Return why each offering did not serve a shape, each cause once."""
    causes: dict[Cause, None] = {}
    for offering in draft.situation.offerings.values():
        cause = find_exclusion(group.shape, offering, draft.situation, urgent=group.urgent)
        cause = cause or draft.bench.ledger.refusal(offering)
        if cause is None and group.shape.workers > 1:
            text = f"{group.shape.workers} workers must start together and do not fit"
            cause = Cause(CauseKind.GANG, offering.pool, text)
        if cause is not None:
            causes[cause] = None
    if not causes:
        text = "nothing that is declared can serve it: interruptions would undo all its work"
        return (Cause(CauseKind.INTERRUPTION, "", text),)
    return tuple(sorted(causes))


def _fleet_cost(draft: Draft) -> Decimal:
    """Return what the fleet costs once stops are done; drained nodes cost until they are gone."""
    savings = [stop.saving_per_hour for stop in draft.stops.values()]
    return draft.bench.ledger.per_hour - sum((entry.amount for entry in savings if entry), ZERO)


def _in_use(draft: Draft) -> set[str]:
    """Return the offerings of what is there, or ordered, and stays."""
    there = {
        offering.id
        for node_id, offering in draft.bench.offering_of.items()
        if offering is not None and node_id not in draft.stops
    }
    return there | {seat.offering.id for seat in draft.bench.new_bins()}


def _unpriced(draft: Draft) -> tuple[str, ...]:
    offerings = draft.situation.offerings
    return tuple(name for name in sorted(_in_use(draft)) if offerings[name].per_hour is None)


def _is_assumed(draft: Draft) -> bool:
    offerings = draft.situation.offerings
    return any(offerings[name].assumed for name in _in_use(draft))
