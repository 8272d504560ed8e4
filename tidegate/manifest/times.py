"""Cron lines and time zones of schedules and windows, checked before anything runs by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tidegate.vocabulary.problems import Problem
from tidegate.vocabulary.wording import render_count

_FIELDS = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of month", 1, 31),
    ("month", 1, 12),
    ("day of week", 0, 7),
)
_PART = re.compile(r"(\*|(?P<low>\d+)(-(?P<high>\d+))?)(/(?P<step>\d+))?")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES = {
    **{name: str(number) for number, name in enumerate(_DAYS)},
    **{name: str(number) for number, name in enumerate(_MONTHS, start=1)},
}
CRON_RULE = "five fields: minute hour day-of-month month day-of-week"


def check_window(where: str, place: str, cron: str, time_zone: str) -> Iterator[Problem]:
    """Yield what is wrong with one cron line and its zone."""
    reason = explain_cron(cron)
    if reason:
        yield Problem(where, f"{place}.cron", repr(cron), reason, CRON_RULE)
    reason = explain_time_zone(time_zone)
    if reason:
        expected = "an IANA zone such as 'Europe/Berlin' or 'UTC'"
        yield Problem(where, f"{place}.timeZone", repr(time_zone), reason, expected)


def explain_cron(cron: str) -> str:
    """Return why a cron line is invalid, or "" when it is valid."""
    fields = cron.split()
    if len(fields) != len(_FIELDS):
        return f"has {render_count(len(fields), 'field')}"
    for text, (name, low, high) in zip(fields, _FIELDS, strict=True):
        for part in text.lower().split(","):
            if not _part_holds(part, low, high):
                return f"has {part!r} as {name}, which is not within {low}-{high}"
    return ""


def _numeric(part: str) -> str:
    return re.sub(r"[a-z]{3}", lambda match: _NAMES.get(match[0], match[0]), part)


def _part_holds(part: str, low: int, high: int) -> bool:
    match = _PART.fullmatch(_numeric(part))
    if not match:
        return False
    first = int(match["low"] or low)
    last = int(match["high"] or match["low"] or high)
    step = int(match["step"] or 1)
    return low <= first <= last <= high and step > 0


def parse_cron_fields(cron: str) -> tuple[frozenset[int], ...]:
    """Return the values that each field of a valid cron line stands for; Sunday is 0."""
    fields = []
    for text, (_, low, high) in zip(cron.split(), _FIELDS, strict=True):
        values: set[int] = set()
        for part in text.lower().split(","):
            values |= _part_values(part, low, high)
        fields.append(frozenset(values))
    fields[4] = frozenset(day % 7 for day in fields[4])
    return tuple(fields)


def _part_values(part: str, low: int, high: int) -> set[int]:
    match = _PART.fullmatch(_numeric(part))
    if match is None:
        return set()
    first = int(match["low"] or low)
    step = int(match["step"] or 1)
    # "5/15" starts at 5 and goes on to the end of the field; "5" is 5 alone.
    open_end = high if match["step"] or match["low"] is None else first
    last = int(match["high"] or open_end)
    return set(range(first, last + 1, step))


def explain_time_zone(name: str) -> str:
    """Return why a zone is invalid, or "" when the zone database knows it."""
    # An abbreviation such as EST names a fixed offset that ignores daylight saving.
    if name != "UTC" and "/" not in name:
        return "is an abbreviation or offset, which daylight saving makes wrong half the year"
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "is not in the IANA time-zone database"
    return ""
