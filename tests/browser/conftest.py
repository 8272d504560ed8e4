"""A real Chromium, as Debian packages it; continuous integration installs it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from support.programs import lack

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


# Longer than a module it must not live: while it does, no other event loop runs in this thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        message = f"no browser on PATH ({', '.join(NAMES)}); Debian: apt-get install chromium"
        lack(message, "TIDEGATE_WITHOUT_BROWSER")
    # Chromium's own sandbox needs rights that containers and root do not have.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
