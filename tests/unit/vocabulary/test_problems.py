"""Bad input is said once: what, where, and what would be right."""

from __future__ import annotations

import pytest

from tidegate.vocabulary.problems import InvalidInput, Problem, nearest, refuse


def test_a_problem_reads_as_one_sentence_with_place_value_reason_and_remedy() -> None:
    problem = Problem("pool a", "maxNodes", "0", "is below minNodes (2)", "at least 2")
    assert str(problem) == "pool a: maxNodes = 0: is below minNodes (2); expected at least 2"


def test_a_problem_of_the_whole_names_no_property_or_value() -> None:
    assert str(Problem("manifest.json", "", "", "is not JSON", "")) == "manifest.json: is not JSON"


def test_refuse_renders_the_value_for_people() -> None:
    assert [p.value for p in refuse("x", "y", "a b", "is wrong").problems] == ["'a b'"]
    assert [p.value for p in refuse("x", "y", 3, "is wrong").problems] == ["3"]
    assert [p.value for p in refuse("x", "y", None, "is missing").problems] == [""]


def test_an_error_carries_all_problems_and_never_none() -> None:
    first, second = Problem("a", "b", "", "c", ""), Problem("d", "e", "", "f", "")
    assert str(InvalidInput([first, second])) == "a: b: c\nd: e: f"
    with pytest.raises(ValueError, match="at least one"):
        InvalidInput([])


def test_nearest_suggests_only_what_is_close() -> None:
    assert nearest("trainin", ["training", "inference"]) == "training"
    assert nearest("zzz", ["training", "inference"]) == ""
