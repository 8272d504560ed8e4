"""Seats for one item: on what is there first, then on the cheapest new node; gangs whole."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from tidegate.scaling.bench import Bench
from tidegate.scaling.bins import Bin
from tidegate.scaling.marginal import ZERO, Choice, Domain
from tidegate.vocabulary.demand import WorkShape


def seat_item(
    bench: Bench, item: str, domains: Sequence[Domain], shape: WorkShape, workers: int
) -> bool:
    """Seat the workers of one item, all or none; return whether they sit.

    A gang sits where there is room for all of it, else in the first domain, cheapest first, where
    enough can be ordered.
    """
    if workers == 1 and len(domains) == 1:
        return _seat_worker(bench, item, domains[0], shape)
    for seat_worker in (_seat_free, _seat_worker):
        for domain in domains:
            mark = bench.mark()
            if all(seat_worker(bench, item, domain, shape) for _ in range(workers)):
                return True
            bench.rollback(mark)
    return False


def _seat_free(bench: Bench, item: str, domain: Domain, shape: WorkShape) -> bool:
    """Seat one worker on what is there, without moving data."""
    found = _find_free(bench, domain, shape, ZERO)
    if found is not None:
        bench.take(*found, shape, item)
    return found is not None


def _seat_worker(bench: Bench, item: str, domain: Domain, shape: WorkShape) -> bool:
    """Seat one worker on what is there or on a new node, whichever costs less with its data."""
    if _seat_free(bench, item, domain, shape):
        return True
    new = _find_new(bench, domain)
    most = _cost_of_new(bench, new)
    if domain.moves_data:
        far = _find_free(bench, domain, shape, most)
        if far is not None:
            bench.take(*far, shape, item)
            return True
    opened = bench.order(new.offering) if new else None
    if new is None or opened is None:
        return False
    bench.take(opened, new, shape, item)
    return True


def _find_free(
    bench: Bench, domain: Domain, shape: WorkShape, most: Decimal | None
) -> tuple[Bin, Choice] | None:
    """Return a free seat whose data does not cost more than `most` to move (None: any)."""
    if not bench.has_free(domain):
        return None
    shelves = bench.shelves
    for choice in domain.choices:
        shelf = shelves.get(choice.offering.id)
        # The mask tells without a call that nothing there has so many accelerators free.
        if shelf is None or not shelf.mask >> choice.accelerators:
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
