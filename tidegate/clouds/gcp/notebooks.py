"""Vertex AI Workbench instances: how they are, and stopping them.

Source: discovery document notebooks.v2 (read 2026-11-30). It tells no activity of kernels.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tidegate.clouds.gcp.refusals import refusing
from tidegate.clouds.gcp.services import execute
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState

CALLS = {"get": "notebooks.instances.get", "stop": "notebooks.instances.stop"}
"""Each method that is called here → the permission that it needs."""

PHASES = {
    "ACTIVE": ReapablePhase.RUNNING,
    "STOPPED": ReapablePhase.STOPPED,
    "SUSPENDED": ReapablePhase.STOPPED,
    "DELETED": ReapablePhase.STOPPED,
    "ORPHANED": ReapablePhase.FAILED,
}
"""State of an instance → phase; every other one changes."""


class WorkbenchInstance:
    """One Workbench instance."""

    def __init__(self, key: str, name: str, notebooks: Any) -> None:
        self.key = key
        self._name = name
        self._instances = notebooks.projects().locations().instances()

    def fetch_state(self) -> ReapableState:
        """Return whether it runs; its last change is the earliest that it may have started."""
        with refusing(f"reading Workbench instance {self._name}"):
            found = execute(self._instances.get(name=self._name))
        phase = PHASES.get(found["state"], ReapablePhase.CHANGING)
        changed = found.get("updateTime") or found.get("createTime")
        return ReapableState(
            id=self.key,
            phase=phase,
            size=1 if phase is ReapablePhase.RUNNING else 0,
            since=datetime.fromisoformat(changed) if changed else None,
        )

    def apply_stop(self) -> None:
        """Stop it; its disks stay."""
        with refusing(f"stopping Workbench instance {self._name}"):
            execute(self._instances.stop(name=self._name, body={}))
