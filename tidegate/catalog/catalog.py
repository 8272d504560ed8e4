"""The catalog: a value with look-ups over dated facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidegate.catalog import offerings, prices
from tidegate.catalog.instruments import (
    Instrument,
    InstrumentOffer,
    list_instrument_offers,
)
from tidegate.catalog.model import (
    Availability,
    AvailabilityEvidence,
    CommitmentDiscount,
    CurrencyRate,
    InstanceType,
    RetentionSteps,
    SpotAssumption,
    StorageTier,
    TelemetryPrice,
    UnknownPrice,
)
from tidegate.catalog.names import resolve_accelerator
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price
from tidegate.vocabulary.problems import nearest, refuse, suggest


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything the catalog knows, as tables; build it with `load_catalog`.

    Attributes:
        accelerators: Canonical name → the chip.
        types: (cloud, name) → the instance type.
        price_table: Listed and negotiated prices with their origins.
        offering_table: What AWS offers by zone.
        rejected: Types that the sources name and the catalog leaves out → why.
        spot_assumption: Stands in for spot prices that are not known.
        discounts: Average commitment discounts; assumptions, never quotes.
        instruments: What can be committed to, in each cloud's order of application.
        retention: Cloud → the retention its logs can have.
        storage: Cloud → its storage classes, hottest first.
        telemetry: Prices of logs; a cloud's default log class first.
        rates: Currency → its dated rate to USD, from the overlay; USD itself is not in it.
        digest: SHA-256 over all data and the overlay; changes when any of them does.
    """

    accelerators: Mapping[str, Accelerator]
    types: Mapping[tuple[Cloud, str], InstanceType]
    price_table: prices.PriceTable
    offering_table: offerings.OfferingTable
    rejected: Mapping[tuple[Cloud, str], str]
    spot_assumption: SpotAssumption
    discounts: tuple[CommitmentDiscount, ...]
    retention: Mapping[Cloud, RetentionSteps]
    storage: Mapping[Cloud, tuple[StorageTier, ...]]
    telemetry: tuple[TelemetryPrice, ...]
    digest: str
    rates: Mapping[str, CurrencyRate] = field(default_factory=dict)
    instruments: tuple[Instrument, ...] = ()

    def accelerator(self, name: str) -> Accelerator:
        """Return the chip of a canonical name or an unambiguous alias.

        Raises:
            InvalidInput: When no chip, or more than one, has that name.
        """
        return resolve_accelerator(name, self.accelerators)

    def instance_type(self, cloud: Cloud | str, name: str) -> InstanceType:
        """Return an instance type by its cloud's own name.

        Raises:
            InvalidInput: When the cloud has no such type in this catalog.
        """
        cloud = Cloud(cloud)
        found = self.types.get((cloud, name))
        if found is None and (cloud, name) in self.rejected:
            reason = f"was left out of the catalog: {self.rejected[cloud, name]}"
            raise refuse("catalog", "instance type", name, reason, "another type, or an overlay")
        if found is None:
            known = [type_name for owner, type_name in self.types if owner is cloud]
            guess = nearest(name, known)
            expected = f"an instance type of {cloud.value}"
            expected += f", such as {guess!r}" if guess else "; see `tidegate catalog list`"
            raise refuse("catalog", "instance type", name, "is not in the catalog", expected)
        return found

    def instance_types(
        self,
        cloud: Cloud | str | None = None,
        accelerator: str = "",
        accelerators_per_node: int | None = None,
    ) -> tuple[InstanceType, ...]:
        """Return the types that match, whole accelerators first, then by count and name.

        Sliced types are left out when a number of accelerators a node is asked for. N1 machines,
        to which an accelerator can be attached, match with every count they allow.

        Raises:
            InvalidInput: When the accelerator is unknown or ambiguous.
        """
        chip = self.accelerator(accelerator).name if accelerator else ""
        wanted = None if cloud is None else Cloud(cloud)
        found = [
            candidate
            for candidate in self.types.values()
            if (wanted is None or candidate.cloud is wanted)
            and _matches(candidate, chip, accelerators_per_node)
        ]
        return tuple(sorted(found, key=_by_size))

    def regions(self, cloud: Cloud | str) -> tuple[str, ...]:
        """Return every region that the catalog has facts about; not all that the cloud has."""
        cloud = Cloud(cloud)
        named = set(self.price_table.regions(cloud))
        if cloud is Cloud.AWS:
            named |= set(self.offering_table.regions)
        return tuple(sorted(named))

    def check_region(self, region: str, cloud: Cloud | None = None) -> None:
        """Refuse a region that the catalog has no facts about.

        Raises:
            InvalidInput: With the nearest region that it knows.
        """
        clouds = [cloud] if cloud else list(Cloud)
        known = {name for each in clouds for name in self.regions(each)}
        if region not in known:
            hint = suggest(region, known)
            place = f" of {cloud.value}" if cloud else ""
            reason = f"is no region{place} that the catalog knows{hint}"
            raise refuse(
                "catalog", "region", region, reason, "a region with known prices or offers"
            )

    def availability(self, cloud: Cloud | str, region: str, instance_type: str) -> Availability:
        """Return whether the region offers the type; UNKNOWN where no complete list says so."""
        return self.availability_evidence(cloud, region, instance_type).availability

    def availability_evidence(
        self, cloud: Cloud | str, region: str, instance_type: str
    ) -> AvailabilityEvidence:
        """Return the same with the zones and the evidence for people."""
        found = self.instance_type(cloud, instance_type)
        priced = self.price_table.has_public_price(found.cloud, region, found.name)
        return offerings.judge_availability(found, region, self.offering_table, priced)

    def price(
        self,
        cloud: Cloud | str,
        region: str,
        instance_type: str,
        capacity_type: CapacityType | str,
        accelerator: str = "",
        accelerators_per_node: int = 0,
    ) -> Price | UnknownPrice:
        """Return the price of one node for one hour.

        Accelerator and count matter only for machines that have none built in: the price of what
        is attached is added. A spot price that is not known comes from the stated ratio and is
        marked assumed.

        Raises:
            InvalidInput: When the type is not in the catalog or the accelerator does not fit it.
        """
        found = self.instance_type(cloud, instance_type)
        chip = self.accelerator(accelerator).name if accelerator else ""
        capacity = CapacityType(capacity_type)
        node = prices.find_price(self.price_table, found, region, capacity, self.spot_assumption)
        if not chip or found.accelerator == chip or accelerators_per_node == 0:
            return node
        attached = prices.find_attached(
            self.price_table, found, chip, accelerators_per_node, capacity
        )
        return prices.add_prices(node, attached)

    def retention_steps(self, cloud: Cloud | str) -> RetentionSteps:
        """Return the retention that logs of this cloud can have."""
        return self.retention[Cloud(cloud)]

    def storage_tiers(self, cloud: Cloud | str) -> tuple[StorageTier, ...]:
        """Return the storage classes of this cloud, hottest first."""
        return self.storage[Cloud(cloud)]

    def telemetry_price(
        self, cloud: Cloud | str, region: str, log_class: str = ""
    ) -> TelemetryPrice | UnknownPrice:
        """Return what logs cost in a region; without a class, of the cloud's default class."""
        of_cloud = [entry for entry in self.telemetry if entry.cloud is Cloud(cloud)]
        wanted = log_class or (of_cloud[0].log_class if of_cloud else "")
        for entry in of_cloud:
            named = entry.log_class.lower() == wanted.lower()
            if named and {region, prices.EVERYWHERE} & set(entry.regions):
                return entry
        what = f"{wanted} logs" if wanted else "logs"
        return UnknownPrice(f"no price of {what} is known for {region}")

    def commitment_discounts(self, cloud: Cloud | str) -> tuple[CommitmentDiscount, ...]:
        """Return the average commitment discounts of this cloud; all are assumptions."""
        return tuple(entry for entry in self.discounts if entry.cloud is Cloud(cloud))

    def instrument_offers(self, cloud: Cloud | str) -> tuple[InstrumentOffer, ...]:
        """Return the instruments of this cloud at every term and payment option with a discount."""
        of_cloud = [each for each in self.instruments if each.cloud is Cloud(cloud)]
        return list_instrument_offers(of_cloud, self.discounts)


def _matches(candidate: InstanceType, chip: str, count: int | None) -> bool:
    if chip and chip in candidate.attachable:
        return count is None or count in candidate.attachable[chip]
    if chip and candidate.accelerator != chip:
        return False
    return count is None or candidate.accelerators_per_node == count


def _by_size(candidate: InstanceType) -> tuple[bool, str, str, int, str]:
    count = candidate.accelerators_per_node
    chip = candidate.accelerator
    return (
        candidate.sliced,
        candidate.cloud.value,
        chip,
        -1 if count is None else count,
        candidate.name,
    )
