"""What Azure Compute and Resource Manager refuse, said of the REST body.

Sources: general vendor documentation, not verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.azure import places
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

GROUP_NAME = re.compile(r"[-\w.()]{0,89}[-\w()]")
COMPUTE_NAME = re.compile(r"[A-Za-z0-9_](?:[-\w.]{0,78}[A-Za-z0-9_])?")
ZONES = ("1", "2", "3")
MIX = "Mix"
"""The size of a scale set that has several."""
MOST_SIZES = 5


def check_resource_group(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a resource group."""
    if isinstance(name, str) and not GROUP_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"The provided resource group name '{name}' has invalid characters or length: 1 to 90 "
            "letters, digits, '_', '-', '.', '(' and ')', not ending with a period.",
        )
    if body.get("location") is None:
        yield CheckFailure("location", "The location property is required for this definition.")


def _check_zones(body: Body) -> Iterator[CheckFailure]:
    zones = body.get("zones")
    for index, zone in enumerate(zones if isinstance(zones, list) else []):
        if isinstance(zone, str) and zone not in ZONES:
            yield CheckFailure(f"zones[{index}]", f"Zone '{zone}' is not one of 1, 2, 3.")


def check_reservation_group(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a capacity reservation group."""
    yield from _check_name(name)
    yield from _check_zones(body)


def check_reservation(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a capacity reservation."""
    yield from _check_name(name)
    yield from _check_zones(body)
    zones = body.get("zones")
    if isinstance(zones, list) and len(zones) > 1:
        yield CheckFailure("zones", "A capacity reservation stands in one zone.")
    size, count = look(body, "sku.name"), look(body, "sku.capacity")
    if size is None:
        yield CheckFailure("sku.name", "Required parameter 'sku.name' is missing (null).")
    if isinstance(size, str):
        for reason in places.check_size(size, str(body.get("location") or "")):
            yield CheckFailure("sku.name", reason)
    if isinstance(count, int) and not 0 <= count <= 1000:
        yield CheckFailure("sku.capacity", f"Capacity {count} is not in 0 to 1000.")


def check_scale_set(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a virtual machine scale set."""
    if isinstance(name, str) and not (len(name) <= 64 and COMPUTE_NAME.fullmatch(name)):
        yield CheckFailure(
            "name",
            f"Resource name '{name}' is invalid: 1 to 64 letters, digits, '_', '-' and '.', not "
            "ending with '-' or '.'.",
        )
    yield from _check_zones(body)
    size, count = look(body, "sku.name"), look(body, "sku.capacity")
    if isinstance(size, str) and size != MIX:
        for reason in places.check_size(size, str(body.get("location") or "")):
            yield CheckFailure("sku.name", reason)
    if isinstance(count, int) and not 0 <= count <= 1000:
        yield CheckFailure("sku.capacity", f"Capacity {count} is not in 0 to 1000.")
    yield from _check_sizes(body)
    yield from _check_spot(body.get("properties") or {})


def _check_sizes(body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an instance mix: sizes for a flexible set of the size "Mix"."""
    properties, size = body.get("properties") or {}, look(body, "sku.name")
    place, profile = "properties.skuProfile", properties.get("skuProfile")
    if profile is None:
        if size == MIX:
            yield CheckFailure(place, "A scale set of size Mix needs skuProfile.")
        return
    if size not in (MIX, UNKNOWN):
        yield CheckFailure("sku.name", f"A scale set with skuProfile has the size Mix, got {size}.")
    if properties.get("orchestrationMode") not in ("Flexible", None, UNKNOWN):
        yield CheckFailure(place, "An instance mix needs orchestrationMode Flexible.")
    sizes = look(profile, "vmSizes")
    if sizes is UNKNOWN:
        return
    if not isinstance(sizes, list) or not 1 <= len(sizes) <= MOST_SIZES:
        yield CheckFailure(f"{place}.vmSizes", f"An instance mix has 1 to {MOST_SIZES} sizes.")
        return
    is_ranked = look(profile, "allocationStrategy") in ("Prioritized", UNKNOWN)
    for index, each in enumerate(sizes):
        given = look(each, "name")
        reasons = places.check_size(given, str(body.get("location") or ""))
        for reason in reasons if isinstance(given, str) else ():
            yield CheckFailure(f"{place}.vmSizes[{index}].name", reason)
        if look(each, "rank") is not None and not is_ranked:
            yield CheckFailure(
                f"{place}.vmSizes[{index}].rank", "Ranks need the allocation strategy Prioritized."
            )


def _check_spot(properties: Body) -> Iterator[CheckFailure]:
    place = "properties.virtualMachineProfile"
    profile = properties.get("virtualMachineProfile")
    priority, price = look(profile, "priority"), look(profile, "billingProfile.maxPrice")
    if isinstance(price, int | float) and price != -1 and price <= 0:
        yield CheckFailure(
            f"{place}.billingProfile.maxPrice", f"maxPrice is -1 or greater than 0, got {price}."
        )
    if priority not in ("Spot", UNKNOWN) and profile is not UNKNOWN:
        if look(profile, "evictionPolicy") not in (None, UNKNOWN):
            yield CheckFailure(
                f"{place}.evictionPolicy", "evictionPolicy can be given only when priority is Spot."
            )
    elif priority == "Spot" and look(profile, "capacityReservation") not in (None, UNKNOWN):
        yield CheckFailure(
            f"{place}.capacityReservation", "A spot scale set cannot use a capacity reservation."
        )
    if look(properties, "spotRestorePolicy.enabled") is True and priority not in ("Spot", UNKNOWN):
        yield CheckFailure(
            "properties.spotRestorePolicy",
            "Spot restore needs virtualMachineProfile.priority Spot.",
        )
    yield from _check_mix(properties, priority)


def _check_mix(properties: Body, priority: Any) -> Iterator[CheckFailure]:
    mix = properties.get("priorityMixPolicy")
    if not isinstance(mix, Mapping):
        return
    place = "properties.priorityMixPolicy"
    share = mix.get("regularPriorityPercentageAboveBase")
    base = mix.get("baseRegularPriorityCount")
    if isinstance(share, int) and not 0 <= share <= 100:
        yield CheckFailure(
            f"{place}.regularPriorityPercentageAboveBase", f"{share} is not in 0 to 100."
        )
    if isinstance(base, int) and base < 0:
        yield CheckFailure(f"{place}.baseRegularPriorityCount", f"{base} is negative.")
    if priority not in ("Spot", UNKNOWN):
        yield CheckFailure(place, "A priority mix needs virtualMachineProfile.priority Spot.")
    if properties.get("orchestrationMode") not in ("Flexible", UNKNOWN):
        yield CheckFailure(place, "A priority mix needs orchestrationMode Flexible.")


def _check_name(name: Any) -> Iterator[CheckFailure]:
    if isinstance(name, str) and not COMPUTE_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"Resource name '{name}' is invalid: 1 to 80 letters, digits, '_', '-' and '.', not "
            "ending with '-' or '.'.",
        )
