"""Parquet files of hourly use and of charges, read with DuckDB; never over a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tidegate.review.charge_columns import OPTIONAL as CHARGE_OPTIONAL
from tidegate.review.charge_columns import REQUIRED as CHARGE_REQUIRED
from tidegate.review.charge_rows import ChargeReader
from tidegate.review.remarks import Remark
from tidegate.review.usage_rows import (
    HOUR_EXPECTED,
    MOST_NODES,
    PLACE,
    check_columns,
    parse_place,
    say_unusable,
)
from tidegate.review.used_hours import UNUSABLE, UsedHours
from tidegate.vocabulary.problems import Unavailable, refuse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_BATCH = 20_000
_COUNT_ODD_HOURS = (
    "SELECT count(*) FILTER (hour IS NULL OR epoch_us(hour) % 3600000000 <> 0) FROM read_parquet(?)"
)
_PLACE = ", ".join(f"p{index}" for index in range(len(PLACE)))


def read_usage_parquet(path: Path) -> tuple[UsedHours, list[Remark]]:
    """Return the hourly use that a Parquet file states; its columns are those of a CSV file.

    Raises:
        InvalidInput: When columns are missing or unknown, or an hour is none or has no zone.
        Unavailable: DuckDB is not installed.
    """
    where = str(path)
    with _open() as connection:
        types = _read_types(connection, path)
        check_columns(where, list(types))
        _check_hours(connection, path, types)
        _name_places(connection, path, types)
        places = connection.execute(f"SELECT {_PLACE} FROM places ORDER BY id").fetchall()  # noqa: S608 - fixed text
        numbers = connection.execute(
            f"SELECT id, hour, micro FROM used JOIN places USING ({_PLACE})"  # noqa: S608 - fixed text
        ).fetchnumpy()
    used = UsedHours()
    order = np.argsort(numbers["id"], kind="stable")
    ends = np.cumsum(np.bincount(numbers["id"], minlength=len(places)))
    for cells, rows in zip(places, np.split(order, ends[:-1]), strict=True):
        place, simulated = parse_place(where, [str(cell) for cell in cells])
        used.simulated |= simulated
        series = used.of(place)
        series.hours.frombytes(numbers["hour"][rows].astype(np.int64).tobytes())
        series.micro_nodes.frombytes(numbers["micro"][rows].astype(np.int64).tobytes())
    unusable = int(np.count_nonzero(numbers["micro"] == UNUSABLE))
    return used, list(say_unusable(where, unusable, ()))


def _name_places(connection: DuckDBPyConnection, path: Path, types: Mapping[str, str]) -> None:
    """Make `used`, rows with their place as text, and `places`, each with a number."""
    texts = [_as_text(name, "") if name in types else "''" for name in PLACE]
    columns = ", ".join(f"{text} AS p{index}" for index, text in enumerate(texts))
    connection.execute(
        f"CREATE TEMP VIEW used AS SELECT {_PLACE}, hour, "  # noqa: S608 - fixed text and known column names
        f"CASE WHEN nodes BETWEEN 0 AND {MOST_NODES} "
        f"THEN CAST(round(nodes * 1000000) AS BIGINT) ELSE {UNUSABLE} END AS micro "
        f"FROM (SELECT {columns}, epoch_us(hour) // 3600000000 AS hour, "
        f"TRY_CAST(nodes AS DECIMAL(18, 9)) AS nodes "
        f"FROM read_parquet({_as_literal(str(path))}))"
    )
    connection.execute(
        f"CREATE TEMP TABLE places AS SELECT row_number() OVER (ORDER BY {_PLACE}) - 1 AS id, * "  # noqa: S608 - fixed text
        f"FROM (SELECT DISTINCT {_PLACE} FROM used)"
    )


def read_charges_parquet(path: Path, reader: ChargeReader) -> None:
    """Take the charges of a Parquet file of FOCUS 1.x.

    Raises:
        InvalidInput: When columns are missing.
        Unavailable: DuckDB is not installed.
    """
    with _open() as connection:
        types = _read_types(connection, path)
        names = [name for name in (*CHARGE_REQUIRED, *CHARGE_OPTIONAL) if name in types]
        cells = ", ".join(_as_text(name, types[name]) for name in names) or "NULL"
        found = connection.execute(f"SELECT {cells} FROM read_parquet(?)", [str(path)])  # noqa: S608 - known column names
        reader.read(str(path), names, _fetch(found))


def _open() -> DuckDBPyConnection:
    try:
        import duckdb
    except ModuleNotFoundError as error:
        message = "Parquet files need duckdb: install tidegate[parquet], or give CSV"
        raise Unavailable(message) from error
    return duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )


def _read_types(connection: DuckDBPyConnection, path: Path) -> dict[str, str]:
    import duckdb

    try:
        found = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
    except duckdb.Error as error:
        reason = f"cannot be read ({str(error).splitlines()[0]})"
        raise refuse(str(path), "", None, reason, "a Parquet file") from error
    return {str(row[0]): str(row[1]) for row in found}


def _check_hours(connection: DuckDBPyConnection, path: Path, types: Mapping[str, str]) -> None:
    if types["hour"] != "TIMESTAMP WITH TIME ZONE":
        reason = f"is of type {types['hour']}, which has no zone"
        expected = "a timestamp with a zone (isAdjustedToUTC)"
        raise refuse(str(path), "hour", None, reason, expected)
    (wrong,) = connection.execute(_COUNT_ODD_HOURS, [str(path)]).fetchone() or (0,)
    if wrong:
        reason = f"is no whole hour in UTC in {wrong} rows"
        raise refuse(str(path), "hour", None, reason, HOUR_EXPECTED)


def _as_text(name: str, kind: str) -> str:
    column = _quote(name)
    if kind.startswith(("MAP", "STRUCT")):
        return f"coalesce(CAST(to_json({column}) AS VARCHAR), '')"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"coalesce(CAST(make_timestamp(epoch_us({column})) AS VARCHAR), '')"
    return f"coalesce(CAST({column} AS VARCHAR), '')"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _as_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _fetch(found: Any) -> Iterator[list[str]]:
    while batch := found.fetchmany(_BATCH):
        yield from batch
