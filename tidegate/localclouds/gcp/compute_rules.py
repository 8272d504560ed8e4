"""What Compute Engine refuses in reservations and networks, said of the REST body.

Sources: names as the property descriptions of pulumi-gcp 10.2.0 have them (compute.Reservation,
compute.Network, compute.Subnetwork); the rest is general vendor documentation, not verified.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.compute import MAX_RESERVED

NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def check_name(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Refuse a name outside Compute Engine's grammar (RFC 1035)."""
    name = body.get("name")
    if isinstance(name, str) and not NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"Invalid value for field 'resource.name': '{name}'. Must be a match of regex "
            f"'{NAME.pattern}'",
        )


def check_reservation(body: Mapping[str, Any], zone: str) -> Iterator[CheckFailure]:
    """Say what is wrong with a reservation."""
    yield from check_name(body)
    if zone and not names.ZONE.fullmatch(zone):
        yield CheckFailure("zone", f"Invalid value for field 'zone': '{zone}'. Unknown zone.")
    count = look(body, "specificReservation.count")
    if isinstance(count, int) and not 1 <= count <= MAX_RESERVED:
        yield CheckFailure(
            "specificReservation.count",
            f"Invalid value for field 'specificReservation.count': '{count}'. Must be between 1 "
            f"and {MAX_RESERVED}.",
        )
    machine = look(body, "specificReservation.instanceProperties.machineType")
    if not isinstance(machine, str):
        return
    place = "specificReservation.instanceProperties"
    for reason in machines.check_machine(machine, [zone] if zone else []):
        yield CheckFailure(f"{place}.machineType", reason)
    accelerators = look(body, f"{place}.guestAccelerators")
    for index, item in enumerate(accelerators if isinstance(accelerators, list) else []):
        kind, count = look(item, "acceleratorType"), look(item, "acceleratorCount")
        if isinstance(kind, str) and isinstance(count, int):
            for reason in machines.check_accelerator(machine, names.last_part(kind), count):
                yield CheckFailure(f"{place}.guestAccelerators[{index}]", reason)


def check_network(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Say what is wrong with a network."""
    yield from check_name(body)
    mtu = body.get("mtu")
    if isinstance(mtu, int) and mtu and not 1300 <= mtu <= 8896:
        yield CheckFailure("mtu", f"Invalid value for field 'mtu': '{mtu}'. From 1300 to 8896.")


def check_subnetwork(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Say what is wrong with a subnetwork."""
    yield from check_name(body)
    yield from _check_range(body.get("ipCidrRange"), "ipCidrRange")
    secondary = body.get("secondaryIpRanges")
    for index, item in enumerate(secondary if isinstance(secondary, list) else []):
        yield from _check_range(
            look(item, "ipCidrRange"), f"secondaryIpRanges[{index}].ipCidrRange"
        )


def _check_range(value: Any, place: str) -> Iterator[CheckFailure]:
    if not isinstance(value, str):
        return
    words = f"Invalid value for field '{place}': '{value}'."
    try:
        network = ipaddress.IPv4Network(value)
    except ValueError as error:
        yield CheckFailure(place, f"{words} {error}.")
        return
    if not 4 <= network.prefixlen <= 29:
        yield CheckFailure(place, f"{words} The prefix must be from /4 to /29.")
