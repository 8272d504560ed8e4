"""Notebooks and endpoints that may stand idle, as their clouds show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class ReapablePhase(StrEnum):
    """What a cloud says of a notebook or an endpoint."""

    RUNNING = "running"
    CHANGING = "changing"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ReapableState:
    """A notebook or an endpoint as its cloud shows it now.

    Attributes:
        id: "notebook/NAME" or "endpoint/NAME", by the manifest's id.
        phase: What its cloud says.
        size: Instances, copies or replicas that its cloud works towards; 0 when it is stopped.
        smallest: The least that its cloud sizes it to; of a notebook 0, for it can be stopped.
        since: Since when it runs as it does; None where its cloud does not tell.
        active_at: The last use that its cloud itself tells; None where it tells of none.
        is_busy: Whether its cloud itself says that work runs on it now.
    """

    id: str
    phase: ReapablePhase
    size: int
    smallest: int = 0
    since: datetime | None = None
    active_at: datetime | None = None
    is_busy: bool = False
