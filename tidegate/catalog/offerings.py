"""Whether a region offers a type, said only as far as the sources go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidegate.catalog.model import Availability, AvailabilityEvidence, InstanceType
from tidegate.vocabulary.capacity import Cloud


@dataclass(frozen=True, slots=True)
class OfferingTable:
    """AWS's offerings by zone.

    Attributes:
        regions: The regions that the record covers → their zones; complete for these.
        types: Instance type → region → the zones that offer it.
        source: Where the record comes from.
    """

    regions: Mapping[str, tuple[str, ...]]
    types: Mapping[str, Mapping[str, tuple[str, ...]]]
    source: str


def judge_availability(
    instance_type: InstanceType, region: str, table: OfferingTable, priced: bool
) -> AvailabilityEvidence:
    """Return what is known of a type in a region.

    A cloud's word that it retired a type goes first: price lists go on naming such types. Else
    "not sold" needs a complete list of the region that does not name the type, while it names the
    type elsewhere. A price is evidence of a sale; the lack of one is evidence of nothing.
    """
    if instance_type.retired is not None:
        evidence = f"retired on {instance_type.retired} ({instance_type.retired_source})"
        return AvailabilityEvidence(Availability.NOT_SOLD, (), evidence)
    if instance_type.cloud is Cloud.AWS:
        return _judge_aws(instance_type.name, region, table, priced)
    if priced:
        evidence = f"a price is listed for {region}"
        return AvailabilityEvidence(Availability.SOLD, (), evidence)
    evidence = f"no price is listed for {region}, and price lists are not lists of what is offered"
    return AvailabilityEvidence(Availability.UNKNOWN, (), evidence)


def _judge_aws(name: str, region: str, table: OfferingTable, priced: bool) -> AvailabilityEvidence:
    zones = table.types.get(name, {}).get(region, ())
    if zones:
        evidence = f"{table.source} names it in {len(zones)} zones of {region}"
        return AvailabilityEvidence(Availability.SOLD, zones, evidence)
    if region not in table.regions:
        evidence = f"{table.source} does not cover {region}"
        return AvailabilityEvidence(Availability.UNKNOWN, (), evidence)
    if name not in table.types:
        evidence = f"{table.source} names it in no region at all, as it does for types kept for old"
        evidence += " customers" + (f", while a price is listed for {region}" if priced else "")
        return AvailabilityEvidence(Availability.UNKNOWN, (), evidence)
    if priced:
        evidence = f"{table.source} does not name it in {region}, while a price is listed there"
        return AvailabilityEvidence(Availability.UNKNOWN, (), evidence)
    evidence = f"{table.source} covers {region} and names it only in other regions"
    return AvailabilityEvidence(Availability.NOT_SOLD, (), evidence)
