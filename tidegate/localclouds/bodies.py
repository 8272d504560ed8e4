"""REST bodies as plain JSON: looking in, filling in, laying changes over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.contracts import UNKNOWN

Body = dict[str, Any]


def look(body: Any, path: str) -> Any:
    """Return the value at a dotted path, None when absent, UNKNOWN when any step is unknown."""
    value = body
    for step in path.split("."):
        if value is UNKNOWN:
            return UNKNOWN
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def fill_defaults(body: Body, defaults: Mapping[str, Any]) -> None:
    """Put each default where nothing stands; objects are filled inside."""
    for key, value in defaults.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            fill_defaults(body[key], value)
        elif body.get(key) is None:
            body[key] = value


def merge_patch(body: Mapping[str, Any], patch: Mapping[str, Any]) -> Body:
    """Return the body with a JSON merge patch applied (RFC 7396): null removes."""
    merged = dict(body)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            inside = merged.get(key)
            merged[key] = merge_patch(inside if isinstance(inside, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged


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
