"""What could be bought for this use: instruments at their cheapest terms, where they apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from tidegate.catalog.instruments import InstrumentOffer, Scope, Unit
from tidegate.pricing.applied import Purchase
from tidegate.pricing.usage import Usage, UsageRow


@dataclass(frozen=True, slots=True)
class OfferLimits:
    """What a team would sign.

    Attributes:
        longest_term_months: No offer of a longer term is looked at.
        most_upfront: The largest share of a price that may be paid upfront.
    """

    longest_term_months: int = 12
    most_upfront: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One offer for one scope of use.

    Attributes:
        purchase: What would be bought, with a quantity of 0.
        offer: At which term, payment option and discount.
        rows: Ids of the rows that it covers.
        price: What a machine of it costs an hour; None for an amount of money.
    """

    purchase: Purchase
    offer: InstrumentOffer
    rows: tuple[str, ...]
    price: Decimal | None = None

    @property
    def id(self) -> str:
        """Return what names it."""
        return self.purchase.id


def build_candidates(
    usage: Usage, offers: Iterable[InstrumentOffer], limits: OfferLimits
) -> tuple[Candidate, ...]:
    """Return one candidate an instrument and scope, in the order of application.

    For use that is over, the deepest discount within the limits is the cheapest: of each
    instrument it alone is looked at. An instrument is left out where a broader one is as cheap,
    since it would only bind more.
    """
    best: dict[tuple[str, str], InstrumentOffer] = {}
    for offer in offers:
        if not _within(offer, limits):
            continue
        key = (offer.instrument.cloud.value, offer.instrument.name)
        known = best.get(key)
        if known is None or (offer.discount, -offer.term_months) > (
            known.discount,
            -known.term_months,
        ):
            best[key] = offer
    found = [each for offer in best.values() for each in _place(usage, offer)]
    by_row: dict[str, list[Candidate]] = {}
    for each in found:
        for row in each.rows:
            by_row.setdefault(row, []).append(each)
    kept = [
        each for each in found if not any(_replaces(other, each) for other in by_row[each.rows[0]])
    ]
    return tuple(sorted(kept, key=_by_order))


def with_quantity(candidate: Candidate, quantity: Decimal) -> Purchase:
    """Return the purchase of so much of a candidate."""
    return replace(candidate.purchase, quantity=quantity)


def _within(offer: InstrumentOffer, limits: OfferLimits) -> bool:
    fits = offer.term_months <= limits.longest_term_months
    return fits and offer.upfront_share <= limits.most_upfront and offer.discount > 0


def _place(usage: Usage, offer: InstrumentOffer) -> list[Candidate]:
    groups: dict[tuple[str, str, str], list[UsageRow]] = {}
    for row in usage.rows:
        if _is_eligible(row, offer):
            groups.setdefault(_scope_key(row, offer.instrument.scope), []).append(row)
    return [_candidate(offer, key, rows) for key, rows in sorted(groups.items())]


def _is_eligible(row: UsageRow, offer: InstrumentOffer) -> bool:
    instrument = offer.instrument
    priced = row.price is not None and row.price > 0
    return (
        priced
        and row.eligible
        and row.cloud is instrument.cloud
        and (instrument.accelerators or not row.accelerated)
        and bool((row.micro_nodes > 0).any())
    )


def _scope_key(row: UsageRow, scope: Scope) -> tuple[str, str, str]:
    if scope is Scope.CLOUD:
        return row.currency, "", ""
    return row.currency, row.region, row.family if scope is Scope.FAMILY else row.instance_type


def _candidate(
    offer: InstrumentOffer, key: tuple[str, str, str], rows: Sequence[UsageRow]
) -> Candidate:
    currency, region, target = key
    cloud = offer.instrument.cloud.value
    place = "/".join(part for part in (cloud, region, target) if part)
    purchase = Purchase(
        id=f"{place}/{offer.id}",
        instrument=offer.instrument,
        quantity=Decimal(0),
        discount=offer.discount,
        region=region,
        target=target,
        currency=currency,
    )
    by_money = offer.instrument.unit is Unit.AMOUNT
    price = None if by_money else purchase.rate(rows[0])
    return Candidate(purchase, offer, tuple(row.id for row in rows), price)


def _replaces(other: Candidate, one: Candidate) -> bool:
    """Return whether another candidate covers all that this one does, as cheaply."""
    if other.purchase.currency != one.purchase.currency:
        return False
    if len(other.rows) < len(one.rows) or other.offer.discount < one.offer.discount:
        return False
    if other.rows == one.rows:
        return other.purchase.instrument.order > one.purchase.instrument.order
    return set(one.rows) < set(other.rows)


def _by_order(candidate: Candidate) -> tuple[str, int, Decimal, str]:
    purchase = candidate.purchase
    instrument = purchase.instrument
    return instrument.cloud.value, instrument.order, -purchase.discount, purchase.id
