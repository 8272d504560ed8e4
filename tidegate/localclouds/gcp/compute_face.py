"""`compute.googleapis.com` v1 as `google.cloud.compute_v1` calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.compute import (
    GROUP,
    INSTANCE,
    NETWORK,
    OPERATION,
    RESERVATION,
    SUBNETWORK,
    Compute,
)
from tidegate.localclouds.gcp.compute_rules import check_reservation
from tidegate.localclouds.gcp.errors import invalid, missing
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.gke import raise_first
from tidegate.localclouds.gcp.gke_operations import CAPACITY_CODES
from tidegate.localclouds.gcp.messages import parse_message
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.routes import Answer, Asked, Route

SDK = "google.cloud.compute_v1"
PREFIX = "/compute/v1/"
PROJECT = "/compute/v1/projects/{project}"
ZONE = f"{PROJECT}/zones/{{zone}}"
GROUPS = f"{ZONE}/instanceGroupManagers"
ONE_GROUP = f"{GROUPS}/{{group}}"
RESERVATIONS = f"{ZONE}/reservations"
ONE_RESERVATION = f"{RESERVATIONS}/{{reservation}}"

# Kept beside a body for our own use; the API does not show them.
PRIVATE = ("properties", "made", "serial")


class ComputeFace:
    """The routes of Compute Engine's REST API over one `Compute`."""

    def __init__(self, world: World, compute: Compute) -> None:
        self._world = world
        self._compute = compute

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        return [
            *self._group_routes(),
            *self._reservation_routes(),
            *self._read_routes(),
            *self._operation_routes(),
        ]

    def _group_routes(self) -> list[Route]:
        return [
            Route("GET", GROUPS, self._list(GROUP)),
            Route("GET", ONE_GROUP, self._get(GROUP)),
            Route("POST", f"{ONE_GROUP}/resize", self._resize_group),
            Route("POST", f"{ONE_GROUP}/listManagedInstances", self._list_managed_instances),
            Route("POST", f"{ONE_GROUP}/deleteInstances", self._delete_instances),
            Route("GET", f"{ONE_GROUP}/listErrors", self._list_errors),
            Route(
                "GET",
                f"{PROJECT}/aggregated/instanceGroupManagers",
                self._aggregate(GROUP, "instanceGroupManagers"),
            ),
        ]

    def _reservation_routes(self) -> list[Route]:
        return [
            Route("GET", RESERVATIONS, self._list(RESERVATION)),
            Route("POST", RESERVATIONS, self._insert_reservation),
            Route("GET", ONE_RESERVATION, self._get(RESERVATION)),
            Route("DELETE", ONE_RESERVATION, self._delete_reservation),
            Route("POST", f"{ONE_RESERVATION}/resize", self._resize_reservation),
            Route(
                "GET",
                f"{PROJECT}/aggregated/reservations",
                self._aggregate(RESERVATION, "reservations"),
            ),
        ]

    def _read_routes(self) -> list[Route]:
        subnetworks = f"{PROJECT}/regions/{{region}}/subnetworks"
        return [
            Route("GET", f"{ZONE}/instances", self._list(INSTANCE)),
            Route("GET", f"{ZONE}/instances/{{instance}}", self._get(INSTANCE)),
            Route("GET", f"{PROJECT}/aggregated/instances", self._aggregate(INSTANCE, "instances")),
            Route("GET", f"{ZONE}/machineTypes", self._list_machine_types),
            Route("GET", f"{ZONE}/machineTypes/{{machine}}", self._get_machine_type),
            Route("GET", f"{ZONE}/acceleratorTypes", self._list_accelerator_types),
            Route("GET", f"{PROJECT}/global/networks", self._list(NETWORK)),
            Route("GET", f"{PROJECT}/global/networks/{{network}}", self._get(NETWORK)),
            Route("GET", subnetworks, self._list(SUBNETWORK)),
            Route("GET", f"{subnetworks}/{{subnetwork}}", self._get(SUBNETWORK)),
        ]

    def _operation_routes(self) -> list[Route]:
        scopes = (ZONE, f"{PROJECT}/regions/{{region}}", f"{PROJECT}/global")
        return [
            route
            for scope in scopes
            for route in (
                Route("GET", f"{scope}/operations", self._list(OPERATION)),
                Route("GET", f"{scope}/operations/{{operation}}", self._get(OPERATION)),
                Route("POST", f"{scope}/operations/{{operation}}/wait", self._wait),
            )
        ]

    # Reading

    def _get(self, kind: str) -> Callable[..., Answer]:
        def answer(asked: Asked, **_: str) -> Answer:
            return Answer(_shown(self._compute.get(kind, _name(asked))))

        return answer

    def _list(self, kind: str) -> Callable[..., Answer]:
        def answer(asked: Asked, **_: str) -> Answer:
            found = self._compute.shelf.find(kind, f"{_name(asked)}/")
            return Answer(_page(asked, [_shown(body) for body in found]))

        return answer

    def _aggregate(self, kind: str, word: str) -> Callable[..., Answer]:
        def answer(asked: Asked, project: str) -> Answer:
            scopes: dict[str, list[Body]] = {}
            for name, body in self._compute.shelf.items(kind, f"projects/{project}/"):
                scope = "/".join(name.split("/")[2:4])
                scopes.setdefault(scope, []).append(_shown(body))
            items = {scope: {word: bodies} for scope, bodies in sorted(scopes.items())}
            return Answer({"id": _name(asked), "items": items})

        return answer

    def _list_managed_instances(self, asked: Asked, **_: str) -> Answer:
        group = _name(asked).removesuffix("/listManagedInstances")
        self._compute.get(GROUP, group)
        instances = [
            {
                "id": instance["id"],
                "instance": instance["selfLink"],
                "name": instance["name"],
                "instanceStatus": instance["status"],
                "currentAction": "NONE",
            }
            for instance in self._compute.instances_of(group)
        ]
        return Answer({"managedInstances": instances})

    def _list_errors(self, asked: Asked, **_: str) -> Answer:
        self._compute.get(GROUP, _name(asked).removesuffix("/listErrors"))
        return Answer({"items": []})

    def _list_machine_types(self, asked: Asked, project: str, zone: str) -> Answer:
        found = [_machine_type(project, zone, name) for name in machines.machine_names()]
        return Answer(_page(asked, found))

    def _get_machine_type(self, asked: Asked, project: str, zone: str, machine: str) -> Answer:
        if machines.find_machine(machine) is None:
            raise missing(f"The resource '{_name(asked)}' was not found")
        return Answer(_machine_type(project, zone, machine))

    def _list_accelerator_types(self, asked: Asked, project: str, zone: str) -> Answer:
        url = f"{names.COMPUTE_URL}/projects/{project}/zones/{zone}"
        found = [
            {
                "kind": "compute#acceleratorType",
                "name": name,
                "description": words,
                "selfLink": f"{url}/acceleratorTypes/{name}",
                "zone": url,
            }
            for name, words in sorted(machines.accelerator_types().items())
        ]
        return Answer(_page(asked, found))

    # Changing

    def _resize_group(self, asked: Asked, **_: str) -> Answer:
        group = _name(asked).removesuffix("/resize")
        size = _integer(asked, "size")
        return self._operate(
            "compute.instanceGroupManagers.resize",
            group,
            lambda: self._compute.resize_group(group, size),
        )

    def _delete_instances(self, asked: Asked, **_: str) -> Answer:
        group = _name(asked).removesuffix("/deleteInstances")
        urls = [str(url) for url in asked.body.get("instances", [])]
        return self._operate(
            "compute.instanceGroupManagers.deleteInstances",
            group,
            lambda: self._compute.end_instances(group, urls),
        )

    def _insert_reservation(self, asked: Asked, zone: str, **_: str) -> Answer:
        body = parse_message(SDK, "Reservation", asked.body)
        raise_first(check_reservation(body, zone))
        name = f"{_name(asked)}/{body.get('name', '')}"

        def insert() -> None:
            take_faults(self._world, "compute:Reservations.Insert")
            self._compute.insert_reservation(name, body)

        return self._operate("insert", name, insert)

    def _delete_reservation(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked)
        return self._operate("delete", name, lambda: self._compute.delete(RESERVATION, name))

    def _resize_reservation(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked).removesuffix("/resize")
        count = int(asked.body.get("specificSkuCount", 0))
        return self._operate("resize", name, lambda: self._compute.resize_reservation(name, count))

    def _operate(self, kind: str, target: str, work: Callable[[], Any]) -> Answer:
        """Do the work and answer its operation; want of capacity fails the operation alone."""
        scope = "/".join(target.split("/")[:4])
        try:
            work()
        except CloudError as error:
            if error.code not in CAPACITY_CODES:
                raise
            return Answer(self._compute.record_operation(scope, kind, target, error))
        return Answer(self._compute.record_operation(scope, kind, target))

    def _wait(self, asked: Asked, **_: str) -> Answer:
        return Answer(self._compute.get(OPERATION, _name(asked).removesuffix("/wait")))


def _name(asked: Asked) -> str:
    return asked.path.removeprefix(PREFIX)


def _integer(asked: Asked, key: str) -> int:
    value = asked.query.get(key, "")
    if not value.lstrip("-").isdigit():
        raise invalid(f"Invalid value for field '{key}': '{value}'. A number is needed.")
    return int(value)


def _shown(body: Body) -> Body:
    shown = {key: value for key, value in body.items() if key not in PRIVATE}
    if body.get("kind") == "compute#instanceGroupManager":
        shown["status"] = {"isStable": True}
        shown["currentActions"] = {"none": body["targetSize"]}
    return shown


def _page(asked: Asked, items: Iterable[Body]) -> Body:
    """Return one page of a list as `maxResults` and `pageToken` ask."""
    found = list(items)
    start = int(asked.query.get("pageToken") or 0)
    size = int(asked.query.get("maxResults") or 500)
    page: Body = {"id": _name(asked), "items": found[start : start + size]}
    if start + size < len(found):
        page["nextPageToken"] = str(start + size)
    return page


def _machine_type(project: str, zone: str, name: str) -> Body:
    url = f"{names.COMPUTE_URL}/projects/{project}/zones/{zone}"
    cpus, memory = machines.size_of(name)
    machine = machines.find_machine(name)
    body: Body = {
        "kind": "compute#machineType",
        "id": names.number_of(name),
        "name": name,
        "zone": zone,
        "selfLink": f"{url}/machineTypes/{name}",
    }
    if cpus:
        body |= {"guestCpus": cpus, "memoryMb": memory}
    if machine and machine.accelerator and machine.count:
        body["accelerators"] = [
            {"guestAcceleratorType": machine.accelerator, "guestAcceleratorCount": machine.count}
        ]
    return body
