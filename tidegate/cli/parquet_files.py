"""Parquet files of hourly use and of charges, read with DuckDB; never over a network."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidegate.review.charge_columns import OPTIONAL as CHARGE_OPTIONAL
from tidegate.review.charge_columns import REQUIRED as CHARGE_REQUIRED
from tidegate.review.charge_rows import ChargeReader
from tidegate.review.remarks import Remark
from tidegate.review.usage_rows import (
    HOUR_EXPECTED,
    MOST_NODES,
    OPTIONAL,
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
_NODES = "TRY_CAST(nodes AS DECIMAL(28, 9))"


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
        places = [_as_text(name, "") if name in types else "''" for name in ("pool", *OPTIONAL)]
        micro = f"CAST(round({_NODES} * 1000000) AS BIGINT)"
        usable = f"{_NODES} BETWEEN 0 AND {MOST_NODES}"
        found = connection.execute(
            f"SELECT {', '.join(places)}, list(epoch(hour)::BIGINT // 3600), "  # noqa: S608 - fixed text and checked column names
            f"list(CASE WHEN {usable} THEN {micro} ELSE {UNUSABLE} END) "
            f"FROM read_parquet(?) GROUP BY ALL ORDER BY ALL",
            [where],
        )
        used, unusable = UsedHours(), 0
        while (row := found.fetchone()) is not None:
            place, simulated = parse_place(where, [str(cell) for cell in row[:-2]])
            used.simulated |= simulated
            series = used.of(place)
            series.hours.extend(array("q", row[-2]))
            series.micro_nodes.extend(array("q", row[-1]))
            unusable += row[-1].count(UNUSABLE)
    return used, list(say_unusable(where, unusable, ()))


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


def _fetch(found: Any) -> Iterator[list[str]]:
    while batch := found.fetchmany(_BATCH):
        yield from batch
