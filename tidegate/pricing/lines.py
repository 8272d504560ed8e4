"""One line of a plan's cost, and what is unknown or assumed in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from tidegate.pricing.figures import BASES, NOTHING, Figures
from tidegate.vocabulary.capacity import CapacityType, Cloud


class LineKind(StrEnum):
    """What a line stands for: a section of the manifest."""

    POOL = "pool"
    COMMITMENT = "commitment"
    NOTEBOOK = "notebook"
    BUCKET = "bucket"
    TELEMETRY = "telemetry"


@dataclass(frozen=True, slots=True)
class UsedPrice:
    """A price that went into a line.

    Attributes:
        what: What it is the price of ("p5.48xlarge spot in us-east-1").
        origin: Where it was stated.
        as_of: The day for which it was stated.
        assumed: True when it is an average or a ratio rather than a quote.
        negotiated: True when a user's overlay stated it.
        bases: The figures that it entered.
    """

    what: str
    origin: str
    as_of: date
    assumed: bool = False
    negotiated: bool = False
    bases: tuple[str, ...] = BASES


@dataclass(frozen=True, slots=True)
class CostLine:
    """What one declared thing costs.

    Attributes:
        kind: The section of the manifest that declares it.
        id: Its id there.
        cloud: Where it stands.
        region: Where it stands there; empty for what has no region.
        capacity_type: How its nodes are bought; None for what has no nodes.
        currency: The one currency of its figures.
        monthly: Its cost for a month.
        prices: Every price used, each once.
        unknown: Why figures are missing, each reason once; empty when all are known.
        notes: What else a reader must know to take the figures right.
    """

    kind: LineKind
    id: str
    cloud: Cloud
    region: str
    capacity_type: CapacityType | None
    currency: str
    monthly: Figures
    prices: tuple[UsedPrice, ...] = ()
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def assumed_bases(self) -> tuple[str, ...]:
        """Return the figures that rest on an assumed price."""
        return tuple(
            basis
            for basis in BASES
            if any(price.assumed and basis in price.bases for price in self.prices)
        )

    def assumed_part(self) -> Figures:
        """Return the figures that rest on an assumed price, and 0 for the others."""
        assumed = self.assumed_bases
        return Figures(
            **{
                basis: amount if basis in assumed else NOTHING
                for basis, amount in self.monthly.items()
            }
        )
