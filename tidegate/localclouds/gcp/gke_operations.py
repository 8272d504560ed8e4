"""The operations that GKE's calls start; on this machine they have ended when they are answered."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import missing
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.shelf import Shelf

OPERATION = "container.googleapis.com/Operation"

# Compute's word for a capacity error → google.rpc code and GKE's own condition for it.
CAPACITY_CODES = {
    "ZONE_RESOURCE_POOL_EXHAUSTED": (8, "GCE_STOCKOUT"),
    "QUOTA_EXCEEDED": (8, "GCE_QUOTA_EXCEEDED"),
}
KEPT_OPERATIONS = 500

# The API's methods → the type of the operation that they start.
OPERATION_TYPES = {
    "CreateCluster": "CREATE_CLUSTER",
    "CreateNodePool": "CREATE_NODE_POOL",
    "DeleteCluster": "DELETE_CLUSTER",
    "DeleteNodePool": "DELETE_NODE_POOL",
    "SetLabels": "SET_LABELS",
    "SetNodePoolAutoscaling": "SET_NODE_POOL_SIZE",
    "SetNodePoolManagement": "SET_NODE_POOL_MANAGEMENT",
    "SetNodePoolSize": "SET_NODE_POOL_SIZE",
    "UpdateCluster": "UPDATE_CLUSTER",
    "UpdateNodePool": "UPGRADE_NODES",
}


class GkeOperations:
    """Runs what a call asks for under the faults in force, and keeps its operation."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    def run(
        self, action: str, target: str, work: Callable[[], Any], *, grows: bool = False
    ) -> Body:
        """Do what one call of the API asks, and return its finished operation.

        Faults come first: throttling fails the call, a stock-out or a quota the operation.

        Args:
            action: The API's method, one of `OPERATION_TYPES`.
            target: The resource that is changed.
            work: Does it.
            grows: Whether it asks for more machines.
        """
        error: CloudError | None = None
        try:
            take_faults(self._world, f"container:{action}", grows=grows)
        except CloudError as fault:
            if fault.code not in CAPACITY_CODES:
                raise
            error = fault
        with self.shelf.transaction():
            if error is None:
                work()
            return self._record(action, target, error)

    def _record(self, action: str, target: str, error: CloudError | None) -> Body:
        scope = "/".join(target.split("/")[:4])
        name = f"operation-{secrets.token_hex(8)}"
        time = names.now()
        body: Body = {
            "name": name,
            "operationType": OPERATION_TYPES[action],
            "status": "DONE",
            "location": scope.split("/")[3],
            "zone": scope.split("/")[3],
            "selfLink": f"{names.CONTAINER_URL}/{scope}/operations/{name}",
            "targetLink": f"{names.CONTAINER_URL}/{target}",
            "startTime": time,
            "endTime": time,
        }
        if error is not None:
            code, condition = CAPACITY_CODES[error.code]
            words = f"Google Compute Engine: {error.code}: {error.message}"
            body["statusMessage"] = words
            body["error"] = {"code": code, "message": words}
            body["nodepoolConditions"] = [{"code": condition, "message": words}]
        self.shelf.put(OPERATION, f"{scope}/operations/{name}", body)
        self._forget(scope)
        return body

    def _forget(self, scope: str) -> None:
        kept = self.shelf.items(OPERATION, f"{scope}/operations/")
        for name, _ in sorted(kept, key=lambda item: item[1]["startTime"])[:-KEPT_OPERATIONS]:
            self.shelf.delete(OPERATION, name)

    def get(self, name: str) -> Body:
        """Return an operation that was started before."""
        operation = self.shelf.get(OPERATION, name)
        if operation is None:
            raise missing(f"Not found: {name}.")
        return operation

    def find(self, parent: str) -> list[Body]:
        """Return the operations of a location; "-" stands for every location."""
        prefix = parent.removesuffix("-") if parent.endswith("/-") else f"{parent}/operations/"
        return self.shelf.find(OPERATION, prefix)
