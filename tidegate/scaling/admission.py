"""Who gets capacity: minima first, then each item in its turn.

Items take their turn by priority, then by arrival, and nothing that stands behind an item
enters its choice: that is why an added item never takes service from those before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.scaling.bench import Bench
from tidegate.scaling.draft import Draft
from tidegate.scaling.groups import Group
from tidegate.scaling.marginal import Domain
from tidegate.scaling.offerings import Offering
from tidegate.scaling.seating import seat_item
from tidegate.scaling.situation import Situation
from tidegate.scaling.standing import Standing
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.plans import Hold
from tidegate.vocabulary.wording import render_count

DEMAND_REASON = "waiting work fits nothing that is there or in flight"


def explain_minimum(draft: Draft) -> None:
    """Say what minima order, and what they lack all the same."""
    situation = draft.situation
    for pool, bounds in situation.bounds.items():
        if any(seat.offering.pool == pool for seat in draft.bench.new_bins()):
            draft.explain_growth(pool, f"below its minimum of {bounds.low} ({bounds.origin})")
        lacking = bounds.low - draft.bench.capacity_of(pool)
        if lacking > 0:
            why = refusal_of_pool(draft.bench, situation, pool)
            text = f"{render_count(lacking, 'node')} below its minimum of {bounds.low}: {why}"
            draft.holds.append(Hold(pool, text))


def lay_out(standing: Standing) -> Bench:
    """Return a bench with what is there and what minima order, cheapest offering first."""
    bench, situation = Bench(standing), standing.situation
    for pool, bounds in situation.bounds.items():
        offerings = situation.by_pool[pool]
        while bench.capacity_of(pool) < bounds.low:
            if not any(bench.order(offering) for offering in offerings):
                break
    return bench


def refusal_of_pool(bench: Bench, situation: Situation, pool: str) -> str:
    """Return why nothing more of a pool can be ordered."""
    causes = [bench.ledger.refusal(entry) for entry in situation.by_pool[pool]]
    return "; ".join(dict.fromkeys(cause.text for cause in causes if cause)) or "no offering"


def admit(draft: Draft) -> None:
    """Seat what can be seated, keeping to earlier plans unless a higher priority needs the seat."""
    served = seat_in_turn(draft.bench, draft.pending, draft.groups)
    waiting = [item.shape.priority for item in draft.pending if item.id not in served]
    meant = draft.bench.assigned
    assigned = [i.shape.priority for i in draft.pending if i.id in meant] if meant else []
    if waiting and assigned and max(waiting) > min(assigned):
        floor = max(waiting)
        bench = lay_out(draft.bench.standing)
        again = seat_in_turn(bench, draft.pending, draft.groups, keep_from=floor)
        before = {i.id for i in draft.pending if i.shape.priority >= floor and i.id in served}
        if before < {i.id for i in draft.pending if i.shape.priority >= floor} & again:
            draft.bench, served = bench, again
    for seat in draft.bench.new_bins():
        if seat.items:
            draft.explain_growth(seat.offering.pool, DEMAND_REASON)
    draft.served |= served


def seat_in_turn(
    bench: Bench,
    pending: Sequence[WorkItem],
    groups: dict[str, Group],
    keep_from: int | None = None,
) -> set[str]:
    """Seat each item in its turn, as if it were the last, and return who sits whole.

    Args:
        bench: Where they are seated.
        pending: The items in their turn.
        groups: Item id → its group.
        keep_from: Only seats of this priority or higher are kept as assigned; None keeps all.
    """
    for group in groups.values():
        group.exhausted = False
    for item in pending if bench.assigned else ():
        if keep_from is None or item.shape.priority >= keep_from:
            seat_on_assigned(bench, item, groups[item.id])
    served = set()
    for item in pending:
        group = groups[item.id]
        if seat_rest(bench, item, group, (group.anywhere,), group.domains):
            served.add(item.id)
    return served


def seat_on_assigned(bench: Bench, item: WorkItem, group: Group) -> None:
    """Seat as many workers as earlier plans assigned and still fit."""
    assigned = bench.assigned.get(item.id)
    if not assigned:
        return
    by_offering = {choice.offering.id: choice for choice in group.anywhere.choices}
    for seat in assigned[: item.shape.workers]:
        current = bench.bins.get(seat)
        choice = by_offering.get(current.offering.id) if current else None
        if current and choice and current.fits(choice, item.shape):
            bench.take(current, choice, item.shape, (item.id,))


def seat_rest(
    bench: Bench,
    item: WorkItem,
    group: Group,
    anywhere: tuple[Domain, ...],
    domains: tuple[Domain, ...],
) -> bool:
    """Seat the workers of an item that do not sit yet; return whether it sits whole."""
    sitting = bench.seats_of(item.id)
    missing = item.shape.workers - len(sitting)
    if missing <= 0:
        return True
    if group.exhausted and not sitting:
        return False
    allowed = anywhere if item.shape.workers == 1 else domains
    if sitting:
        # The rest of a gang sits where its first workers sit.
        allowed = tuple(domain for domain in allowed if _holds(domain, sitting[0].offering))
    if seat_item(bench, item.id, allowed, item.shape, missing):
        return True
    # What is free only shrinks, so an equal item need not be tried again.
    group.exhausted = group.exhausted or not sitting
    return False


def _holds(domain: Domain, offering: Offering) -> bool:
    return any(choice.offering.id == offering.id for choice in domain.choices)
