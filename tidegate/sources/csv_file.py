"""Work that waits, from a file: for tests, and for queues that only a script can read."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tidegate.catalog.catalog import Catalog
from tidegate.scaling.job import build_item
from tidegate.sources.config import CsvSource
from tidegate.sources.times import parse_time
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.reports import SourceFault, WorkReport

COLUMNS = ["id", "queuedAt"]


class CsvWork:
    """A file with one row for each piece of work that waits."""

    def __init__(self, settings: CsvSource, catalog: Catalog) -> None:
        """Prepare.

        Raises:
            InvalidInput: The work names an accelerator that the catalog does not know.
        """
        self.name = settings.name
        self._settings = settings
        self._item = build_item(settings.job(), catalog, datetime.now(UTC))

    def fetch(self) -> WorkReport:
        """Return an item for each row; a heading alone says that nothing waits.

        Raises:
            SourceFault: No file, an old one, or one that is no such table.
        """
        path = Path(self._settings.path)
        try:
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SourceFault(f"{path} cannot be read: {error}") from error
        age = (datetime.now(UTC) - written).total_seconds()
        if self._settings.fresh_seconds is not None and age > self._settings.fresh_seconds:
            raise SourceFault(f"{path} was written {age:.0f} s ago")
        items = tuple(self._read_rows(text, path))
        if len(items) > self._settings.most_units:
            raise SourceFault(f"{path} tells of {len(items)} pieces, which is not believed")
        pool = self._settings.pool
        return WorkReport(items=items, in_progress={pool: len(items)} if pool else {})

    def _read_rows(self, text: str, path: Path) -> Iterator[WorkItem]:
        rows = csv.reader(text.splitlines())
        if next(rows, []) != COLUMNS:
            raise SourceFault(f"{path} does not begin with {','.join(COLUMNS)}")
        for number, row in enumerate(rows, start=2):
            try:
                name, queued = row
                at = parse_time(queued)
            except ValueError as error:
                raise SourceFault(f"{path}:{number} is no row of id,queuedAt") from error
            yield replace(self._item, id=f"{self.name}/{name}", queued_at=at)
