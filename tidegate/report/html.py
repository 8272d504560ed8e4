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
    return load_template(TEMPLATE).render(report=report)


def load_template(name: str) -> Template:
    """Return a template of this room; whatever it is given is escaped."""
    return _environment().get_template(name)


def read_template(name: str) -> str:
    """Return the text of a file that stands among the templates."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


@cache
def _environment() -> Environment:
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
    return environment


def mark_up(text: str) -> Markup:
    """Return escaped text with the marks that content may have as elements."""
    found = str(escape(text))
    for pattern, element in _MARKS:
        found = pattern.sub(element, found)
    return Markup(found)  # noqa: S704 - escaped above


def plain(text: str) -> str:
    """Return text without marks, for attributes."""
    return text.replace("`", "").replace("**", "").replace("_assumed_", "assumed")
