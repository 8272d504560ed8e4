"""Managed instance groups and instances as `google.cloud.compute_v1` calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.bodies import Body, merge_patch
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.compute import Compute
from tidegate.localclouds.gcp.compute_face import (
    PROJECT,
    SDK,
    ZONE,
    aggregate_answer,
    get_answer,
    list_answer,
    name_of,
    render_page,
)
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.group_kinds import GROUP_KIND, ZONE_GROUP_KIND
from tidegate.localclouds.gcp.group_types import change_group, create_group
from tidegate.localclouds.gcp.instance_groups import GROUP, INSTANCE
from tidegate.localclouds.gcp.kind import Kind
from tidegate.localclouds.gcp.messages import parse_message
from tidegate.localclouds.gcp.preemption import Preemptions
from tidegate.localclouds.routes import Answer, Asked, Route

PRIVATE_INSTANCE = frozenset({"group", "serial"})


class GroupFace:
    """The routes of groups, zonal and regional, and of their instances."""

    def __init__(
        self, compute: Compute, collections: Collections, preemptions: Preemptions
    ) -> None:
        self._compute = compute
        self._groups = compute.groups
        self._collections = collections
        self._preemptions = preemptions

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        instances = f"{ZONE}/instances"
        one = f"{instances}/{{instance}}"
        return [
            *self._group_routes(ZONE_GROUP_KIND),
            *self._group_routes(GROUP_KIND),
            Route("GET", f"{PROJECT}/aggregated/instanceGroupManagers", self._aggregate_groups),
            Route("GET", instances, list_answer(self._compute, INSTANCE, PRIVATE_INSTANCE)),
            Route("GET", one, get_answer(self._compute, INSTANCE, PRIVATE_INSTANCE)),
            Route("POST", f"{one}/simulateMaintenanceEvent", self._simulate_maintenance),
            Route(
                "GET",
                f"{PROJECT}/aggregated/instances",
                aggregate_answer(self._compute, INSTANCE, "instances", PRIVATE_INSTANCE),
            ),
        ]

    def _group_routes(self, kind: Kind) -> list[Route]:
        one = f"/compute/v1/{kind.path}"
        all_ = one.rsplit("/", 1)[0]
        return [
            Route("GET", all_, self._list),
            Route("POST", all_, self._with_kind(kind, self._insert)),
            Route("GET", one, self._get),
            Route("PATCH", one, self._with_kind(kind, self._patch)),
            Route("DELETE", one, self._delete),
            Route("POST", f"{one}/resize", self._resize),
            Route("POST", f"{one}/listManagedInstances", self._list_managed),
            Route("POST", f"{one}/deleteInstances", self._delete_instances),
            Route("POST", f"{one}/recreateInstances", self._recreate_instances),
            Route("GET", f"{one}/listErrors", self._list_errors),
        ]

    def _with_kind(
        self, kind: Kind, handler: Callable[[Kind, Asked], Answer]
    ) -> Callable[..., Answer]:
        def answer(asked: Asked, **_: str) -> Answer:
            return handler(kind, asked)

        return answer

    # Reading

    def _list(self, asked: Asked, **_: str) -> Answer:
        found = self._groups.shelf.items(GROUP, f"{name_of(asked)}/")
        return Answer(render_page(asked, [self._show(name) for name, _ in found]))

    def _aggregate_groups(self, asked: Asked, project: str) -> Answer:
        scopes: dict[str, list[Body]] = {}
        for name, _ in self._groups.shelf.items(GROUP, f"projects/{project}/"):
            scopes.setdefault("/".join(name.split("/")[2:4]), []).append(self._show(name))
        items = {
            scope: {"instanceGroupManagers": bodies} for scope, bodies in sorted(scopes.items())
        }
        return Answer({"id": name_of(asked), "items": items})

    def _get(self, asked: Asked, **_: str) -> Answer:
        return Answer(self._show(name_of(asked)))

    def _show(self, name: str) -> Body:
        """Return a group as the API shows it; one that lacks instances tries again first."""
        body = self._groups.repair(name)
        running = len(self._groups.instances_of(name))
        lacking = int(body["targetSize"]) - running
        return {
            **GROUP_KIND.show(body),
            "status": {"isStable": lacking == 0},
            "currentActions": {"none": running, "creating": lacking},
        }

    def _list_managed(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/listManagedInstances")
        body = self._groups.repair(name)
        found = [_show_managed(body, instance) for instance in self._groups.instances_of(name)]
        error = body.get("lastError")
        for number in range(int(body["targetSize"]) - len(found)):
            digits = names.hexadecimal_of(f"{name}#{body['made'] + number + 1}", 4)
            short = f"{body['baseInstanceName']}-{digits}"
            found.append(
                {
                    "name": short,
                    "currentAction": "CREATING",
                    "lastAttempt": {"errors": {"errors": [error] if error else []}},
                }
            )
        return Answer({"managedInstances": found})

    def _list_errors(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/listErrors")
        error = self._groups.repair(name).get("lastError")
        return Answer({"items": [{"error": error, "timestamp": names.now()}] if error else []})

    # Changing

    def _insert(self, kind: Kind, asked: Asked) -> Answer:
        body = parse_message(SDK, kind.message, asked.body)
        name = f"{name_of(asked)}/{body.get('name', '')}"
        if not body.get("versions") and body.get("instanceTemplate"):
            body["versions"] = [{"instanceTemplate": body["instanceTemplate"]}]
        if not body.get("versions"):
            raise invalid("Invalid value for field 'resource.versions': ''. A template is needed.")
        body.setdefault("baseInstanceName", body.get("name"))
        self._collections.fault(kind, "insert")
        work = lambda: create_group(self._collections, self._groups, kind, name, body)  # noqa: E731
        return self._operate("insert", name, work)

    def _patch(self, kind: Kind, asked: Asked) -> Answer:
        name = name_of(asked)
        given = parse_message(SDK, kind.message, asked.body)
        self._collections.fault(kind, "patch")

        def change() -> None:
            body = merge_patch(self._groups.get(name), given)
            change_group(self._collections, self._groups, kind, name, body)

        return self._operate("patch", name, change)

    def _delete(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked)
        self._groups.get(name)
        return self._operate("delete", name, lambda: self._groups.delete(name))

    def _resize(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/resize")
        value = asked.query.get("size", "")
        if not value.lstrip("-").isdigit():
            raise invalid(f"Invalid value for field 'size': '{value}'. A number is needed.")
        kind = "compute.instanceGroupManagers.resize"
        return self._operate(kind, name, lambda: self._groups.resize(name, int(value)))

    def _delete_instances(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/deleteInstances")
        urls = [str(url) for url in asked.body.get("instances", [])]
        kind = "compute.instanceGroupManagers.deleteInstances"
        return self._operate(kind, name, lambda: self._groups.end_instances(name, urls))

    def _recreate_instances(self, asked: Asked, **_: str) -> Answer:
        name = name_of(asked).removesuffix("/recreateInstances")
        urls = [str(url) for url in asked.body.get("instances", [])]
        kind = "compute.instanceGroupManagers.recreateInstances"
        return self._operate(kind, name, lambda: self._groups.recreate_instances(name, urls))

    def _simulate_maintenance(self, asked: Asked, **_: str) -> Answer:
        """Preempt a spot instance; one that migrates, or restarts, is as it was."""
        name = name_of(asked).removesuffix("/simulateMaintenanceEvent")
        instance = self._compute.get(INSTANCE, name)

        def work() -> None:
            if self._preemptions.is_preemptible(instance):
                self._preemptions.preempt(name)

        return self._operate("simulateMaintenanceEvent", name, work)

    def _operate(self, kind: str, target: str, work: Callable[[], Any]) -> Answer:
        return Answer(self._compute.operate(kind, target, work))


def _show_managed(body: Body, instance: Body) -> Body:
    managed: Body = {
        "id": instance["id"],
        "instance": instance["selfLink"],
        "name": instance["name"],
        "instanceStatus": instance["status"],
        "currentAction": "NONE",
    }
    if body.get("versions"):
        managed["version"] = {"instanceTemplate": body["versions"][0]["instanceTemplate"]}
    if body.get("instanceFlexibilityPolicy"):
        machine = names.last_part(instance["machineType"])
        managed["propertiesFromFlexibilityPolicy"] = {"machineType": machine}
    return managed
