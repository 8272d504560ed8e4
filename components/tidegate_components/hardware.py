"""Which machine is meant, what is attached to it, and whether it can be had where it is wanted."""

from __future__ import annotations

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import Availability, InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
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


def find_machine(read: Arguments, cloud: Cloud, catalog: Catalog) -> InstanceType | None:
    """Return the machine of the argument `instance_type`; None when it is refused."""
    name = read.text("instance_type")
    if not name:
        return None
    try:
        return catalog.instance_type(cloud, name)
    except InvalidInput as error:
        read.adopt(error, "instance_type")
        return None


def find_attached(
    read: Arguments, machine: InstanceType, catalog: Catalog
) -> tuple[Accelerator, int] | None:
    """Return what is attached to a plain machine; a type with its own accelerators takes none."""
    name = read.text("accelerator", "")
    count = read.optional_whole("accelerators_per_node", minimum=1)
    if not name:
        return None
    try:
        accelerator = catalog.accelerator(name)
    except InvalidInput as error:
        read.adopt(error, "accelerator")
        return None
    if machine.accelerator == accelerator.name:
        return None
    allowed = machine.attachable.get(accelerator.name, ())
    if count is None or count not in allowed:
        reason = f"cannot be attached to {machine.name}"
        expected = f"one of {', '.join(map(str, allowed))}" if allowed else "another machine type"
        read.refuse("accelerators_per_node", count, reason, expected)
        return None
    return accelerator, count


def find_chips(
    machine: InstanceType, attached: tuple[Accelerator, int] | None, catalog: Catalog
) -> tuple[str, int] | None:
    """Return Compute Engine's type and number of a machine's accelerators; None without any."""
    if attached:
        return attached[0].gke_type, attached[1]
    if not machine.accelerator or not machine.accelerators_per_node:
        return None
    own = machine.provider_accelerator or catalog.accelerator(machine.accelerator).gke_type
    return own, machine.accelerators_per_node
