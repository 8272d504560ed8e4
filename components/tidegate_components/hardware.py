"""Whether a machine can be had where it is wanted, as far as the catalog knows."""

from __future__ import annotations

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import Availability, InstanceType
from tidegate_components.arguments import Arguments

_SHOWN_REGIONS = 8


def check_offered(
    read: Arguments,
    key: str,
    each: InstanceType,
    place: tuple[str, tuple[str, ...]],
    catalog: Catalog,
) -> None:
    """Note a machine that its region or zones do not sell; unknown is no fault.

    `place` is the region and the zones wanted; no zones mean any.
    """
    region, zones = place
    evidence = catalog.availability_evidence(each.cloud, region, each.name)
    if evidence.availability is Availability.NOT_SOLD:
        reason = f"is not sold in {region} ({evidence.evidence})"
        read.refuse(key, each.name, reason, _elsewhere(each, region, catalog))
    elif zones and evidence.zones and not set(zones) & set(evidence.zones):
        reason = f"is sold in none of {', '.join(zones)}"
        read.refuse(key, each.name, reason, f"one of the zones {', '.join(evidence.zones)}")


def _elsewhere(each: InstanceType, wanted: str, catalog: Catalog) -> str:
    """Return where the machine is sold, regions of the same part of the world first."""
    sold = [
        region
        for region in catalog.regions(each.cloud)
        if catalog.availability(each.cloud, region, each.name) is Availability.SOLD
    ]
    sold.sort(key=lambda region: (region[:2] != wanted[:2], region))
    shown = ", ".join(sold[:_SHOWN_REGIONS]) + (", …" if len(sold) > _SHOWN_REGIONS else "")
    return f"a region that sells it: {shown}" if sold else "another instance type"
