"""Hourly use from a file of rows: what each says, and which cannot be taken."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from operator import itemgetter

from tidegate.pricing.usage import MICRO, to_micro
from tidegate.review.remarks import Remark
from tidegate.review.used_hours import UNUSABLE, Place, UsedHours, UsedSeries, hour_number
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse, suggest

REQUIRED = ("hour", "pool", "nodes")
OPTIONAL = ("instance_type", "cloud", "region", "simulated")
PLACE = ("pool", *OPTIONAL)
"""The columns that say where a row was used."""

MOST_SHOWN = 3
MOST_NODES = 1_000_000
"""More in one pool is a mistake, and sums of it would not be exact."""

TRUE, FALSE = ("true", "1", "yes"), ("", "false", "0", "no")
PLAIN = range(1, 8)
PLACES = 6
"""Digits before and behind the point of a number that needs no decimal arithmetic."""

HOUR_EXPECTED = "a whole hour with its zone, such as 2026-11-30T14:00Z"


def parse_usage_csv(where: str, lines: Iterable[str]) -> tuple[UsedHours, list[Remark]]:
    """Return the use that a CSV file states, and what cannot be taken of it.

    A row without a usable number makes its hour unknown; it is never taken for zero.

    Args:
        where: The file, for messages.
        lines: Its lines, read as they are needed.

    Raises:
        InvalidInput: When columns are missing or unknown, an hour cannot be read or has no zone,
            or a cell stands where no column is.
    """
    reader = csv.reader(lines, strict=True)
    try:
        names = next(reader, [])
        check_columns(where, names)
        rows = _Rows(where, names)
        for cells in reader:
            if not rows.take_known(cells) and cells:
                rows.take(reader.line_num, cells)
    except csv.Error as error:
        raise refuse(where, "", None, f"is no CSV ({error})", "a CSV file") from error
    except UnicodeDecodeError as error:
        raise refuse(where, "", None, "is not UTF-8 text", "a text file") from error
    return rows.finish()


def check_columns(where: str, found: Sequence[str]) -> None:
    """Refuse a file of use whose columns are not those of use.

    Raises:
        InvalidInput: When one is missing, unknown or there twice.
    """
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        expected = f"the columns {', '.join(REQUIRED)}, and optionally {', '.join(OPTIONAL)}"
        raise refuse(where, "", None, f"has no column {missing[0]!r}", expected)
    for name in found:
        if name not in (*REQUIRED, *OPTIONAL):
            hint = suggest(name, (*REQUIRED, *OPTIONAL))
            known = ", ".join((*REQUIRED, *OPTIONAL))
            raise refuse(where, name, None, f"is no column of usage{hint}", f"one of {known}")
        if found.count(name) > 1:
            raise refuse(where, name, None, "is there twice", "each column once")


class _Rows:
    """Takes rows of text; what many of them share is read once."""

    def __init__(self, where: str, names: Sequence[str]) -> None:
        self._where = where
        self._width = len(names)
        index = {name: number for number, name in enumerate(names)}
        self._hour, self._nodes = index["hour"], index["nodes"]
        self._place_cells = [index.get(name, -1) for name in PLACE]
        self._key = itemgetter(*(each for each in self._place_cells if each >= 0))
        self._used = UsedHours()
        self._hours: dict[str, int] = {}
        self._series: dict[str | tuple[str, ...], UsedSeries] = {}
        self._problems: list[Problem] = []
        self._unusable: list[str] = []
        self._unusable_count = 0

    def take_known(self, cells: Sequence[str]) -> bool:
        """Take a row whose hour and place were read before; return whether it was one.

        A year of hundreds of pools has millions of rows: this is the way of nearly all of them.
        """
        if len(cells) != self._width:
            return False
        series = self._series.get(self._key(cells))
        hour = self._hours.get(cells[self._hour])
        if series is None or hour is None:
            return False
        nodes = parse_micro_nodes(cells[self._nodes])
        if nodes == UNUSABLE:
            return False
        series.hours.append(hour)
        series.micro_nodes.append(nodes)
        return True

    def take(self, number: int, cells: Sequence[str]) -> None:
        """Take the row of a line; raise once as many are wrong as a message shows."""
        if len(cells) != self._width:
            reason = "has more or fewer cells than there are columns"
            self._refuse(refuse(f"{self._where}:{number}", "", None, reason))
            return
        key = self._key(cells)
        hour_text, text = cells[self._hour], cells[self._nodes]
        try:
            series = self._series.get(key)
            if series is None:
                series = self._series[key] = self._open(f"{self._where}:{number}", cells)
            hour = self._hours.get(hour_text)
            if hour is None:
                hour = self._hours[hour_text] = _parse_hour(f"{self._where}:{number}", hour_text)
        except InvalidInput as error:
            self._refuse(error)
            return
        nodes = parse_micro_nodes(text)
        if nodes == UNUSABLE:
            self._unusable_count += 1
            if len(self._unusable) < MOST_SHOWN:
                self._unusable.append(f"line {number} ({text!r})")
        series.add(hour, nodes)

    def finish(self) -> tuple[UsedHours, list[Remark]]:
        """Return what was taken.

        Raises:
            InvalidInput: When any row was wrong.
        """
        if self._problems:
            raise InvalidInput(self._problems[:MOST_SHOWN])
        return self._used, list(say_unusable(self._where, self._unusable_count, self._unusable))

    def _refuse(self, error: InvalidInput) -> None:
        self._problems += error.problems
        if len(self._problems) >= MOST_SHOWN:
            raise InvalidInput(self._problems[:MOST_SHOWN])

    def _open(self, place: str, cells: Sequence[str]) -> UsedSeries:
        texts = [cells[each] if each >= 0 else "" for each in self._place_cells]
        found, simulated = parse_place(place, texts)
        self._used.simulated |= simulated
        return self._used.of(found)


def parse_place(where: str, cells: Sequence[str]) -> tuple[Place, bool]:
    """Return what the cells of pool, instance type, cloud, region and simulated say.

    Raises:
        InvalidInput: When the pool is empty, or cloud or simulated are no such thing.
    """
    pool, instance_type, cloud, region, simulated = (text.strip() for text in cells)
    if not pool:
        raise refuse(where, "pool", "", "is empty", "the id of a pool")
    place = Place(pool, instance_type, _parse_cloud(where, cloud), region)
    return place, _parse_flag(where, simulated)


def _parse_hour(place: str, text: str) -> int:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise refuse(place, "hour", text, "is no time", HOUR_EXPECTED) from error
    if moment.tzinfo is None:
        reason = "has no zone, so that an hour of a clock change could be meant twice"
        raise refuse(place, "hour", text, reason, HOUR_EXPECTED)
    moment = moment.astimezone(UTC)
    if (moment.minute, moment.second, moment.microsecond) != (0, 0, 0):
        raise refuse(place, "hour", text, "is no whole hour in UTC", HOUR_EXPECTED)
    return hour_number(moment)


def parse_micro_nodes(text: str) -> int:
    """Return nodes in millionths; UNUSABLE where they are no number that can be meant."""
    whole, _, part = text.partition(".")
    digits = whole + part
    # Plain numbers are nearly all of them, and millions: decimals would take twice the time.
    if digits.isascii() and digits.isdecimal() and len(whole) in PLAIN and len(part) <= PLACES:
        micro = int(whole) * MICRO + int(part.ljust(PLACES, "0"))
        return micro if micro <= MOST_NODES * MICRO else UNUSABLE
    try:
        nodes = Decimal(text.strip())
    except InvalidOperation:
        return UNUSABLE
    return to_micro(nodes) if nodes.is_finite() and 0 <= nodes <= MOST_NODES else UNUSABLE


def _parse_cloud(place: str, text: str) -> Cloud | None:
    if not text:
        return None
    try:
        return Cloud(text)
    except ValueError as error:
        raise refuse(place, "cloud", text, "is no cloud", "aws, gcp or azure") from error


def _parse_flag(place: str, text: str) -> bool:
    if text.lower() not in (*TRUE, *FALSE):
        raise refuse(place, "simulated", text, "is neither true nor false", "true or false")
    return text.lower() in TRUE


def say_unusable(where: str, count: int, shown: Sequence[str]) -> Iterator[Remark]:
    """Yield what is to be said of rows whose nodes are no usable number."""
    if count:
        text = ", ".join(shown) + (", …" if count > len(shown) else "")
        message = f"has {count} rows whose nodes are negative, beyond a million or no number"
        message += f": {text}" if shown else ""
        yield Remark(where, message, "their hours count as not measured for every pool")
