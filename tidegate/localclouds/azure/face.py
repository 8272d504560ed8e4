"""Azure Resource Manager's REST as the azure-mgmt SDKs call it.

Every type is answered alike: PUT, PATCH, GET and DELETE of an id, GET of a collection, and a few
actions by POST. A change of a type that takes its time answers with `Azure-AsyncOperation`, whose
operation has ended already.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.azure.aks import delete_machines, machines_of
from tidegate.localclouds.azure.arm import Arm, shown
from tidegate.localclouds.azure.compute_logic import delete_instances, instances_of
from tidegate.localclouds.azure.errors import absent_route, refused, render_error
from tidegate.localclouds.azure.ids import ArmId, identify, parse_id
from tidegate.localclouds.azure.kinds import (
    AGENT_POOL,
    BY_TYPE,
    RESOURCE_GROUP,
    SCALE_SET,
    STORAGE_ACCOUNT,
)
from tidegate.localclouds.bodies import Body
from tidegate.localclouds.faults import FaultKind, judge
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.routes import Answer, Asked, Face, Route

CAPACITY_FAULTS = frozenset({FaultKind.STOCK_OUT, FaultKind.QUOTA})
# A want of capacity shows when the operation has been started; a quota refuses the call itself.
LATE_CODES = frozenset({"AllocationFailed"})
EVERYTHING = "/subscriptions/{rest...}"


class ArmFace:
    """The routes of Azure's REST API over one `Arm`."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm

    def application(self) -> Face:
        """Return the WSGI application."""
        operations = "/subscriptions/{subscription}/providers/{namespace}/locations/{location}"
        routes = [
            Route("GET", f"{operations}/operations/{{operation}}", self._get_operation),
            Route("GET", EVERYTHING, self._get),
            Route("PUT", EVERYTHING, self._put),
            Route("PATCH", EVERYTHING, self._patch),
            Route("DELETE", EVERYTHING, self._delete),
            Route("POST", EVERYTHING, self._act),
            Route("HEAD", EVERYTHING, self._get),
        ]
        return Face(routes, render_error, absent_route)

    def _get_operation(self, asked: Asked, subscription: str, operation: str, **_: str) -> Answer:
        del asked
        return Answer(self._arm.get_operation(subscription, operation))

    def _get(self, asked: Asked, rest: str) -> Answer:
        del rest
        check_version(asked)
        steps = [step for step in asked.path.split("/") if step]
        if len(steps) == 3 and steps[2].lower() == "resourcegroups":
            return Answer({"value": self._list_groups(steps[1])})
        arm_id = parse_id(asked.path)
        if arm_id.types and arm_id.types[-1].lower() == "machines":
            return self._get_machines(arm_id)
        if arm_id.types and arm_id.types[-1].lower() == "virtualmachines":
            return self._list_instances(arm_id)
        if arm_id.is_collection:
            return Answer({"value": [shown(body) for body in self._arm.list_all(arm_id)]})
        return Answer(shown(self._arm.get(arm_id)))

    def _list_groups(self, subscription: str) -> list[Body]:
        prefix = f"/subscriptions/{subscription}/".lower()
        return [shown(body) for body in self._arm.shelf.find(RESOURCE_GROUP.type, prefix)]

    def _get_machines(self, id: ArmId) -> Answer:
        pool = id.parent()
        self._arm.get(pool)
        machines = [shown(machine) for machine in machines_of(self._arm, pool)]
        if id.is_collection:
            return Answer({"value": machines})
        for machine in machines:
            if machine["name"] == id.name:
                return Answer(machine)
        raise refused("NotFound", f"Machine '{id.name}' was not found.", 404)

    def _list_instances(self, arm_id: ArmId) -> Answer:
        scale_set = arm_id.parent()
        self._arm.get(scale_set)
        machines = instances_of(self._arm, scale_set)
        if arm_id.is_collection:
            return Answer({"value": machines})
        for machine in machines:
            if machine["instanceId"] == arm_id.name:
                return Answer(machine)
        raise refused("NotFound", f"Instance '{arm_id.name}' was not found.", 404)

    def _put(self, asked: Asked, rest: str) -> Answer:
        del rest
        check_version(asked)
        arm_id = parse_id(asked.path)
        kind = self._arm.kind_of(arm_id)
        late = self._take_faults(arm_id, "write", asked.body)
        if late is not None:
            return self._operate(asked, arm_id, {}, 201, late)
        body, is_new = self._arm.put(arm_id, asked.body)
        # Storage answers 200 for a new resource too, once it has waited itself.
        created = is_new and not arm_id.namespace.lower().startswith("microsoft.storage")
        status = 201 if created else 200
        if kind.waits:
            return self._operate(asked, arm_id, shown(body), status)
        return Answer(shown(body), status)

    def _patch(self, asked: Asked, rest: str) -> Answer:
        del rest
        check_version(asked)
        arm_id = parse_id(asked.path)
        self._take_faults(arm_id, "write", asked.body)
        body = shown(self._arm.patch(arm_id, asked.body))
        if self._arm.kind_of(arm_id).waits:
            return self._operate(asked, arm_id, body, 200)
        return Answer(body)

    def _delete(self, asked: Asked, rest: str) -> Answer:
        del rest
        check_version(asked)
        arm_id = parse_id(asked.path)
        kind = self._arm.kind_of(arm_id)
        self._take_faults(arm_id, "delete", {"properties": {"count": 0}})
        if self._arm.find(arm_id) is None:
            self._arm.get(arm_id.parent()) if arm_id.types else None
            return Answer(None, 204)
        self._arm.delete(arm_id)
        if kind.waits or kind is RESOURCE_GROUP:
            return self._operate(asked, arm_id, None, 202)
        return Answer(None, 200)

    def _act(self, asked: Asked, rest: str) -> Answer:
        del rest
        check_version(asked)
        path, _, action = asked.path.rpartition("/")
        arm_id = parse_id(path)
        kind = BY_TYPE.get(arm_id.kind.lower())
        if kind is AGENT_POOL and action == "deleteMachines":
            names = list(asked.body.get("machineNames") or [])
            delete_machines(self._arm, arm_id, names)
            return self._operate(asked, arm_id, None, 202)
        if kind is SCALE_SET and action == "delete":
            instances = [str(item) for item in asked.body.get("instanceIds") or []]
            delete_instances(self._arm, arm_id, instances)
            return self._operate(asked, arm_id, None, 202)
        if kind is STORAGE_ACCOUNT and action == "listKeys":
            self._arm.get(arm_id)
            keys = [
                {"keyName": name, "value": identify(f"{arm_id}/{name}"), "permissions": "FULL"}
                for name in ("key1", "key2")
            ]
            return Answer({"keys": keys})
        raise absent_route(asked)

    def _take_faults(self, id: ArmId, verb: str, body: Mapping[str, Any]) -> CloudError | None:
        """Wait or fail as the faults in force say; return what fails the operation alone."""
        kind = self._arm.kind_of(id)
        grows = self._arm.logic_of(kind).grows(self._arm.find(id), dict(body))
        spared = frozenset() if grows else CAPACITY_FAULTS
        world = self._arm.world
        faults = world.faults.take("azure-native", f"{kind.type}/{verb}", spared)
        wait, error = judge(faults, "azure-native")
        if wait:
            time.sleep(wait)
        if error is None or error.code in LATE_CODES:
            return error
        raise error

    def _operate(
        self,
        asked: Asked,
        id: ArmId,
        body: Body | None,
        status: int,
        error: CloudError | None = None,
    ) -> Answer:
        operation = self._arm.record_operation(id.subscription, error)
        namespace = id.namespace or "Microsoft.Resources"
        version = asked.query.get("api-version", "")
        url = (
            f"{asked.url}/subscriptions/{id.subscription}/providers/{namespace}/locations/local"
            f"/operations/{operation['name']}?api-version={version}"
        )
        headers = {"Azure-AsyncOperation": url}
        if status == 202:
            headers["Location"] = url
        return Answer(body, status, headers)


def check_version(asked: Asked) -> None:
    """Refuse a call without an API version, as Azure does."""
    if "api-version" not in asked.query:
        raise refused(
            "MissingApiVersionParameter",
            "The api-version query parameter (?api-version=) is required for all requests.",
        )
