"""Windows in which disruption is allowed, as Karpenter's budgets in which it is not.

The strictest active budget of a NodePool holds, so a window cannot allow what another budget
forbids: outside the windows a budget of 0 nodes has to be active. Karpenter reads schedules in
UTC, and a budget lasts from its start for its duration (Karpenter v1.8, NodePool CRD).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tidegate.manifest.model import Window
from tidegate.manifest.times import explain_cron

DAY = 24 * 60
WEEK = 7 * DAY
MAX_BUDGETS = 50
"""How many budgets a NodePool takes (its CRD)."""

UTC_ZONES = ("UTC", "Etc/UTC")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def explain_window(window: Window) -> str:
    """Return why Karpenter cannot keep a window; "" when it can, or the cron line is no line."""
    if explain_cron(window.cron):
        return ""
    if window.time_zone not in UTC_ZONES:
        return "is in no zone that Karpenter knows: its schedules are in UTC"
    _, _, day, month, _ = window.cron.split()
    if (day, month) != ("*", "*"):
        return "does not come back each week, and its opposite could not be told to Karpenter"
    if window.duration_seconds % 60:
        return "lasts no whole minutes, which Karpenter counts in"
    return ""


def build_budgets(max_unavailable: int, windows: Sequence[Window]) -> list[dict[str, str]]:
    """Return a NodePool's disruption budgets: how many nodes at once, and when none."""
    always = {"nodes": str(max_unavailable)}
    if not windows:
        return [always]
    closed = find_closed_times(windows)
    if closed == [(0, WEEK)]:
        return [{"nodes": "0"}]
    by_time: dict[tuple[int, int], list[int]] = {}
    for start, minutes in closed:
        day, minute = divmod(start, DAY)
        by_time.setdefault((minute, minutes), []).append(day)
    return [
        always,
        *(
            {
                "nodes": "0",
                "schedule": _render_cron(minute, days),
                "duration": f"{minutes // 60}h{minutes % 60}m",
            }
            for (minute, minutes), days in sorted(by_time.items())
        ),
    ]


def find_closed_times(windows: Iterable[Window]) -> list[tuple[int, int]]:
    """Return when no window is open, as start and length in minutes of a week from Sunday 0:00.

    A time that runs over the end of the week is one, not two.
    """
    is_open = bytearray(WEEK)
    for window in windows:
        minutes = min(window.duration_seconds // 60, WEEK)
        for start in find_starts(window.cron):
            for minute in range(start, start + minutes):
                is_open[minute % WEEK] = 1
    if not any(is_open):
        return [(0, WEEK)]
    starts = [at for at in range(WEEK) if not is_open[at] and is_open[at - 1]]
    return [(at, _length(is_open, at)) for at in starts]


def find_starts(cron: str) -> list[int]:
    """Return the minutes of a week, from Sunday 0:00, at which a weekly cron line begins."""
    minute, hour, _, _, week_day = cron.lower().split()
    days = sorted({day % 7 for day in _expand(week_day, 0, 7 if week_day != "*" else 6)})
    return [
        day * DAY + each_hour * 60 + each_minute
        for day in days
        for each_hour in _expand(hour, 0, 23)
        for each_minute in _expand(minute, 0, 59)
    ]


def _expand(field: str, low: int, high: int) -> list[int]:
    """Return the values of one cron field that is known to be valid."""
    found: set[int] = set()
    for part in field.split(","):
        numeric = re.sub(r"[a-z]{3}", lambda match: str(_DAYS.index(match[0])), part)
        span, _, step = numeric.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            first, last = str(low), str(high)
        # "5/15" means from 5 on; "5" alone means 5.
        end = last or (str(high) if step else first)
        found.update(range(int(first), int(end) + 1, int(step or 1)))
    return sorted(found)


def _length(is_open: bytearray, start: int) -> int:
    length = 0
    while not is_open[(start + length) % WEEK]:
        length += 1
    return length


def _render_cron(minute: int, days: Sequence[int]) -> str:
    named = "*" if len(days) == 7 else ",".join(map(str, days))
    return f"{minute % 60} {minute // 60} * * {named}"
