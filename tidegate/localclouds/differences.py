"""What changed between two sets of inputs, and what is live now under what was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tidegate.localclouds.contracts import Values
from tidegate.localclouds.rules import TypeRules
from tidegate.localclouds.schema import ANY, Shape


@dataclass(frozen=True, slots=True)
class Change:
    """One property that differs: its place ("taints[0].effect") and "add", "delete" or "update"."""

    place: str
    kind: str

    @property
    def top(self) -> str:
        """The top-level property it belongs to."""
        return self.place.split(".")[0].split("[")[0]


def find_changes(old: Values, new: Values) -> list[Change]:
    """Return what differs, at the deepest place that tells. Absent and None are the same."""
    return list(_compare(old, new, ""))


def _compare(old: Any, new: Any, place: str) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            inner = _join(place, key)
            yield from _compare(old.get(key), new.get(key), inner)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _compare(before, after, f"{place}[{index}]")
    elif old != new:
        yield Change(place, "add" if old is None else "delete" if new is None else "update")


def _join(place: str, key: str) -> str:
    """Return a property path; a key that is no name is quoted, as the engine reads it."""
    if not re.fullmatch(r"[A-Za-z_$][\w$]*", key):
        return f'{place}["{key}"]'
    return f"{place}.{key}" if place else key


def forces_replacement(change: Change, rules: TypeRules) -> bool:
    """Tell whether the data file replaces the resource for this change."""
    plain = "".join(part.split("]")[-1] for part in change.place.split("["))
    return any(plain == path or plain.startswith(f"{path}.") for path in rules.replace)


def overlay(shape: Shape, asked: Any, live: Any, *, whole: bool = False) -> Any:
    """Return what is live, in the form in which it was asked for.

    Of objects only the properties that were asked for are taken, so that the cloud's defaults
    are no drift; maps and lists are taken whole; a list in another order is the same list.

    Args:
        shape: The form of both.
        asked: What a program gave.
        live: What there is.
        whole: Whether `live` tells everything: what is absent there is gone, and lists keep
            their order.
    """
    if live is None:
        return None if whole else asked
    shape = shape.option_of(asked)
    if shape.kind == "object" and isinstance(asked, dict) and isinstance(live, dict):
        return _overlay_object(shape, asked, live, whole=whole)
    if isinstance(asked, list) and isinstance(live, list):
        return _overlay_list(shape, asked, live, whole=whole)
    return live


def _overlay_object(shape: Shape, asked: Values, live: Values, *, whole: bool) -> Values:
    found = {
        key: overlay(shape.properties.get(key, ANY), value, live.get(key), whole=whole)
        for key, value in asked.items()
    }
    return {key: value for key, value in found.items() if value is not None or not whole}


def _overlay_list(shape: Shape, asked: list[Any], live: list[Any], *, whole: bool) -> list[Any]:
    if not whole and sorted(map(repr, asked)) == sorted(map(repr, live)):
        return asked
    if shape.item is None or len(asked) != len(live):
        return live
    pairs = zip(asked, live, strict=True)
    return [overlay(shape.item, before, now, whole=whole) for before, now in pairs]


def overlay_inputs(shape: Shape, asked: Values, live: Values, *, whole: bool = False) -> Values:
    """Return the inputs as they would have to read to describe what is live.

    A map that nobody asked for but that holds something now (tags added by hand) is drift too.
    """
    drifted = _overlay_object(shape, asked, live, whole=whole)
    added = {
        key: live[key]
        for key, form in shape.properties.items()
        if form.kind == "map" and key not in asked and live.get(key)
    }
    return {**drifted, **added}
