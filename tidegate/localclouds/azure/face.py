"""Azure Resource Manager's REST as the azure-mgmt SDKs call it.

Every type is answered alike: PUT, PATCH, GET and DELETE of an id, GET of a collection, and a few
actions by POST. A change of a type that takes its time answers with `Azure-AsyncOperation`, whose
operation has ended already.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tidegate.localclouds.azure.actions import ACTIONS, LISTS
from tidegate.localclouds.azure.arm import Arm, shown
from tidegate.localclouds.azure.errors import absent_route, no_resource, refused, render_error
from tidegate.localclouds.azure.evictions import evict_as_told
from tidegate.localclouds.azure.ids import ArmId, parse_id
from tidegate.localclouds.azure.kinds import RESOURCE_GROUP
from tidegate.localclouds.azure.metrics import Metrics
from tidegate.localclouds.bodies import Body
from tidegate.localclouds.faults import FaultKind, judge
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.routes import Answer, Asked, Face, Route

CAPACITY_FAULTS = frozenset({FaultKind.STOCK_OUT, FaultKind.QUOTA})
# A want of capacity shows when the operation has been started; a quota refuses the call itself.
LATE_CODES = frozenset({"AllocationFailed"})
EVERYTHING = ("/subscriptions/{rest...}", "/providers/{rest...}")


Handler = Callable[[Asked], Answer]


class ArmFace:
    """The routes of Azure's REST API over one `Arm`."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm

    def application(self) -> Face:
        """Return the WSGI application."""
        operations = "/subscriptions/{subscription}/providers/{namespace}/locations/{location}"
        methods = {
            "GET": self._get,
            "PUT": self._put,
            "PATCH": self._patch,
            "DELETE": self._delete,
            "POST": self._act,
            "HEAD": self._get,
        }
        routes = [
            Route("GET", f"{operations}/operations/{{operation}}", self._get_operation),
            *Metrics(self._arm).routes(),
            *(
                Route(method, path, partial(self._answer, handler))
                for method, handler in methods.items()
                for path in EVERYTHING
            ),
        ]
        return Face(routes, render_error, absent_route)

    def _get_operation(self, asked: Asked, subscription: str, operation: str, **_: str) -> Answer:
        del asked
        return Answer(self._arm.get_operation(subscription, operation))

    def _answer(self, handler: Handler, asked: Asked, rest: str) -> Answer:
        del rest
        check_version(asked)
        evict_as_told(self._arm)
        return handler(asked)

    def _get(self, asked: Asked) -> Answer:
        steps = [step for step in asked.path.split("/") if step]
        if len(steps) == 3 and steps[2].lower() == "resourcegroups":
            return Answer({"value": self._list_groups(steps[1])})
        arm_id = parse_id(asked.path)
        if arm_id.kind.lower() in LISTS:
            return self._get_inner(arm_id)
        if arm_id.is_collection:
            return Answer({"value": [shown(body) for body in self._arm.list_all(arm_id)]})
        return Answer(shown(self._arm.get(arm_id)))

    def _list_groups(self, subscription: str) -> list[Body]:
        prefix = f"/subscriptions/{subscription}/".lower()
        return [shown(body) for body in self._arm.shelf.find(RESOURCE_GROUP.type, prefix)]

    def _get_inner(self, id: ArmId) -> Answer:
        found = LISTS[id.kind.lower()](self._arm, id)
        if id.is_collection:
            return Answer({"value": found})
        for body in found:
            # A scale set's machines are asked for by their instance ids.
            if str(body.get("instanceId", body["name"])).lower() == id.name.lower():
                return Answer(body)
        raise no_resource(id.kind, id.name, id.group)

    def _put(self, asked: Asked) -> Answer:
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

    def _patch(self, asked: Asked) -> Answer:
        arm_id = parse_id(asked.path)
        late = self._take_faults(arm_id, "write", asked.body)
        if late is not None:
            return self._operate(asked, arm_id, shown(self._arm.get(arm_id)), 202, late)
        body = shown(self._arm.patch(arm_id, asked.body))
        if self._arm.kind_of(arm_id).waits:
            return self._operate(asked, arm_id, body, 200)
        return Answer(body)

    def _delete(self, asked: Asked) -> Answer:
        arm_id = parse_id(asked.path)
        kind = self._arm.kind_of(arm_id)
        self._take_faults(arm_id, "delete", {"properties": {"count": 0}})
        if self._arm.find(arm_id) is None:
            self._arm.get(arm_id.parent()) if arm_id.types else None
            return Answer(None, 204)
        self._arm.delete(arm_id)
        if kind.waits or kind is RESOURCE_GROUP:
            return self._operate(asked, arm_id, None, 202)
        return Answer(None, kind.gone_status)

    def _act(self, asked: Asked) -> Answer:
        path, _, action = asked.path.rpartition("/")
        arm_id = parse_id(path)
        found = ACTIONS.get((arm_id.kind.lower(), action.lower()))
        if found is None:
            raise absent_route(asked)
        body = found.run(self._arm, arm_id, asked.body or {})
        if found.status == 202:
            return self._operate(asked, arm_id, body, found.status)
        return Answer(body, found.status)

    def _take_faults(self, id: ArmId, verb: str, body: Mapping[str, Any]) -> CloudError | None:
        """Wait or fail as the faults in force say; return what fails the operation alone."""
        kind = self._arm.kind_of(id)
        grows = self._arm.logic_of(kind).grows(self._arm.find(id), dict(body))
        # An interruption hits machines, not calls: see `evict_as_told`.
        spared = {FaultKind.INTERRUPTION} | (set() if grows else CAPACITY_FAULTS)
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
