"""The renderings of a check, by the name that a user gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tidegate.report.check_markdown import render_markdown
from tidegate.report.check_report import CheckReport
from tidegate.report.github import render_github
from tidegate.report.gitlab import render_gitlab
from tidegate.report.json_report import render_json
from tidegate.report.junit import render_junit
from tidegate.report.sarif import render_sarif
from tidegate.report.table import render_table

RENDERERS: Mapping[str, Callable[[CheckReport], str]] = {
    "table": render_table,
    "json": render_json,
    "sarif": render_sarif,
    "junit": render_junit,
    "github": render_github,
    "gitlab": render_gitlab,
    "markdown": render_markdown,
}
