"""Azure Machine Learning compute instances: how they are, and stopping them.

They are asked for by Resource Manager's own paths: azure-mgmt-machinelearningservices 1.0.1 speaks
an API version of 2020 and takes the 202 of today's `stop` for an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tidegate.clouds.azure.refusals import refusing
from tidegate.clouds.azure.resource_manager import ResourceManager
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState

VERSION = "2024-10-01"
COMPUTES = "Microsoft.MachineLearningServices/workspaces/computes"
CALLS = {"get": (f"{COMPUTES}/read",), "post": (f"{COMPUTES}/stop/action",)}
"""Each method that is called here → the actions that its role must allow."""

PHASES = {
    "Running": ReapablePhase.RUNNING,
    "JobRunning": ReapablePhase.RUNNING,
    "Stopped": ReapablePhase.STOPPED,
    "CreateFailed": ReapablePhase.FAILED,
    "SetupFailed": ReapablePhase.FAILED,
    "UserSetupFailed": ReapablePhase.FAILED,
    "Unusable": ReapablePhase.FAILED,
}
"""State of an instance → phase; every other one changes."""
WORKING = "JobRunning"


class ComputeInstance:
    """One compute instance. It tells nothing of its kernels, only of jobs."""

    def __init__(self, key: str, id: str, arm: ResourceManager) -> None:
        self.key = key
        self._id = id
        self._arm = arm

    def fetch_state(self) -> ReapableState:
        """Return whether it runs, and when it last started or stopped."""
        with refusing(f"reading compute instance {self._id}"):
            found = self._arm.get(self._id, VERSION)["properties"]
        state = (found.get("properties") or {}).get("state", "")
        phase = PHASES.get(state, ReapablePhase.CHANGING)
        return ReapableState(
            id=self.key,
            phase=phase,
            size=1 if phase is ReapablePhase.RUNNING else 0,
            since=_changed_at(found),
            is_busy=state == WORKING,
        )

    def apply_stop(self) -> None:
        """Stop it; its work is in the workspace's file share."""
        with refusing(f"stopping compute instance {self._id}"):
            self._arm.post(f"{self._id}/stop", VERSION)


def _changed_at(properties: Mapping[str, Any]) -> datetime | None:
    operation = (properties.get("properties") or {}).get("lastOperation") or {}
    text = operation.get("operationTime") or properties.get("createdOn")
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
