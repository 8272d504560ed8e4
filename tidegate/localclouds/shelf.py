"""REST bodies on the store: what the faces answer and what `pulumi up` writes, once.

A body is the `state` of a record whose type token is the API's own name for the kind
("container.googleapis.com/NodePool"), apart from the record of the Pulumi resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.store import Record, Store


class Shelf:
    """The REST bodies of one cloud, by kind and full resource name."""

    def __init__(self, store: Store, cloud: str) -> None:
        self._store = store
        self._cloud = cloud

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all writes inside together, or none of them."""
        with self._store.transaction():
            yield

    def get(self, kind: str, name: str) -> Body | None:
        """Return a body, or None where there is none; a copy, free to change."""
        record = self._store.get(self._cloud, kind, name)
        return record.state if record else None

    def put(self, kind: str, name: str, body: Mapping[str, Any]) -> None:
        """Write a body in place of what was there."""
        self._store.put(Record(self._cloud, kind, name, state=dict(body)))

    def delete(self, kind: str, name: str) -> bool:
        """Remove a body; return whether it was there."""
        return self._store.delete(self._cloud, kind, name)

    def find(self, kind: str, prefix: str = "") -> list[Body]:
        """Return the bodies whose full name starts with `prefix`, by name."""
        return [body for _, body in self.items(kind, prefix)]

    def items(self, kind: str, prefix: str = "") -> list[tuple[str, Body]]:
        """Return full names and bodies whose full name starts with `prefix`, by name."""
        records = self._store.list_under(self._cloud, kind, prefix)
        return [(record.id, record.state) for record in records]
