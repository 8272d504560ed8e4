"""Virtual networks and subnets: ranges that lie within and do not overlap. No packet flows here."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import invalid_parameter, refused
from tidegate.localclouds.azure.ids import ArmId, identify, parse_id
from tidegate.localclouds.azure.kinds import SUBNET
from tidegate.localclouds.bodies import Body, look

Range = IPv4Network | IPv6Network


class NetworkLogic(Logic):
    """`Microsoft.Network/virtualNetworks`: the subnets in its body are resources of their own."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse what is no range, and fill the network in."""
        del arm, old
        for text in look(body, "properties.addressSpace.addressPrefixes") or []:
            parse_range(text)
        body["properties"]["resourceGuid"] = identify(str(id))

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Put the subnets that the body names; those that it leaves out stay."""
        del is_new
        for subnet in body["properties"].pop("subnets", None) or []:
            inner = {"properties": subnet.get("properties") or {}}
            arm.put(id.child("subnets", subnet["name"]), inner)
        arm.keep(id, body)

    def show(self, arm: Arm, id: ArmId, body: Body) -> None:
        """List the subnets inside."""
        body["properties"]["subnets"] = arm.shelf.find(SUBNET.type, f"{id.key}/subnets/")


class SubnetLogic(Logic):
    """`…/virtualNetworks/subnets`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse ranges outside the network, and those that another subnet has."""
        del old
        network = arm.find(id.parent())
        space = [
            parse_range(text)
            for text in look(network, "properties.addressSpace.addressPrefixes") or []
        ]
        ranges = ranges_of(body)
        if not ranges:
            raise invalid_parameter("properties.addressPrefix", "A subnet needs an address prefix.")
        for given in ranges:
            if not any(_lies_in(given, whole) for whole in space):
                raise refused(
                    "NetcfgInvalidSubnet",
                    f"Subnet '{id.name}' is not valid in virtual network '{id.names[0]}': {given} "
                    "is not within its address space.",
                )
        for other in arm.shelf.find(SUBNET.type, f"{id.parent().key}/subnets/"):
            if parse_id(other["id"]).key == id.key:
                continue
            for given in ranges:
                if any(given.overlaps(taken) for taken in ranges_of(other)):
                    raise refused(
                        "NetcfgSubnetRangesOverlap",
                        f"Subnet '{id.name}' is not valid because its IP address range overlaps "
                        f"with that of an existing subnet in '{id.names[0]}': {other['name']}.",
                    )


def _lies_in(inner: Any, outer: Any) -> bool:
    return bool(inner.version == outer.version and inner.subnet_of(outer))


def ranges_of(subnet: Body) -> list[Range]:
    """Return a subnet's ranges."""
    properties = subnet["properties"]
    texts = properties.get("addressPrefixes") or [properties.get("addressPrefix")]
    return [parse_range(text) for text in texts if text]


def parse_range(text: Any) -> Range:
    """Read a range ("10.0.0.0/16").

    Raises:
        CloudError: For what is no range.
    """
    try:
        return ip_network(str(text))
    except ValueError as error:
        raise invalid_parameter("addressPrefix", f"'{text}' is no range: {error}.") from error
