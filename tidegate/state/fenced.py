"""Tables that only the leader writes: rows from records and back, and the fence before a write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import sqlalchemy as sa

from tidegate.state.leases import require_lease
from tidegate.vocabulary.problems import Unavailable


class FencedTables:
    """A database whose writes are fenced by the lead's token."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    @contextmanager
    def _fenced(self, token: int) -> Iterator[sa.Connection]:
        with answering(), self._engine.begin() as connection:
            require_lease(connection, token)
            yield connection

    def _read(self, chosen: sa.Select[Any]) -> list[dict[str, Any]]:
        with answering(), self._engine.connect() as connection:
            rows = connection.execute(chosen).mappings().all()
        return [from_row(row) for row in rows]


def to_row(record: Any) -> dict[str, Any]:
    """Return a record as a row."""
    return {key: to_column(value) for key, value in asdict(record).items()}


def to_column(value: Any) -> Any:
    """Return a value as its column has it: UTC without a zone, and words of enums."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None)
    return value.value if isinstance(value, Enum) else value


def from_row(row: sa.RowMapping) -> dict[str, Any]:
    """Return a row as what a record is made of."""
    return {
        str(key): value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for key, value in row.items()
    }


@contextmanager
def answering() -> Iterator[None]:
    """Turn what the database says into that it does not answer."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        first = str(error).partition("\n")[0]
        raise Unavailable(f"the state database does not answer: {first}") from error
