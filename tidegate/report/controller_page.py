"""The controller's page: whole by itself, without a script, and refreshed by the browser."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from markupsafe import Markup

from tidegate.report.controller_view import BAR, age, build_view, clock, number
from tidegate.report.html import load_template, read_template
from tidegate.vocabulary.wording import render_count, render_price

REFRESH_SECONDS = (0, 5, 15, 60)
"""How often a reader may have the page anew; 0 is never, for who reads slowly or by ear."""
USUAL_SECONDS = 15


def render_controller_page(status: Mapping[str, Any], refresh_seconds: int = USUAL_SECONDS) -> str:
    """Return the page of a status, as `describe_status` tells it.

    Args:
        status: What is known.
        refresh_seconds: After how long the browser asks again; one of REFRESH_SECONDS.
    """
    now = datetime.fromisoformat(status["at"])
    return load_template("controller.html.jinja").render(
        view=build_view(status),
        status=status,
        bar=BAR,
        refresh=refresh_seconds,
        choices=REFRESH_SECONDS,
        style=Markup(style()),  # noqa: S704 - a file of this package
        age=lambda at: age(at, now),
        number=number,
        cost=render_price,
        count=render_count,
        clock=clock,
    )


@cache
def style() -> str:
    """Return the page's style sheet: that of all reports, and its own."""
    return read_template("report.css") + read_template("controller.css")


@cache
def content_policy() -> str:
    """Return the policy under which a browser shows the page: its style sheet and no more."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
