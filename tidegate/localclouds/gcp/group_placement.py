"""Where a managed instance group starts and ends instances, and of which machine types.

Source: Compute Engine documentation, "Regional MIG target distribution shape" and "About instance
flexibility in MIGs" (stored copies, read on 2026-11-30).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.gcp import names


def zones_of(name: str, body: Mapping[str, Any]) -> list[str]:
    """Return the zones that a group stands in."""
    place = name.split("/")[3]
    chosen = (body.get("distributionPolicy") or {}).get("zones") or []
    if names.ZONE.fullmatch(place):
        return [place]
    return [names.last_part(item["zone"]) for item in chosen] or names.default_zones(place)


def count_zones(instances: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Return how many instances stand in each zone."""
    return Counter(names.last_part(instance["zone"]) for instance in instances)


def list_machine_types(body: Mapping[str, Any], own: str) -> list[str]:
    """Return the machine types that a group may use, the preferred first.

    Args:
        body: The group.
        own: What its template has; a flexible group uses it only where it is listed.
    """
    policy = body.get("instanceFlexibilityPolicy") or {}
    selections = sorted(
        policy.get("instanceSelections", {}).values(),
        key=lambda selection: int(selection.get("rank") or 0),
    )
    listed = [machine for item in selections for machine in item.get("machineTypes", [])]
    return listed or [names.last_part(own)]


def find_places(
    name: str, body: Mapping[str, Any], counts: Counter[str], machines: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield zones and machine types in the order in which a group tries them."""
    zones = zones_of(name, body)
    shape = (body.get("distributionPolicy") or {}).get("targetShape", "EVEN")
    if shape == "ANY_SINGLE_ZONE" and counts:
        zones = [next(iter(counts))]
    zones = sorted(zones, key=lambda zone: counts[zone])
    for machine in machines:
        # Only an even group insists on the zone whose turn it is.
        for zone in zones[:1] if shape == "EVEN" else zones:
            yield zone, machine


def choose_surplus(instances: Sequence[Body], size: int) -> list[Body]:
    """Return the instances that go: the youngest of the fullest zone, one after the other."""
    kept, gone = list(instances), []
    counts = count_zones(kept)
    while len(kept) > size:
        fullest = max(counts.values())
        last = max(
            (one for one in kept if counts[names.last_part(one["zone"])] == fullest),
            key=lambda one: int(one["serial"]),
        )
        counts[names.last_part(last["zone"])] -= 1
        kept.remove(last)
        gone.append(last)
    return gone
