"""How often a spot node is taken: what was known beforehand, and what happened since."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class InterruptionRecord:
    """What happened to an offering: node hours run and interruptions in them."""

    node_hours: Decimal
    interruptions: int


def update_rate(prior_per_hour: Decimal, prior_hours: Decimal, seen: InterruptionRecord) -> Decimal:
    """Return the expected interruptions an hour (gamma prior, Poisson counts).

    Args:
        prior_per_hour: The rate assumed before anything was seen.
        prior_hours: How many node hours of experience that assumption is worth; above 0.
        seen: What happened since.

    Raises:
        ValueError: When a figure is negative or the prior is worth nothing.
    """
    if min(prior_per_hour, seen.node_hours, Decimal(seen.interruptions)) < 0 or prior_hours <= 0:
        raise ValueError("rates, hours and counts are not negative, and a prior is worth hours")
    events = prior_per_hour * prior_hours + seen.interruptions
    return events / (prior_hours + seen.node_hours)
