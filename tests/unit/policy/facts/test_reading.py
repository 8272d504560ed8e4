from __future__ import annotations

import pytest

from tidegate.policy.facts.reading import (
    absent,
    as_seconds,
    entries,
    hidden,
    known,
    read,
    read_number,
    with_default,
)
from tidegate.policy.values import SECRET, UNKNOWN


def test_known_hidden_and_absent_are_told_apart():
    properties = {"a": {"b": 0, "c": UNKNOWN, "d": None}, "s": SECRET, "l": [{"x": 1}]}
    assert read(properties, "a.b") == known(0, "a.b")
    assert read(properties, "a.c") == hidden("a.c")
    assert read(properties, "a.c.deeper") == hidden("a.c.deeper")
    assert read(properties, "s.deeper") == hidden("s.deeper")
    assert read(properties, "a.d") == absent("a.d")
    assert read(properties, "a.b.deeper") == absent("a.b.deeper")
    assert read(properties, "l.0.x", at="p.") == known(1, "p.l.0.x")
    assert read(properties, "l.1.x") == absent("l.1.x")


def test_numbers_may_be_texts_and_what_is_no_number_is_hidden():
    assert read_number({"n": "12"}, "n") == known(12, "n")
    assert read_number({"n": 1.5}, "n") == known(1.5, "n")
    for odd in ("many", True, [], {"a": 1}):
        assert read_number({"n": odd}, "n") == hidden("n")


def test_the_first_path_that_is_there_counts():
    assert read_number({"b": 2}, "a", "b") == known(2, "b")
    assert read_number({"a": UNKNOWN, "b": 2}, "a", "b") == hidden("a")
    assert read_number({}, "a", "b") == absent("a")


def test_a_default_stands_for_what_is_absent_and_not_for_what_is_hidden():
    assert with_default(absent("a"), 0) == known(0, "a")
    assert with_default(hidden("a"), 0) == hidden("a")
    assert with_default(known(2, "a"), 0) == known(2, "a")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("3600s", 3600), ("10m", 600), ("2h", 7200), ("PT60M", 3600), ("P1DT1H", 90000), (90, 90)],
)
def test_durations_are_read_as_seconds(written, seconds):
    assert as_seconds(known(written, "t")) == known(seconds, "t")


@pytest.mark.parametrize("written", ["soon", "P", "PT", "", [], True])
def test_what_is_no_duration_is_hidden(written):
    assert as_seconds(known(written, "t")) == hidden("t")


def test_elements_of_a_list_have_places_and_a_hidden_list_has_one_hidden_element():
    assert entries({"l": [1, 2]}, "l") == [("l[0].", 1), ("l[1].", 2)]
    assert entries({"l": UNKNOWN}, "l") == [("l.", UNKNOWN)]
    assert entries({"l": "text"}, "l") == entries({}, "l") == []
