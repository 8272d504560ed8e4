"""How much something was used over a time, as a source of metrics tells it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum


class Shows(StrEnum):
    """What a signal shows: that somebody asks, that machines work, or what memory is taken."""

    ACTIVITY = "activity"
    LOAD = "load"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class UsePoint:
    """One sample: until when it speaks, and how much."""

    at: datetime
    value: Decimal


@dataclass(frozen=True, slots=True)
class UseReport:
    """One answer of one source of metrics.

    Attributes:
        signal: What people call it.
        about: "notebook/NAME", "endpoint/NAME" or "pool/NAME", by the manifest's ids.
        shows: What it shows.
        points: In order of time; of load and memory shares from 0 to 1, of activity amounts.
        from_at: From when on was asked.
        until_at: Until when was asked.
        step_seconds: The time that each point speaks of.
        fresh_seconds: How old the newest point may be.
        idle_below: A point below this shows no use.
        silent_means_none: Whether a time without a point means that nothing came, as of counters
            that a cloud writes with each request only.
    """

    signal: str
    about: str
    shows: Shows
    points: tuple[UsePoint, ...]
    from_at: datetime
    until_at: datetime
    step_seconds: int
    fresh_seconds: int
    idle_below: Decimal
    silent_means_none: bool = False
