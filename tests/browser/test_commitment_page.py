"""The page of a commitment review in a real browser: whole, quiet and readable without eyes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from support.pages import DESK, FIND_CUT, PHONE, named, tree
from support.review_pages import build_short_review, build_small_review, build_wide_review

from tidegate.report.commitments import render_review_html

# Text in drawings that is too small to read on the screen, or lies outside of its drawing.
FIND_UNREADABLE = """() => [...document.querySelectorAll('svg text')].filter(found => {
  const box = found.getBoundingClientRect(), frame = found.ownerSVGElement.getBoundingClientRect();
  const outside = box.right > frame.right + 1 || box.left < frame.left - 1 ||
    box.bottom > frame.bottom + 1 || box.top < frame.top - 1;
  return box.height < 9 || outside;
}).map(found => found.textContent)"""


REVIEWS = {
    "small": build_small_review,
    "wide": partial(build_wide_review, 5),
    "short": build_short_review,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, build in REVIEWS.items():
        (folder / f"{name}.html").write_text(render_review_html(build()), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in REVIEWS}


@pytest.fixture
def opened(
    browser: Browser, files: dict[str, Path], request: pytest.FixtureRequest
) -> Iterator[tuple[Page, list[str]]]:
    """Yield a page at a width, and what the browser complained of or asked for."""
    name, width = request.param
    page_file = files[name]
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda asked: said.append(f"request: {asked.url}"))
    page.goto(page_file.as_uri())
    yield page, said
    context.close()


@pytest.mark.parametrize("opened", [*product(REVIEWS, [PHONE, DESK])], indirect=True)
def test_the_page_is_whole_and_quiet(opened):
    page, said = opened
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
    assert page.evaluate(FIND_CUT) == []
    assert page.evaluate(FIND_UNREADABLE) == []
    assert [line for line in said if not line.startswith("request: file:")] == []
    assert len([line for line in said if line.startswith("request: file:")]) == 1


@pytest.mark.parametrize("opened", [("small", PHONE), ("small", DESK)], indirect=True)
def test_a_screen_reader_gets_headings_tables_and_what_is_drawn(opened):
    page, _ = opened
    nodes = tree(page)
    title = "Commitment review of shop/prod, 2026-11-30"
    assert named(nodes, "RootWebArea") == [title]
    headings = named(nodes, "heading")
    assert headings[0] == title
    assert {"Declared against used", "The past, exactly", "The months to come"} < set(headings)
    assert {"banner", "main", "navigation"} <= {node["role"].get("value") for node in nodes}
    assert "Contents" in named(nodes, "navigation")
    tables = named(nodes, "table")
    assert all(tables)
    assert "What was found" in tables
    for role in ("row", "columnheader", "rowheader", "cell"):
        assert len([node for node in nodes if node["role"].get("value") == role]) > len(tables)
    drawn = named(nodes, "image")
    assert len(drawn) >= len(build_small_review().usage.rows) + 3
    assert [text for text in drawn if not re.search(r"\d.*\.$", text)] == []


@pytest.mark.parametrize("opened", [("small", PHONE)], indirect=True)
def test_a_phone_shows_each_cell_with_its_column(opened):
    page, _ = opened
    label = page.evaluate(
        "getComputedStyle(document.querySelector('#inventory td'), '::before').content"
    )
    assert label.startswith('"kind"')


@pytest.mark.parametrize("opened", [("wide", DESK)], indirect=True)
def test_the_page_prints_with_its_tables_and_without_its_contents(opened):
    page, _ = opened
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("#outlook table").first.is_visible()
    # The wider of the two papers has 186 mm beside its margins, 703 pixels.
    page.set_viewport_size({"width": 703, "height": 1000})
    assert page.evaluate(FIND_CUT) == []
    assert page.pdf(format="A4")[:5] == b"%PDF-"
