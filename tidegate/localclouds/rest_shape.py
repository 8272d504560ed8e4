"""One table per type says where a Pulumi property stands in the REST body, both ways.

Names that are the same on both sides are not listed: they pass unchanged. Numbers arrive from
the engine as floats and leave as integers; a Pulumi list of at most one element may be one
object in REST.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import UNKNOWN, is_known


@dataclass(frozen=True, slots=True)
class Field:
    """Where one Pulumi property stands in the REST body.

    Attributes:
        rest: Dotted path in the REST body; empty when REST uses the same name.
        shape: The table for the objects inside.
        single: True when Pulumi has a list of at most one and REST has the object itself.
        listed: True when it is the other way round.
        to_rest: Turns the Pulumi value into the REST value, after `shape`.
        to_pulumi: Turns the REST value into the Pulumi value, after `shape`.
    """

    rest: str = ""
    shape: Shape | None = None
    single: bool = False
    listed: bool = False
    to_rest: Callable[[Any], Any] | None = None
    to_pulumi: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """The differences between one Pulumi object and its REST body.

    Attributes:
        fields: Pulumi name → its place in REST.
        provider_only: Pulumi names that never reach the cloud.
        rest_only: REST names that Pulumi does not show.
    """

    fields: Mapping[str, Field] = field(default_factory=dict)
    provider_only: frozenset[str] = frozenset()
    rest_only: frozenset[str] = frozenset()


SAME = Shape()


def build_rest(shape: Shape, properties: Mapping[str, Any]) -> Body:
    """Return the REST body for Pulumi properties; absent and null properties are left out."""
    body: Body = {}
    for name, value in properties.items():
        if value is None or name in shape.provider_only:
            continue
        place = shape.fields.get(name, Field())
        _put(body, _path(name, place), _value_to_rest(place, value))
    return body


def build_properties(shape: Shape, body: Mapping[str, Any]) -> Body:
    """Return the Pulumi properties of a REST body."""
    properties: Body = {}
    taken = set(shape.rest_only)
    for name, place in shape.fields.items():
        path = _path(name, place)
        taken.add(path[0])
        value = pluck(body, path)
        if value is not None:
            properties[name] = _value_to_pulumi(place, value)
    for name, value in body.items():
        if name not in taken and value is not None:
            properties[name] = _value_to_pulumi(Field(), value)
    return properties


def pluck(body: Mapping[str, Any], path: list[str]) -> Any:
    """Return the value at a path, or None where any step of it is missing."""
    value: Any = body
    for step in path:
        if not isinstance(value, Mapping) or step not in value:
            return None
        value = value[step]
    return value


def plain(value: Any) -> Any:
    """Return a copy in which whole floats (the engine's numbers) are integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _path(name: str, place: Field) -> list[str]:
    # The keys of a free map (labels) pass here too: a dot in them is no step.
    return place.rest.split(".") if place.rest else [name]


def _put(body: Body, path: list[str], value: Any) -> None:
    for step in path[:-1]:
        inside = body.setdefault(step, {})
        if not isinstance(inside, dict):
            return  # the whole object is unknown yet
        body = inside
    last = path[-1]
    if isinstance(value, dict) and isinstance(body.get(last), dict):
        body[last].update(value)
    else:
        body[last] = value


def _value_to_rest(place: Field, value: Any) -> Any:
    if value is UNKNOWN:
        return value
    shape = place.shape or SAME
    if isinstance(value, Mapping):
        value = build_rest(shape, value)
    elif isinstance(value, list | tuple):
        value = [_value_to_rest(Field(shape=shape), item) for item in value]
        if place.single:
            value = value[0] if value else {}
    else:
        value = plain(value)
    if place.listed:
        value = [value]
    if place.to_rest is None:
        return value
    # What a preview knows in part is not turned: nothing is said of it until it is whole.
    return place.to_rest(value) if is_known(value) else UNKNOWN


def _value_to_pulumi(place: Field, value: Any) -> Any:
    shape = place.shape or SAME
    if place.listed and isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, Mapping):
        value = build_properties(shape, value)
        if place.single:
            value = [value]
    elif isinstance(value, list | tuple):
        value = [_value_to_pulumi(Field(shape=shape), item) for item in value]
    else:
        value = plain(value)
    return place.to_pulumi(value) if place.to_pulumi else value


def pulumi_place(shape: Shape, rest_place: str) -> str:
    """Return the Pulumi spelling of a place in the REST body ("config.taints[0].effect")."""
    steps = rest_place.split(".")
    for length in range(len(steps), 0, -1):
        bare = ".".join(step.split("[")[0] for step in steps[:length])
        found = _find_field(shape, bare)
        if found is None:
            continue
        name, place = found
        index = () if place.listed else steps[length - 1].partition("[")[1:]
        here = name + "".join(index) + ("[0]" if place.single else "")
        rest = ".".join(steps[length:])
        return f"{here}.{pulumi_place(place.shape or SAME, rest)}" if rest else here
    head, _, rest = rest_place.partition(".")
    return f"{head}.{pulumi_place(SAME, rest)}" if rest else head


def _find_field(shape: Shape, rest_path: str) -> tuple[str, Field] | None:
    for name, place in shape.fields.items():
        if (place.rest or name) == rest_path:
            return name, place
    return None
