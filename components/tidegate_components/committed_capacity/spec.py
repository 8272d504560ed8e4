"""Reserved capacity as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from tidegate.catalog.model import InstanceType
from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Commitment, Fragment, StatedPrice
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels
from tidegate.vocabulary.money import Price


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What was agreed to: an amount an hour in a currency, until the end of a day."""

    hourly_amount: Decimal
    currency: str
    end_date: date


@dataclass(frozen=True, slots=True)
class ReservationSpec:
    """Everything plain about a reservation.

    Attributes:
        price: The catalog's price of one machine for an hour; None where it knows none.
        attached: An accelerator that is attached to a plain machine type, and how many; None for
            machine types that carry their own.
    """

    id: str
    cloud: Cloud
    region: str
    account: str
    zone: str
    instance_type: InstanceType
    units: int
    acknowledged: Acknowledgement
    price: Price | None
    attached: tuple[Accelerator, int] | None
    labels: CostLabels

    @property
    def where(self) -> str:
        """How messages call this reservation."""
        return f"commitment {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the reservation that takes any."""
        return self.labels.to_mapping()

    @property
    def description(self) -> str:
        """The labels in words, for resources that take a description and no labels."""
        return " ".join(f"{key}={value}" for key, value in sorted(self.cost_labels.items()))

    def to_fragment(self) -> dict[str, Any]:
        """Return what the reservation adds to the manifest, as plain JSON."""
        commitment = Commitment(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            kind="capacity-reservation",
            units=self.units,
            hourly_amount=self.acknowledged.hourly_amount,
            covers=[self.instance_type.name],
            end=self.acknowledged.end_date,
            price=self._stated_price(),
            labels=self.cost_labels,
        )
        return dump_manifest(Fragment(commitments=[commitment]))

    def _stated_price(self) -> StatedPrice | None:
        if self.price is None:
            return None
        return StatedPrice(
            amount=self.price.per_hour.amount,
            currency=self.price.per_hour.currency,
            as_of=self.price.as_of,
            origin=self.price.origin,
            assumed=self.price.assumed,
        )
