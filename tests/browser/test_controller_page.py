"""The controller's page in a real browser, of a controller that runs over a real store."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page
from support.pages import DESK, FIND_CUT, FIND_FAINT, PHONE, named, tree
from support.troubled import POOLS, build_troubled

from tidegate.cli.controller_building import SystemClock
from tidegate.controller.face import Face, Views
from tidegate.controller.loop import Controller, LoopSettings
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.records import OverrideRecord

TOKEN = "a-token-of-some-length"
MARKUP = "<script>document.title='taken'</script><b>bold</b>"
UNTIL = datetime.now(UTC) + timedelta(hours=4)


@dataclass
class World:
    """A controller that runs in a thread of its own, and its face."""

    face: Face
    store: DatabaseStore

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.face.port}/"


@contextmanager
def run_world(folder: Path, token: str = "") -> Iterator[World]:
    """Run a controller of a stack with every kind of trouble."""
    wiring = build_troubled(f" {MARKUP}", datetime.now(UTC))
    engine = open_database(f"sqlite:///{folder / 'state.db'}")
    store = DatabaseStore(engine)
    store.record_override(OverrideRecord("pinned", "ana", UNTIL, 1))
    clock = SystemClock()
    controller = Controller(
        lambda: wiring, store, clock, LoopSettings(interval_seconds=0.2), holder="tidegate-0/1"
    )
    views = Views(
        lambda: controller.explain_unready(60),
        controller.metrics.render,
        controller.describe,
        clock.monotonic,
    )
    face = Face("127.0.0.1", 0, views, token)
    loops: list[asyncio.AbstractEventLoop] = []

    async def go() -> None:
        loops.append(asyncio.get_running_loop())
        await controller.run()

    thread = threading.Thread(target=lambda: asyncio.run(go()))
    thread.start()
    try:
        wait_for_turns(store)
        yield World(face, store)
    finally:
        loops[0].call_soon_threadsafe(controller.stop)
        thread.join()
        face.close()
        engine.dispose()


def wait_for_turns(store: DatabaseStore) -> None:
    """Wait until what is refused at the first turn was ordered elsewhere."""
    until = time.monotonic() + 60
    while not {"grow"} < {each.action for each in store.read_decisions(None, 50)}:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with run_world(tmp_path_factory.mktemp("controller")) as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, world: World) -> Iterator[Any]:
    """Open the page; yields what opens it, and what the browser complained of or asked for."""
    contexts = []

    def go(query: str = "?refresh=0", **options: Any) -> tuple[Page, list[str]]:
        options.setdefault("viewport", {"width": DESK, "height": 844})
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: said.append(f"error: {error}"))
        page.on("request", lambda asked: said.append(f"request: {asked.url}"))
        page.goto(world.url + query)
        return page, said

    yield go
    for context in contexts:
        context.close()


def row(page: Page, section: str, name: str) -> str:
    found = page.locator(f"#{section} tbody tr").filter(has=page.locator("th", has_text=name))
    return " ".join(found.first.inner_text().split())


def test_it_shows_pools_work_costs_decisions_and_who_leads(open_page, world):
    page, _ = open_page()

    assert page.title() == "Tidegate: tests/dev"
    assert "leads tidegate-0/1" in " ".join(page.locator(".lead").inner_text().split())
    assert "1 of 0–3" not in row(page, "pools", "train")
    assert "3 of 0–3 on-demand tidegate" in row(page, "pools", "train")
    assert "2 of 0–4 on-demand karpenter observed" in row(page, "pools", "others")
    pinned = f"pinned to size 1 by ana until {UNTIL:%Y-%m-%d %H:%M} UTC"
    assert pinned in row(page, "pools", "pinned")
    assert "unknown" in row(page, "pools", "away")
    assert "training 9" in row(page, "queue", "queue")
    assert "refused stock-out: none left" in row(page, "decisions", "spot")
    assert "grow 1 → 3" in row(page, "decisions", "train")
    assert "applied" in row(page, "decisions", "train")
    assert "sound 9" in row(page, "sources", "queue")
    assert "in doubt no answer" in row(page, "sources", "silent")
    assert "stock-out 1" in row(page, "offerings", "spot/p5.48xlarge")
    assert "1 2 3" in row(page, "offerings", "block")
    unmet = page.locator(".unmet").inner_text()
    assert "others scaler others is scaled by karpenter" in " ".join(unmet.split())
    cost = world.store.read_snapshot()["cost"]
    tile = page.locator(".tiles > div").first.inner_text()
    assert f"{Decimal(cost['perHour']):,.2f}" in tile
    assert "of the ceiling of 100,000.00" in tile


def test_the_json_is_what_the_page_shows(browser, world):
    context = browser.new_context()
    answer = context.request.get(f"{world.url}api/status")
    told = json.loads(answer.text())
    context.close()

    assert answer.headers["content-type"] == "application/json"
    assert told["leader"] == "tidegate-0/1"
    assert [pool["id"] for pool in told["snapshot"]["pools"]] == [*POOLS]


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_whole_and_quiet(open_page, world, width, scheme):
    page, said = open_page(viewport={"width": width, "height": 844}, color_scheme=scheme)

    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(FIND_CUT) == []
    assert page.evaluate(FIND_FAINT) == []
    assert said == [f"request: {world.url}?refresh=0"]
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert (ink, paper) == {
        "light": ("rgb(28, 36, 48)", "rgb(255, 255, 255)"),
        "dark": ("rgb(230, 234, 240)", "rgb(20, 24, 30)"),
    }[scheme]


def test_markup_in_names_and_reasons_stays_text(open_page):
    page, _ = open_page()

    assert MARKUP in page.locator("#sources").inner_text()
    assert MARKUP in page.locator("#pools").inner_text()
    assert MARKUP in page.locator("#decisions").inner_text()
    assert page.locator("script, b").count() == 0
    assert page.title() == "Tidegate: tests/dev"


def test_it_works_without_scripts_and_runs_none(open_page):
    page, said = open_page(java_script_enabled=False)
    assert page.locator("#pools tbody tr").count() == 6

    page, said = open_page()
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'),"
        " {textContent: 'document.title = `taken`'}))"
    )
    page.evaluate("document.body.setAttribute('style', 'color: red')")
    assert page.title() == "Tidegate: tests/dev"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 36, 48)"
    assert len([line for line in said if "Content Security Policy" in line]) == 2


def test_it_refreshes_by_itself_and_not_when_told(open_page, world):
    page, _ = open_page("?refresh=5")
    with page.expect_navigation(timeout=30_000):
        pass
    assert page.url == f"{world.url}?refresh=5"

    page.get_by_role("link", name="do not refresh").click()
    assert page.url == f"{world.url}?refresh=0"
    assert page.locator("meta[http-equiv=refresh]").count() == 0
    assert page.locator("nav [aria-current]").inner_text() == "off"


def test_a_keyboard_reaches_the_content_and_every_link(open_page):
    page, _ = open_page()

    found = []
    for _ in range(8):
        page.keyboard.press("Tab")
        found.append(page.evaluate("document.activeElement.getAttribute('href')"))

    assert found[:7] == [
        "#content", "?refresh=0", "?refresh=5", "?refresh=15", "?refresh=60",
        "/api/status", "/metrics",
    ]  # fmt: skip


def test_a_screen_reader_gets_headings_tables_and_what_is_wrong(open_page):
    page, _ = open_page()
    nodes = tree(page)

    headings = named(nodes, "heading")
    assert headings[0].startswith("Tidegate")
    assert {"Pools", "Queue", "Last decisions", "Sources", "Offerings"} < set(headings)
    assert {"banner", "main", "navigation", "contentinfo"} <= {
        node["role"].get("value") for node in nodes
    }
    assert all(named(nodes, "table"))
    assert "Each pool as its cloud showed it at the last turn" in named(nodes, "table")
    assert named(nodes, "image") == []
    assert page.locator(".troubles li").first.text_content().startswith("Warning: Source silent")


def test_a_phone_shows_each_cell_with_its_column(open_page):
    page, _ = open_page(viewport={"width": PHONE, "height": 844})

    label = "getComputedStyle(document.querySelector('#pools td'), '::before').content"
    assert page.evaluate(label).startswith('"nodes"')


def test_with_a_token_a_browser_asks_for_it_once(browser, tmp_path):
    with run_world(tmp_path, TOKEN) as guarded:
        stranger = browser.new_context()
        page = stranger.new_page()
        with pytest.raises(Error, match="ERR_INVALID_AUTH_CREDENTIALS"):
            page.goto(guarded.url)
        stranger.close()

        known = browser.new_context(http_credentials={"username": "me", "password": TOKEN})
        page = known.new_page()
        answer = page.goto(guarded.url + "?refresh=0")
        assert answer is not None
        assert answer.status == 200
        page.get_by_role("link", name="/api/status").click()
        assert '"leader": "tidegate-0/1"' in page.content()
        known.close()
