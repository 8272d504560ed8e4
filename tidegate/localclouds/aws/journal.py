"""The requests that changed moto, in order, in the store's file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tidegate.localclouds.store import Store

SCHEMA = """CREATE TABLE IF NOT EXISTS aws_journal (
    sequence INTEGER PRIMARY KEY,
    environ TEXT NOT NULL,
    body BLOB NOT NULL,
    seed INTEGER NOT NULL,
    at REAL NOT NULL
)"""
# What moto looks at; the rest of a request (agents, trace ids, signatures' dates) is not kept.
KEPT_NAMES = frozenset(
    {
        "REQUEST_METHOD",
        "SCRIPT_NAME",
        "PATH_INFO",
        "QUERY_STRING",
        "RAW_URI",
        "REQUEST_URI",
        "SERVER_NAME",
        "SERVER_PORT",
        "SERVER_PROTOCOL",
        "CONTENT_TYPE",
        "HTTP_HOST",
        "HTTP_AUTHORIZATION",
        "HTTP_CONTENT_ENCODING",
        "HTTP_CONTENT_MD5",
        "HTTP_TRANSFER_ENCODING",
    }
)
KEPT_PREFIX = "HTTP_X_AMZ"


@dataclass(frozen=True, slots=True)
class Entry:
    """One request.

    Attributes:
        environ: Its WSGI environment, the strings only.
        body: Its body.
        seed: What moto's randomness starts from while it is handled.
        at: The time at which it is handled, in seconds since 1970.
    """

    environ: dict[str, str]
    body: bytes
    seed: int = 0
    at: float = 0.0

    def stamped(self, seed: int, at: float) -> Entry:
        """Return it with the seed and time of its first handling."""
        return replace(self, seed=seed, at=at)


class Journal:
    """The journal as a table beside the resources, so that one transaction covers both."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.transaction() as connection:
            connection.execute(SCHEMA)

    def append(self, entry: Entry) -> None:
        """Keep a request that was handled."""
        kept = {
            name: value
            for name, value in entry.environ.items()
            if name in KEPT_NAMES or name.startswith(KEPT_PREFIX)
        }
        with self._store.transaction() as connection:
            connection.execute(
                "INSERT INTO aws_journal (environ, body, seed, at) VALUES (?, ?, ?, ?)",
                (json.dumps(kept), entry.body, entry.seed, entry.at),
            )

    def read(self) -> Iterator[Entry]:
        """Yield every request, oldest first."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "SELECT environ, body, seed, at FROM aws_journal ORDER BY sequence"
            ).fetchall()
        for environ, body, seed, at in rows:
            yield Entry(json.loads(environ), body, seed, at)
