"""What the catalog tells: types, availability, prices, storage classes, retention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum

from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.money import Money


class Availability(StrEnum):
    """Whether a region offers an instance type. UNKNOWN is neither yes nor no."""

    SOLD = "sold"
    NOT_SOLD = "not-sold"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AvailabilityEvidence:
    """What the catalog knows of a type in a region, and from where.

    Attributes:
        availability: Sold, not sold, or unknown.
        zones: The zones that offer it, where the source lists zones.
        evidence: One sentence for people: what was consulted and what it said.
    """

    availability: Availability
    zones: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class InstanceType:
    """One machine type of one cloud.

    Attributes:
        cloud: Whose it is.
        name: The cloud's own name ("p5.48xlarge", "a3-highgpu-8g", "Standard_ND96isr_H100_v5").
        vcpus: Virtual CPUs; None where no source states them.
        memory_gib: Memory; None where no source states it.
        arch: "amd64" or "arm64"; empty where no source states it.
        accelerator: Canonical name of its built-in accelerator; empty for a plain machine.
        accelerators_per_node: Whole accelerators of a node; 0 for a plain machine, None where
            unknown or where the machine has only a slice of one.
        sliced: True when a node has a part of an accelerator.
        share: The part, as its vendor states it ("1/6"); empty where not stated.
        provider_accelerator: What the cloud calls the accelerator of this very machine, where that
            differs from the chip's usual name there ("nvidia-h100-mega-80gb").
        attachable: Accelerators that can be attached → the counts allowed.
        purchase: How its cloud sells it ("on-demand", "spot", "capacity-block"); empty: unknown.
        source: Where the accelerator count is stated.
        retired: The day on which its cloud stopped selling it; None while it does. Only days
            that have passed are recorded.
        retired_source: Where the retirement is stated.
    """

    cloud: Cloud
    name: str
    vcpus: int | None
    memory_gib: Decimal | None
    arch: str
    accelerator: str
    accelerators_per_node: int | None
    sliced: bool = False
    share: str = ""
    provider_accelerator: str = ""
    attachable: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    purchase: tuple[str, ...] = ()
    source: str = ""
    retired: date | None = None
    retired_source: str = ""


@dataclass(frozen=True, slots=True)
class UnknownPrice:
    """There is no price, and why; never to be counted as zero."""

    reason: str


@dataclass(frozen=True, slots=True)
class RetentionSteps:
    """Which retention a cloud's logs can have.

    Attributes:
        steps: The only allowed days, ascending; empty where every day of the range is allowed.
        minimum: The shortest retention in days.
        maximum: The longest retention in days.
        applies_to: The resource that has it.
        source: Where it is stated.
        total_steps: Longer steps that keep data as an archive (Azure's long-term retention).
    """

    steps: tuple[int, ...]
    minimum: int
    maximum: int
    applies_to: str
    source: str
    total_steps: tuple[int, ...] = ()

    def allows(self, days: int) -> bool:
        """Return whether the cloud takes this many days."""
        return days in self.steps if self.steps else self.minimum <= days <= self.maximum

    def nearest_at_least(self, days: int) -> int | None:
        """Return the shortest allowed retention that keeps data this long; None beyond reach."""
        if self.steps:
            return next((step for step in self.steps if step >= days), None)
        return max(days, self.minimum) if days <= self.maximum else None


@dataclass(frozen=True, slots=True)
class ClassCharges:
    """What a storage class charges beside the bytes that lie in it.

    Attributes:
        move_in_per_thousand: Moving a thousand objects in by a lifecycle rule.
        retrieval_per_gb: Reading one GB from it.
        minimum_object_bytes: A smaller object is billed as this many bytes.
        overhead_bytes: Bytes that each object adds, billed in the class itself.
        first_class_overhead_bytes: Bytes that each object adds, billed in the hottest class.
        as_of: The day of the prices.
        origin: Where they were stated.
        assumed: True when the source is not the cloud's own list.
    """

    move_in_per_thousand: Money | UnknownPrice
    retrieval_per_gb: Money | UnknownPrice
    minimum_object_bytes: int
    overhead_bytes: int
    first_class_overhead_bytes: int
    as_of: date
    origin: str
    assumed: bool


@dataclass(frozen=True, slots=True)
class StorageTier:
    """One storage class of a cloud.

    Attributes:
        cloud: Whose it is.
        name: As the cloud's API spells it ("STANDARD_IA", "NEARLINE", "Cool").
        minimum_days: Days that are billed even when an object is deleted sooner.
        earliest_transition_days: The youngest age at which a lifecycle rule may move objects in.
        offline: True when objects must be restored before they can be read.
        per_gb_month: Price of one GB for one month, or why there is none.
        price_region: The region for which the price was stated.
        as_of: The day of the price.
        origin: Where the price was stated.
        minimums_source: Where the minimums are stated.
        charges: What it charges beside the bytes that lie in it.
        assumed: True when its price is not from the cloud's own list.
    """

    cloud: Cloud
    name: str
    minimum_days: int
    earliest_transition_days: int
    offline: bool
    per_gb_month: Money | UnknownPrice
    price_region: str
    as_of: date
    origin: str
    minimums_source: str
    charges: ClassCharges
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class TelemetryPrice:
    """What one log class of a cloud costs.

    Attributes:
        cloud: Whose it is.
        log_class: As the cloud's API spells it; empty where it has one class only.
        regions: The regions for which it was stated; "*" for all.
        ingest_per_gib: Taking in one GiB.
        keep_per_gib_month: Keeping one GiB for one month beyond the included days.
        included_days: Days of keeping that the intake already pays for.
        as_of: The day of the price.
        origin: Where the price was stated.
        assumed: True when the source is not the cloud's own list.
    """

    cloud: Cloud
    log_class: str
    regions: tuple[str, ...]
    ingest_per_gib: Money
    keep_per_gib_month: Money
    included_days: int
    as_of: date
    origin: str
    assumed: bool


@dataclass(frozen=True, slots=True)
class CurrencyRate:
    """What one unit of a currency is worth in USD on a day."""

    currency: str
    in_usd: Decimal
    as_of: date
    origin: str


@dataclass(frozen=True, slots=True)
class CommitmentDiscount:
    """An average discount for committing; always an assumption, never a quote."""

    cloud: Cloud
    scenario: str
    term_months: int
    upfront_share: Decimal
    discount: Decimal
    as_of: date
    origin: str


@dataclass(frozen=True, slots=True)
class SpotAssumption:
    """The ratio of spot to on-demand that stands in where a cloud's spot price is not known."""

    ratio: Decimal
    clouds: tuple[Cloud, ...]
    as_of: date
    origin: str


@dataclass(frozen=True, slots=True)
class PriceSource:
    """Where a group of prices comes from."""

    origin: str
    as_of: date
    assumed: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """A price as a table holds it, before it is explained."""

    amount: Decimal
    source: str
