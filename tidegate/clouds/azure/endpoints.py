"""Instances of Azure Machine Learning's managed online deployments.

A managed online deployment keeps at least one instance (Azure Machine Learning documentation,
managed online endpoints): it goes to nothing only by being deleted, after its endpoint sends it no
traffic. API version 2024-10-01; general vendor documentation, not tried against a live workspace.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tidegate.clouds.azure.pools import Change
from tidegate.clouds.azure.refusals import refusing
from tidegate.clouds.azure.resource_manager import ResourceManager
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState

VERSION = "2024-10-01"
ENDPOINTS = "Microsoft.MachineLearningServices/workspaces/onlineEndpoints"
CALLS = {
    "get": (f"{ENDPOINTS}/deployments/read", f"{ENDPOINTS}/read"),
    "begin_patch": (f"{ENDPOINTS}/deployments/write",),
    "begin_put": (f"{ENDPOINTS}/write",),
    "begin_delete": (f"{ENDPOINTS}/deployments/delete",),
}
"""Each method that is called here → the actions that its role must allow."""

PHASES = {
    "Succeeded": ReapablePhase.RUNNING,
    "Failed": ReapablePhase.FAILED,
    "Canceled": ReapablePhase.FAILED,
}
"""Provisioning state → phase; every other one changes."""
SMALLEST = 1


class OnlineDeployment:
    """One managed online deployment."""

    def __init__(self, key: str, id: str, arm: ResourceManager) -> None:
        self.key = key
        self._id = id
        self._endpoint, _, self._name = id.rpartition("/deployments/")
        self._arm = arm
        self._change = Change(f"sizing deployment {self._name}")

    def fetch_state(self) -> ReapableState:
        """Return its instances; one that was deleted is stopped.

        Raises:
            CloudRefused: It cannot be read, or the last change of it failed.
        """
        told = self._change.explain()
        if told is not None:
            raise CloudRefused(told.kind, told.message)
        try:
            with refusing(f"reading deployment {self._id}"):
                found = self._arm.get(self._id, VERSION)
        except CloudRefused as refusal:
            if refusal.kind is RefusalKind.NOT_FOUND and self._has_endpoint():
                return ReapableState(self.key, ReapablePhase.STOPPED, 0)
            raise
        state = (found.get("properties") or {}).get("provisioningState", "")
        return ReapableState(
            id=self.key,
            phase=PHASES.get(state, ReapablePhase.CHANGING),
            size=int((found.get("sku") or {}).get("capacity", 1)),
            smallest=SMALLEST,
            since=_changed_at(found),
        )

    def apply_size(self, wanted: int) -> None:
        """Set its instances.

        Raises:
            CloudRefused: INVALID for 0, which a managed online deployment does not have.
        """
        if wanted < SMALLEST:
            text = "a managed online deployment of Azure Machine Learning keeps one instance"
            raise CloudRefused(RefusalKind.INVALID, text)
        with refusing(f"sizing deployment {self._id}"):
            body = {"sku": {"name": "Default", "capacity": wanted}}
            poller = self._arm.begin_patch(self._id, VERSION, body)
        self._change.watch(poller)

    def apply_removal(self) -> None:
        """Take its traffic away, then delete it; the endpoint and its address stay."""
        with refusing(f"deleting deployment {self._id}"):
            endpoint = self._arm.get(self._endpoint, VERSION)
            traffic = (endpoint.get("properties") or {}).get("traffic") or {}
            if traffic.get(self._name):
                kept = reroute(traffic, self._name)
                changed = {**endpoint, "properties": {**endpoint["properties"], "traffic": kept}}
                poller = self._arm.begin_put(self._endpoint, VERSION, changed)
                self._change.watch(poller)
                if not poller.done():
                    text = f"endpoint {self._endpoint} still gives its traffic up"
                    raise CloudRefused(RefusalKind.CONFLICT, text)
            poller = self._arm.begin_delete(self._id, VERSION)
        self._change.watch(poller)

    def _has_endpoint(self) -> bool:
        with refusing(f"reading endpoint {self._endpoint}"):
            self._arm.get(self._endpoint, VERSION)
        return True


def reroute(traffic: Mapping[str, int], gone: str) -> dict[str, int]:
    """Return traffic without one deployment: what had most of the rest takes its share."""
    kept = {name: share for name, share in traffic.items() if name != gone}
    if any(kept.values()):
        kept[max(sorted(kept), key=lambda name: kept[name])] += traffic[gone]
    return kept


def _changed_at(found: Mapping[str, Any]) -> datetime | None:
    told = found.get("systemData") or {}
    moment = told.get("lastModifiedAt") or told.get("createdAt")
    return datetime.fromisoformat(moment) if moment else None
