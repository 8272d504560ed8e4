"""Which instance types AWS offers where, from moto's own copy of AWS's lists."""

from __future__ import annotations

from functools import cache


@cache
def offered_types(location_kind: str, region: str) -> dict[str, frozenset[str]]:
    """Return the instance types by zone ("availability-zone") or region ("region")."""
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    found: dict[str, set[str]] = {}
    for offering in INSTANCE_TYPE_OFFERINGS[location_kind].get(region, ()):
        found.setdefault(offering["Location"], set()).add(offering["InstanceType"])
    return {place: frozenset(types) for place, types in found.items()}


def is_known_type(instance_type: str) -> bool:
    """Tell whether AWS has an instance type of that name."""
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    return instance_type in INSTANCE_TYPES


def zones_offering(instance_type: str, region: str) -> list[str]:
    """Return the zones of a region that offer a type, sorted."""
    zones = offered_types("availability-zone", region)
    return sorted(zone for zone, types in zones.items() if instance_type in types)


def explain_unoffered(instance_type: str, region: str, zones: list[str]) -> str:
    """Return why no zone of `zones` can launch the type; "" when one can.

    The words are EC2's.
    """
    if not is_known_type(instance_type):
        return f"Invalid value '{instance_type}' for InstanceType."
    offering = zones_offering(instance_type, region)
    if not zones or set(zones) & set(offering):
        return ""
    where = ", ".join(offering) or f"no zone of {region}"
    return (
        f"Your requested instance type ({instance_type}) is not supported in your requested "
        f"Availability Zone ({', '.join(sorted(set(zones)))}). It is offered in: {where}."
    )
