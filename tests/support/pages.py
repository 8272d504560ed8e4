"""What the tests of pages look for in a browser."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

PHONE, DESK = 390, 1280

# Whatever reaches over the right edge, is cut off, or is hidden although it has text.
FIND_CUT = """() => [...document.querySelectorAll('body *')].filter(found => {
  const box = found.getBoundingClientRect(), style = getComputedStyle(found);
  if (!box.width || found.closest('.skip, .unseen') || found.closest('thead')) return false;
  const cut = style.overflowX !== 'visible' && found.scrollWidth > found.clientWidth + 1;
  return box.right > innerWidth + 0.5 || box.left < -0.5 || cut;
}).map(found => found.outerHTML.slice(0, 120))"""


def tree(page: Page) -> list[dict[str, Any]]:
    """Return the nodes of the accessibility tree, as screen readers get them."""
    session = page.context.new_cdp_session(page)
    session.send("Accessibility.enable")
    found: list[dict[str, Any]] = session.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in found if not node.get("ignored")]


def named(nodes: list[dict[str, Any]], role: str) -> list[str]:
    return [
        node.get("name", {}).get("value", "") for node in nodes if node["role"].get("value") == role
    ]
