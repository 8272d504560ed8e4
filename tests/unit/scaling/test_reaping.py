"""Nothing is stopped that may be in use: two signals, a warning and a grace come before."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scaling import NOW, ago

from tidegate.scaling.idleness import read_idleness
from tidegate.scaling.reaping import (
    ReapAction,
    ReapRule,
    ReapSettings,
    ReapSight,
    ReapVerdict,
    Snooze,
    decide_reaping,
)
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState
from tidegate.vocabulary.use import Shows, UsePoint, UseReport

HOUR = 3600
SETTINGS = ReapSettings()
RULE = ReapRule("notebook/desk", "ana", HOUR, ReapAction.STOP)


def running(**changes):
    made = ReapableState("notebook/desk", ReapablePhase.RUNNING, 1, since=ago(10 * HOUR))
    return replace(made, **changes)


def report(shows, busy_ago=(), hours=3, step=300, name=None, **changes):
    """Return points of every step; those at the given seconds ago show use."""
    points = tuple(
        UsePoint(ago(back), Decimal(9 if back in busy_ago else 0))
        for back in range(hours * HOUR, -1, -step)
    )
    made = UseReport(
        signal=name or shows.value,
        about="notebook/desk",
        shows=shows,
        points=points,
        from_at=ago(hours * HOUR),
        until_at=NOW,
        step_seconds=step,
        fresh_seconds=900,
        idle_below=Decimal(1),
    )
    return replace(made, **changes)


IDLE = (report(Shows.ACTIVITY), report(Shows.LOAD))


def sight(**changes):
    return replace(ReapSight(RULE, running(), reports=IDLE), **changes)


def decide(one, settings=SETTINGS):
    (decision,) = decide_reaping([one], settings, NOW)
    return decision


def test_what_nobody_used_by_two_signals_is_warned_then_stopped():
    warned = decide(sight())
    waiting = decide(sight(warned_at=ago(899)))
    ended = decide(sight(warned_at=ago(900)))

    assert (warned.verdict, warned.ends_at, warned.wanted) == (
        ReapVerdict.WARN,
        NOW + timedelta(seconds=900),
        None,
    )
    assert warned.reason == "nobody has used it for 3 h, and 60 min is idle (activity and load)"
    assert warned.idle_since == ago(3 * HOUR)
    assert (waiting.verdict, waiting.ends_at) == (ReapVerdict.WAIT, NOW + timedelta(seconds=1))
    assert (ended.verdict, ended.seen, ended.wanted) == (ReapVerdict.END, 1, 0)


@pytest.mark.parametrize("shows", [Shows.ACTIVITY, Shows.LOAD])
def test_one_signal_that_shows_use_keeps_it_and_takes_the_warning_back(shows):
    used = (*IDLE, report(shows, busy_ago=(HOUR - 300,), name="late"))

    assert decide(sight(reports=used)).verdict is ReapVerdict.LEAVE
    back = decide(sight(reports=used, warned_at=ago(5000)))
    assert back.verdict is ReapVerdict.WITHDRAW
    assert back.reason == "late shows no rest of 60 min yet: 55 min"


def test_a_busy_kernel_behind_a_closed_browser_is_work():
    # Nobody asks anything any more, and the machine computes all the same.
    reports = (report(Shows.ACTIVITY), report(Shows.LOAD, busy_ago=(0, 300, 600)))

    assert decide(sight(reports=reports, warned_at=ago(HOUR))).verdict is ReapVerdict.WITHDRAW
    # And a job that its cloud knows of is work, whatever the metrics say.
    busy = running(is_busy=True)
    assert decide(sight(state=busy, warned_at=ago(HOUR))).verdict is ReapVerdict.WITHDRAW


def test_a_maximum_age_ends_even_what_is_busy_after_a_warning():
    old = replace(RULE, max_age_seconds=10 * HOUR)
    busy = sight(rule=old, reports=(report(Shows.LOAD, busy_ago=(0,)),))

    assert decide(busy).verdict is ReapVerdict.WARN
    ended = decide(replace(busy, warned_at=ago(900)))
    assert (ended.verdict, ended.reason) == (
        ReapVerdict.END,
        "has run for 10 h, and may for 10 h",
    )


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"reports": (report(Shows.LOAD),)}, "nothing tells of its activity"),
        ({"reports": (report(Shows.ACTIVITY),)}, "nothing tells of its load"),
        ({"reports": ()}, "nothing tells of its activity and load"),
        ({"reports": (report(Shows.ACTIVITY), report(Shows.MEMORY))}, "nothing tells of its load"),
        ({"faults": ("gpu: no answer",)}, "not known whether it is used: gpu: no answer"),
        ({"state": None, "unread": "denied"}, "cannot be read: denied"),
        ({"state": running(since=None)}, "since when it runs is not known"),
        ({"state": running(phase=ReapablePhase.CHANGING)}, "it is being changed just now"),
    ],
)
def test_what_is_not_known_stops_nothing_and_keeps_the_warning(changes, says):
    held = decide(sight(warned_at=ago(10 * HOUR), **changes))

    assert held.verdict is ReapVerdict.HOLD
    assert says in held.reason


def test_a_report_that_was_kept_too_long_is_stale():
    # It was sound when it came, and is 20 minutes old now.
    old = report(Shows.LOAD, points=report(Shows.LOAD).points[:-4])

    held = decide(sight(reports=(report(Shows.ACTIVITY), old), warned_at=ago(HOUR)))

    assert held.verdict is ReapVerdict.HOLD
    assert held.reason == "not known whether it is used: load is 1200 s old"


def test_before_a_gap_nothing_is_known_to_be_idle():
    points = report(Shows.LOAD).points
    gap = tuple(each for each in points if not ago(2000) < each.at < ago(600))

    left = decide(sight(reports=(report(Shows.ACTIVITY), report(Shows.LOAD, points=gap))))

    assert left.reason == "load shows no rest of 60 min yet: 15 min"


def test_a_counter_may_be_silent_and_not_all_signals():
    silent = report(Shows.ACTIVITY, points=(), silent_means_none=True)

    assert decide(sight(reports=(silent, report(Shows.LOAD)))).verdict is ReapVerdict.WARN
    alone = replace(silent, shows=Shows.LOAD)
    held = decide(sight(reports=(silent, alone)))
    assert held.reason == "not known whether it is used: all that tells of it is silent"


def test_a_silent_counter_that_counted_lately_shows_use():
    point = UsePoint(ago(600), Decimal(4))
    told = report(Shows.ACTIVITY, points=(point,), silent_means_none=True)

    assert decide(sight(reports=(told, report(Shows.LOAD)))).verdict is ReapVerdict.LEAVE


def test_what_its_cloud_records_counts_as_activity():
    loads = (report(Shows.LOAD),)

    assert decide(sight(state=running(active_at=ago(2 * HOUR)), reports=loads)).verdict is (
        ReapVerdict.WARN
    )
    assert decide(sight(state=running(active_at=ago(60)), reports=loads)).verdict is (
        ReapVerdict.LEAVE
    )


def test_what_was_just_started_is_left_alone():
    young = sight(state=running(since=ago(1799)))

    assert decide(young).reason == "was started or changed 29 min ago"
    # Points of before its start are of another life.
    assert decide(sight(state=running(since=ago(1800)))).verdict is ReapVerdict.WARN
    assert decide(sight(state=running(since=ago(1800)))).idle_since == ago(1800)


def test_a_person_lets_it_go_on_until_the_word_lapses():
    kept = Snooze("ana", NOW + timedelta(seconds=1))
    lapsed = Snooze("ana", NOW)

    back = decide(sight(snooze=kept, warned_at=ago(HOUR)))
    assert (back.verdict, back.reason) == (
        ReapVerdict.WITHDRAW,
        "ana wants it to go on until 2026-11-30 12:00 UTC",
    )
    assert decide(sight(snooze=lapsed, warned_at=ago(HOUR))).verdict is ReapVerdict.END


@pytest.mark.parametrize(
    ("action", "least", "smallest", "wanted"),
    [
        (ReapAction.SHRINK, 0, 0, 0),
        (ReapAction.SHRINK, 0, 1, 1),
        (ReapAction.SHRINK, 2, 1, 2),
        (ReapAction.REMOVE, 2, 1, 0),
    ],
)
def test_an_endpoint_goes_to_what_was_declared_and_what_its_cloud_keeps(
    action, least, smallest, wanted
):
    rule = ReapRule("endpoint/chat", "ana", HOUR, action, least=least)
    state = running(size=3, smallest=smallest)

    ended = decide(sight(rule=rule, state=state, warned_at=ago(HOUR)))

    assert (ended.verdict, ended.seen, ended.wanted) == (ReapVerdict.END, 3, wanted)


def test_what_is_at_its_least_has_nothing_to_stop():
    rule = ReapRule("endpoint/chat", "ana", HOUR, ReapAction.SHRINK, least=1)
    stopped = running(phase=ReapablePhase.STOPPED, size=0)

    assert decide(sight(rule=rule)).reason == "there is nothing to stop"
    assert decide(sight(state=stopped)).verdict is ReapVerdict.LEAVE


def test_so_many_end_at_once_and_the_others_wait():
    rules = [replace(RULE, id=f"notebook/desk-{number}") for number in range(4)]
    sights = [sight(rule=rule, warned_at=ago(HOUR)) for rule in rules]

    found = decide_reaping(sights, ReapSettings(most_stops=2), NOW)

    assert [each.verdict.value for each in found] == ["end", "end", "wait", "wait"]
    assert found[3].reason.endswith("2 others end first")
    assert found[3].wanted is None


def test_a_clock_that_jumped_back_shortens_no_grace_and_one_ahead_makes_signals_stale():
    tomorrow = NOW + timedelta(days=1)
    back = decide(sight(warned_at=tomorrow))
    (ahead,) = decide_reaping([sight(warned_at=NOW)], SETTINGS, tomorrow)

    assert (back.verdict, back.ends_at) == (ReapVerdict.WAIT, NOW + timedelta(seconds=900))
    assert ahead.verdict is ReapVerdict.HOLD


@given(
    activity=st.sets(st.integers(0, 36).map(lambda n: n * 300), max_size=3),
    load=st.sets(st.integers(0, 36).map(lambda n: n * 300), max_size=3),
    warned=st.one_of(st.none(), st.integers(-3600, 7200)),
    age=st.one_of(st.none(), st.integers(0, 20 * HOUR)),
    lost=st.integers(0, 12),
    missing=st.sampled_from(["", "activity", "load"]),
    fault=st.booleans(),
    snoozed=st.integers(-600, 600),
)
def test_nothing_ends_that_was_used_or_not_warned_or_not_known(
    activity, load, warned, age, lost, missing, fault, snoozed
):
    reports = {
        "activity": report(Shows.ACTIVITY, activity),
        "load": report(Shows.LOAD, load),
    }
    if lost:
        kept = reports["load"].points[:-lost]
        reports["load"] = replace(reports["load"], points=kept)
    reports.pop(missing, None)
    seen = sight(
        state=running(since=None if age is None else ago(age)),
        reports=tuple(reports.values()),
        faults=("gpu: away",) if fault else (),
        warned_at=None if warned is None else ago(warned),
        snooze=Snooze("ana", NOW + timedelta(seconds=snoozed)),
    )

    decision = decide(seen)

    if decision.verdict is ReapVerdict.END:
        assert warned is not None
        assert warned >= SETTINGS.grace_seconds
        assert age is not None
        assert age >= SETTINGS.least_age_seconds
        assert (missing, fault, snoozed > 0) == ("", False, False)
        assert all(back >= HOUR for back in activity)
        assert all(back >= HOUR for back in load if back >= lost * 300)
        assert lost * 300 <= 900
    assert (decision.wanted is not None) == (decision.verdict is ReapVerdict.END)


def test_what_told_nothing_since_the_warning_ends_nothing():
    # A point may be 15 minutes late: whoever came back meanwhile is not in it yet.
    late = report(Shows.LOAD, points=report(Shows.LOAD).points[:-3])
    reports = (report(Shows.ACTIVITY), late)
    patient = ReapSettings(grace_seconds=600)

    held = decide(sight(reports=reports, warned_at=ago(900)), patient)

    assert (held.verdict, held.reason) == (
        ReapVerdict.HOLD,
        "load told nothing since the warning",
    )
    assert decide(sight(reports=reports, warned_at=ago(901)), patient).verdict is ReapVerdict.END


def test_idleness_starts_with_the_last_use():
    used = report(Shows.LOAD, busy_ago=(7200, 3900))

    assert read_idleness(used, NOW).idle_since == ago(3900)
    assert read_idleness(report(Shows.LOAD, points=()), NOW).doubt == "has no point"
