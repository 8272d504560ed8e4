"""The store keeps what it answered, whatever happens to the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.localclouds.store import Record, Store

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=8), json_values, max_size=4)


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store.sqlite")
    yield made
    made.close()


@given(inputs=objects, outputs=objects, state=objects)
@settings(max_examples=50)
def test_gives_back_what_was_put(tmp_path_factory, inputs, outputs, state):
    store = Store(tmp_path_factory.mktemp("store") / "store.sqlite")
    record = Record("aws", "t", "id", "urn", inputs, outputs, state)

    store.put(record)

    assert store.get("aws", "t", "id") == record
    store.close()


def test_lists_by_every_given_part_in_order(store):
    records = [
        Record(cloud, token, key, urn)
        for cloud, token, key, urn in (
            ("gcp", "t", "1", "u1"),
            ("aws", "t", "2", "u1"),
            ("aws", "t", "1", "u2"),
            ("aws", "s", "9", "u1"),
        )
    ]
    for record in records:
        store.put(record)

    assert store.list() == [records[3], records[2], records[1], records[0]]
    assert store.list("aws", "t") == [records[2], records[1]]
    assert store.list(urn="u1") == [records[3], records[1], records[0]]
    assert store.list("azure-native") == []


def test_puts_over_and_deletes_once(store):
    store.put(Record("aws", "t", "1", outputs={"a": 1}))
    store.put(Record("aws", "t", "1", outputs={"a": 2}))

    assert store.get("aws", "t", "1").outputs == {"a": 2}
    assert store.delete("aws", "t", "1") is True
    assert store.delete("aws", "t", "1") is False
    assert store.get("aws", "t", "1") is None


def test_a_transaction_keeps_all_or_nothing_nested_ones_included(store):
    def break_off():
        with store.transaction():
            store.put(Record("aws", "t", "1"))
            with store.transaction():
                store.put(Record("aws", "t", "2"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()

    assert store.list() == []
    with store.transaction():
        store.put(Record("aws", "t", "3"))
    assert [record.id for record in store.list()] == ["3"]


def test_a_killed_process_loses_nothing_that_was_answered(tmp_path):
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from tidegate.localclouds.store import Record, Store
        store = Store(Path(sys.argv[1]))
        for number in range(1000):
            store.put(Record("aws", "t", str(number)))
            print(number, flush=True)
        """
    )
    command = [sys.executable, "-c", program, str(tmp_path / "store.sqlite")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        answered = [process.stdout.readline().strip() for _ in range(100)]
        os.kill(process.pid, signal.SIGKILL)
        answered += process.stdout.read().split()

    store = Store(tmp_path / "store.sqlite")

    assert {record.id for record in store.list()} >= set(answered)
    store.close()
