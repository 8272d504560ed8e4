"""Where each figure of a type in a region comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import AvailabilityEvidence, InstanceType, UnknownPrice
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price


@dataclass(frozen=True, slots=True)
class PriceFact:
    """A price with its origin, or why there is none.

    Attributes:
        capacity_type: How it is bought.
        price: The price, or why it is not known.
    """

    capacity_type: CapacityType
    price: Price | UnknownPrice

    @property
    def as_of(self) -> date | None:
        """Return the day of the price; None where there is none."""
        return self.price.as_of if isinstance(self.price, Price) else None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that the catalog knows of a type in a region, with sources.

    Attributes:
        instance_type: The type.
        region: The region asked about.
        accelerator: Its chip; None for a plain machine.
        accelerator_note: What its number of accelerators is and where that is stated.
        availability: Whether it is offered there, and the evidence.
        prices: One a capacity type.
        digest: The catalog that says so.
    """

    instance_type: InstanceType
    region: str
    accelerator: Accelerator | None
    accelerator_note: str
    availability: AvailabilityEvidence
    prices: tuple[PriceFact, ...]
    digest: str


def explain_type(
    catalog: Catalog,
    cloud: Cloud | str,
    region: str,
    name: str,
    accelerator: str = "",
    count: int = 0,
) -> Explanation:
    """Return what is known of a type in a region, with what is attached to it.

    Raises:
        InvalidInput: When the type or the region is not in the catalog, or the accelerator cannot
            be attached to the type.
    """
    found = catalog.instance_type(cloud, name)
    catalog.check_region(region, found.cloud)
    chip_name = catalog.accelerator(accelerator).name if accelerator else found.accelerator
    place = (found.cloud, region, found.name)
    note = f"{count} x {chip_name}, attached" if accelerator and count else describe_count(found)
    return Explanation(
        instance_type=found,
        region=region,
        accelerator=catalog.accelerators[chip_name] if chip_name else None,
        accelerator_note=note,
        availability=catalog.availability_evidence(*place),
        prices=tuple(
            PriceFact(bought, catalog.price(*place, bought, accelerator, count))
            for bought in CapacityType
        ),
        digest=catalog.digest,
    )


def describe_count(found: InstanceType) -> str:
    """Return how many accelerators a node has, in words, with the source."""
    source = f" ({found.source})" if found.source else ""
    if found.attachable:
        options = "; ".join(
            f"{chip} {'/'.join(str(number) for number in counts)}"
            for chip, counts in sorted(found.attachable.items())
        )
        return f"none built in; can have {options}"
    if not found.accelerator:
        return "none"
    if found.sliced:
        share = found.share or "a part whose size no source states"
        return f"a slice of one {found.accelerator}: {share}{source}"
    if found.accelerators_per_node is None:
        return f"an unknown number of {found.accelerator}{source}"
    return f"{found.accelerators_per_node} x {found.accelerator}{source}"
