"""Managed instance groups and their instances: sizes, zones, machine types, repair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import exists, invalid, missing
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.group_placement import (
    choose_surplus,
    count_zones,
    find_places,
    list_machine_types,
    zones_of,
)
from tidegate.localclouds.gcp.references import TEMPLATE
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.shelf import Shelf

GROUP = "compute.googleapis.com/InstanceGroupManager"
INSTANCE = "compute.googleapis.com/Instance"

MAX_SIZES = {"zones": 1000, "regions": 4000}
"""Instances of one group of a zone or region (Compute Engine documentation, "Managed instance
groups": general vendor documentation, not verified)."""
NO_ROOM = frozenset({"ZONE_RESOURCE_POOL_EXHAUSTED", "QUOTA_EXCEEDED"})


class InstanceGroups:
    """What the Compute faces, GKE and the Pulumi types all call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    def get(self, name: str) -> Body:
        """Return a group.

        Raises:
            NotFoundError: When there is none.
        """
        body = self.shelf.get(GROUP, name)
        if body is None:
            raise missing(f"The resource '{name}' was not found")
        return body

    def create(self, name: str, properties: Mapping[str, Any], size: int) -> Body:
        """Create a group of a zone for a node pool, with this many instances.

        Args:
            name: "projects/p/zones/z/instanceGroupManagers/g".
            properties: What its instances look like: labels, machineType, scheduling …
            size: Instances to start with.
        """
        if self.shelf.get(GROUP, name):
            raise exists(f"The resource '{name}' already exists")
        group = names.last_part(name)
        url = f"{names.COMPUTE_URL}/{name}"
        body: Body = {
            "kind": "compute#instanceGroupManager",
            "id": names.number_of(name),
            "creationTimestamp": names.now(),
            "name": group,
            "zone": f"{names.COMPUTE_URL}/{'/'.join(name.split('/')[:4])}",
            "baseInstanceName": group.removesuffix("-grp"),
            "instanceGroup": url.replace("/instanceGroupManagers/", "/instanceGroups/"),
            "selfLink": url,
            "targetSize": 0,
            "properties": dict(properties),
            "made": 0,
        }
        with self.shelf.transaction():
            self.shelf.put(GROUP, name, body)
            return self.set_size(name, size)

    def set_size(self, name: str, size: int) -> Body:
        """Start or end instances until the group has this many; the youngest end first."""
        with self.shelf.transaction():
            body = self.get(name)
            body["targetSize"] = size
            for instance in choose_surplus(self.instances_of(name), size):
                self.shelf.delete(INSTANCE, names.relative_name(instance["selfLink"]))
            self._fill_up(name, body)
        return body

    def repair(self, name: str) -> Body:
        """Start what a group lacks, as it tries again and again on its own."""
        with self.shelf.transaction():
            body = self.get(name)
            if len(self.instances_of(name)) < body["targetSize"]:
                self._fill_up(name, body)
        return body

    def replace_instances(self, name: str) -> None:
        """End all instances and start as many as the group should have."""
        with self.shelf.transaction():
            size = self.get(name)["targetSize"]
            self.set_size(name, 0)
            self.set_size(name, size)

    def _fill_up(self, name: str, body: Body, *, called: str = "") -> None:
        """Start instances up to the target size; want of capacity leaves the group short.

        Args:
            name: The group.
            body: Its body, kept at the end.
            called: The name of the first that is started; a new one when empty.
        """
        body.pop("lastError", None)
        counts = count_zones(self.instances_of(name))
        properties = self._properties_of(body)
        while counts.total() < int(body["targetSize"]):
            place = self._find_room(name, body, counts, properties)
            if place is None:
                break
            body["made"] += 1
            counts[place[0]] += 1
            self._put_instance(name, body, properties, place, called)
            called = ""
        body["fingerprint"] = names.fingerprint_of(
            {"size": body["targetSize"], "made": body["made"]}
        )
        self.shelf.put(GROUP, name, body)

    def _find_room(
        self, name: str, body: Body, counts: Counter[str], properties: Body
    ) -> tuple[str, str] | None:
        """Return the first zone and machine type that no fault says is exhausted."""
        machines = list_machine_types(body, str(properties.get("machineType", "")))
        for zone, machine in find_places(name, body, counts, machines):
            try:
                take_faults(self._world, f"compute:Instances.Insert/{zone}/{machine}")
            except CloudError as error:
                if error.code not in NO_ROOM:
                    raise
                body["lastError"] = {"code": error.code, "message": error.message}
            else:
                return zone, machine
        return None

    def _properties_of(self, body: Body) -> Body:
        """Return what the group's instances look like: a node pool's, or its template's."""
        if "properties" in body:
            return dict(body["properties"])
        template = names.relative_name(body["versions"][0]["instanceTemplate"]).partition("?")[0]
        found = self.shelf.get(TEMPLATE, template)
        if found is None:
            raise missing(f"The resource '{template}' was not found")
        properties: Body = {
            key: found["properties"][key]
            for key in ("labels", "machineType", "scheduling", "guestAccelerators", "disks", "tags",
                        "networkInterfaces", "serviceAccounts", "metadata")
            if key in found["properties"]
        }  # fmt: skip
        for_all = (body.get("allInstancesConfig") or {}).get("properties") or {}
        properties["labels"] = {**properties.get("labels", {}), **for_all.get("labels", {})}
        return properties

    def _put_instance(
        self, group: str, body: Body, properties: Body, place: tuple[str, str], called: str
    ) -> None:
        zone, machine = place
        project, made = group.split("/")[1], body["made"]
        digits = names.hexadecimal_of(f"{group}#{made}", 4)
        scope = f"projects/{project}/zones/{zone}"
        name = f"{scope}/instances/{called or body['baseInstanceName'] + '-' + digits}"
        if self.shelf.get(INSTANCE, name):
            name = f"{name}{made}"  # keeps the name unique where four digits collide
        url = f"{names.COMPUTE_URL}/{scope}"
        self.shelf.put(
            INSTANCE,
            name,
            {
                "kind": "compute#instance",
                "creationTimestamp": names.now(),
                "zone": url,
                "status": "RUNNING",
                **properties,
                "machineType": f"{url}/machineTypes/{machine}",
                "id": names.number_of(f"{name}#{made}"),
                "name": names.last_part(name),
                "selfLink": f"{names.COMPUTE_URL}/{name}",
                "serial": made,
                "group": group,
            },
        )

    def set_properties(self, name: str, properties: Mapping[str, Any]) -> None:
        """Change what a node pool's instances look like, running ones included."""
        with self.shelf.transaction():
            body = self.get(name)
            body["properties"] = dict(properties)
            self.shelf.put(GROUP, name, body)
            for instance in self.instances_of(name):
                instance.update(properties)
                self.shelf.put(INSTANCE, names.relative_name(instance["selfLink"]), instance)

    def delete(self, name: str) -> None:
        """Delete a group and its instances; one that is gone is no error."""
        with self.shelf.transaction():
            for instance in self.instances_of(name):
                self.shelf.delete(INSTANCE, names.relative_name(instance["selfLink"]))
            self.shelf.delete(GROUP, name)

    def instances_of(self, name: str) -> list[Body]:
        """Return the instances of a group, the oldest first."""
        body = self.shelf.get(GROUP, name) or {}
        project, base = name.split("/")[1], body.get("baseInstanceName", "")
        found = [
            instance
            for zone in zones_of(name, body)
            for instance in self.shelf.find(
                INSTANCE, f"projects/{project}/zones/{zone}/instances/{base}-"
            )
            if instance.get("group", name) == name  # an older state has none
        ]
        return sorted(found, key=lambda instance: int(instance["serial"]))

    def end_instances(self, name: str, urls: list[str]) -> Body:
        """Delete named instances and lower the group's target by as many."""
        with self.shelf.transaction():
            body = self.get(name)
            wanted = self._find_members(name, urls)
            for instance in wanted:
                self.shelf.delete(INSTANCE, names.relative_name(instance["selfLink"]))
            body["targetSize"] -= len(wanted)
            self.shelf.put(GROUP, name, body)
        return body

    def recreate_instances(self, name: str, urls: list[str]) -> Body:
        """End named instances and start each again under its name."""
        with self.shelf.transaction():
            for instance in self._find_members(name, urls):
                self.lose_instance(name, instance)
        return self.get(name)

    def lose_instance(self, name: str, instance: Body) -> None:
        """Take an instance away and start it again under its name, when there is room."""
        with self.shelf.transaction():
            body = self.get(name)
            self.shelf.delete(INSTANCE, names.relative_name(instance["selfLink"]))
            self._fill_up(name, body, called=instance["name"])

    def _find_members(self, name: str, urls: list[str]) -> list[Body]:
        known = {instance["name"]: instance for instance in self.instances_of(name)}
        wanted = dict.fromkeys(names.last_part(url) for url in urls)
        for short in wanted:
            if short not in known:
                raise invalid(
                    f"Invalid value for field 'instances': '{short}'. The instance is not a "
                    f"member of {names.last_part(name)}"
                )
        return [known[short] for short in wanted]

    def resize(self, name: str, size: int) -> None:
        """Do what instanceGroupManagers.resize does, faults included."""
        most = MAX_SIZES[name.split("/")[2]]
        if not 0 <= size <= most:
            raise invalid(
                f"Invalid value for field 'size': '{size}'. Must be between 0 and {most}."
            )
        body = self.get(name)
        take_faults(
            self._world, "compute:InstanceGroupManagers.Resize", grows=size > body["targetSize"]
        )
        self.set_size(name, size)
