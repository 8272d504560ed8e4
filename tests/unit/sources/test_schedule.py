from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tidegate.sources.config import ScheduleSource, parse_sources
from tidegate.sources.counted import Count
from tidegate.sources.schedule import count_expected
from tidegate.vocabulary.problems import InvalidInput

WORK = {"vcpus": "8"}
OFFICE = {"cron": "0 8 * * 1-5", "timeZone": "Europe/Berlin", "durationSeconds": 36_000, "units": 3}
NOON = {"cron": "0 12 * * *", "timeZone": "Europe/Berlin", "durationSeconds": 3600, "units": 2}


def count(at, *windows):
    document = {"kind": "schedule", "name": "office", "work": WORK, "windows": list(windows)}
    return count_expected(ScheduleSource.model_validate(document), lambda: at)()


@pytest.mark.parametrize(
    ("at", "units"),
    [
        (datetime(2026, 11, 30, 6, 59, tzinfo=UTC), 0),
        (datetime(2026, 11, 30, 7, 0, tzinfo=UTC), 3),  # Monday, 08:00 in winter
        (datetime(2026, 11, 30, 11, 30, tzinfo=UTC), 5),
        (datetime(2026, 11, 30, 17, 0, tzinfo=UTC), 0),
        (datetime(2026, 11, 29, 7, 0, tzinfo=UTC), 0),  # Sunday
        (datetime(2026, 7, 6, 6, 0, tzinfo=UTC), 3),  # Monday, 08:00 in summer
    ],
)
def test_work_is_expected_while_windows_are_open_in_their_zone(at, units):
    assert count(at, OFFICE, NOON) == Count(units)


@pytest.mark.parametrize(
    ("window", "says"),
    [
        ({**OFFICE, "cron": "0 8 * *"}, r"cron '0 8 \* \*' has 4 fields"),
        ({**OFFICE, "timeZone": "Berlin"}, "timeZone 'Berlin'"),
        ({**OFFICE, "units": 0}, "units"),
        ({**OFFICE, "durationSecs": 3}, "did you mean 'durationSeconds'"),
    ],
    ids=["cron", "zone", "none", "key"],
)
def test_a_window_that_cannot_be_is_told(window, says):
    document = {"kind": "schedule", "name": "office", "work": WORK, "windows": [window]}

    with pytest.raises(InvalidInput, match=says):
        parse_sources("sources.yaml", {"sources": [document]})
