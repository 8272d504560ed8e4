"""Seats for one item: on what is there first, then on the cheapest new node; gangs whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from tidegate.scaling.bench import Bench
from tidegate.scaling.bins import Bin
from tidegate.scaling.marginal import ZERO, Choice, Domain
from tidegate.vocabulary.demand import WorkShape

Finder = Callable[[Bench, Domain, WorkShape], tuple[Bin, Choice] | None]
"""Finds a bin with room for at least one more worker; may order one."""


def seat_item(
    bench: Bench, item: str, domains: Sequence[Domain], shape: WorkShape, workers: int
) -> bool:
    """Seat the workers of one item, all or none; return whether they sit.

    A gang sits where there is room for all of it, else in the first domain, cheapest first, where
    enough can be ordered.
    """
    if workers == 1 and len(domains) == 1:
        return seat_all(bench, (item,), domains[0], shape)
    for find in (_find_nearby, _find_or_order):
        for domain in domains:
            mark = bench.mark()
            if _seat_by(find, bench, itertools.repeat(item, workers), domain, shape, workers):
                return True
            bench.rollback(mark)
    return False


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
    while missing:
        found = find(bench, domain, shape)
        if found is None:
            return False
        seat, choice = found
        count = seat.count_fitting(choice, shape, missing)
        bench.take(seat, choice, shape, tuple(itertools.islice(items, count)))
        missing -= count
    return True


def _find_nearby(bench: Bench, domain: Domain, shape: WorkShape) -> tuple[Bin, Choice] | None:
    """Return room that is there and needs no data moved."""
    return _find_free(bench, domain, shape, ZERO) if bench.has_free(domain) else None


def _find_or_order(bench: Bench, domain: Domain, shape: WorkShape) -> tuple[Bin, Choice] | None:
    """Return room that is there or a new node, whichever costs less with its data."""
    anything = bench.has_free(domain)
    nearby = _find_free(bench, domain, shape, ZERO) if anything else None
    if nearby is not None:
        return nearby
    new = _find_new(bench, domain)
    if domain.moves_data and anything:
        far = _find_free(bench, domain, shape, _cost_of_new(bench, new))
        if far is not None:
            return far
    opened = bench.order(new.offering) if new else None
    return (opened, new) if new and opened else None


def _find_free(
    bench: Bench, domain: Domain, shape: WorkShape, most: Decimal | None
) -> tuple[Bin, Choice] | None:
    """Return a free seat whose data does not cost more than `most` to move (None: any)."""
    for choice, shelf in bench.shelves_of(domain):
        # The mask tells without a call that nothing there has so many accelerators free.
        if not shelf.mask >> choice.accelerators:
            continue
        if most is not None and choice.transfer > most:
            continue
        seat = shelf.find(choice, shape)
        if seat is not None:
            return seat, choice
    return None


def _find_new(bench: Bench, domain: Domain) -> Choice | None:
    """Return the choice whose new node costs least now: within a commitment only its transfer."""
    paid = next((c for c in domain.choices if bench.ledger.refusal(c.offering) is None), None)
    covered = [
        choice
        for choice in domain.committed
        if bench.ledger.is_covered(choice.offering)
        and bench.ledger.refusal(choice.offering) is None
    ]
    if not covered:
        return paid
    free = min(covered, key=lambda choice: choice.transfer)
    most = _cost_of_new(bench, paid)
    return free if most is None or free.transfer <= most else paid


def _cost_of_new(bench: Bench, choice: Choice | None) -> Decimal | None:
    """Return what a new node costs an hour with its transfer; None where that is not known."""
    if choice is None:
        return None
    if bench.ledger.is_covered(choice.offering):
        return choice.transfer
    return None if choice.price is None else choice.price + choice.transfer
