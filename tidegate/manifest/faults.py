"""Pydantic's errors in the words of a user: which entry, which property, what would be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tidegate.manifest.model import Fragment, Manifest
from tidegate.vocabulary.problems import Problem, suggest

_EXPECTED = {
    "missing": "a value",
    "extra_forbidden": "only the keys of the published schema",
    "string_type": "a string",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "decimal_parsing": "a decimal number as a string",
    "date_from_datetime_parsing": "a date as YYYY-MM-DD",
    "list_type": "a list",
    "model_type": "an object",
}
_SINGULAR = {
    "pools": "pool",
    "commitments": "commitment",
    "buckets": "bucket",
    "queues": "queue",
}


def describe_faults(where: str, document: object, error: ValidationError) -> list[Problem]:
    """Return one problem for each error that pydantic found in `document`."""
    return [_describe_fault(where, document, detail) for detail in error.errors()]


def _describe_fault(where: str, document: object, detail: ErrorDetails) -> Problem:
    place, path = _place(where, document, detail["loc"])
    kind = detail["type"]
    if kind == "missing":
        return Problem(place, path, "", "is required and is missing", _EXPECTED[kind])
    if kind == "extra_forbidden":
        hint = suggest(str(detail["loc"][-1]), _known_keys() - {str(detail["loc"][-1])})
        return Problem(place, path, "", f"is not a key of the manifest{hint}", _EXPECTED[kind])
    reason = detail["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return Problem(place, path, repr(detail["input"]), reason, _EXPECTED.get(kind, ""))


def _place(where: str, document: object, loc: Sequence[int | str]) -> tuple[str, str]:
    """Return the entry ("pool train-h100") and the path inside it, instead of a bare index."""
    if len(loc) >= 2 and isinstance(loc[0], str) and isinstance(loc[1], int):
        entry = _entry(document, loc[0], loc[1])
        if entry:
            kind = _SINGULAR.get(loc[0], loc[0])
            return f"{where}: {kind} {entry}", _join(loc[2:])
    return where, _join(loc)


def _entry(document: object, section: str, index: int) -> str:
    """Return the id of one entry of a raw document, or "" where it has none."""
    if not isinstance(document, Mapping):
        return ""
    entries = document.get(section)
    if not isinstance(entries, Sequence) or index >= len(entries):
        return ""
    entry: Any = entries[index]
    return str(entry.get("id", "")) if isinstance(entry, Mapping) else ""


def _join(loc: Sequence[int | str]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def _known_keys() -> set[str]:
    """Return every key that any part of a manifest may have, as written in JSON."""
    schema = Manifest.model_json_schema(by_alias=True)
    keys = set(schema["properties"])
    for definition in schema.get("$defs", {}).values():
        keys |= set(definition.get("properties", {}))
    return keys | set(Fragment.model_fields)
