"""How reports write numbers for people."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tidegate.catalog.instruments import InstrumentOffer, Unit
from tidegate.pricing.applied import Purchase
from tidegate.review.inventory import HourlyShare


def money(totals: Mapping[str, Decimal]) -> str:
    """Return amounts to the cent, one a currency; they are never added."""
    return ", ".join(f"{amount:,.2f} {key}" for key, amount in sorted(totals.items())) or "nothing"


def quantity(amount: Decimal, purchase: Purchase) -> str:
    """Return how much of a purchase, with its unit."""
    if purchase.instrument.unit is Unit.AMOUNT:
        return f"{amount} {purchase.currency}"
    return f"{amount} machine{'' if amount == 1 else 's'}"


def share(found: HourlyShare) -> str:
    """Return a share of sums beside the range of the hours: they are two things."""
    return f"{found.overall:.1%} (by hour {found.least:.1%} to {found.most:.1%})"


def discount(offer: InstrumentOffer) -> str:
    """Return the discount of an offer, marked where it is no quote."""
    return f"{offer.discount:.0%}" + (" _assumed_" if offer.assumed else "")
