"""Which instance types AWS offers where, from moto's own copy of AWS's lists."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import Any

OFFERINGS = "resources/instance_type_offerings"


class RegionalOfferings(dict[str, Any]):
    """One kind of moto's offerings, a region read when it is asked for.

    Moto reads all regions of all kinds when it is imported and keeps them: some 70 MB.
    """

    def __init__(self, kind: str, regions: list[str]) -> None:
        super().__init__()
        self._kind = kind
        self._regions = frozenset(regions)

    def __contains__(self, region: object) -> bool:
        return region in self._regions

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._regions))

    def __len__(self) -> int:
        return len(self._regions)

    def __missing__(self, region: str) -> Any:
        from moto.utilities.utils import load_resource

        if region not in self._regions:
            raise KeyError(region)
        found = load_resource(f"ec2/{OFFERINGS}/{self._kind}/{region}.json")
        self[region] = [{**offering, "LocationType": self._kind} for offering in found]
        return self[region]

    def get(self, region: str, default: Any = None) -> Any:
        """Return a region's offerings, or the default where moto has none."""
        try:
            return self[region]
        except KeyError:
            return default


def load_moto_without_offerings() -> None:
    """Import moto's EC2 without the offerings of all regions: 50 MB and most of a second.

    Moto reads them while it is imported. What was imported before keeps them until
    `read_offerings_by_region` replaces them.
    """
    from moto.utilities import utils

    original = utils.load_resource

    def load(resource: str) -> Any:
        return [] if OFFERINGS in resource else original(resource)

    utils.load_resource = load
    try:
        importlib.import_module("moto.ec2.models.instance_types")
    finally:
        utils.load_resource = original


def read_offerings_by_region() -> None:
    """Put `RegionalOfferings` in place of what moto keeps."""
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS

    for kind, regions in INSTANCE_TYPE_OFFERINGS.items():
        if not isinstance(regions, RegionalOfferings):
            INSTANCE_TYPE_OFFERINGS[kind] = RegionalOfferings(kind, list(regions))


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
