"""What Azure refuses in compute fleets, said of the REST body.

Source: the descriptions of the properties in azure-mgmt-computefleet 2.0.0. Of ranks and the number
of sizes: general vendor documentation, not verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.azure import places
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure

Body = Mapping[str, Any]

PROFILES = ("spotPriorityProfile", "regularPriorityProfile")


def check_fleet(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a compute fleet."""
    del name
    properties = body.get("properties") or {}
    if not any(properties.get(profile) is not None for profile in PROFILES):
        yield CheckFailure(
            "properties.spotPriorityProfile", "A fleet needs a spot or a regular priority profile."
        )
    for profile in PROFILES:
        capacity = look(properties, f"{profile}.capacity")
        least = look(properties, f"{profile}.minCapacity")
        if isinstance(capacity, int) and isinstance(least, int) and least > capacity:
            yield CheckFailure(
                f"properties.{profile}.minCapacity",
                f"The minimum capacity {least} is more than the capacity {capacity}.",
            )
    price = look(properties, "spotPriorityProfile.maxPricePerVM")
    if isinstance(price, int | float) and price != -1 and price <= 0:
        yield CheckFailure(
            "properties.spotPriorityProfile.maxPricePerVM",
            f"maxPricePerVM is -1 or greater than 0, got {price}.",
        )
    yield from _check_sizes(properties, str(body.get("location") or ""))


def _check_sizes(properties: Body, location: str) -> Iterator[CheckFailure]:
    sizes = properties.get("vmSizesProfile")
    seen: set[str] = set()
    for index, size in enumerate(sizes if isinstance(sizes, list) else []):
        given = look(size, "name")
        if not isinstance(given, str):
            continue
        place = f"properties.vmSizesProfile[{index}].name"
        if given.lower() in seen:
            yield CheckFailure(place, f"The size {given} is given twice.")
        seen.add(given.lower())
        for reason in places.check_size(given, location):
            yield CheckFailure(place, reason)
        if look(size, "rank") is not None and not _is_ranked(properties):
            yield CheckFailure(
                f"properties.vmSizesProfile[{index}].rank",
                "Ranks need the regular allocation strategy Prioritized.",
            )


def _is_ranked(properties: Body) -> bool:
    strategy = look(properties, "regularPriorityProfile.allocationStrategy")
    return not isinstance(strategy, str) or strategy == "Prioritized"
