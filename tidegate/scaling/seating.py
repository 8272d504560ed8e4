"""Seats for one item: on what is there first, then on the cheapest new node; gangs whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from tidegate.scaling.bench import Bench
from tidegate.scaling.bins import Bin
from tidegate.scaling.marginal import Choice, Domain
from tidegate.vocabulary.demand import WorkShape

Found = tuple[Bin, Choice, bool]
"""A bin with room for at least one more worker, and whether it was ordered for it."""
Finder = Callable[[Bench, Domain, WorkShape], Found | None]


def seat_item(
    bench: Bench, item: str, domains: Sequence[Domain], shape: WorkShape, workers: int
) -> bool:
    """Seat the workers of one item, all or none; return whether they sit.

    A gang sits where there is room for all of it, else in the first domain, cheapest first, where
    enough can be ordered.
    """
    if workers == 1 and len(domains) == 1:
        return _seat_one(bench, item, domains[0], shape)
    for find in (_find_nearby, _find_or_order):
        for domain in domains:
            mark = bench.mark()
            if _seat_by(find, bench, itertools.repeat(item, workers), domain, shape, workers):
                return True
            bench.rollback(mark)
    return False


def _seat_one(bench: Bench, item: str, domain: Domain, shape: WorkShape) -> bool:
    found = _find_or_order(bench, domain, shape)
    if found is None:
        return False
    bench.take(found[0], found[1], shape, (item,))
    return True


def seat_all(bench: Bench, items: Sequence[str], domain: Domain, shape: WorkShape) -> bool:
    """Seat one worker of each item; return whether all sit. Those who do not fit are left out."""
    return _seat_by(_find_or_order, bench, iter(items), domain, shape, len(items))


def _seat_by(
    find: Finder,
    bench: Bench,
    items: Iterator[str],
    domain: Domain,
    shape: WorkShape,
    missing: int,
) -> bool:
    """Fill one bin after the other: the fullest that fits one worker stays so for the next."""
    again: Found | None = None
    while missing:
        found = again or find(bench, domain, shape)
        if found is None:
            return False
        seat, choice, is_new = found
        count = seat.count_fitting(choice, shape, missing)
        bench.take(seat, choice, shape, tuple(itertools.islice(items, count)))
        missing -= count
        again = _order_again(bench, domain, choice) if is_new and missing else None
    return True


def _find_nearby(bench: Bench, domain: Domain, shape: WorkShape) -> Found | None:
    """Return room that is there and needs no data moved."""
    for choice, shelf in bench.shelves.with_free(domain, nearby=True):
        # The mask tells without a call that nothing there has so many accelerators free.
        if shelf.mask >> choice.accelerators:
            seat = shelf.find(choice, shape)
            if seat is not None:
                return seat, choice, False
    return None


def _find_far(bench: Bench, domain: Domain, shape: WorkShape, most: Decimal | None) -> Found | None:
    """Return room that is there whose data does not cost more than `most` to move (None: any)."""
    for choice, shelf in bench.shelves.with_free(domain, nearby=False):
        if shelf.mask >> choice.accelerators and (most is None or choice.transfer <= most):
            seat = shelf.find(choice, shape)
            if seat is not None:
                return seat, choice, False
    return None


def _find_or_order(bench: Bench, domain: Domain, shape: WorkShape) -> Found | None:
    """Return room that is there or a new node, whichever costs less with its data."""
    nearby = _find_nearby(bench, domain, shape)
    if nearby is not None:
        return nearby
    new = _find_new(bench, domain)
    if domain.moves_data:
        far = _find_far(bench, domain, shape, _cost_of_new(bench, new))
        if far is not None:
            return far
    return None if new is None else (bench.open_unit(new.offering), new, True)


def _order_again(bench: Bench, domain: Domain, choice: Choice) -> Found | None:
    """Return one more of the nodes just ordered and filled, where a search would find that too.

    Nothing became free, and what was refused still is. Only a commitment, or a unit of several
    nodes, can make something else the next choice.
    """
    offering = choice.offering
    alone = bench.situation.pools[offering.pool].nodes_at_once == 1
    if alone and not domain.committed and bench.ledger.allows(offering):
        return bench.open_unit(offering), choice, True
    return None


def _find_new(bench: Bench, domain: Domain) -> Choice | None:
    """Return the choice whose new node costs least now: within a commitment only its transfer.

    What starts in time goes before what does not, whatever it costs.
    """
    ledger = bench.ledger
    paid = None
    for choice in domain.choices:
        if ledger.allows(choice.offering):
            paid = choice
            break
    covered = [
        choice
        for choice in domain.committed
        if ledger.is_covered(choice.offering) and ledger.allows(choice.offering)
    ]
    if not covered:
        return paid
    free = min(covered, key=lambda choice: (choice.late, choice.transfer))
    if paid is not None and paid.late != free.late:
        return paid if free.late else free
    most = _cost_of_new(bench, paid)
    return free if most is None or free.transfer <= most else paid


def _cost_of_new(bench: Bench, choice: Choice | None) -> Decimal | None:
    """Return what a new node costs an hour with its transfer; None where that is not known."""
    if choice is None:
        return None
    if bench.ledger.is_covered(choice.offering):
        return choice.transfer
    return None if choice.price is None else choice.price + choice.transfer
