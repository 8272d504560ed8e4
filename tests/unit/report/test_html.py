from __future__ import annotations

import re

from tidegate.report.content import Bullets, Paragraph, Plot, Report, Section, Table
from tidegate.report.html import mark_up, render_html

EVIL = "<script>alert(1)</script>"


def test_marks_become_elements_and_everything_else_is_text():
    assert mark_up("`a<b`: **much** _assumed_ & <i>") == (
        "<code>a&lt;b</code>: <strong>much</strong> "
        '<em class="assumed">assumed</em> &amp; &lt;i&gt;'
    )


def test_what_users_name_is_never_markup():
    page = render_html(
        Report(
            EVIL,
            [Paragraph(EVIL), Bullets([EVIL])],
            [Section("one", EVIL, [Table(EVIL, (EVIL, '" onload="x'), [(EVIL, EVIL)])])],
        )
    )
    assert "<script" not in page
    assert 'data-label="&#34; onload=&#34;x"' in page
    assert page.count("&lt;script&gt;") == 10


def test_tables_keep_their_roles_where_their_display_is_changed():
    table = Table("What", ("pool", "`cost`"), [("a", "1")], frozenset({1}))
    page = render_html(Report("t", [table], []))
    for part in (
        '<table role="table">',
        '<th role="columnheader" scope="col" class="number"><code>cost</code></th>',
        '<th role="rowheader" scope="row">a</th>',
        '<td role="cell" data-label="cost" class="number"><span>1</span></td>',
    ):
        assert part in page


def test_the_page_may_load_nothing():
    page = render_html(Report("t", [Plot("drawn", "<svg></svg>")], []))
    assert "default-src 'none'" in page
    assert re.findall(r"(?:src|href|url)\s*[=(]\s*[\"']?(?!#|data:)[\w/.:]+", page) == []
