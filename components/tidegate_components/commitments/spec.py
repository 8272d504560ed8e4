"""A commitment as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
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
from tidegate_components.commitments.kinds import RULES, CommitmentKind


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What was agreed to: an amount an hour in a currency, until the end of a day."""

    hourly_amount: Decimal
    currency: str
    end_date: date


@dataclass(frozen=True, slots=True)
class Purchase:
    """What only some kinds say of their purchase; see `PurchaseArgs`."""

    offering_id: str = ""
    purchase_time: str = ""
    upfront_amount: Decimal | None = None
    start_date: date | None = None
    term_months: int | None = None
    covers: tuple[str, ...] = ()
    commitment_type: str = ""
    existing_reservations: str = ""
    planning_status: str = "DRAFT"


@dataclass(frozen=True, slots=True)
class CommitmentSpec:
    """Everything plain about a commitment.

    Attributes:
        zone: Empty for what is bound to no zone.
        instance_type: The machine; None where money is committed and no machine.
        units: How many machines; None where money is committed.
        price: The catalog's price of one machine for an hour; None where it knows none, or where
            a discount that it does not know applies.
        attached: An accelerator that is attached to a plain machine type, and how many; None for
            machine types that carry their own.
        chips: Compute Engine's type and number of the accelerators of one machine, its own or
            attached; None where it has none.
    """

    id: str
    cloud: Cloud
    kind: CommitmentKind
    region: str
    account: str
    zone: str
    instance_type: InstanceType | None
    units: int | None
    acknowledged: Acknowledgement
    price: Price | None
    attached: tuple[Accelerator, int] | None
    labels: CostLabels
    purchase: Purchase = field(default_factory=Purchase)
    chips: tuple[str, int] | None = None

    @property
    def where(self) -> str:
        """How messages call this commitment."""
        return f"commitment {self.id}"

    @property
    def machine(self) -> InstanceType:
        """The machine of a kind that is for machines."""
        assert self.instance_type is not None
        return self.instance_type

    @property
    def count(self) -> int:
        """How many machines, of a kind that is for machines."""
        return self.units or 0

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the commitment that takes any."""
        return self.labels.to_mapping()

    @property
    def description(self) -> str:
        """The labels in words, for resources that take a description and no labels."""
        return " ".join(f"{key}={value}" for key, value in sorted(self.cost_labels.items()))

    @property
    def is_bought(self) -> bool:
        """Whether a resource buys it; otherwise it was bought elsewhere and is only recorded."""
        return self.cloud in RULES[self.kind].bought

    @property
    def holds_capacity(self) -> bool:
        """Whether it holds machines that a pool consumes."""
        return RULES[self.kind].holds

    def to_commitment(self) -> Commitment:
        """Return the commitment's entry in the manifest."""
        # The manifest knows a future reservation as what it becomes, with its start.
        future = self.kind is CommitmentKind.FUTURE_RESERVATION
        kind = CommitmentKind.CAPACITY_RESERVATION if future else self.kind
        covers = [self.instance_type.name] if self.instance_type else [*self.purchase.covers]
        return Commitment.model_validate(
            {
                "id": self.id,
                "cloud": self.cloud,
                "account": self.account,
                "region": self.region,
                "kind": kind.value,
                "units": self.units,
                "hourly_amount": self.acknowledged.hourly_amount,
                "covers": covers,
                "term_months": self.purchase.term_months,
                "start": self.purchase.start_date,
                "end": self.acknowledged.end_date,
                "price": self._stated_price(),
                "labels": self.cost_labels,
            }
        )

    def to_fragment(self) -> dict[str, Any]:
        """Return what the commitment adds to the manifest, as plain JSON."""
        return dump_manifest(Fragment(commitments=[self.to_commitment()]))

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
