"""Compute Engine on this machine: operations, reservations, networks."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import exists, invalid, missing
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.instance_groups import NO_ROOM, InstanceGroups
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.shelf import Shelf

OPERATION = "compute.googleapis.com/Operation"
RESERVATION = "compute.googleapis.com/Reservation"
NETWORK = "compute.googleapis.com/Network"
SUBNETWORK = "compute.googleapis.com/Subnetwork"

MAX_RESERVED = 1000
"""Machines of one reservation (Compute Engine documentation, "Reservations")."""

KEPT_OPERATIONS = 500


class Compute:
    """What the Compute faces and the Pulumi types both call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")
        self.groups = InstanceGroups(world)

    def get(self, kind: str, name: str) -> Body:
        """Return a resource's body.

        Raises:
            NotFoundError: When there is none.
        """
        body = self.shelf.get(kind, name)
        if body is None:
            raise missing(f"The resource '{name}' was not found")
        return body

    # Operations

    def operate(self, kind: str, target: str, work: Callable[[], Any]) -> Body:
        """Do the work and return its operation; want of capacity fails the operation alone."""
        length = 3 if "/global/" in target else 4
        scope = "/".join(target.split("/")[:length])
        try:
            work()
        except CloudError as error:
            if error.code not in NO_ROOM:
                raise
            return self.record_operation(scope, kind, target, error)
        return self.record_operation(scope, kind, target)

    def record_operation(
        self, scope: str, kind: str, target: str, error: CloudError | None = None
    ) -> Body:
        """Keep and return a finished operation of a zone or region ("projects/p/zones/z")."""
        with self.shelf.transaction():
            existing = self.shelf.items(OPERATION, f"{scope}/operations/")
            name = f"operation-{secrets.token_hex(8)}"
            time = names.now()
            place = "zone" if "/zones/" in scope else "region"
            body: Body = {
                "kind": "compute#operation",
                "id": names.number_of(name),
                "name": name,
                "operationType": kind,
                "targetLink": f"{names.COMPUTE_URL}/{target}",
                "targetId": names.number_of(target),
                "status": "DONE",
                "user": "local",
                "progress": 100,
                "insertTime": time,
                "startTime": time,
                "endTime": time,
                "selfLink": f"{names.COMPUTE_URL}/{scope}/operations/{name}",
                place: f"{names.COMPUTE_URL}/{scope}",
            }
            if scope.endswith("/global"):
                body.pop(place)
            if error:
                body["error"] = {"errors": [{"code": error.code, "message": error.message}]}
                body["httpErrorStatusCode"] = error.status
                body["httpErrorMessage"] = error.code
            self.shelf.put(OPERATION, f"{scope}/operations/{name}", body)
            for old, _ in sorted(existing, key=lambda item: item[1]["insertTime"])[
                :-KEPT_OPERATIONS
            ]:
                self.shelf.delete(OPERATION, old)
        return body

    # Reservations and networks

    def insert(self, kind: str, name: str, body: Mapping[str, Any]) -> Body:
        """Create a resource that is kept as it was given, with its id and links."""
        if self.shelf.get(kind, name):
            raise exists(f"The resource '{name}' already exists")
        url = f"{names.COMPUTE_URL}/{name}"
        full = {
            **body,
            "id": names.number_of(name),
            "name": names.last_part(name),
            "creationTimestamp": names.now(),
            "selfLink": url,
        }
        self.shelf.put(kind, name, full)
        return full

    def replace(self, kind: str, name: str, body: Mapping[str, Any]) -> Body:
        """Write a changed body of a resource that exists."""
        self.get(kind, name)
        self.shelf.put(kind, name, body)
        return dict(body)

    def delete(self, kind: str, name: str) -> None:
        """Delete a resource; `NotFoundError` when it is gone."""
        self.get(kind, name)
        self.shelf.delete(kind, name)

    def network_exists(self, name: str) -> bool:
        """Tell whether a network exists; every project has "default"."""
        return names.last_part(name) == "default" or self.shelf.get(NETWORK, name) is not None

    def subnetwork_exists(self, name: str) -> bool:
        """Tell whether a subnetwork exists; every region has "default"."""
        return names.last_part(name) == "default" or self.shelf.get(SUBNETWORK, name) is not None

    def insert_reservation(self, name: str, body: Mapping[str, Any]) -> Body:
        """Create a reservation ("projects/p/zones/z/reservations/r"); its machines are held."""
        zone = "/".join(name.split("/")[:4])
        specific = dict(body.get("specificReservation") or {})
        count = int(specific.get("count", 0))
        full = {
            **body,
            "kind": "compute#reservation",
            "zone": f"{names.COMPUTE_URL}/{zone}",
            "status": "READY",
            "specificReservation": {**specific, "assuredCount": count, "inUseCount": 0},
        }
        return self.insert(RESERVATION, name, full)

    def resize_reservation(self, name: str, count: int) -> Body:
        """Do what reservations.resize does."""
        if not 1 <= count <= MAX_RESERVED:
            raise invalid(
                "Invalid value for field 'specificSkuCount': "
                f"'{count}'. Must be between 1 and {MAX_RESERVED}."
            )
        with self.shelf.transaction():
            body = self.get(RESERVATION, name)
            growing = count > int(body["specificReservation"]["count"])
            take_faults(self._world, "compute:Reservations.Resize", grows=growing)
            body["specificReservation"]["count"] = count
            body["specificReservation"]["assuredCount"] = count
            return self.replace(RESERVATION, name, body)
