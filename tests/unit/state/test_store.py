from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tidegate.state.database import NEWEST, open_database
from tidegate.state.store import DatabaseStore
from tidegate.state.tables import METADATA
from tidegate.vocabulary.history import Arrival, PoolHistory
from tidegate.vocabulary.problems import InvalidInput, Unavailable
from tidegate.vocabulary.records import (
    DecisionRecord,
    LeaseLost,
    NodeRecord,
    Outcome,
    OverrideRecord,
    RefusalRecord,
    SourceRecord,
    TickRecord,
)

NOW = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)
DECISION = DecisionRecord(NOW, "train", "grow", "work waits", 0, 2, "160.0000 USD")
TICK = TickRecord(NOW, 1, "one", "160.00 USD", "serve,train", 2)
NODE = NodeRecord("i-1", "train", "busy", NOW, "train/p5.48xlarge")
REFUSAL = RefusalRecord("train/p5.48xlarge", "stock-out", NOW, 2)
SOURCE = SourceRecord("queue", None, "no answer", 0)


@pytest.fixture
def store(engine):
    return DatabaseStore(engine)


def test_what_is_written_is_read_back(store):
    token = store.take_lease("one", 0.0)
    (written,) = store.record_intents(token, [DECISION])
    store.record_outcome(token, written.id, Outcome.APPLIED, "came through")
    store.record_tick(token, TICK, [NODE], [REFUSAL], [SOURCE])

    (decision,) = store.read_decisions("train", 5)
    assert decision == DecisionRecord(
        NOW, "train", "grow", "work waits", 0, 2, "160.0000 USD",
        Outcome.APPLIED, "came through", written.id,
    )  # fmt: skip
    assert list(store.read_nodes()) == [NODE]
    assert list(store.read_refusals()) == [REFUSAL]
    assert list(store.read_sources()) == [SOURCE]
    assert store.read_last_tick() == TICK
    assert store.read_leader() == "one"
    assert store.read_decisions("other", 5) == []


def test_histories_of_the_pools_that_are_told_are_replaced_and_others_stay(store):
    token = store.take_lease("one", 0.0)
    train = PoolHistory(
        "train", NOW, (45, 60), (Arrival(60, 8), Arrival(120, 0, 30)), {"i-1": 90}, (30,),
        frozenset({"i-2"}), frozenset({"a1", "b2"}),
    )  # fmt: skip
    store.record_histories(token, [train, PoolHistory("serve", NOW)])
    later = replace(train, gaps=(60, 75))
    store.record_histories(token, [later])
    store.record_histories(token, [])

    assert store.read_histories() == [PoolHistory("serve", NOW), later]
    with pytest.raises(LeaseLost):
        store.record_histories(token + 1, [train])


def test_a_tick_replaces_what_the_one_before_remembered(store):
    token = store.take_lease("one", 0.0)
    store.record_tick(token, TICK, [NODE], [REFUSAL], [SOURCE])

    store.record_tick(token, TICK, [], [], [])

    assert (store.read_nodes(), store.read_refusals(), store.read_sources()) == ([], [], [])


def test_the_snapshot_is_that_of_the_last_turn(store):
    token = store.take_lease("one", 0.0)
    assert store.read_snapshot() is None

    store.record_snapshot(token, {"pools": [{"id": "a"}]})
    store.record_snapshot(token, {"pools": [{"id": "b", "perHour": None}]})

    assert store.read_snapshot() == {"pools": [{"id": "b", "perHour": None}]}


def test_a_persons_word_is_kept_until_it_is_taken_back(store):
    store.record_override(OverrideRecord("train", "ana", NOW))
    store.record_override(OverrideRecord("train", "ben", NOW, 2))

    assert store.read_overrides() == [OverrideRecord("train", "ben", NOW, 2)]
    assert [store.drop_override("train"), store.drop_override("train")] == [True, False]
    assert store.read_overrides() == []


def test_the_longest_name_of_an_endpoint_is_taken(store):
    name = f"endpoint/{'a' * 63}"
    token = store.take_lease("one", 0.0)

    store.record_intents(token, [replace(DECISION, pool=name)])
    store.record_override(OverrideRecord(name, "ana", NOW))

    assert [each.pool for each in store.read_decisions(name, 5)] == [name]
    assert [each.pool for each in store.read_overrides()] == [name]


def test_the_newest_decisions_come_first_and_are_bounded(store):
    token = store.take_lease("one", 0.0)
    store.record_intents(token, [DECISION] * 3)

    assert [each.id for each in store.read_decisions(None, 2)] == [3, 2]


def test_a_holder_keeps_the_lead_and_its_token(store):
    assert [store.take_lease("one", second) for second in (0.0, 5.0, 60.0)] == [1, 1, 1]


def test_another_takes_over_only_after_silence_and_with_a_higher_token(engine):
    one, two = DatabaseStore(engine), DatabaseStore(engine)
    one.take_lease("one", 0.0)

    assert two.take_lease("two", 0.0) is None
    one.take_lease("one", 8.0)
    assert two.take_lease("two", 9.0) is None
    assert two.take_lease("two", 18.9) is None
    assert two.take_lease("two", 19.0) == 2
    assert one.take_lease("one", 20.0) is None


def test_a_lead_that_was_given_back_is_free_at_once(engine):
    one, two = DatabaseStore(engine), DatabaseStore(engine)
    one.release_lease(one.take_lease("one", 0.0))

    assert two.take_lease("two", 0.0) == 2


def test_a_renewal_keeps_the_lead_and_takes_none(engine):
    one, two = DatabaseStore(engine), DatabaseStore(engine)
    token = one.take_lease("one", 0.0)
    two.take_lease("two", 0.0)
    one.renew_lease(token)
    assert two.take_lease("two", 11.0) is None

    one.release_lease(token)

    with pytest.raises(LeaseLost):
        one.renew_lease(token)
    assert one.read_leader() == ""


def test_a_lead_that_was_lost_is_not_given_back(engine):
    store = DatabaseStore(engine)
    store.take_lease("one", 0.0)

    store.release_lease(99)

    assert store.read_leader() == "one"


@pytest.mark.parametrize("token", [0, 2])
def test_nothing_is_written_under_another_token(store, token):
    first = store.take_lease("one", 0.0)
    (written,) = store.record_intents(first, [DECISION])

    for write in (
        lambda: store.check_lease(token),
        lambda: store.record_intents(token, [DECISION]),
        lambda: store.record_outcome(token, written.id, Outcome.APPLIED, ""),
        lambda: store.record_tick(token, TICK, [NODE], [], []),
        lambda: store.record_snapshot(token, {"pools": []}),
    ):
        with pytest.raises(LeaseLost):
            write()

    assert list(store.read_decisions(None, 9)) == [written]
    assert store.read_nodes() == []
    assert store.read_snapshot() is None


def test_of_many_that_start_at_once_one_leads(engine):
    stores = [DatabaseStore(engine) for _ in range(8)]
    found = []
    threads = [
        threading.Thread(target=lambda n=number, s=store: found.append(s.take_lease(f"{n}", 0.0)))
        for number, store in enumerate(stores)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(token for token in found if token is not None) == [1]
    assert len(found) == 8


def test_the_migrations_make_what_the_tables_say(engine):
    inspector = sa.inspect(engine)

    for table in METADATA.tables.values():
        found = {column["name"] for column in inspector.get_columns(table.name)}
        assert found == {column.name for column in table.columns}
    with engine.connect() as connection:
        version = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    assert version == NEWEST


def test_opening_again_keeps_what_is_there(tmp_path):
    url = f"sqlite:///{tmp_path / 'state.db'}"
    first = open_database(url)
    DatabaseStore(first).take_lease("one", 0.0)
    first.dispose()

    again = open_database(url)
    assert DatabaseStore(again).read_leader() == "one"
    again.dispose()


NEWER_TABLES = ("snapshots", "notices", "risks", "stopped_runs", "histories")
"""Those of later migrations than the first."""


def test_a_database_of_the_first_schema_is_brought_up_to_date(tmp_path):
    url = f"sqlite:///{tmp_path / 'state.db'}"
    first = open_database(url)
    DatabaseStore(first).take_lease("one", 0.0)
    with first.begin() as connection:
        for table in NEWER_TABLES:
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    first.dispose()

    again = open_database(url)
    assert DatabaseStore(again).read_leader() == "one"
    assert DatabaseStore(again).read_snapshot() is None
    again.dispose()


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (
            "0001",
            r"an older Tidegate wrote it \(schema 0001; this one writes \d+\); use the version",
        ),
        ("9999", "a newer Tidegate wrote it"),
        (None, "is empty: no controller has used it yet"),
    ],
)
def test_who_only_looks_leaves_another_schema_as_it_is(tmp_path, version, text):
    path = tmp_path / "state.db"
    if version is not None:
        open_database(f"sqlite:///{path}").dispose()
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", (version,))
        connection.close()

    with pytest.raises(Unavailable, match=text):
        open_database(f"sqlite:///{path}", migrates=False)

    with sqlite3.connect(path) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
        found = connection.execute("SELECT * FROM alembic_version").fetchall() if tables else None
    connection.close()
    assert found == (None if version is None else [(version,)])


def test_who_only_looks_finds_the_newest_schema(tmp_path):
    url = f"sqlite:///{tmp_path / 'state.db'}"
    first = open_database(url)
    DatabaseStore(first).take_lease("one", 0.0)
    first.dispose()

    again = open_database(url, migrates=False)
    assert DatabaseStore(again).read_leader() == "one"
    again.dispose()


def test_a_newer_schema_is_not_touched(tmp_path):
    path = tmp_path / "state.db"
    open_database(f"sqlite:///{path}").dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()

    with pytest.raises(Unavailable, match="upgrade"):
        open_database(f"sqlite:///{path}")


@pytest.mark.parametrize("url", ["", "state.db", "mysql://root@localhost/x"])
def test_a_url_that_is_none_is_refused(url):
    with pytest.raises(InvalidInput, match="state database"):
        open_database(url)


def test_a_database_that_is_away_is_told_without_its_password():
    with pytest.raises(Unavailable) as caught:
        open_database("postgresql://tests:hidden-word@127.0.0.1:1/none")

    assert "hidden-word" not in str(caught.value)
