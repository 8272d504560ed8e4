from __future__ import annotations

import pytest

from tidegate.vocabulary.wording import render_count, render_names


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
