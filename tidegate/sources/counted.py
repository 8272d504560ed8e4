"""Numbers of equal pieces of work, turned into items; and what no number is believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.scaling.job import build_item
from tidegate.sources.config import CountedSource
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.reports import SourceFault, WorkReport


@dataclass(frozen=True, slots=True)
class Count:
    """What a queue says.

    Attributes:
        waiting: Pieces that nobody works on.
        in_progress: Pieces that somebody took and has not finished; None where that is not told.
    """

    waiting: int
    in_progress: int | None = None


class CountedWork:
    """A source whose answer is a number."""

    def __init__(
        self, settings: CountedSource, catalog: Catalog, fetch_count: Callable[[], Count]
    ) -> None:
        """Prepare.

        Args:
            settings: The source's entry in the configuration.
            catalog: Knows accelerators by their names.
            fetch_count: Asks; raises SourceFault.

        Raises:
            InvalidInput: The work names an accelerator that the catalog does not know.
        """
        self.name = settings.name
        self._settings = settings
        self._fetch_count = fetch_count
        self._item = build_item(settings.job(), catalog, datetime.now(UTC))

    def fetch(self) -> WorkReport:
        """Return an item for each worker that the pieces need, also those in progress.

        Who works on a piece is not told; so it asks for a seat again, and is given the one that it
        has, because nodes of such a pool are never seen as full.

        Raises:
            SourceFault: No number, or one that is not believed.
        """
        count = self._fetch_count()
        working = count.in_progress or 0
        units = count.waiting + working
        if min(count.waiting, working) < 0 or units > self._settings.most_units:
            text = f"{self.name} tells of {units} pieces of work, which is not believed"
            raise SourceFault(text)
        workers = -(-units // self._settings.units_per_worker)
        pool, told = self._settings.pool, count.in_progress
        return WorkReport(
            items=tuple(self._build_item(number) for number in range(workers)),
            in_progress={pool: told if told is not None else units} if pool else {},
        )

    def _build_item(self, number: int) -> WorkItem:
        return replace(self._item, id=f"{self.name}#{number}")


def to_count(value: object, what: str) -> int:
    """Return a whole number of pieces.

    Raises:
        SourceFault: It is no number that can be a count.
    """
    try:
        found = Decimal(str(value))
    except ArithmeticError as error:
        raise SourceFault(f"{what} is {value!r}, which is no number") from error
    if not found.is_finite() or found < 0:
        raise SourceFault(f"{what} is {found}, which is no count")
    return int(found.to_integral_value(rounding="ROUND_CEILING"))
