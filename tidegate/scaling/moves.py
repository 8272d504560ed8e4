"""Running work that should run elsewhere: saved by a checkpoint, moved only for a reason that pays.

A move has two decisions. The first orders a cheaper (or, before a deadline, a safer) node and
means it for the work; once that node is ready, the next drains the old one. Where free room is
there already, the first step is not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from operator import itemgetter

from tidegate.scaling.bins import Bin
from tidegate.scaling.disruption import may_stop, rework_seconds, why_not_disturb
from tidegate.scaling.draft import Draft
from tidegate.scaling.fleet import Node, NodePhase, RunningWork
from tidegate.scaling.groups import Group, build_group
from tidegate.scaling.marginal import HOUR, ZERO, Choice
from tidegate.scaling.nodes import nodes_of
from tidegate.scaling.offerings import Offering
from tidegate.scaling.signals import explain_work
from tidegate.scaling.situation import is_spot
from tidegate.vocabulary.plans import Drain, Hold

MOST_MOVES = 16
"""Nodes looked at for a move in one decision, dearest first: moves are never urgent as a whole."""


@dataclass(frozen=True, slots=True)
class _Move:
    """One node whose work can be moved.

    Attributes:
        seat: The node on the bench.
        price: What stopping the node saves an hour.
        urgent: Why the work must leave, whatever it costs; "" when only a saving would move it.
    """

    node: Node
    seat: Bin
    price: Decimal
    urgent: str


def move_work(draft: Draft) -> None:
    """Drain nodes whose work sits better elsewhere, or order where it will."""
    if not draft.situation.signals.may_shrink or draft.preemptions:
        return
    for move in list(islice(_find_moves(draft), MOST_MOVES)):
        node = move.node
        # A node that an earlier move fills is not emptied in the same breath.
        if move.seat.items or why_not_disturb(node, draft) or _makes_no_sense(draft, node):
            continue
        if not _finish(draft, move):
            _begin(draft, move)


def _makes_no_sense(draft: Draft, node: Node) -> bool:
    """Return whether what is told of a node's work makes no sense, and say so."""
    for work in node.work():
        fault = explain_work(work)
        if fault:
            text = f"{work.item} {fault}, so it stays where it runs"
            draft.holds.append(Hold(node.pool, text))
            return True
    return False


def _find_moves(draft: Draft) -> Iterator[_Move]:
    """Yield the nodes whose work can be moved, in their turn.

    Urgent ones come first, then the dearest, of equally dear ones the emptiest. Whether work can be
    moved is asked of those alone that are looked at.
    """
    offerings = {seat.offering.id: seat.offering for seat in draft.bench.bins.values()}
    prices = {name: _price_now(draft, offering) for name, offering in offerings.items()}
    ranks = {name: -price for name, price in prices.items()}
    found = []
    for node in nodes_of(draft.situation):
        seat, work = draft.bench.bins.get(node.id), node.work()
        if seat is None or not work or seat.items or node.phase is NodePhase.IN_FLIGHT:
            continue
        urgent = _why_urgent(draft, work, seat.offering)
        turn = (not urgent, ranks[seat.offering.id], -seat.accelerators, node.id)
        found.append((turn, node, seat, urgent))
    found.sort(key=itemgetter(0))
    for _, node, seat, urgent in found:
        if all(_is_movable(draft, work) for work in node.work()):
            yield _Move(node, seat, prices[seat.offering.id], urgent)


def _why_urgent(draft: Draft, work: Iterable[RunningWork], offering: Offering) -> str:
    if offering.commitment in draft.situation.ending:
        return "its commitment ends"
    if is_spot(offering) and any(_urgent(draft, entry, offering) for entry in work):
        return "safer before a deadline"
    return ""


def _seconds_of(draft: Draft, move: _Move) -> list[int]:
    """Return what a move would repeat of each work, in seconds."""
    return [rework_seconds(work, draft.situation) or 0 for work in move.node.work()]


def _rework_of(draft: Draft, move: _Move) -> Decimal:
    """Return what a move would repeat, in money: work on a part of a node repeats that part."""
    work, offering = move.node.work(), move.seat.offering
    room = offering.room.accelerators
    shares = [Decimal(entry.accelerators) / room if room else Decimal(1) for entry in work]
    seconds = _seconds_of(draft, move)
    repeated = sum((s * part for s, part in zip(seconds, shares, strict=True)), ZERO)
    return repeated * (offering.per_hour or ZERO) / HOUR


def _is_movable(draft: Draft, work: RunningWork) -> bool:
    single = work.workers == 1 and work.shape is not None
    return single and work.checkpoint_at is not None and may_stop(work, draft.situation)


def _urgent(draft: Draft, work: RunningWork, offering: Offering) -> bool:
    # Of what makes no sense nobody knows how long it takes.
    if work.shape is None or work.deadline is None or explain_work(work):
        return False
    left = work.work_left_seconds
    return draft.deadlines.is_urgent(work.shape, work.deadline, left, offering)


def _price_now(draft: Draft, offering: Offering) -> Decimal:
    """Return what a node less saves an hour: nothing while a commitment pays for it."""
    commitment = draft.situation.commitments.get(offering.commitment)
    if commitment is not None:
        used = draft.bench.ledger.commitment_used.get(commitment.id, ZERO)
        if used <= commitment.capacity:
            return ZERO
    return offering.per_hour or ZERO


def _groups(draft: Draft, move: _Move) -> Iterator[tuple[RunningWork, Group]]:
    """Yield what runs on a node, each with what it may run on."""
    for work in move.node.work():
        if work.shape is not None:
            urgent = _urgent(draft, work, move.seat.offering)
            yield work, build_group(work.shape, urgent, draft.book)


def _finish(draft: Draft, move: _Move) -> bool:
    """Drain a node whose work has room on nodes that are ready; return whether it was."""
    bench, mark = draft.bench, draft.bench.mark()
    bench.shut(move.seat)
    woken = ZERO
    for work, group in _groups(draft, move):
        found = _find_ready(draft, work, group)
        if found is None:
            bench.rollback(mark)
            bench.reopen(move.seat)
            return False
        seat, choice, reserved = found
        if seat.node and not seat.node.work() and not seat.items:
            woken += _price_now(draft, seat.offering)
        if not reserved:
            bench.take(seat, choice, group.shape, (work.item,))
        else:
            seat.items.append(work.item)
    saving = move.price - woken
    if not move.urgent and not _pays(draft, saving, _rework_of(draft, move)):
        bench.rollback(mark)
        _forget(draft, move)
        bench.reopen(move.seat)
        return False
    # The node stays shut: what is emptied takes nothing in.
    _drain(draft, move, saving)
    return True


def _forget(draft: Draft, move: _Move) -> None:
    """Take reserved seats back that `_finish` only named."""
    for work in move.node.work():
        for seat in draft.bench.bins.values():
            if work.item in seat.items:
                seat.items.remove(work.item)


def _find_ready(draft: Draft, work: RunningWork, group: Group) -> tuple[Bin, Choice, bool] | None:
    """Return where work can go on at once: where it is meant to, else any free room."""
    for name in draft.bench.assigned.get(work.item, ()):
        seat = draft.bench.bins.get(name)
        choice = _choice_of(group, seat) if seat else None
        ready = seat and seat.node and seat.node.phase is not NodePhase.IN_FLIGHT
        if seat and choice and ready:
            return seat, choice, True
    for choice in group.anywhere.choices:
        seat = draft.bench.find(choice, group.shape)
        if seat and seat.node and seat.node.phase is not NodePhase.IN_FLIGHT:
            return seat, choice, False
    return None


def _choice_of(group: Group, seat: Bin) -> Choice | None:
    return next((c for c in group.anywhere.choices if c.offering.id == seat.offering.id), None)


def _pays(draft: Draft, saving: Decimal, rework: Decimal) -> bool:
    horizon = Decimal(draft.situation.settings.saving_horizon_seconds) / HOUR
    return saving * horizon > rework


def _drain(draft: Draft, move: _Move, saving: Decimal) -> None:
    currency = draft.situation.market.currency
    reason = move.urgent or f"its work fits elsewhere, which saves {saving:.2f} {currency} an hour"
    draft.drains[move.node.id] = Drain(
        node=move.node.id,
        pool=move.node.pool,
        reason=reason,
        per_hour=draft.money(move.seat.offering.per_hour),
        work=tuple(work.item for work in move.node.work()),
        rework_seconds=sum(_seconds_of(draft, move)),
    )


def _begin(draft: Draft, move: _Move) -> None:
    """Order one node that takes all the work of a dearer or less safe one, and mean it for it."""
    if any(draft.bench.assigned.get(work.item) for work in move.node.work()):
        return
    _, first = next(_groups(draft, move))
    elsewhere = [c for c in first.anywhere.choices if c.offering.pool != move.node.pool]
    rework = _rework_of(draft, move) if elsewhere else ZERO
    for choice in elsewhere:
        offering = choice.offering
        price = ZERO if draft.bench.ledger.is_covered(offering) else offering.per_hour
        # Work on spot is risk-adjusted, or a move to spot would forget what it repeats there.
        adjusted = None if price is None else price + choice.rework
        better = adjusted is not None and _pays(draft, move.price - adjusted, rework)
        if not (better or move.urgent):
            continue
        mark = draft.bench.mark()
        opened = draft.bench.order(offering, for_move=True)
        if opened is not None and _seat_move(draft, opened, move):
            reason = move.urgent or "cheaper for running work"
            draft.explain_growth(offering.pool, f"{reason}: takes over from {move.node.id}")
            return
        draft.bench.rollback(mark)


def _seat_move(draft: Draft, opened: Bin, move: _Move) -> bool:
    for work, group in _groups(draft, move):
        choice = _choice_of(group, opened)
        if choice is None or not opened.fits(choice, group.shape):
            return False
        draft.bench.take(opened, choice, group.shape, (work.item,))
    return True
