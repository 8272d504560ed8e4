"""What the local clouds hold, in one SQLite file that survives a killed process.

Every write is committed before its call returns. The file is in WAL mode: a process that is
killed loses nothing that it answered (a machine that loses power may lose the last commits).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS resources (
    cloud TEXT NOT NULL,
    type_token TEXT NOT NULL,
    id TEXT NOT NULL,
    urn TEXT NOT NULL,
    inputs TEXT NOT NULL,
    outputs TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (cloud, type_token, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS resources_by_urn ON resources (urn);
"""


@dataclass(frozen=True, slots=True)
class Record:
    """One resource as the store holds it.

    Attributes:
        cloud: "aws", "gcp", "azure-native" or "kubernetes"; what `Cloud.scope` says, where it does.
        type_token: Pulumi's type token, or a face's own word for what only its API knows.
        id: The physical id, unique for cloud and type.
        urn: The URN that created it; empty for what a cloud's own SDK created.
        inputs: The checked inputs, as plain JSON; a secret is `{SIGNATURE: …, "value": …}`.
        outputs: The outputs that were answered last, in the same form.
        state: What the cloud's own API shows, in the API's spelling; a face's to fill.
    """

    cloud: str
    type_token: str
    id: str
    urn: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)


def package_of(cloud: str) -> str:
    """Return the package of a record's cloud, without what `Cloud.scope` added."""
    return cloud.partition("@")[0]


class Store:
    """A transactional map of records, shared by the provider servers and the REST faces.

    Threads may share one instance. Two processes never do: the server holds a lock on its
    state directory.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._depth = 0
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Hold the store: all writes inside are kept together, or none when an error leaves.

        Nested transactions join the outer one. The connection serves tables of a cloud's own.
        """
        with self._lock:
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self._connection
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._connection.execute("ROLLBACK")
                raise
            self._depth -= 1
            if self._depth == 0:
                self._connection.execute("COMMIT")

    def put(self, record: Record) -> None:
        """Insert or replace the record with this cloud, type and id."""
        row = (
            record.cloud,
            record.type_token,
            record.id,
            record.urn,
            *(_render(part) for part in (record.inputs, record.outputs, record.state)),
        )
        with self.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO resources VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, cloud: str, type_token: str, id: str) -> Record | None:
        """Return the record, or None when there is none."""
        with self._lock:
            row = self._connection.execute(
                "SELECT * FROM resources WHERE cloud = ? AND type_token = ? AND id = ?",
                (cloud, type_token, id),
            ).fetchone()
        return _parse(row) if row else None

    def list(
        self, cloud: str | None = None, type_token: str | None = None, urn: str | None = None
    ) -> list[Record]:
        """Return the records that match every given part, ordered by cloud, type and id."""
        given = {"cloud": cloud, "type_token": type_token, "urn": urn}
        wanted = {column: value for column, value in given.items() if value is not None}
        clause = " AND ".join(f"{column} = ?" for column in wanted) or "1"
        with self._lock:
            rows = self._connection.execute(
                # The clause holds column names from the literal above, values are bound.
                f"SELECT * FROM resources WHERE {clause} ORDER BY cloud, type_token, id",  # noqa: S608
                tuple(wanted.values()),
            ).fetchall()
        return [_parse(row) for row in rows]

    def list_under(self, cloud: str, type_token: str, prefix: str) -> Sequence[Record]:
        """Return a type's records whose id starts with `prefix`, ordered by id."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT * FROM resources WHERE cloud = ? AND type_token = ?"
                " AND id >= ? AND id < ? ORDER BY id",
                # Ids hold no character beyond the basic plane's last.
                (cloud, type_token, prefix, prefix + "\uffff"),
            ).fetchall()
        return [_parse(row) for row in rows]

    def delete(self, cloud: str, type_token: str, id: str) -> bool:
        """Remove the record; return whether there was one."""
        with self.transaction() as connection:
            cursor = connection.execute(
                "DELETE FROM resources WHERE cloud = ? AND type_token = ? AND id = ?",
                (cloud, type_token, id),
            )
            return cursor.rowcount > 0

    def close(self) -> None:
        """Write the log back into the file and release it."""
        with self._lock:
            self._connection.close()


def _render(part: dict[str, Any]) -> str:
    return json.dumps(part, separators=(",", ":"), sort_keys=True)


def _parse(row: tuple[str, ...]) -> Record:
    cloud, type_token, key, urn = row[:4]
    return Record(cloud, type_token, key, urn, *(json.loads(part) for part in row[4:]))
