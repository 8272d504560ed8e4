"""Parameters of rules: their schemas, defaults and the values that configuration gives.

The schemas are the part of JSON Schema that Pulumi shows for a policy's configuration. The
engine checks them for the pack; the same check here serves every other way in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.vocabulary.problems import InvalidInput, Problem, suggest

_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
_KEYWORDS = {
    "additionalProperties",
    "default",
    "description",
    "enum",
    "items",
    "minLength",
    "minimum",
    "properties",
    "required",
    "type",
}


def build_parameters(
    rule: str, schema: Mapping[str, Mapping[str, Any]], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a rule's parameters: what is given, checked, over the declared defaults.

    Raises:
        InvalidInput: For an unknown parameter (naming the nearest) or a value that does not fit.
    """
    where = f"rule {rule}"
    problems: list[Problem] = []
    for name, value in given.items():
        if name not in schema:
            reason = "is no parameter of this rule" + suggest(name, schema)
            expected = f"one of {', '.join(schema)}" if schema else "no parameter"
            problems.append(Problem(where, name, "", reason, expected))
            continue
        problems += _check_value(where, name, schema[name], value)
    if problems:
        raise InvalidInput(problems)
    defaults = {name: definition["default"] for name, definition in schema.items()}
    return {**defaults, **given}


def check_schema(where: str, schema: Mapping[str, Any]) -> list[Problem]:
    """Return what is wrong with the parameter schema that a rule declares."""
    problems: list[Problem] = []
    for name, definition in schema.items():
        place = f"custom.parameters.{name}"
        if not isinstance(definition, dict) or "default" not in definition:
            reason = "has no default"
            problems.append(Problem(where, place, "", reason, "type, description, default"))
            continue
        problems += list(_check_definition(where, place, definition))
        if not problems:
            problems += _check_value(where, f"{place}.default", definition, definition["default"])
    return problems


def _check_definition(where: str, place: str, definition: Mapping[str, Any]) -> Iterator[Problem]:
    for keyword in definition.keys() - _KEYWORDS:
        expected = f"one of {', '.join(sorted(_KEYWORDS))}"
        yield Problem(where, f"{place}.{keyword}", "", "is no keyword that is checked", expected)
    if definition.get("type") not in _TYPES:
        reason = "is no type"
        expected = f"one of {', '.join(_TYPES)}"
        yield Problem(where, f"{place}.type", repr(definition.get("type")), reason, expected)
    for key in ("items", "additionalProperties"):
        if isinstance(definition.get(key), dict):
            yield from _check_definition(where, f"{place}.{key}", definition[key])
    for name, inner in definition.get("properties", {}).items():
        yield from _check_definition(where, f"{place}.properties.{name}", inner)


def _check_value(
    where: str, name: str, definition: Mapping[str, Any], value: object
) -> list[Problem]:
    wanted = definition["type"]
    whole = isinstance(value, float) and value.is_integer() and wanted == "integer"
    is_bool_for_number = isinstance(value, bool) and wanted != "boolean"
    if is_bool_for_number or not (isinstance(value, _TYPES[wanted]) or whole):
        return [
            Problem(where, name, repr(value), "has the wrong type", f"a value of type {wanted}")
        ]
    problems = list(_check_limits(where, name, definition, value))
    if isinstance(value, list) and "items" in definition:
        for index, item in enumerate(value):
            problems += _check_value(where, f"{name}[{index}]", definition["items"], item)
    if isinstance(value, dict):
        problems += _check_object(where, name, definition, value)
    return problems


def _check_limits(
    where: str, name: str, definition: Mapping[str, Any], value: Any
) -> Iterator[Problem]:
    if "enum" in definition and value not in definition["enum"]:
        expected = f"one of {', '.join(map(str, definition['enum']))}"
        yield Problem(where, name, repr(value), "is not allowed", expected)
    if "minimum" in definition and value < definition["minimum"]:
        yield Problem(where, name, repr(value), "is too small", f"at least {definition['minimum']}")
    if "minLength" in definition and len(value) < definition["minLength"]:
        yield Problem(where, name, repr(value), "is too short", "a text")


def _check_object(
    where: str, name: str, definition: Mapping[str, Any], value: Mapping[str, Any]
) -> Iterator[Problem]:
    properties = definition.get("properties", {})
    others = definition.get("additionalProperties", True)
    for key in definition.get("required", ()):
        if key not in value:
            yield Problem(where, f"{name}.{key}", "", "is required and is missing", "a value")
    for key, item in value.items():
        if key in properties:
            yield from _check_value(where, f"{name}.{key}", properties[key], item)
        elif isinstance(others, dict):
            yield from _check_value(where, f"{name}.{key}", others, item)
        elif others is False:
            expected = f"one of {', '.join(properties)}"
            yield Problem(where, f"{name}.{key}", "", "is not known", expected)
