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


# Text whose colour is closer to what lies behind it than WCAG 2.2 AA allows (4.5 to 1).
FIND_FAINT = """() => {
  const parse = text => text.match(/[0-9.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(part => part / 255).map(
    part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  ).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = found => {
    for (let at = found; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const hasText = found => [...found.childNodes].some(
    node => node.nodeType === Node.TEXT_NODE && node.textContent.trim()
  );
  return [...document.querySelectorAll('body *')].filter(hasText).filter(found => {
    const two = [light(parse(getComputedStyle(found).color)), light(behind(found))];
    return (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05) < 4.5;
  }).map(found => found.outerHTML.slice(0, 120));
}"""
