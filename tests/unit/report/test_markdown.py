from __future__ import annotations

from tidegate.report.content import Bullets, Paragraph, Plot, Report, Section, Table
from tidegate.report.markdown import render_markdown


def test_a_report_is_headings_paragraphs_points_and_tables_without_drawings():
    table = Table("Costs", ("pool", "cost"), [("a|b", "1"), ("<b>", "2")], frozenset({1}))
    report = Report(
        "Review",
        [Paragraph("First.")],
        [Section("one", "Found", [Bullets(["x", "y"]), table, Plot("drawn", "<svg/>")])],
    )
    assert render_markdown(report).splitlines() == [
        "# Review",
        "",
        "First.",
        "",
        "## Found",
        "",
        "- x",
        "- y",
        "",
        "Costs:",
        "",
        "| pool | cost |",
        "| --- | ---: |",
        "| a\\|b | 1 |",
        "| &lt;b> | 2 |",
    ]
