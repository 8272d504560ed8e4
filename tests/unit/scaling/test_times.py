from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.manifest.times import explain_cron, parse_cron_fields
from tidegate.scaling.fleet import BoundsSchedule, TimeWindow
from tidegate.scaling.times import active_schedule, is_open, last_start


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("cron", "now", "start"),
    [
        ("0 12 * * *", utc(2026, 11, 30, 12, 0), utc(2026, 11, 30, 11, 0)),
        ("0 0 * * *", utc(2026, 11, 30, 22, 59), utc(2026, 11, 29, 23, 0)),
        ("0 0 * * mon", utc(2026, 11, 29, 23, 30), utc(2026, 11, 29, 23, 0)),
        ("*/15 * * * *", utc(2026, 11, 30, 9, 44), utc(2026, 11, 30, 9, 30)),
        ("30 2 29 2 *", utc(2024, 3, 5, 0, 0), utc(2024, 2, 29, 1, 30)),
        ("0 6 1 * sun", utc(2026, 11, 30, 12, 0), utc(2026, 11, 29, 5, 0)),
    ],
    ids=["noon", "midnight", "weekday-of-the-zone", "steps", "leap-day", "day-or-weekday"],
)
def test_the_last_start_is_told_in_the_zone_s_own_time(cron, now, start):
    assert last_start(cron, "Europe/Berlin", now) == start


def test_an_hour_that_daylight_saving_skips_starts_nothing_that_day():
    now = utc(2026, 3, 29, 12, 0)
    assert last_start("30 2 * * *", "Europe/Berlin", now) == utc(2026, 3, 28, 1, 30)


def test_an_hour_that_daylight_saving_repeats_starts_once():
    between = utc(2026, 10, 25, 0, 45)
    assert last_start("30 2 * * *", "Europe/Berlin", between) == utc(2026, 10, 25, 0, 30)
    after = utc(2026, 10, 25, 1, 45)
    assert last_start("30 2 * * *", "Europe/Berlin", after) == utc(2026, 10, 25, 0, 30)


def test_a_window_over_midnight_stays_open_the_next_day():
    night = TimeWindow("0 22 * * fri", "America/New_York", 8 * 3600)
    assert is_open(night, utc(2026, 11, 28, 10, 59))
    assert not is_open(night, utc(2026, 11, 28, 11, 0))
    assert not is_open(night, utc(2026, 11, 28, 2, 59))


@pytest.mark.parametrize(
    "window",
    [
        TimeWindow("0 24 * * *", "Europe/Berlin", 3600),
        TimeWindow("0 12 * * *", "EST", 3600),
        TimeWindow("0 12 * * *", "Europe/Nowhere", 3600),
        TimeWindow("* * * * *", "UTC", 0),
        TimeWindow("0 12 * * *", "UTC", -3600),
        TimeWindow("noon", "UTC", 3600),
    ],
)
def test_an_invalid_window_is_never_open(window):
    assert not is_open(window, utc(2026, 11, 30, 12, 0))


def test_zones_are_known_where_the_system_has_no_database_of_them():
    try:
        zoneinfo.reset_tzpath(to=())
        assert zoneinfo.ZoneInfo.no_cache("Europe/Berlin").key == "Europe/Berlin"
    finally:
        zoneinfo.reset_tzpath()


def test_the_schedule_that_started_last_holds():
    day = BoundsSchedule("0 8 * * mon-fri", "UTC", 2, 8)
    night = BoundsSchedule("0 20 * * *", "UTC", 0, 2)
    broken = BoundsSchedule("0 99 * * *", "UTC", 9, 9)
    entries = (day, night, broken)
    assert active_schedule(entries, utc(2026, 11, 30, 9, 0)) is day
    assert active_schedule(entries, utc(2026, 11, 29, 9, 0)) is night
    assert active_schedule((broken,), utc(2026, 11, 29, 9, 0)) is None


def test_fields_are_read_as_cron_reads_them():
    minutes, hours, days, months, weekdays = parse_cron_fields("5/20 1-3,7 1 jan-mar sun,5-7")
    assert minutes == {5, 25, 45}
    assert hours == {1, 2, 3, 7}
    assert (days, months) == ({1}, {1, 2, 3})
    assert weekdays == {0, 5, 6}


@given(
    st.integers(0, 59),
    st.integers(0, 23),
    st.integers(1_577_836_800, 2_051_222_400),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]),
)
def test_a_daily_start_is_never_in_the_future_nor_more_than_two_days_ago(minute, hour, now, zone):
    moment = datetime.fromtimestamp(now, UTC)
    start = last_start(f"{minute} {hour} * * *", zone, moment)
    assert start is not None
    assert timedelta(0) <= moment - start <= timedelta(hours=49)


@given(st.text("0123456789*/-, abcn", max_size=20))
def test_what_is_explained_as_valid_can_be_read(text):
    if not explain_cron(text):
        assert all(parse_cron_fields(text))
