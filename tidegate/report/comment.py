"""A check as the one comment of a pull request: a marker in front, and never too long."""

from __future__ import annotations

import re

from tidegate.report.check_markdown import render_markdown
from tidegate.report.check_report import CheckReport, name_stack

_ROWS = (None, 100, 20, 5, 1, 0)
"""How many findings of a rule are shown: fewer, until all of it fits."""

_CUT = "\n\n…the rest does not fit into a comment.\n"


def build_marker(report: CheckReport) -> str:
    """Return what the comment of these stacks begins with, and that of no others.

    Nobody sees it: Markdown leaves comments of HTML out.
    """
    names = sorted(name_stack(judgement) for judgement in report.judgements)
    # A comment of HTML ends at its first "-->", and has no "--" inside.
    safe = re.sub(r"[^A-Za-z0-9._/, ]+|-{2,}", "-", ", ".join(names))
    return f"<!-- tidegate-check: {safe} -->"


def render_comment(report: CheckReport, limit_bytes: int) -> str:
    """Return the whole comment, of at most so many bytes of UTF-8.

    What does not fit is left out finding by finding, and the comment says how many; a stack's
    verdict, the count of each rule's findings and the cost stay as long as anything does.
    """
    marker = build_marker(report)
    for rows in _ROWS:
        body = f"{marker}\n{render_markdown(report, rows)}"
        if len(body.encode()) <= limit_bytes:
            return body
    room = limit_bytes - len(_CUT.encode())
    return body.encode()[:room].decode(errors="ignore") + _CUT
