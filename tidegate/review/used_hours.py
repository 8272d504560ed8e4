"""Hourly use as it was read: one series a pool and machine, in whole millionths of a node."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tidegate.vocabulary.capacity import Cloud

HOUR = timedelta(hours=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

UNUSABLE = -1
"""Stands for the nodes of an hour whose row says nothing usable; never taken for 0."""


@dataclass(frozen=True, slots=True)
class Place:
    """A pool's machine as rows of use name it; empty or None where they do not say."""

    pool: str
    instance_type: str = ""
    cloud: Cloud | None = None
    region: str = ""


@dataclass(frozen=True, slots=True)
class UsedSeries:
    """The rows of one place, in the order of the file.

    Attributes:
        hours: Hours since 1970 in UTC.
        micro_nodes: Millionths of a node in each of them; UNUSABLE where a row says nothing.
    """

    hours: array[int] = field(default_factory=lambda: array("q"))
    micro_nodes: array[int] = field(default_factory=lambda: array("q"))

    def add(self, hour: int, micro_nodes: int) -> None:
        """Take one row."""
        self.hours.append(hour)
        self.micro_nodes.append(micro_nodes)


@dataclass(slots=True)
class UsedHours:
    """What was used, as it was read.

    Attributes:
        series: Place → its rows.
        simulated: Whether a simulation made any of it.
        from_charges: Whether it was taken from charges, and nobody measured it.
    """

    series: dict[Place, UsedSeries] = field(default_factory=dict)
    simulated: bool = False
    from_charges: bool = False

    def of(self, place: Place) -> UsedSeries:
        """Return the series of a place, to add rows to."""
        return self.series.setdefault(place, UsedSeries())

    def rows(self) -> Iterator[tuple[datetime, Place, int]]:
        """Yield every row: hour, place, millionths of a node."""
        for place, series in self.series.items():
            for hour, nodes in zip(series.hours, series.micro_nodes, strict=True):
                yield EPOCH + hour * HOUR, place, nodes


def hour_number(moment: datetime) -> int:
    """Return the hours since 1970 of a whole hour with a zone."""
    return (moment - EPOCH) // HOUR
