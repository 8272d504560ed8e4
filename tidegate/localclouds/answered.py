"""Properties whose form differs between what a program gives and what the provider answers.

azure-native takes sets of names as lists and answers them as maps: the ids of user-assigned
identities, on every type that has an identity. Which properties these are is read off the SDK's
types, along with the value, so that nothing deep is derived that no value needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.contracts import UNKNOWN, Values, is_known
from tidegate.localclouds.schema import ANY, ResourceSchema, Shape

OBJECTS = frozenset({"object", "map"})
NESTED = frozenset({"object", "map", "list"})


def as_answered(schema: ResourceSchema, given: Values) -> Values:
    """Return inputs in the form of the outputs of the same name.

    What has another form there that a list of names does not become is left out: a program that
    read it would fail on it.
    """
    return _each(schema.inputs.properties, schema.results, given, _answer)


def as_given(schema: ResourceSchema, answered: Values) -> Values:
    """Return outputs in the form of the inputs of the same name."""
    return _each(schema.inputs.properties, schema.results, answered, _give)


def is_name_set(asked: Shape, shown: Shape) -> bool:
    """Tell whether a list of names in the inputs is a map by name in the outputs."""
    return asked.kind == "list" and shown.kind == "map"


def _each(
    asked: Mapping[str, Shape], shown: Mapping[str, Shape], values: Values, turn: Any
) -> Values:
    turned = {
        key: turn(asked.get(key, ANY), shown.get(key, ANY), value) for key, value in values.items()
    }
    return {key: value for key, value in turned.items() if value is not None or values[key] is None}


def _answer(asked: Shape, shown: Shape, value: Any) -> Any:
    if value is UNKNOWN or value is None:
        return value
    if is_name_set(asked, shown) and isinstance(value, list):
        return {name: {} for name in value} if is_known(value) else UNKNOWN
    if not _fits(shown, value):
        return None
    return _descend(asked, shown, value, _answer)


def _fits(shown: Shape, value: Any) -> bool:
    if isinstance(value, list):
        return shown.kind in ("list", "any")
    if isinstance(value, dict):
        return shown.kind in OBJECTS or shown.kind == "any"
    return shown.kind not in NESTED


def _give(asked: Shape, shown: Shape, value: Any) -> Any:
    if is_name_set(asked, shown) and isinstance(value, dict):
        return list(value)
    return _descend(asked, shown, value, _give)


def _descend(asked: Shape, shown: Shape, value: Any, turn: Any) -> Any:
    if isinstance(value, list) and asked.item and shown.item:
        return [turn(asked.item, shown.item, item) for item in value]
    asked, shown = asked.option_of(value), shown.option_of(value)
    if isinstance(value, dict) and asked.kind == shown.kind == "object":
        return _each(asked.properties, shown.properties, value, turn)
    if isinstance(value, dict) and asked.item and shown.item:
        return {key: turn(asked.item, shown.item, item) for key, item in value.items()}
    return value
