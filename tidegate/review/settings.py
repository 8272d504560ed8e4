"""What a user chooses of a commitment review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from tidegate.catalog.instruments import InstrumentOffer
from tidegate.review.candidates import OfferLimits

Report = Callable[[str], None]
"""Told what is done next, for people who wait."""


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """What a user chooses of a review.

    Attributes:
        today: The day of the review.
        limits: What the team would sign.
        months: How far the future is looked at.
        growth: Name → growth a year, as scenarios.
        quotes: A team's own quotes, which go before averages.
    """

    today: date
    limits: OfferLimits = field(default_factory=OfferLimits)
    months: int = 12
    growth: Mapping[str, float] = field(default_factory=dict)
    quotes: tuple[InstrumentOffer, ...] = ()
