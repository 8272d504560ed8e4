"""What one more node costs an hour, with what a commitment or an interruption does to it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tidegate.vocabulary.money import Money, Price

SECONDS_PER_HOUR = Decimal(3600)
ONE = Decimal(1)
HALF = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class SpotRisk:
    """What an interruption costs the work on a spot node.

    Attributes:
        interruptions_per_hour: How often a node is taken away, on average.
        checkpoint_interval_seconds: Time between checkpoints; half of it is lost on average.
        restart_seconds: From the loss of the node until the work goes on.
        checkpoint_write_seconds: What each checkpoint takes away from the work.
    """

    interruptions_per_hour: Decimal
    checkpoint_interval_seconds: int
    restart_seconds: int
    checkpoint_write_seconds: int = 0

    def useful_share(self) -> Decimal:
        """Return the share of paid time that does lasting work; 0 when none is left."""
        interval = Decimal(self.checkpoint_interval_seconds)
        writing = Decimal(self.checkpoint_write_seconds)
        lost_once = interval * HALF + self.restart_seconds
        rework = self.interruptions_per_hour * lost_once / SECONDS_PER_HOUR
        share = ONE - rework
        if interval + writing > 0:
            share *= interval / (interval + writing) if interval else ONE
        return max(share, Decimal(0))


@dataclass(frozen=True, slots=True)
class MarginalPrice:
    """What one more useful hour of a node costs.

    Attributes:
        per_hour: The price; None when an interruption would undo all work.
        within_commitment: True when it is already paid for.
        risk_known: False for a spot node of which no interruption rate is known: the price is then
            its bare price, and a lower bound.
    """

    per_hour: Money | None
    within_commitment: bool = False
    risk_known: bool = True


def price_within_commitment(currency: str) -> MarginalPrice:
    """Return the price of a node that a commitment pays for: nothing more."""
    return MarginalPrice(Money(Decimal(0), currency), within_commitment=True)


def price_on_demand(price: Price) -> MarginalPrice:
    """Return the price of an on-demand node."""
    return MarginalPrice(price.per_hour)


def price_spot(price: Price, risk: SpotRisk | None) -> MarginalPrice:
    """Return the price of one useful hour on spot: paid time divided by its useful share."""
    if risk is None:
        return MarginalPrice(price.per_hour, risk_known=False)
    share = risk.useful_share()
    if share == 0:
        return MarginalPrice(None)
    return MarginalPrice(Money(price.per_hour.amount / share, price.per_hour.currency))
