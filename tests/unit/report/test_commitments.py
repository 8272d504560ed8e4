from __future__ import annotations

from html.parser import HTMLParser

from support.review_pages import build_small_review, build_wide_review

from tidegate.report.commitments import build_report, render_review_html, render_review_markdown
from tidegate.report.content import Table
from tidegate.review.explain import list_ids

MOST_BYTES = 1_500_000


class Texts(HTMLParser):
    """Collects the text of all `code` elements."""

    def __init__(self) -> None:
        super().__init__()
        self.codes: list[str] = []
        self._inside = False

    def handle_starttag(self, tag, attrs):
        self._inside = tag == "code"

    def handle_data(self, data):
        if self._inside:
            self.codes.append(data)

    def handle_endtag(self, tag):
        self._inside = False


def test_every_id_that_the_page_shows_can_be_explained():
    page = Texts()
    review = build_small_review()
    page.feed(render_review_html(review))
    known = set(list_ids(review))
    shown = {code for code in page.codes if ":" in code and "<" not in code}
    assert len(shown) > 10
    assert shown <= known


def test_rows_have_as_many_cells_as_there_are_columns():
    report = build_report(build_small_review())
    tables = [
        block for section in report.sections for block in section.blocks if isinstance(block, Table)
    ]
    assert len(tables) == 11
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.names)}
        assert table.numbers <= set(range(len(table.names)))


def test_both_forms_name_what_was_billed_found_and_is_assumed():
    review = build_small_review()
    for text in (render_review_markdown(review), render_review_html(review)):
        for part in ("sp-9", "idle:idle", "assumed", "above the stable floor", "do-nothing"):
            assert part in text


def test_fifty_pools_make_a_page_that_can_be_sent():
    review = build_wide_review(50)
    page = render_review_html(review)
    assert page.count("<svg ") == 50 + 5  # the undeclared one, spend, coverage, savings, balance
    assert len(page.encode()) < MOST_BYTES
