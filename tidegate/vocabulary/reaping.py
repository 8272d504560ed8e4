"""Notebooks and endpoints that may stand idle: how their clouds show them, and signs of use."""

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


class SignalKind(StrEnum):
    """What a signal shows: that somebody asks (kernels, requests), or that machines work."""

    ACTIVITY = "activity"
    LOAD = "load"


@dataclass(frozen=True, slots=True)
class UseReading:
    """What one signal showed of one notebook or endpoint over the time that was looked at.

    Attributes:
        signal: What people call it ("GPUUtilization").
        kind: Whether it shows activity or load.
        first_at: From when on it speaks.
        last_at: Until when it speaks.
        active_at: The last moment at which it showed use; None where it showed none.
        is_counted: Whether points were there; False where silence itself means that nothing came,
            as of counters that a cloud writes with each request only.
        longest_gap_seconds: The longest time between two of its points.
    """

    signal: str
    kind: SignalKind
    first_at: datetime
    last_at: datetime
    active_at: datetime | None = None
    is_counted: bool = True
    longest_gap_seconds: float = 0.0
