"""Creates whose answer the engine may never have got.

When `pulumi up` is killed between our answer and its checkpoint, the resource exists and no state
knows it. The engine shows that it knows a resource by naming its id in any later call; until then
it counts as unanswered, and the next create from the same URN takes it over or clears it away.
"""

from __future__ import annotations

from tidegate.localclouds.store import Store

SCHEMA = """CREATE TABLE IF NOT EXISTS unanswered (
    cloud TEXT NOT NULL, type_token TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (cloud, type_token, id)
) WITHOUT ROWID"""
Key = tuple[str, str, str]


class Unanswered:
    """The set of (cloud, type, id) that no engine has named yet."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.transaction() as connection:
            connection.execute(SCHEMA)
            rows = connection.execute("SELECT cloud, type_token, id FROM unanswered").fetchall()
        self._keys: set[Key] = {(row[0], row[1], row[2]) for row in rows}

    def add(self, key: Key) -> None:
        """Record a create, inside its transaction."""
        with self._store.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO unanswered VALUES (?, ?, ?)", key)
        self._keys.add(key)

    def settle(self, key: Key) -> None:
        """Note that the engine knows it, or that it is gone."""
        if key not in self._keys:
            return
        with self._store.transaction() as connection:
            connection.execute(
                "DELETE FROM unanswered WHERE cloud = ? AND type_token = ? AND id = ?", key
            )
        self._keys.discard(key)

    def __contains__(self, key: Key) -> bool:
        return key in self._keys
