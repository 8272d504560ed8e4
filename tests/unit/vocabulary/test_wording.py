from __future__ import annotations

import pytest

from tidegate.vocabulary.wording import (
    render_amount,
    render_count,
    render_names,
    render_override,
    render_price,
)


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (-1, "-1 nodes")]
)
def test_one_alone_has_no_plural(number, words):
    assert render_count(number, "node") == words


@pytest.mark.parametrize(
    ("names", "words"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")],
)
def test_a_long_row_of_names_is_cut(names, words):
    assert render_names(names, 2) == words


def test_amounts_are_told_to_the_cent_with_their_currency():
    assert render_amount("1234.5") == "1,234.50"
    assert render_price("-1234.5678 EUR") == "-1,234.57 EUR"


@pytest.mark.parametrize(
    ("name", "nodes", "words"),
    [
        ("train", None, "paused"),
        ("train", 0, "pinned to size 0"),
        ("notebook/explore", None, "snoozed"),
    ],
)
def test_a_persons_word_is_told_by_what_it_is_about(name, nodes, words):
    assert render_override(name, nodes) == words
