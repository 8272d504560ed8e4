"""Hourly use from a CSV file: what each row says, and which rows cannot be taken."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

from tidegate.review.remarks import Remark
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, Problem, nearest, refuse

REQUIRED = ("hour", "pool", "nodes")
OPTIONAL = ("instance_type", "cloud", "region", "simulated")
MOST_SHOWN = 3
HOUR = timedelta(hours=1)
TRUE, FALSE = ("true", "1", "yes"), ("", "false", "0", "no")


@dataclass(frozen=True, slots=True)
class UsedHour:
    """One row: what a pool used in an hour.

    Attributes:
        hour: Its start, in UTC.
        pool: The pool's id.
        nodes: Nodes used, on average; None where the row says nothing usable.
        instance_type: The machine; empty where the row names none.
        cloud: Where; None where the row names none.
        region: Where; empty where the row names none.
        simulated: Whether a simulation made it.
    """

    hour: datetime
    pool: str
    nodes: Decimal | None
    instance_type: str = ""
    cloud: Cloud | None = None
    region: str = ""
    simulated: bool = False


def parse_usage_csv(where: str, text: str) -> tuple[list[UsedHour], list[Remark]]:
    """Return the rows of a usage file, and what cannot be taken of them.

    A row without a usable number makes its hour unknown; it is never taken for zero.

    Raises:
        InvalidInput: When columns are missing or unknown, an hour cannot be read or has no zone,
            or a cell stands where no column is.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    _check_header(where, reader.fieldnames)
    rows: list[UsedHour] = []
    problems: list[Problem] = []
    unusable: list[str] = []
    try:
        for number, cells in enumerate(reader, start=2):
            place = f"{where}:{number}"
            try:
                row = _parse_row(place, cells)
            except InvalidInput as error:
                problems += error.problems
                continue
            rows.append(row)
            if row.nodes is None:
                unusable.append(f"line {number} ({cells['nodes']!r})")
    except csv.Error as error:
        raise refuse(where, "", None, f"is no CSV ({error})", "a CSV file") from error
    if problems:
        raise InvalidInput(problems[:MOST_SHOWN])
    return rows, [*_say_unusable(where, unusable)]


def _check_header(where: str, names: object) -> None:
    found = [str(name) for name in names] if isinstance(names, (list, tuple)) else []
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        expected = f"the columns {', '.join(REQUIRED)}, and optionally {', '.join(OPTIONAL)}"
        raise refuse(where, "", None, f"has no column {missing[0]!r}", expected)
    for name in found:
        if name not in (*REQUIRED, *OPTIONAL):
            guess = nearest(name, (*REQUIRED, *OPTIONAL))
            hint = f" (did you mean {guess!r}?)" if guess else ""
            known = ", ".join((*REQUIRED, *OPTIONAL))
            raise refuse(where, name, None, f"is no column of usage{hint}", f"one of {known}")


def _parse_row(place: str, cells: Mapping[str | None, str | None]) -> UsedHour:
    if None in cells or None in cells.values():
        raise refuse(place, "", None, "has more or fewer cells than there are columns")
    text = {str(key): str(value).strip() for key, value in cells.items()}
    if not text["pool"]:
        raise refuse(place, "pool", "", "is empty", "the id of a pool")
    return UsedHour(
        hour=_parse_hour(place, text["hour"]),
        pool=text["pool"],
        nodes=_parse_nodes(text["nodes"]),
        instance_type=text.get("instance_type", ""),
        cloud=_parse_cloud(place, text.get("cloud", "")),
        region=text.get("region", ""),
        simulated=_parse_flag(place, text.get("simulated", "")),
    )


def _parse_hour(place: str, text: str) -> datetime:
    expected = "a whole hour with its zone, such as 2026-11-30T14:00Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise refuse(place, "hour", text, "is no time", expected) from error
    if moment.tzinfo is None:
        reason = "has no zone, so that an hour of a clock change could be meant twice"
        raise refuse(place, "hour", text, reason, expected)
    moment = moment.astimezone(UTC)
    if (moment.minute, moment.second, moment.microsecond) != (0, 0, 0):
        raise refuse(place, "hour", text, "is no whole hour in UTC", expected)
    return moment


def _parse_nodes(text: str) -> Decimal | None:
    try:
        nodes = Decimal(text)
    except InvalidOperation:
        return None
    return nodes if nodes.is_finite() and nodes >= 0 else None


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


def _say_unusable(where: str, unusable: list[str]) -> Iterator[Remark]:
    if unusable:
        shown = ", ".join(unusable[:MOST_SHOWN]) + (", …" if len(unusable) > MOST_SHOWN else "")
        message = f"has {len(unusable)} rows whose nodes are negative or no number: {shown}"
        yield Remark(where, message, "their hours count as not measured for every pool")
