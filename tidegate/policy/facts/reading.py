"""Reading one property: known, hidden (unknown or secret) and absent are told apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tidegate.policy.values import UNKNOWN, is_secret, is_unknown

Fact = dict[str, Any]
"""`{"state": "known" | "hidden" | "absent", "value": …, "property": …}`."""

_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_WHOLE = re.compile(r"-?\d{1,15}")
_CLOCK: Final = (("s", 1), ("m", 60), ("h", 3600))


def known(value: Any, path: str) -> Fact:
    """Return a fact that is known."""
    return {"state": "known", "value": value, "property": path}


def absent(path: str) -> Fact:
    """Return a fact about something that is not written anywhere."""
    return {"state": "absent", "value": None, "property": path}


def hidden(path: str) -> Fact:
    """Return a fact that is there and cannot be seen."""
    return {"state": "hidden", "value": None, "property": path}


def with_default(fact: Fact, value: Any) -> Fact:
    """Return the same fact, known where it is absent because its cloud takes a default then."""
    return known(value, fact["property"]) if fact["state"] == "absent" else fact


def is_hidden(value: object) -> bool:
    """Return whether a decoded value stands for an unknown or a secret."""
    return is_unknown(value) or is_secret(value)


def read(properties: Any, path: str, at: str = "") -> Fact:
    """Return what stands at a dotted path; a path through something hidden is hidden.

    Args:
        properties: The decoded properties, or a part of them.
        path: Names and positions ("scalingConfig.minSize", "notifications.0").
        at: Where `properties` stands in its resource, with a trailing dot.
    """
    value: Any = properties
    where = at + path
    for name in path.split("."):
        if is_hidden(value):
            return hidden(where)
        value = _member(value, name)
    if is_hidden(value):
        return hidden(where)
    return absent(where) if value is None else known(value, where)


def _member(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return None


def read_first(properties: Any, paths: tuple[str, ...], at: str = "") -> Fact:
    """Return the first of several properties that is there; the first as absent when none is."""
    found = [read(properties, path, at) for path in paths]
    return next((fact for fact in found if fact["state"] != "absent"), found[0])


def read_number(properties: Any, *paths: str, at: str = "") -> Fact:
    """Return a number, which some programs write as text; what is no number is hidden."""
    return as_number(read_first(properties, paths, at))


def as_number(fact: Fact) -> Fact:
    """Return the same fact with a number for its value."""
    value = fact["value"]
    if fact["state"] != "known" or (isinstance(value, int | float) and not isinstance(value, bool)):
        return fact
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return known(int(value), fact["property"])
    return hidden(fact["property"])


def as_seconds(fact: Fact) -> Fact:
    """Return the same fact in seconds: numbers, `"3600s"` and ISO 8601 durations are read."""
    value = fact["value"]
    if fact["state"] != "known" or not isinstance(value, str) or _WHOLE.fullmatch(value):
        return as_number(fact)
    for suffix, factor in _CLOCK:
        if value.endswith(suffix) and _WHOLE.fullmatch(value[:-1]):
            return known(int(value[:-1]) * factor, fact["property"])
    parts = _DURATION.fullmatch(value)
    if parts is None or not any(parts.groups()):
        return hidden(fact["property"])
    days, hours, minutes, seconds = (float(part or 0) for part in parts.groups())
    return known(int(days * 86_400 + hours * 3600 + minutes * 60 + seconds), fact["property"])


def entries(properties: Any, path: str) -> list[tuple[str, Any]]:
    """Return each ("path[i].", element) of a list; one ("path.", marker) where it is hidden."""
    fact = read(properties, path)
    if fact["state"] == "hidden":
        return [(f"{path}.", UNKNOWN)]
    value = fact["value"]
    if not isinstance(value, list):
        return []
    return [(f"{path}[{index}].", item) for index, item in enumerate(value)]


def texts(value: Any) -> list[str]:
    """Return the texts of a list, or nothing where it is no list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
