"""Holding a program's inputs against the SDK's forms: names, required ones, shapes, choices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tidegate.localclouds.contracts import UNKNOWN, CheckFailure, Values
from tidegate.localclouds.schema import ResourceSchema, Shape
from tidegate.vocabulary.problems import nearest

PYTHON_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "list": (list,),
    "map": (dict,),
    "object": (dict,),
}
# What the engine and the bridge add to inputs, and no SDK lists.
INTERNAL = frozenset({"tagsAll", "__defaults", "__meta", "__internal"})


def check_shapes(schema: ResourceSchema, inputs: Values) -> list[CheckFailure]:
    """Return a failure for each unknown name, missing property, wrong shape and bad choice."""
    given = {key: value for key, value in inputs.items() if key not in INTERNAL}
    return list(_check_object(schema.inputs, given, ""))


def _check(shape: Shape, value: Any, place: str) -> Iterator[CheckFailure]:
    if value is UNKNOWN or value is None or shape.kind == "any":
        return
    if not _fits(shape, value):
        yield CheckFailure(place, f"expected {_article(shape.kind)}, got {_describe(value)}")
    elif shape.options:
        yield from _check_option(shape, value, place)
    elif shape.kind == "object":
        yield from _check_object(shape, value, place)
    elif shape.item is not None and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _check(shape.item, item, f"{place}[{index}]")
    elif shape.item is not None:
        for key, item in value.items():
            yield from _check(shape.item, item, f"{place}.{key}")
    elif shape.choices and value not in shape.choices:
        known = ", ".join(str(choice) for choice in shape.choices)
        yield CheckFailure(place, f"expected one of [{known}], got {value!r}")


def _check_object(shape: Shape, value: Values, place: str) -> Iterator[CheckFailure]:
    prefix = f"{place}." if place else ""
    for name, part in value.items():
        known = shape.properties.get(name)
        if known is None:
            yield CheckFailure(f"{prefix}{name}", _unknown(name, shape))
        else:
            yield from _check(known, part, f"{prefix}{name}")
    for name in sorted(shape.required - {key for key, part in value.items() if part is not None}):
        yield CheckFailure(f"{prefix}{name}", f"missing required property '{name}'")


def _check_option(shape: Shape, value: Values, place: str) -> Iterator[CheckFailure]:
    marks = [option.mark for option in shape.options if option.mark]
    name, known = marks[0][0], ", ".join(mark[1] for mark in marks)
    given = value.get(name)
    if given is None:
        yield CheckFailure(
            f"{place}.{name}", f"missing required property '{name}': one of [{known}]"
        )
    elif given is not UNKNOWN and given not in {mark[1] for mark in marks}:
        yield CheckFailure(f"{place}.{name}", f"expected one of [{known}], got {given!r}")
    elif given is not UNKNOWN:
        yield from _check_object(shape.option_of(value), value, place)


def _unknown(name: str, shape: Shape) -> str:
    hint = nearest(name, shape.properties)
    return f"unknown property '{name}'" + (f"; did you mean '{hint}'?" if hint else "")


def _fits(shape: Shape, value: Any) -> bool:
    if isinstance(value, bool):
        return shape.kind == "boolean"
    return isinstance(value, PYTHON_KINDS[shape.kind])


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aio" else f"a {kind}"


def _describe(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "list"}
    return f"the {names.get(type(value), 'map')} {value!r}"
