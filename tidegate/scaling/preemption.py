"""Room for a higher priority: lower ones give way, with bounded rework and for good.

The seats that are freed are given to the preemptor in the same decision, so that nothing slips in
between; what gave way has a lower priority and cannot take them back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tidegate.scaling.bins import Bin
from tidegate.scaling.disruption import may_stop, rework_seconds
from tidegate.scaling.draft import Draft
from tidegate.scaling.fleet import HEALTHY, Node, RunningWork
from tidegate.scaling.groups import Group
from tidegate.scaling.marginal import Choice, Domain
from tidegate.scaling.nodes import may_touch, nodes_of
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.plans import Preemption


@dataclass(frozen=True, slots=True)
class _Victim:
    """Running work with all the nodes it runs on."""

    work: RunningWork
    nodes: tuple[Node, ...]
    rework: int


def preempt(draft: Draft) -> None:
    """Give unserved items the seats of lower priorities, highest first."""
    if not draft.situation.signals.may_shrink or not draft.situation.signals.may_grow:
        return
    if draft.groups.keys() <= draft.served:
        return
    victims = _list_victims(draft)
    lowest = _lowest(victims)
    for item in draft.pending:
        if item.shape.priority <= lowest or item.id in draft.served:
            continue
        if not victims or len(draft.preemptions) >= draft.situation.settings.max_preemptions:
            return
        taken = _make_room(draft, item, draft.groups[item.id], victims)
        for victim in taken:
            del victims[victim.work.item]
            draft.preemptions.append(_say(victim, item))
        if taken:
            draft.served.add(item.id)
            lowest = _lowest(victims)


def _lowest(victims: dict[str, _Victim]) -> int:
    return min((victim.work.priority for victim in victims.values()), default=0)


def _list_victims(draft: Draft) -> dict[str, _Victim]:
    """Return running work that may be stopped, by item; a gang is stopped whole or not at all."""
    nodes: dict[str, list[Node]] = {}
    found: dict[str, RunningWork] = {}
    blocked: set[str] = set()
    for node in nodes_of(draft.situation):
        for work in node.work():
            nodes.setdefault(work.item, []).append(node)
            found[work.item] = work
            touchable = node.phase in HEALTHY and may_touch(node, draft.situation)
            if not touchable or not may_stop(work, draft.situation):
                blocked.add(work.item)
    return {
        item: _Victim(work, tuple(nodes[item]), rework_seconds(work, draft.situation) or 0)
        for item, work in found.items()
        if item not in blocked
    }


def _make_room(
    draft: Draft, item: WorkItem, group: Group, victims: dict[str, _Victim]
) -> tuple[_Victim, ...]:
    """Stop the fewest, lowest victims that let an item sit whole; none when that is not enough."""
    limit = draft.situation.settings.max_preemptions - len(draft.preemptions)
    for domain in group.domains:
        mark = draft.bench.mark()
        chosen: dict[str, _Victim] = {}
        for choice, seat in _seats_of_domain(draft, domain):
            while _missing(draft, item) and seat.fits(choice, item.shape):
                draft.bench.take(seat, choice, item.shape, (item.id,))
            for victim in _plan_seat(seat, choice, item, victims, chosen):
                chosen[victim.work.item] = victim
                _free_seats(draft, victim)
            while _missing(draft, item) and seat.fits(choice, item.shape):
                draft.bench.take(seat, choice, item.shape, (item.id,))
            if not _missing(draft, item):
                break
        if not _missing(draft, item) and len(chosen) <= limit:
            return tuple(chosen[name] for name in sorted(chosen))
        draft.bench.rollback(mark)
        for victim in chosen.values():
            _free_seats(draft, victim, back=True)
    return ()


def _missing(draft: Draft, item: WorkItem) -> int:
    return item.shape.workers - len(draft.bench.seats_of(item.id))


def _seats_of_domain(draft: Draft, domain: Domain) -> Iterator[tuple[Choice, Bin]]:
    for choice in domain.choices:
        mine = [b for b in draft.bench.bins.values() if b.offering.id == choice.offering.id]
        for seat in sorted(mine, key=lambda entry: entry.seat):
            yield choice, seat


def _plan_seat(
    seat: Bin,
    choice: Choice,
    item: WorkItem,
    victims: dict[str, _Victim],
    chosen: dict[str, _Victim],
) -> list[_Victim]:
    """Return the lowest victims on one bin that make room for one worker; none if too few."""
    if seat.node is None:
        return []
    here = [
        victims[work.item]
        for work in seat.node.work()
        if work.item in victims and work.item not in chosen and work.priority < item.shape.priority
    ]
    here.sort(key=lambda victim: (victim.work.priority, victim.rework, victim.work.item))
    room = [seat.accelerators, seat.vcpus_milli, seat.memory_mib]
    wanted = [choice.accelerators, item.shape.vcpus_milli, item.shape.memory_mib]
    planned: list[_Victim] = []
    for victim in here:
        if all(have >= want for have, want in zip(room, wanted, strict=True)):
            break
        planned.append(victim)
        room[0] += victim.work.accelerators
        room[1] += victim.work.vcpus_milli
        room[2] += victim.work.memory_mib
    enough = all(have >= want for have, want in zip(room, wanted, strict=True))
    return planned if enough else []


def _free_seats(draft: Draft, victim: _Victim, *, back: bool = False) -> None:
    """Give a victim's room on every node to the bench, or take it back."""
    for node in victim.nodes:
        seat = draft.bench.bins.get(node.id)
        if seat is None:
            continue
        draft.bench.shut(seat)
        work = next(entry for entry in node.work() if entry.item == victim.work.item)
        seat.reserve(work, factor=1 if back else -1)
        draft.bench.reopen(seat)


def _say(victim: _Victim, item: WorkItem) -> Preemption:
    return Preemption(
        item=victim.work.item,
        nodes=tuple(sorted({node.id for node in victim.nodes})),
        preemptor=item.id,
        reason=f"priority {victim.work.priority} gives way to {item.shape.priority}",
        rework_seconds=victim.rework,
    )
