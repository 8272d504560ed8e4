"""Accelerators attached to machines that have none built in, as Google Cloud's properties say."""

from __future__ import annotations

from typing import Any

from tidegate.policy.facts.reading import (
    Fact,
    absent,
    entries,
    hidden,
    is_hidden,
    known,
    read,
    read_number,
)


def build_attached(properties: Any, path: str) -> Fact:
    """Return the accelerators of one machine: `{"type", "count"}` of each kind.

    A type may be a path or an address that ends in its name. What counts none is left out; one
    entry that cannot be read hides all.

    Args:
        properties: The decoded properties.
        path: Where the list stands ("nodeConfig.guestAccelerators").
    """
    found = read(properties, path)
    if found["state"] == "hidden":
        return found
    if found["state"] == "known" and not isinstance(found["value"], list):
        return hidden(path)
    attached = [_read_one(entry) for _, entry in entries(properties, path)]
    if None in attached:
        return hidden(path)
    counted = [each for each in attached if each and each["count"] > 0]
    return known(counted, path) if counted else absent(path)


def _read_one(entry: Any) -> dict[str, Any] | None:
    if is_hidden(entry):
        return None
    name, count = read(entry, "type")["value"], read_number(entry, "count")
    if (
        not isinstance(name, str)
        or count["state"] != "known"
        or not isinstance(count["value"], int)
    ):
        return None
    return {"type": name.rpartition("/")[2], "count": count["value"]}
