"""`gcp:compute` types for the engine."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Call, CheckFailure, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.compute import NETWORK, RESERVATION, SUBNETWORK, Compute
from tidegate.localclouds.gcp.compute_rules import (
    check_network,
    check_reservation,
    check_subnetwork,
)
from tidegate.localclouds.gcp.errors import missing
from tidegate.localclouds.gcp.google_type import GoogleType, is_same_resource
from tidegate.localclouds.gcp.resource_shape import (
    NETWORK as NETWORK_SHAPE,
)
from tidegate.localclouds.gcp.resource_shape import (
    RESERVATION as RESERVATION_SHAPE,
)
from tidegate.localclouds.gcp.resource_shape import (
    SUBNETWORK as SUBNETWORK_SHAPE,
)
from tidegate.localclouds.refusals import CloudError


class ComputeType(GoogleType):
    """A Compute type that is kept as it was given."""

    kind: str

    def __init__(self, compute: Compute) -> None:
        self._compute = compute

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it."""
        return self._compute.insert(self.kind, name, body)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._compute.get(self.kind, name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._compute.replace(self.kind, name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._compute.delete(self.kind, name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return the project."""
        return {"project": name.split("/")[1]}


class ReservationType(ComputeType):
    """`gcp:compute/reservation:Reservation`."""

    kind = RESERVATION
    shape = RESERVATION_SHAPE

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/zones/z/reservations/r"."""
        project = names.project_of(inputs, call.settings)
        zone = names.last_part(inputs["zone"])
        return f"projects/{project}/zones/{zone}/reservations/{inputs['name']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Compute Engine refuses."""
        zone = inputs.get("zone")
        yield from check_reservation(body, names.last_part(zone) if isinstance(zone, str) else "")

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it with its machines."""
        return self._compute.insert_reservation(name, body)

    def save(self, name: str, body: Body) -> Body:
        """Keep it; the machines it holds follow the count that was asked for."""
        body["specificReservation"]["assuredCount"] = body["specificReservation"]["count"]
        return super().save(name, body)


class NetworkType(ComputeType):
    """`gcp:compute/network:Network`."""

    kind = NETWORK
    shape = NETWORK_SHAPE

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/global/networks/n"."""
        return (
            f"projects/{names.project_of(inputs, call.settings)}/global/networks/{inputs['name']}"
        )

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Compute Engine refuses."""
        yield from check_network(body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it unless a subnetwork still stands in it."""
        project = name.split("/")[1]
        for subnetwork in self._compute.shelf.find(SUBNETWORK, f"projects/{project}/"):
            if names.last_part(subnetwork["network"]) == names.last_part(name):
                raise CloudError(
                    "resourceInUseByAnotherResource",
                    f"The network resource '{name}' is already being used by "
                    f"'{names.relative_name(subnetwork['selfLink'])}'",
                )
        super().remove(name, inputs)


class SubnetworkType(ComputeType):
    """`gcp:compute/subnetwork:Subnetwork`."""

    kind = SUBNETWORK
    shape = SUBNETWORK_SHAPE
    spelled_freely: ClassVar[Mapping[str, Callable[[str, str], bool]]] = {
        "network": is_same_resource
    }

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/regions/r/subnetworks/s"."""
        project = names.project_of(inputs, call.settings)
        region = names.last_part(inputs.get("region") or names.region_setting(call.settings))
        return f"projects/{project}/regions/{region}/subnetworks/{inputs['name']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Compute Engine refuses."""
        yield from check_subnetwork(body)

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it in a network that exists."""
        project, region = name.split("/")[1], name.split("/")[3]
        network = f"projects/{project}/global/networks/{names.last_part(body['network'])}"
        if not self._compute.network_exists(network):
            raise missing(f"The resource '{network}' was not found")
        body["network"] = f"{names.COMPUTE_URL}/{network}"
        body["region"] = f"{names.COMPUTE_URL}/projects/{project}/regions/{region}"
        body.setdefault("purpose", "PRIVATE")
        body.setdefault("stackType", "IPV4_ONLY")
        return super().insert(name, body, inputs, call)

    def save(self, name: str, body: Body) -> Body:
        """Keep it under its own network's URL."""
        project = name.split("/")[1]
        network = names.last_part(body["network"])
        body["network"] = f"{names.COMPUTE_URL}/projects/{project}/global/networks/{network}"
        return super().save(name, body)
