"""The same service for less: what was admitted is laid out anew, larger items first.

Admission looks at one item at a time, so that it is fair. Once it is known who is served, the
whole of it may sit on fewer or other nodes. A layout is taken only if it serves everyone that
admission served and costs less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from tidegate.scaling.admission import DEMAND_REASON, lay_out, seat_on_assigned, seat_rest
from tidegate.scaling.bench import Bench
from tidegate.scaling.draft import Draft
from tidegate.scaling.exact import Answer, solve_exactly
from tidegate.scaling.groups import Group
from tidegate.scaling.marginal import Choice, Domain, build_domain
from tidegate.scaling.offerings import Offering
from tidegate.scaling.seating import seat_all
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.plans import Method

Served = Sequence[tuple[Group, list[WorkItem]]]
"""Groups with their served items."""


def improve_layout(draft: Draft) -> None:
    """Take the cheapest layout found that serves everyone that admission served."""
    if not draft.bench.new_bins():
        return
    served = [item for item in draft.pending if item.id in draft.served]
    groups = _groups_of(draft, served)
    small = len(served) <= draft.situation.settings.repacked_items
    packed = repack(draft, served, groups) if small else None
    if packed is not None and packed.cost() < draft.bench.cost():
        draft.bench = packed
    answer = solve_exactly(draft.situation, lay_out(draft.bench.standing), groups)
    exact = _try_exact(draft, served, groups, answer)
    if exact is not None and exact.cost() <= draft.bench.cost():
        draft.bench = exact
    draft.method = _describe(draft.bench, answer, exact is draft.bench)
    for seat in draft.bench.new_bins():
        if seat.offering.pool not in draft.reasons:
            draft.explain_growth(seat.offering.pool, f"{DEMAND_REASON}, and costs least here")


def repack(draft: Draft, served: Sequence[WorkItem], groups: Served) -> Bench | None:
    """Lay out what is served, largest items first; None when not everyone finds a seat."""
    bench = lay_out(draft.bench.standing)
    pressure: Counter[str] = Counter()
    for group, items in groups:
        for need in group.shape.accelerators[:1]:
            pressure[need.accelerator] += need.per_worker * group.shape.workers * len(items)
    _keep_assigned(bench, draft, served)
    for group, items in groups:
        group.exhausted = False
        order, domains = group.anywhere, group.domains
        if not group.uniform:
            order = sort_by_pressure(group, order, pressure)
            domains = tuple(sort_by_pressure(group, domain, pressure) for domain in domains)
        if not _seat_group(bench, group, items, order, domains):
            return None
        for need in group.shape.accelerators[:1]:
            pressure[need.accelerator] -= need.per_worker * group.shape.workers * len(items)
    return bench


def _seat_group(
    bench: Bench,
    group: Group,
    items: Sequence[WorkItem],
    order: Domain,
    domains: tuple[Domain, ...],
) -> bool:
    """Seat every item of a group; single workers all at once."""
    if group.shape.workers == 1:
        missing = bench.unseated(items)
        return seat_all(bench, missing, order, group.shape)
    return all(seat_rest(bench, item, group, (order,), domains) for item in items)


def sort_by_pressure(group: Group, domain: Domain, pressure: Counter[str]) -> Domain:
    """Return choices by what all the work still to be seated would cost on each."""
    return build_domain(
        sorted(domain.choices, key=lambda choice: _cost_under(choice, group, pressure))
    )


def _cost_under(
    choice: Choice, group: Group, pressure: Counter[str]
) -> tuple[bool, bool, Decimal, int, str]:
    room = choice.offering.room
    waiting = max(pressure[room.accelerator], choice.accelerators * group.shape.workers, 1)
    nodes = -(-waiting // room.accelerators) if room.accelerators else 1
    price = choice.price if choice.price is not None else Decimal(0)
    per_slot = price if room.accelerators else price / choice.slots
    cost = per_slot * nodes + choice.transfer * group.shape.workers
    offering = choice.offering
    return choice.late, choice.price is None, cost, offering.boot_seconds, offering.id


def _keep_assigned(bench: Bench, draft: Draft, served: Sequence[WorkItem]) -> None:
    for item in served if bench.assigned else ():
        seat_on_assigned(bench, item, draft.groups[item.id])


def _groups_of(draft: Draft, served: Sequence[WorkItem]) -> Served:
    """Return groups with their served items, the largest workers and gangs first."""
    if len(served) == len(draft.groups):
        groups = {id(group): group for group in draft.groups.values()}
        found = [(group, group.items) for group in groups.values()]
    else:
        by_group: dict[int, tuple[Group, list[WorkItem]]] = {}
        for item in served:
            group = draft.groups[item.id]
            by_group.setdefault(id(group), (group, []))[1].append(item)
        found = [*by_group.values()]
    return sorted(found, key=lambda entry: (_size(entry[0]), entry[1][0].id))


def _size(group: Group) -> tuple[int, int, int, int]:
    shape = group.shape
    largest = max((need.per_worker for need in shape.accelerators), default=0)
    return -largest, -shape.workers, -shape.vcpus_milli, -shape.memory_mib


def _try_exact(
    draft: Draft, served: Sequence[WorkItem], groups: Served, answer: Answer
) -> Bench | None:
    """Seat everyone on the nodes of the exact answer; None when nodes are cut too finely."""
    if answer.nodes is None:
        return None
    bench = lay_out(draft.bench.standing)
    if not _order_all(bench, draft, answer.nodes):
        return None
    limit = bench.cost().nodes
    _keep_assigned(bench, draft, served)
    for group, items in groups:
        group.exhausted = False
        whole = _seat_group(bench, group, items, group.anywhere, group.domains)
        if not whole or bench.cost().nodes > limit:
            return None
    return bench


def _order_all(bench: Bench, draft: Draft, nodes: dict[str, int]) -> bool:
    offerings: dict[str, Offering] = dict(draft.situation.offerings)
    for name, units in sorted(nodes.items()):
        if not all(bench.order(offerings[name]) for _ in range(units)):
            return False
    return True


def _describe(bench: Bench, answer: Answer, is_exact: bool) -> Method:
    cost = bench.cost().per_hour
    gap = None
    if answer.bound is not None and bench.cost().unpriced == 0:
        gap = max((cost - answer.bound) / cost, Decimal(0)) if cost > 0 else Decimal(0)
        gap = gap.quantize(Decimal("0.0001"))
    return Method("exact" if is_exact else "heuristic", gap, answer.note)
