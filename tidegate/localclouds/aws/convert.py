"""Between Pulumi's spelling and the AWS APIs', led by botocore's and the SDK's own types.

Names are matched without regard to case ("httpTokens" and "HttpTokens"); the few that differ
otherwise are given as aliases (Pulumi's name → the API's). A map of tags becomes a list of keys
and values where the API has one, and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.model import ListShape, MapShape  # type: ignore[import-untyped]
from botocore.model import Shape as ApiShape

from tidegate.localclouds.contracts import Values
from tidegate.localclouds.schema import Shape

Aliases = Mapping[str, str]
NO_ALIASES: Aliases = {}


def to_request(shape: ApiShape, value: Any, aliases: Aliases = NO_ALIASES) -> Any:
    """Return the API's form of a Pulumi value; what the API has no member for is left out."""
    kind = shape.type_name
    if kind == "structure":
        return _to_structure(shape, value, aliases)
    if isinstance(shape, ListShape):
        return _to_list(shape, value, aliases)
    if isinstance(shape, MapShape):
        return {key: to_request(shape.value, part, aliases) for key, part in value.items()}
    return _to_scalar(kind, value)


def _to_structure(shape: Any, value: Any, aliases: Aliases) -> Values:
    if isinstance(value, list):  # the bridge has lists where the API has at most one
        value = value[0] if value else {}
    members = {name.lower(): name for name in shape.members}
    result = {}
    for key, part in value.items():
        name = members.get(aliases.get(key, key).lower())
        if name is not None and part is not None:
            result[name] = to_request(shape.members[name], part, aliases)
    return result


def _to_list(shape: ListShape, value: Any, aliases: Aliases) -> list[Any]:
    pair = _find_pair(shape.member) if isinstance(value, dict) else ""
    if pair:
        return [{pair: key, "Value": part} for key, part in value.items()]
    items = value if isinstance(value, list) else [value]
    return [to_request(shape.member, item, aliases) for item in items]


def _find_pair(shape: ApiShape) -> str:
    """Return how a pair of key and value names its key, "" for what is no pair."""
    members = set(getattr(shape, "members", {}))
    names = [name for name in ("Key", "Name") if members == {name, "Value"}]
    return names[0] if names else ""


def _to_scalar(kind: str, value: Any) -> Any:
    if kind == "boolean":
        return value if isinstance(value, bool) else str(value).lower() == "true"
    if kind in ("integer", "long"):
        return int(value)
    if kind in ("double", "float"):
        return float(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def from_response(shape: Shape, value: Any, aliases: Aliases = NO_ALIASES) -> Any:
    """Return Pulumi's form of an API value; what Pulumi has no property for is left out."""
    if shape.kind == "object":
        if isinstance(value, list):
            value = value[0] if value else {}
        return from_structure(shape, value, aliases)
    if shape.kind == "list" and shape.item is not None:
        items = value if isinstance(value, list) else [value]
        return [from_response(shape.item, item, aliases) for item in items]
    if shape.kind == "map":
        return from_tags(value) if isinstance(value, list) else dict(value)
    return _from_scalar(shape.kind, value)


def from_structure(shape: Shape, value: Mapping[str, Any], aliases: Aliases = NO_ALIASES) -> Values:
    """Return the properties of an object that an API structure has."""
    members = {name.lower(): name for name in value}
    result = {}
    for key, form in shape.properties.items():
        name = members.get(aliases.get(key, key).lower())
        if name is not None and value[name] is not None:
            result[key] = from_response(form, value[name], aliases)
    return result


def _from_scalar(kind: str, value: Any) -> Any:
    if isinstance(value, list):
        value = value[0] if value else None
    if value is None:
        return None
    if kind == "string":
        if hasattr(value, "isoformat"):
            return value.isoformat()
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value).lower() if isinstance(value, bool) else str(value)
    if kind == "integer":
        return int(value)
    if kind == "number":
        return float(value)
    if kind == "boolean" and not isinstance(value, bool):
        return str(value).lower() == "true"
    return value


def from_tags(tags: list[Mapping[str, str]]) -> dict[str, str]:
    """Return a map of an API's list of tags."""
    names = ("Key", "key", "Name")
    keys = [next((tag[name] for name in names if name in tag), "") for tag in tags]
    return {key: tag.get("Value", "") for key, tag in zip(keys, tags, strict=True)}


def to_tags(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Return an API's list of a map of tags."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]
