"""What a report says, before it is Markdown or HTML.

Text may mark `an id`, **what weighs** and _assumed_; everything else in it is taken as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of points."""

    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of a row says what the row is about.

    Attributes:
        caption: What it shows.
        names: The names of its columns.
        rows: Its rows, each with as many cells as there are columns.
        numbers: The columns that hold numbers, counted from 0.
    """

    caption: str
    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing; formats without drawings leave it out, since a table says the same.

    Attributes:
        caption: What it shows, in a sentence.
        svg: The drawing, an `svg` element that is whole by itself.
    """

    caption: str
    svg: str


Block = Paragraph | Bullets | Table | Plot


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report.

    Attributes:
        id: Its anchor.
        title: Its heading.
        blocks: What it says.
    """

    id: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        title: Its heading.
        summary: What a reader must know first.
        sections: Its parts.
    """

    title: str
    summary: Sequence[Block]
    sections: Sequence[Section]
