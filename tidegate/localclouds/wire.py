"""Pulumi's wire form and back: protobuf structs, unknowns, secrets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value

from tidegate.localclouds.contracts import UNKNOWN, Values

SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - Pulumi's public mark, no secret
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
# The engine has one word for "not known yet" a kind of value.
UNKNOWN_WORDS = frozenset(
    {
        UNKNOWN_STRING,
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Properties:
    """Plain values, and the paths of those that are secret."""

    values: Values
    secrets: frozenset[Path] = frozenset()


def parse_struct(struct: Struct) -> Properties:
    """Return the plain values of a struct and which of them were secret."""
    secrets: set[Path] = set()
    return Properties(_parse_fields(struct, (), secrets), frozenset(secrets))


def _parse_fields(struct: Struct, path: Path, secrets: set[Path]) -> Values:
    return {key: _parse_value(value, (*path, key), secrets) for key, value in struct.fields.items()}


def _parse_value(value: Value, path: Path, secrets: set[Path]) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        text = value.string_value
        return UNKNOWN if text in UNKNOWN_WORDS else text
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "bool_value":
        return value.bool_value
    if kind == "list_value":
        items = value.list_value.values
        return [_parse_value(item, (*path, index), secrets) for index, item in enumerate(items)]
    if kind == "struct_value":
        return _parse_object(value.struct_value, path, secrets)
    return None


def _parse_object(struct: Struct, path: Path, secrets: set[Path]) -> Any:
    fields = struct.fields
    mark = fields[SIGNATURE].string_value if SIGNATURE in fields else ""
    if mark == SECRET:
        secrets.add(path)
        return _parse_value(fields["value"], path, secrets)
    if mark == OUTPUT:
        if fields["secret"].bool_value:
            secrets.add(path)
        return _parse_value(fields["value"], path, secrets) if "value" in fields else UNKNOWN
    return _parse_fields(struct, path, secrets)


def render_struct(values: Values, secrets: Iterable[Path] = ()) -> Struct:
    """Return the wire form; values at the paths of `secrets` are marked where they exist."""
    struct = Struct()
    struct.update(mark_secrets(_render_unknowns(values), secrets))
    return struct


def _render_unknowns(value: Any) -> Any:
    if value is UNKNOWN:
        return UNKNOWN_STRING
    if isinstance(value, dict):
        return {key: _render_unknowns(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_render_unknowns(part) for part in value]
    return value


def mark_secrets(values: Values, secrets: Iterable[Path]) -> Values:
    """Return the values with `{SIGNATURE: …, "value": …}` at each path that exists."""
    marked: Any = values
    for path in sorted(secrets, key=len, reverse=True):
        marked = _mark(marked, path)
    return dict(marked)


def _mark(value: Any, path: Path) -> Any:
    if not path:
        return {SIGNATURE: SECRET, "value": value}
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and step in value and SIGNATURE not in value:
        return {**value, step: _mark(value[step], rest)}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [*value[:step], _mark(value[step], rest), *value[step + 1 :]]
    return value


def unmark_secrets(values: Values) -> Properties:
    """Return plain values from the form of `mark_secrets`."""
    secrets: set[Path] = set()
    return Properties(_unmark(values, (), secrets), frozenset(secrets))


def _unmark(value: Any, path: Path, secrets: set[Path]) -> Any:
    if isinstance(value, dict):
        if value.get(SIGNATURE) == SECRET:
            secrets.add(path)
            return _unmark(value["value"], path, secrets)
        return {key: _unmark(part, (*path, key), secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_unmark(part, (*path, index), secrets) for index, part in enumerate(value)]
    return value
