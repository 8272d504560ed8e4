"""Compute Engine on this machine: instance groups and their instances, reservations, networks."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import exists, invalid, missing
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.shelf import Shelf

GROUP = "compute.googleapis.com/InstanceGroupManager"
INSTANCE = "compute.googleapis.com/Instance"
OPERATION = "compute.googleapis.com/Operation"
RESERVATION = "compute.googleapis.com/Reservation"
NETWORK = "compute.googleapis.com/Network"
SUBNETWORK = "compute.googleapis.com/Subnetwork"

MAX_GROUP_SIZE = 1000
"""Instances of one zonal group (Compute Engine documentation, "Managed instance groups")."""
MAX_RESERVED = 1000
"""Machines of one reservation (Compute Engine documentation, "Reservations")."""

KEPT_OPERATIONS = 500


class Compute:
    """What the Compute faces and the Pulumi types both call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    # Instance groups

    def get(self, kind: str, name: str) -> Body:
        """Return a resource's body.

        Raises:
            NotFoundError: When there is none.
        """
        body = self.shelf.get(kind, name)
        if body is None:
            raise missing(f"The resource '{name}' was not found")
        return body

    def create_group(self, name: str, template: Mapping[str, Any], size: int) -> Body:
        """Create an instance group of a zone with this many instances.

        Args:
            name: "projects/p/zones/z/instanceGroupManagers/g".
            template: What its instances look like: labels, machineType, scheduling …
            size: Instances to start with.
        """
        if self.shelf.get(GROUP, name):
            raise exists(f"The resource '{name}' already exists")
        zone = name.split("/")[3]
        group = names.last_part(name)
        url = f"{names.COMPUTE_URL}/{name}"
        body: Body = {
            "kind": "compute#instanceGroupManager",
            "id": names.number_of(name),
            "creationTimestamp": names.now(),
            "name": group,
            "zone": f"{names.COMPUTE_URL}/projects/{name.split('/')[1]}/zones/{zone}",
            "baseInstanceName": group.removesuffix("-grp"),
            "instanceGroup": url.replace("/instanceGroupManagers/", "/instanceGroups/"),
            "selfLink": url,
            "targetSize": 0,
            "properties": dict(template),
            "made": 0,
        }
        with self.shelf.transaction():
            self.shelf.put(GROUP, name, body)
            return self.set_group_size(name, size)

    def set_group_size(self, name: str, size: int) -> Body:
        """Start or end instances until the group has this many; the youngest end first."""
        with self.shelf.transaction():
            body = self.get(GROUP, name)
            instances = self.instances_of(name)
            for instance in instances[size:]:
                self.shelf.delete(INSTANCE, names.relative_name(instance["selfLink"]))
            for _ in range(size - len(instances)):
                body["made"] += 1
                self._start_instance(name, body)
            body["targetSize"] = size
            body["fingerprint"] = names.fingerprint_of({"size": size, "made": body["made"]})
            self.shelf.put(GROUP, name, body)
        return body

    def set_group_properties(self, name: str, template: Mapping[str, Any]) -> None:
        """Change what the group's instances look like, running ones included."""
        with self.shelf.transaction():
            body = self.get(GROUP, name)
            body["properties"] = dict(template)
            self.shelf.put(GROUP, name, body)
            for instance in self.instances_of(name):
                instance.update(template)
                self.shelf.put(INSTANCE, names.relative_name(instance["selfLink"]), instance)

    def delete_group(self, name: str) -> None:
        """Delete a group and its instances; one that is gone is no error."""
        with self.shelf.transaction():
            for instance in self.instances_of(name):
                self.shelf.delete(INSTANCE, names.relative_name(instance["selfLink"]))
            self.shelf.delete(GROUP, name)

    def instances_of(self, group_name: str) -> list[Body]:
        """Return the instances of a group, the oldest first."""
        zone = group_name.rsplit("/", 2)[0]
        base = names.last_part(group_name).removesuffix("-grp")
        found = self.shelf.find(INSTANCE, f"{zone}/instances/{base}-")
        return sorted(found, key=lambda instance: int(instance["serial"]))

    def end_instances(self, group_name: str, urls: list[str]) -> Body:
        """Delete named instances and lower the group's target by as many."""
        with self.shelf.transaction():
            body = self.get(GROUP, group_name)
            known = {
                names.last_part(item["selfLink"]): item for item in self.instances_of(group_name)
            }
            wanted = [names.last_part(url) for url in urls]
            strangers = [name for name in wanted if name not in known]
            if strangers:
                raise invalid(
                    f"Invalid value for field 'instances': '{strangers[0]}'. The instance is not "
                    f"a member of {names.last_part(group_name)}"
                )
            for name in set(wanted):
                self.shelf.delete(INSTANCE, names.relative_name(known[name]["selfLink"]))
            body["targetSize"] -= len(set(wanted))
            self.shelf.put(GROUP, group_name, body)
        return body

    def resize_group(self, name: str, size: int) -> None:
        """Do what instanceGroupManagers.resize does, faults included."""
        if not 0 <= size <= MAX_GROUP_SIZE:
            raise invalid(
                f"Invalid value for field 'size': '{size}'. Must be between 0 and {MAX_GROUP_SIZE}."
            )
        body = self.get(GROUP, name)
        take_faults(
            self._world, "compute:InstanceGroupManagers.Resize", grows=size > body["targetSize"]
        )
        self.set_group_size(name, size)

    def _start_instance(self, group_name: str, group: Body) -> None:
        project, zone = group_name.split("/")[1], group_name.split("/")[3]
        digits = names.hexadecimal_of(f"{group_name}#{group['made']}", 4)
        # The serial keeps the name unique where four digits collide.
        name = f"projects/{project}/zones/{zone}/instances/{group['baseInstanceName']}-{digits}"
        if self.shelf.get(INSTANCE, name):
            name = f"{name}{group['made']}"
        self.shelf.put(
            INSTANCE,
            name,
            {
                "kind": "compute#instance",
                "id": names.number_of(name),
                "creationTimestamp": names.now(),
                "name": names.last_part(name),
                "zone": group["zone"],
                "selfLink": f"{names.COMPUTE_URL}/{name}",
                "status": "RUNNING",
                "serial": group["made"],
                **group["properties"],
            },
        )

    # Operations

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
