"""Cron lines in IANA zones, read at a given time; weekdays and hours are the zone's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from tidegate.manifest.times import explain_cron, explain_time_zone, parse_cron_fields
from tidegate.scaling.fleet import BoundsSchedule, TimeWindow

MINUTE = timedelta(minutes=1)
LOOK_BACK_DAYS = 366


def is_open(window: TimeWindow, now: datetime) -> bool:
    """Return whether a window is open; an invalid one never is."""
    if explain_window(window.cron, window.time_zone) or window.duration_seconds <= 0:
        return False
    days = window.duration_seconds // 86_400 + 2
    started = last_start(window.cron, window.time_zone, now, days)
    return started is not None and now < started + timedelta(seconds=window.duration_seconds)


def active_schedule(schedules: tuple[BoundsSchedule, ...], now: datetime) -> BoundsSchedule | None:
    """Return the schedule that started last; None when none is valid or has started yet."""
    started = [
        (start, index)
        for index, entry in enumerate(schedules)
        if (start := last_start(entry.cron, entry.time_zone, now)) is not None
    ]
    return schedules[max(started)[1]] if started else None


def explain_window(cron: str, time_zone: str) -> str:
    """Return why a cron line in a zone cannot be read, or ""."""
    return explain_cron(cron) or explain_time_zone(time_zone)


def last_start(
    cron: str, time_zone: str, now: datetime, days: int = LOOK_BACK_DAYS
) -> datetime | None:
    """Return the last start at or before `now`, in UTC; None within the days looked back.

    A wall-clock minute that daylight saving skips starts nothing that day; one that it repeats
    starts once, at its first occurrence.
    """
    if explain_window(cron, time_zone):
        return None
    zone = ZoneInfo(time_zone)
    local = now.astimezone(zone)
    fields = parse_cron_fields(cron)
    for back in range(days + 1):
        day = (local - timedelta(days=back)).date()
        if not _day_matches(fields, day.day, day.month, day.isoweekday() % 7, cron):
            continue
        for hour in sorted(fields[1], reverse=True):
            for minute in sorted(fields[0], reverse=True):
                start = _instant(day.year, day.month, day.day, hour, minute, time_zone)
                if start is not None and start <= now:
                    return start
    return None


@lru_cache(maxsize=4096)
def _instant(
    year: int, month: int, day: int, hour: int, minute: int, time_zone: str
) -> datetime | None:
    """Return a wall-clock minute in UTC; None where it does not exist on that day."""
    local = datetime(year, month, day, hour, minute, tzinfo=ZoneInfo(time_zone), fold=0)
    moment = local.astimezone(UTC)
    back = moment.astimezone(ZoneInfo(time_zone))
    return moment if (back.hour, back.minute) == (hour, minute) else None


def _day_matches(
    fields: tuple[frozenset[int], ...], day: int, month: int, weekday: int, cron: str
) -> bool:
    """As cron has it: where both day fields are restricted, either may match."""
    if month not in fields[3]:
        return False
    of_month, of_week = day in fields[2], weekday in fields[4]
    stated = cron.split()
    if stated[2].startswith("*") or stated[4].startswith("*"):
        return of_month and of_week
    return of_month or of_week
