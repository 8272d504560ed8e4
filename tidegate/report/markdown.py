"""A report as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tidegate.report.content import Block, Bullets, Paragraph, Report, Table


def render_markdown(report: Report) -> str:
    """Return the report as Markdown; drawings are left out."""
    lines = [f"# {_escape(report.title)}", "", *_render(report.summary)]
    for section in report.sections:
        lines += [f"## {section.title}", "", *_render(section.blocks)]
    return "\n".join(lines)


def _render(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Paragraph):
            yield from (_escape(block.text), "")
        elif isinstance(block, Bullets):
            yield from (f"- {_escape(item)}" for item in block.items)
            yield ""
        elif isinstance(block, Table):
            yield from _table(block)


def _table(table: Table) -> Iterator[str]:
    yield from (f"{_escape(table.caption)}:", "")
    yield _row(table.names)
    yield _row(["---:" if index in table.numbers else "---" for index in range(len(table.names))])
    yield from (_row([_escape(cell) for cell in row]) for row in table.rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escape(text: str) -> str:
    """Return text that neither ends a cell nor becomes markup beyond what content may mark."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
