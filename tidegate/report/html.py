"""A report as one HTML page that needs nothing else: no network, no script, print-ready."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from tidegate.report.content import Report

TEMPLATE = "report.html.jinja"
_MARKS = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"_assumed_"), r'<em class="assumed">assumed</em>'),
)


def render_html(report: Report) -> str:
    """Return the report as a page."""
    return _template().render(report=report)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("tidegate.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["marked"] = mark_up
    environment.filters["plain"] = plain
    environment.tests["of"] = lambda block, kind: type(block).__name__ == kind
    return environment.get_template(TEMPLATE)


def mark_up(text: str) -> Markup:
    """Return escaped text with the marks that content may have as elements."""
    found = str(escape(text))
    for pattern, element in _MARKS:
        found = pattern.sub(element, found)
    return Markup(found)  # noqa: S704 - escaped above


def plain(text: str) -> str:
    """Return text without marks, for attributes."""
    return text.replace("`", "").replace("**", "").replace("_assumed_", "assumed")
