"""Since when something was not used, as signals tell it; what they do not tell is not idle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tidegate.vocabulary.use import Shows, UseReport

GAP_STEPS = 3
"""Of so many steps without a point one may have been busy: the time before does not count."""


@dataclass(frozen=True, slots=True)
class Idleness:
    """What one signal says.

    Attributes:
        signal: What people call it.
        shows: Activity or load.
        idle_since: Since when it shows no use; None where it is in doubt, with the reason.
        told_until: Until when it speaks.
        doubt: Why it says nothing; empty where it says something.
        is_measured: Whether points stand behind it all along, and not silence alone.
    """

    signal: str
    shows: Shows
    idle_since: datetime | None
    told_until: datetime
    doubt: str = ""
    is_measured: bool = True


def read_idleness(report: UseReport, now: datetime) -> Idleness:
    """Return since when a report shows no use.

    Points are held against `now` again: a report may have been kept since it came.
    """
    used = [point.at for point in report.points if point.value >= report.idle_below]
    last_use = max(used, default=report.from_at)
    if report.silent_means_none:
        until = report.until_at
        return Idleness(report.signal, report.shows, last_use, until, is_measured=False)
    newest = report.points[-1].at if report.points else report.from_at
    doubt = _explain_age(report, now)
    if doubt:
        return Idleness(report.signal, report.shows, None, newest, doubt)
    return Idleness(report.signal, report.shows, max(last_use, _find_start(report)), newest)


def _explain_age(report: UseReport, now: datetime) -> str:
    if not report.points:
        return "has no point"
    age = (now - report.points[-1].at).total_seconds()
    return f"is {age:.0f} s old" if age > report.fresh_seconds else ""


def _find_start(report: UseReport) -> datetime:
    """Return from when on points stand without a gap until the newest one."""
    step = timedelta(seconds=report.step_seconds)
    start = report.points[-1].at
    for point in reversed(report.points):
        if start - point.at > GAP_STEPS * step:
            break
        start = point.at
    # A point speaks of the step before it.
    return max(start - step, report.from_at)


def find_doubts(found: Iterable[Idleness]) -> list[str]:
    """Return what keeps signals from saying anything."""
    return [f"{each.signal} {each.doubt}" for each in found if each.doubt]
