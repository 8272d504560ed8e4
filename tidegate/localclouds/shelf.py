"""REST bodies on the store: what the faces answer and what `pulumi up` writes, once.

A body is the `state` of a record whose type token is the API's own name for the kind
("container.googleapis.com/NodePool"), apart from the record of the Pulumi resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tidegate.localclouds.store import Record, Store

Body = dict[str, Any]


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


def apply_changes(live: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> Body:
    """Return the live body with what differs between two wanted bodies carried over.

    What only the live body knows stays: a change of labels does not undo what the cloud's own
    SDK did to the size.
    """
    changed = dict(live)
    for key in [*new, *(key for key in old if key not in new)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            current = changed.get(key)
            inside = current if isinstance(current, Mapping) else {}
            changed[key] = apply_changes(inside, before, after)
        elif after is None:
            changed.pop(key, None)
        else:
            changed[key] = after
    return changed
