"""Work that is expected by the clock: cron starts in IANA zones, each open for a while."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from tidegate.scaling.fleet import TimeWindow
from tidegate.scaling.times import is_open
from tidegate.sources.config import ScheduleSource
from tidegate.sources.counted import Count


def count_expected(
    settings: ScheduleSource, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> Callable[[], Count]:
    """Return what tells how much work the windows that are open now expect, together."""
    windows = [
        (TimeWindow(each.cron, each.time_zone, each.duration_seconds), each.units)
        for each in settings.windows
    ]

    def fetch() -> Count:
        moment = now()
        return Count(sum(units for window, units in windows if is_open(window, moment)))

    return fetch
