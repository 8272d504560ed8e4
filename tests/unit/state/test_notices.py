from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord, RiskRecord
from tidegate.vocabulary.records import LeaseLost, StoppedRun

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NOTICE = Notice(
    "e-1", "aws", "i-1", NoticeKind.INTERRUPTION, NOW, NOW + timedelta(seconds=120), "w"
)
RECORD = NoticeRecord(NOTICE, "spot/notices", NOW)
RUN = StoppedRun("acme/vision/8f2b", "train", NOW)


@pytest.fixture
def store(engine):
    return DatabaseStore(engine)


@pytest.fixture
def token(store):
    return store.take_lease("one", 0.0)


def test_a_notice_comes_back_as_it_was_told_and_once(store, token):
    store.record_notices(token, [RECORD, RECORD])
    store.record_notices(token, [replace(RECORD, source="other")])

    assert store.read_notices(NOW) == [RECORD]


def test_old_notices_are_left_out_unless_they_concern_what_is_to_come(store, token):
    later = replace(RECORD, notice=replace(NOTICE, id="e-2", ends_at=NOW + timedelta(days=3)))
    store.record_notices(token, [RECORD, later])

    assert store.read_notices(NOW + timedelta(hours=1)) == [later]


def test_whose_machine_it_was_is_written_and_counted_once(store, token):
    store.record_notices(token, [RECORD])
    struck = replace(RECORD, pool="spot", node="n-1", offering="spot/p5")

    store.record_struck(token, struck, True)
    store.record_struck(token, replace(struck, pool="other"), True)

    assert store.read_notices(NOW) == [struck]
    assert store.read_risks() == [RiskRecord("spot/p5", 0, 1)]


def test_what_need_not_happen_is_not_counted(store, token):
    store.record_notices(token, [RECORD])

    store.record_struck(token, replace(RECORD, pool="spot", offering="spot/p5"), False)

    assert store.read_risks() == []


def test_rework_and_node_time_add_up(store, token):
    store.record_notices(token, [RECORD])

    store.record_rework(token, "e-1", 1, 60, 480)
    store.record_rework(token, "e-1", 2, 30, 30)
    store.record_exposure(token, {"spot/p5": 15, "spot/p4": 30})
    store.record_exposure(token, {"spot/p5": 15})

    assert store.read_notices(NOW) == [
        replace(RECORD, items=3, rework_seconds=90, accelerator_seconds=510)
    ]
    assert store.read_risks() == [RiskRecord("spot/p4", 30, 0), RiskRecord("spot/p5", 30, 0)]


def test_a_drill_needs_no_lead(store):
    drill = replace(RECORD, notice=replace(NOTICE, kind=NoticeKind.DRILL))

    store.record_drill(drill)

    assert store.read_notices(NOW) == [drill]


def test_a_run_that_was_stopped_is_remembered_until_it_goes_on(store, token):
    store.record_stopped_run(token, RUN)
    store.record_stopped_run(token, replace(RUN, at=NOW + timedelta(hours=1)))
    assert store.read_stopped_runs() == [RUN]

    store.drop_stopped_run(token, RUN.run)
    store.drop_stopped_run(token, RUN.run)
    assert store.read_stopped_runs() == []


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.record_notices(7, [RECORD]),
        lambda store: store.record_struck(7, RECORD, True),
        lambda store: store.record_rework(7, "e-1", 1, 1, 1),
        lambda store: store.record_exposure(7, {"a": 1}),
        lambda store: store.record_stopped_run(7, RUN),
        lambda store: store.drop_stopped_run(7, "x"),
    ],
)
def test_who_does_not_lead_writes_nothing(store, token, write):
    with pytest.raises(LeaseLost):
        write(store)

    assert (store.read_notices(NOW), store.read_risks(), store.read_stopped_runs()) == ([], [], [])


def test_a_notice_with_the_longest_names_is_remembered(store, token):
    long = replace(NOTICE, id="e" * 500, machine="m" * 500, text="t" * 500)

    store.record_notices(token, [replace(RECORD, notice=long)])

    assert store.read_notices(NOW)[0].notice == long
